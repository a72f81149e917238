"""Id expressions of region types of one's own: harmless ones pass, all others are refused with a remedy.

Among them such as would fill memory or disks, or be misread where they are pasted; those are refused unseen.
"""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.public.expressions import check_region_expression, presumed_columns, region_expression_problems
from safetab_sql.settings.geography import RegionType
from safetab_sql.settings.parameters import Parameters
from tests.census import below_states, geography, ladder, questions, region_types

COLUMNS = ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "PLACEFP", "AIANNHCE", "SDELM", "odd name")


def region_type(expression: str) -> RegionType:
    return below_states("SCHOOL", expression, "US")


def nested(call: str, times: int, inside: str = "TABBLKST") -> str:
    for _ in range(times):
        inside = call.format(inside)
    return inside


HARMLESS = [
    *(kind.id for kind in region_types()),
    "tabblkst || SDELM",
    '"odd name"',
    "upper(concat(TABBLKST, left(SDELM, 3)))",
    "case when SDELM = '99997' then null else TABBLKST || SDELM end",
    "case TABBLKST when '01' then 'A' when '02' then 'B' end",
    "coalesce(nullif(SDELM, ''), 'none')",
    "if(SDELM in ('1', '2') and not SDELM is null or SDELM like 'A%', 'x', 'y')",
    "lpad(cast(cast(SDELM as integer) // 10 as varchar), 5, '0')",
    "try_cast(SDELM as bigint)::text",
    "case when SDELM between '1' and '5' then regexp_replace(SDELM, '^0+', '') end",
    "'-- no comment; a constant'",
    "TABBLKST\n    || SDELM",
    "replace(replace(replace(TABBLK, '-', ''), ' ', ''), '.', '')",
    "lpad(TABBLK, 12, '0') || rpad(PLACEFP, 12, '0')",
    r"regexp_replace(PLACEFP, '^0*([1-9]*)$', '\1')",
    " || ".join(["TABBLKST"] * 150),
    "TABBLKST || '$x /* -- */'",
    "case when PLACEFP like'9%' then TABBLKST end",
]


@pytest.mark.parametrize("expression", HARMLESS)
def test_an_expression_of_columns_constants_and_listed_functions_passes(expression):
    assert check_region_expression(region_type(expression), COLUMNS) is None


ENDLESS = "more than 100,000 characters"
REFUSED = {
    "unknown column": ("SDUNI", "column 'SDUNI'"),
    "column of another table": ("persons.SDELM", "column 'persons.SDELM'"),
    "clock as a column": ("current_date::varchar", "column 'current_date'"),
    "subquery": ("(select 'a')", "subquery"),
    "subquery of a file": ("(select content from read_text('/etc/passwd'))", "subquery"),
    "exists": ("case when exists (select 1) then 'a' end", "subquery"),
    "any": ("case when 'a' = any(['a']) then 'a' end", "subquery"),
    "star": ("*", "star"),
    "columns": ("columns('T.*')", "star"),
    "window": ("cast(row_number() over () as varchar)", "window"),
    "aggregate": ("max(TABBLKST)", "function 'max'"),
    "aggregate in disguise": ("upper(distinct TABBLKST)", "function 'upper'"),
    "count": ("count(*)::varchar", "function 'count_star'"),
    "environment": ("getenv('HOME')", "function 'getenv'"),
    "sequence": ("nextval('s')::varchar", "function 'nextval'"),
    "error": ("error('stop')", "function 'error'"),
    "random": ("random()::varchar", "function 'random'"),
    "uuid": ("uuid()::varchar", "function 'uuid'"),
    "clock": ("now()::varchar", "function 'now'"),
    "settings": ("current_setting('threads')", "function 'current_setting'"),
    "variable": ("getvariable('x')", "function 'getvariable'"),
    "method call": ("TABBLKST.upper()", "function 'upper'"),
    "qualified function": ("main.upper(TABBLKST)", "function 'upper'"),
    "repetition": ("repeat('a', 1000000000)", "function 'repeat'"),
    "lambda": ("list_transform(['a'], lambda x: x)::varchar", "is not allowed"),
    "date": ("cast('today'::date as varchar)", "type"),
    "time zone": ("cast('2020-01-01'::timestamptz as varchar)", "type"),
    "list": ("['a']::varchar", "is not allowed"),
    "slice": ("TABBLKST[1:2]", "operator ARRAY_SLICE"),
    "collation": ("TABBLKST collate nocase", "collate"),
    "parameter": ("$x", "parameter"),
    "position": ("#1", "positional reference"),
    "default": ("default", "default"),
    "nothing": ("", "no SQL expression"),
    "half": ("case when TABBLKST", "no SQL expression"),
    "two values": ("'a', 'b'", "no SQL expression: more than one expression"),
    "alias": ("'a' as b", "no SQL expression"),
    "two rows": ("'a'), ('b'", "no SQL expression: more than one expression"),
    "limit": ("'a') limit (1", "no SQL expression: more than one expression"),
    "union": ("'a') union values ('b'", "no SQL expression"),
    "second statement": ("'a'); drop table blocks; values ('b'", "no SQL expression"),
    "unbalanced": ("'a') || ('b'", "no SQL expression"),
    "comment at the end": ("'a' -- b", "no SQL expression"),
    "comment that hides a bracket": ("'a') --", "no SQL expression"),
    "open comment": ("'a') /*", "no SQL expression"),
    "deep": ("- " * 900 + "TABBLKST", ""),
    "long": ("'" + "a" * 2000 + "'", "longer than 2000 characters"),
    "NUL": ("'a\0b'", "cannot be printed"),
    "number": ("1", "gives INTEGER, not text"),
    "boolean": ("TABBLKST = '1'", "gives BOOLEAN, not text"),
    "null": ("null", "not text"),
    "wrong arguments": ("lpad(TABBLKST, 3)", "fails on an empty geography"),
    "not jinja": ("{{ 7 * 7 }}", "no SQL expression"),
    "padding": ("lpad(TABBLKST, 2000000000, 'x')", ENDLESS),
    "padding of a constant": ("rpad('a', 2000000000, 'x')", ENDLESS),
    "padding by a sum": ("lpad(TABBLKST, 1000 * 1000 * 1000, 'x')", ENDLESS),
    "padding by a column": ("lpad(TABBLKST, cast(PLACEFP as integer), 'x')", ENDLESS),
    "replacements": (nested("replace({}, '0', '0000000000')", 40), ENDLESS),
    "replacements of a constant": (nested("replace({}, '0', '0000000000')", 40, "'0'"), ENDLESS),
    "replacements of nothing": (nested("regexp_replace({}, '', '0000000000', 'g')", 30, "'0'"), ENDLESS),
    "matches put in many times": (nested(r"regexp_replace({}, '.*', '\0\0\0\0\0\0\0\0')", 30), ENDLESS),
    "separators": (nested("concat_ws({0}, 'a', 'b', 'c', 'd', 'e')", 20, "'01'").replace("{0}", "'x'"), ENDLESS),
    "hidden in a part that is cut": ("left(rpad('a', 2000000000, 'x'), 2)", ENDLESS),
    "hidden in a branch that is never taken": ("case when 1 = 2 then rpad('a', 2000000000, 'x') end", ENDLESS),
    "quoted between dollars": ("TABBLKST || $tag$x$tag$", "another $ outside quotes"),
    "quoted between bare dollars": ("TABBLKST || $$it's$$", "another $ outside quotes"),
    "escapes": (r"TABBLKST || e'it\'s'", "a letter before a quotation mark"),
    "bytes": ("TABBLKST || x'41'", "a letter before a quotation mark"),
    "a quote in a comment": ("TABBLKST /* it's */", "a comment"),
    "a quote in a comment to the end of a line": ("TABBLKST -- it's\n || 'a'", "a comment"),
    "a sign of kelvin": ("TABBL\u212aST", "fails on an empty geography"),
    "Cyrillic letters": ("ТАВBLKST", "is not allowed here"),
    "a long s": ("TABBLK\u017fT", "fails on an empty geography"),
    "a space without width": ("TABBLKST\u200b", "cannot be printed"),
    "from right to left": ("\u202eTABBLKST", "cannot be printed"),
    "a macro of ours": ("as_text(TABBLKST)", "function 'as_text'"),
}


@pytest.mark.parametrize(("expression", "what"), REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_is_refused_with_its_key(expression, what):
    problem = check_region_expression(region_type(expression), COLUMNS)
    assert problem is not None
    assert problem.where == "[region_types.SCHOOL] id"
    assert what in problem.what
    assert problem.fix


def test_the_remedy_lists_the_columns_of_the_geography():
    problem = check_region_expression(region_type("SDUNI"), COLUMNS)
    assert problem is not None
    assert all(column in problem.fix for column in COLUMNS)


def test_every_listed_function_is_a_function_of_its_arguments_alone():
    from safetab_sql.public.expressions import FUNCTIONS

    rows = duckdb.sql("select function_name, function_type, stability from duckdb_functions()").fetchall()
    known = [row for row in rows if row[0] in FUNCTIONS]
    assert {name for name, *_ in known} >= {"||", "lpad", "substring", "regexp_replace", "+"}
    wrong = [row for row in known if row[1] not in ("scalar", "macro") or row[2] not in ("CONSISTENT", None)]
    assert wrong == []


def parameters_with(*own: RegionType) -> Parameters:
    return Parameters(
        privacy_definition="zcdp",
        questions=questions(8),
        gamma=Fraction(1, 10),
        zero_suppression_chance=Fraction(0),
        allow_negative_counts=True,
        geography=geography(("01",), ("US",), own),
        ladders=(ladder(()),),
        source=Path("schools.toml"),
    )


def test_the_file_is_named_and_standard_region_types_are_trusted():
    parameters = parameters_with(region_type("TABBLKST || SDELM"), replace(region_type("SDUNI"), name="UNI"))
    (problem,) = region_expression_problems(parameters, COLUMNS)
    assert problem.where == "schools.toml [region_types.UNI] id"


@pytest.mark.parametrize(
    ("expression", "extra"),
    [
        *(("TABBLKST || SDELM", ["SDELM"]), ("tabblkst || sdelm || SDELM", ["SDELM"])),
        *(('coalesce(nullif("odd ""name", \'\'), SDUNI)', ['ODD "NAME', "SDUNI"]), ("'SDELM'", [])),
        ("case when Placefp = '1' then left(tract_code, 2) end", ["TRACT_CODE"]),
    ],
)
def test_a_geography_that_is_not_named_is_presumed_to_have_the_columns_that_are_read(expression, extra):
    found = presumed_columns(parameters_with(region_type(expression)))
    assert (found[:6], sorted(map(str.upper, found[6:]))) == (list(COLUMNS[:6]), extra)


@pytest.mark.parametrize(
    "expression", ["TABBLKST ||", "a.SDELM", "(select SDELM)", "random()::varchar", "length(SDELM)"]
)
def test_without_a_geography_an_expression_is_judged_as_ever(expression):
    with pytest.raises(InputError, match=r"\[region_types\.SCHOOL\]"):
        presumed_columns(parameters_with(region_type(expression)))


def test_a_column_that_differs_in_spaces_alone_is_missing_and_no_wrong_expression():
    """The columns of the geography are compared with it later, and it is said what to rename."""
    kind = region_type("SDUNI")
    assert region_expression_problems(parameters_with(kind), [*COLUMNS, " sduni"]) == []
    assert region_expression_problems(parameters_with(kind), [*COLUMNS, "other"]) != []


@pytest.mark.parametrize("name", ["block_key", "BLOCK_KEY"])
def test_a_column_of_the_geography_that_is_named_like_ours_is_refused_and_not_misread(name):
    """Ours would be read in its place: each block would be a region."""
    columns = [*COLUMNS, name]
    (problem,) = region_expression_problems(parameters_with(region_type("TABBLKST || BLOCK_KEY")), columns)
    assert problem.what == f"column '{name}' has the name of a column of ours"
    assert region_expression_problems(parameters_with(), columns) == []


@pytest.mark.parametrize("columns", [("A", "a"), ("",)], ids=["repeated", "no name"])
def test_columns_that_sql_cannot_tell_apart_are_refused_where_expressions_may_read_them(columns):
    (problem,) = region_expression_problems(parameters_with(region_type("TABBLKST")), [*COLUMNS, *columns])
    assert "does not tell from another" in problem.what
    assert region_expression_problems(parameters_with(), [*COLUMNS, *columns]) == []
