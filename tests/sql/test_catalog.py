"""The statements of sql/run/2_catalog."""

from collections import Counter
from functools import cache
from itertools import combinations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from safetab_sql.kit.database import Resources, open_database
from safetab_sql.kit.sqlfiles import folder_files, packaged_folder
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.readers import GIVEN_NAMES, geography_values, no_region_names
from safetab_sql.public.sources import find_code_lists, find_source, stored_types
from safetab_sql.public.values import parameter_values
from tests.census import list_files
from tests.conftest import SHARED
from tests.literal_tables import create_table, literal_table
from tests.properties.drawn import examples
from tests.sql.parameters import parameters

EXAMPLE_LISTS = packaged_folder("configs") / "example-lists"
LISTS_2020 = SHARED / "reference" / "ddhca-2020"
LEVELS = ("USA-1", "USA-2", "STATE-2", "COUNTY-1", "COUNTY-2", "PLACE-2", "AIANNH-2", "PR-STATE-1", "PR-TRACT-2")
GEOGRAPHY = """
    TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | PLACEFP | AIANNHCE
          01 |       003 |     000400 |   0005 |   00124 |     0050
          44 |       007 |     000101 |   1000 |   99999 |     9999
          44 |       009 |     000101 |   1000 |   59000 |     0050
          72 |       001 |     956300 |   1001 |   00128 |     9999
          72 |       001 |     956400 |   1001 |   99999 |     9999
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory, connection):
    """Makes the catalog of a run with the code lists in a folder; returns catalog and tables."""
    tmp_path = tmp_path_factory.mktemp("catalog")
    create_table(connection, "drawn_geography", literal_table(GEOGRAPHY))
    connection.table("drawn_geography").write_parquet(str(tmp_path / "geography.parquet"))
    connection.execute("drop table drawn_geography")
    geography = find_source(str(tmp_path / "geography.parquet"))
    asked = parameters(*LEVELS)

    @cache
    def make(folder):
        lists = find_code_lists(folder, list_files())
        public_inputs = [file for file in folder_files("run/1_inputs") if file.zone == "public"]
        readable = [*geography.files, *(file for source in lists.values() for file in source.files)]
        with open_database(tmp_path, readable, [], Resources(threads=1)) as database:
            read_lists(database, lists, tmp_path, asked)
            types = stored_types(geography, geography.files)
            paths = [str(file) for file in geography.files]
            database.set_values({**parameter_values(asked), **geography_values("g", paths, types, asked)})
            database.hand_over(GIVEN_NAMES, no_region_names())
            for file in [file for file in public_inputs if {*file.parameters} <= database.values.keys()]:
                database.create(file)
            made = build_catalog(database, asked)
            tables = {name: database.table(name).to_pylist() for name in ("level_regions", "level_iterations")}
        return made, tables

    return make


@pytest.fixture
def group_ids(catalog):
    """The ids of all population groups of the example, each as often as it is given out."""
    _, tables = catalog(EXAMPLE_LISTS)
    return Counter(
        region["first_population_group_id"] + iteration["iteration_position"]
        for region in tables["level_regions"]
        for iteration in tables["level_iterations"]
        if region["level_id"] == iteration["level_id"]
    )


def test_population_groups_are_numbered_without_gaps_and_no_two_share_a_number(group_ids):
    assert sorted(group_ids.elements()) == list(range(group_ids.total()))


@pytest.mark.parametrize(
    "folder",
    [
        EXAMPLE_LISTS,
        pytest.param(
            LISTS_2020,
            marks=pytest.mark.skipif(not LISTS_2020.is_dir(), reason="the 2020 lists lie in ../shared, not here"),
        ),
    ],
    ids=["example", "2020"],
)
def test_every_level_has_stability_nine_with_one_race_and_one_ethnicity_iteration_a_code(catalog, folder):
    made, _ = catalog(folder)
    assert {(level.stability, level.is_exact) for level in made} == {(9, True)}


FACTORS = "factor_id | level_id | codes_read"
CODES = "factor_id | iteration_kind | iteration_id | code"
NO_ANSWERS = "factor_id | most_iterations"
# Each code alone and in combination: iteration -> its codes, by kind.
LISTS = {
    "one code": ({"a": "1"}, {"c": "1"}),
    "two codes of one group": ({"a": "12"}, {"c": "12"}),
    "three groups": ({"a": "1", "b": "2", "d": "3"}, {"c": "1", "e": "2", "f": "3"}),
    "no alone iterations": ({}, {"c": "1", "e": "2"}),
    "alone iterations only": ({"a": "12"}, {}),
    "an alone iteration of two groups": ({"a": "12"}, {"c": "1", "e": "2"}),
    "an alone iteration of a code in no group": ({"a": "12"}, {"c": "1"}),
    "ten groups": ({"a": "1"}, {f"c{code}": code for code in "1234567890"}),
}
OVERLAPPING = {
    "a code in two groups": ({}, {"c": "1", "e": "1"}),
    "two alone iterations of a code": ({"a": "1", "b": "1"}, {"c": "1"}),
    "a chain": ({"a": "12", "b": "23"}, {"c": "12", "e": "23", "f": "31"}),
}


@pytest.fixture(scope="session")
def stability(run_sql):
    """Columns is_exact and stability of levels, each from its alone and its combination iterations, counted at once."""

    def of(*asked):
        factors, codes = [FACTORS], [CODES]
        for level, (alone, combination, codes_read, single) in enumerate(asked, start=1):
            kinds = {"alone": alone, "combination": combination, "ethnicity": single}
            listed = [
                (kind, name, code)
                for kind, iterations in kinds.items()
                for name, held in iterations.items()
                for code in held
            ]
            numbers = {name: number for number, name in enumerate(sorted({(kind, name) for kind, name, _ in listed}))}
            codes += [
                f"{2 * level + (kind == 'ethnicity')} | {kind} | {numbers[kind, name]} | {code}"
                for kind, name, code in listed
            ]
            factors += [f"{2 * level} | {level} | {codes_read}", f"{2 * level + 1} | {level} | 1"]
        return of_factors("\n".join(factors), "\n".join(codes))

    def of_factors(factors, codes):
        tried = run_sql("code_kinds", given={"level_codes": codes})
        lines = [f"{factor} | {kind} | {iteration} | {is_alone}" for factor, kind, iteration, is_alone in tried]
        code_kinds = "\n".join(["factor_id | code_kind | iteration_id | is_alone", *lines])
        given = {"code_kinds": code_kinds, "level_factors": factors}
        answers = run_sql("level_answers", given=given)
        level_answers = "\n".join([NO_ANSWERS, *(f"{factor} | {most}" for factor, most in answers)])
        return [(is_exact, most) for _, is_exact, most in levels(run_sql, factors, codes, level_answers)]

    return of


def levels(run_sql, factors, codes, answers=NO_ANSWERS):
    given = {"level_factors": factors, "level_codes": codes, "level_answers": answers}
    rows = "\n".join(" | ".join(map(str, row)) for row in run_sql("factor_stability", given=given))
    given = {"level_factors": factors, "factor_stability": f"factor_id | is_exact | stability\n{rows}"}
    return run_sql("level_stability", given=given)


def most_groups(alone, combination, codes_read, single):
    """The most iterations of anybody: every set of one to `codes_read` codes is tried."""
    codes = sorted({code for iterations in (alone, combination) for held in iterations.values() for code in held})
    answers = [set(held) for size in range(1, codes_read + 1) for held in combinations(codes, size)]
    in_race = [
        sum(held <= set(codes) for codes in alone.values())
        + sum(bool(held & set(codes)) for codes in combination.values())
        for held in answers
    ]
    singles = [code for codes in single.values() for code in codes]
    return max(1, max(in_race, default=0) + max(map(singles.count, singles), default=0))


def test_the_stability_is_the_most_groups_of_any_answer(stability):
    lists = {**LISTS, **OVERLAPPING}
    asked = {(name, most): (*lists[name], most, {"s": "9"}) for name in lists for most in (2, 8)}
    found = dict(zip(asked, stability(*asked.values()), strict=True))
    assert found == {name: (True, most_groups(*one)) for name, one in asked.items()}


def test_many_codes_have_the_stability_of_the_paper_or_a_bound(stability):
    codes = [str(code) for code in range(13)]
    alone, combination = {"a": codes, "b": codes}, {f"c{code}": [code] for code in codes[:12]}
    found = stability((*LISTS["ten groups"], 8, {"s": "9"}), (alone, combination, 3, {}))
    assert found == [(True, 9), (False, 2 + 3)]


def test_other_levels_do_not_count(run_sql):
    codes = """
        factor_id | iteration_kind | iteration_id | code
                1 |    combination |            1 |    1
                2 |    combination |            1 |    1
                2 |    combination |            2 |    2
                2 |          alone |            3 |    1
                2 |          alone |            3 |    2
    """
    factors = f"{FACTORS}\n1 | 1 | 8\n2 | 2 | 8"
    assert levels(run_sql, factors, codes) == [(1, True, 1), (2, True, 3)]


SETS = st.lists(st.sets(st.sampled_from("012345"), min_size=1), max_size=4)


LEVEL = st.tuples(*[SETS.map(lambda sets: dict(zip("abcd", sets, strict=False)))] * 3, st.integers(1, 8))


@settings(examples(2), phases=[Phase.generate])  # the first is the simplest; to shrink ten lists takes minutes
@given(drawn=st.lists(LEVEL, min_size=10, max_size=10))
def test_any_small_lists_have_the_stability_that_trying_every_answer_gives(stability, drawn):
    """Nested or not, with codes in several iterations of one kind."""
    asked = [(alone, combination, codes_read, single) for alone, combination, single, codes_read in drawn]
    assert stability(*asked) == [(True, most_groups(*one)) for one in asked]


@examples(20)
@given(alone=SETS, combination=SETS, codes_read=st.integers(min_value=1, max_value=8))
@pytest.mark.slow
def test_the_bound_of_lists_that_are_not_tried_is_never_too_small(run_sql, alone, combination, codes_read):
    kinds = {"alone": alone, "combination": combination}
    rows = [
        f"1 | {kind} | {10 * (kind == 'alone') + number} | {code}"
        for kind, sets in kinds.items()
        for number, codes in enumerate(sets)
        for code in codes
    ]
    codes = "\n".join([CODES, *rows])
    ((*_, bound),) = levels(run_sql, f"{FACTORS}\n1 | 1 | {codes_read}", codes)
    exact = most_groups(dict(enumerate(alone)), dict(enumerate(combination)), codes_read, {})
    widest = [
        max((sum(code in codes for codes in sets) for code in "012345"), default=0) for sets in (alone, combination)
    ]
    assert exact <= bound <= max(1, widest[0] + widest[1] * codes_read)


def breadth(run_sql, geo_units, counties):
    unit_rows = "\n".join(str(unit) for unit in range(1, geo_units + 1))
    region_rows = "\n".join(f"{county} | COUNTY | {county:05}" for county in range(1, counties + 1))
    given = {
        "geo_units": f"geo_unit_id\n{unit_rows}",
        "regions": f"region_key | region_type | region_id\n{region_rows}\n99 | USA | 1",
    }
    return dict(run_sql("region_breadth", given=given))


@pytest.mark.parametrize(("geo_units", "is_broad"), [(40, True), (39, False)], ids=["twenty a region", "fewer"])
def test_a_region_is_broad_where_there_are_twenty_geo_units_for_each_region_of_its_type(run_sql, geo_units, is_broad):
    found = breadth(run_sql, geo_units, counties=2)
    assert [found[1], found[2]] == [is_broad, is_broad]


def test_each_region_type_is_judged_on_its_own(run_sql):
    found = breadth(run_sql, 20, counties=2)
    assert [found[1], found[99]] == [False, True]
