"""Id expressions of region types that would fill memory or disks, or be misread where they are pasted: refused."""

import time

import pytest

from safetab_sql.public.expressions import check_region_expression
from tests.census import below_states, region_types

COLUMNS = ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "PLACEFP", "AIANNHCE")


def refusal(expression: str) -> str:
    """What is wrong with an expression, or ''; found without trying what it would cost to compute it."""
    start = time.monotonic()
    problem = check_region_expression(below_states("SCHOOL", expression, "US"), COLUMNS)
    assert time.monotonic() - start < 10  # two of them filled the memory of the machine when they were tried
    return "" if problem is None else problem.what


def nested(call: str, times: int, inside: str = "TABBLKST") -> str:
    """`call` with its {} filled by itself, many times over."""
    for _ in range(times):
        inside = call.format(inside)
    return inside


ENDLESS = {
    "padding": "lpad(TABBLKST, 2000000000, 'x')",
    "padding of a constant": "rpad('a', 2000000000, 'x')",
    "padding by a sum": "lpad(TABBLKST, 1000 * 1000 * 1000, 'x')",
    "padding by a column": "lpad(TABBLKST, cast(PLACEFP as integer), 'x')",
    "replacements": nested("replace({}, '0', '0000000000')", 40),
    "replacements of a constant": nested("replace({}, '0', '0000000000')", 40, "'0'"),
    "replacements of nothing": nested("regexp_replace({}, '', '0000000000', 'g')", 30, "'0'"),
    "matches put in many times": nested(r"regexp_replace({}, '.*', '\0\0\0\0\0\0\0\0')", 30),
    "separators": nested("concat_ws({0}, 'a', 'b', 'c', 'd', 'e')", 20, "'0123456789'").replace("{0}", "'x'"),
    "hidden in a part that is cut": "left(rpad('a', 2000000000, 'x'), 2)",
    "hidden in a branch that is never taken": "case when 1 = 2 then rpad('a', 2000000000, 'x') end",
}


@pytest.mark.parametrize("expression", ENDLESS.values(), ids=ENDLESS)
def test_what_may_give_an_endless_text_is_refused_unseen(expression: str) -> None:
    assert "more than 100,000 characters" in refusal(expression)


MODEST = [
    *(kind.id for kind in region_types()),
    "replace(replace(replace(TABBLK, '-', ''), ' ', ''), '.', '')",
    "lpad(TABBLK, 12, '0') || rpad(PLACEFP, 12, '0')",
    r"regexp_replace(PLACEFP, '^0*([1-9]*)$', '\1')",
    " || ".join(["TABBLKST"] * 150),
    "TABBLKST || '$x /* -- */'",
    "case when PLACEFP like'9%' then TABBLKST end",
]


@pytest.mark.parametrize("expression", MODEST)
def test_a_modest_expression_is_let_through(expression: str) -> None:
    assert refusal(expression) == ""


MISREAD = {
    "quoted between dollars": ("TABBLKST || $tag$x$tag$", "another $ outside quotes"),
    "quoted between bare dollars": ("TABBLKST || $$it's$$", "another $ outside quotes"),
    "escapes": (r"TABBLKST || e'it\'s'", "a letter before a quotation mark"),
    "bytes": ("TABBLKST || x'41'", "a letter before a quotation mark"),
    "a quote in a comment": ("TABBLKST /* it's */", "a comment"),
    "a quote in a comment to the end of a line": ("TABBLKST -- it's\n || 'a'", "a comment"),
}


@pytest.mark.parametrize(("expression", "what"), MISREAD.values(), ids=MISREAD)
def test_a_way_to_quote_that_hides_the_values_of_a_statement_is_refused(expression: str, what: str) -> None:
    assert what in refusal(expression)


LOOK_ALIKES = ["TABBL\u212aST", "ТАВBLKST", "TABBLK\u017fT", "TABBLKST\u200b", "\u202eTABBLKST"]


@pytest.mark.parametrize("expression", LOOK_ALIKES, ids=ascii)
def test_a_column_in_letters_that_look_alike_is_no_column(expression: str) -> None:
    assert refusal(expression)


@pytest.mark.parametrize("columns", [("A", "a"), ("",)], ids=["repeated", "no name"])
def test_columns_that_sql_cannot_tell_apart_are_refused_where_expressions_may_read_them(columns) -> None:
    from dataclasses import replace
    from pathlib import Path

    from safetab_sql.kit.sqlfiles import packaged_folder
    from safetab_sql.public.expressions import region_expression_problems
    from safetab_sql.settings.parameters import load_parameters

    standard = load_parameters(Path(packaged_folder("configs") / "example.toml"))
    own = below_states("SCHOOL", "TABBLKST", "US")
    parameters = replace(standard, geography=replace(standard.geography, region_types=(*standard.region_types, own)))
    (problem,) = region_expression_problems(parameters, [*COLUMNS, *columns])
    assert "does not tell from another" in problem.what
    assert region_expression_problems(standard, [*COLUMNS, *columns]) == []


@pytest.mark.parametrize("expression", ["code_from_text(TABBLKST, 2)", "as_text(TABBLKST)"])
def test_the_macros_of_the_program_are_not_there_for_region_types(expression: str) -> None:
    assert refusal(expression)
