"""What the geography of a synthetic nation is like."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.simulation.geography import (
    NO_AIANNH,
    US_PEOPLE,
    Geography,
    aiannh_codes,
    state_geography,
    state_people,
    state_sizes,
    us_states,
)

BLOCK = "TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK"
TRACT = "TABBLKST, TABBLKCOU, TABTRACTCE"


@pytest.fixture(scope="module")
def full_size_state() -> Geography:
    """Oklahoma as it is in a nation of full size."""
    state = state_sizes()["40"]
    areas = aiannh_codes(US_PEOPLE)["40"]
    return state_geography(state, state.people, areas, seed=0, has_empty_tract=False)


def test_columns_are_those_of_the_specification(nation):
    schema = pq.read_schema(nation / "geography.parquet")
    names = ["TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "PLACEFP", "AIANNHCE"]
    assert (schema.names, schema.types) == (names, [pa.string()] * 6)


@pytest.mark.parametrize(
    ("column", "width"),
    [("TABBLKST", 2), ("TABBLKCOU", 3), ("TABTRACTCE", 6), ("TABBLK", 4), ("PLACEFP", 5), ("AIANNHCE", 4)],
)
def test_codes_are_digits_of_fixed_width(ask_any, column, width):
    assert ask_any(f"select bool_and(regexp_full_match({column}, '[0-9]{{{width}}}')) from blocks")


OF_EVERY_NATION = {
    "a block stands once": (f"select count(*) - count(distinct ({BLOCK})) from blocks", 0),
    "every state has blocks": ("select count(distinct TABBLKST) from blocks where TABBLKST <> '72'", 51),
    "some tracts are empty": (
        *(f"select count(*) > 0 from (select distinct {TRACT} from blocks anti join persons using ({TRACT}))", True),
    ),
    "every state has empty blocks": (
        "select count(distinct TABBLKST) from blocks anti join persons using (TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK) "
        "where TABBLKST <> '72'",
        51,
    ),
    "some AIANNH areas cross a state line and some do not": (
        "select list(distinct states order by states) from (select count(distinct TABBLKST) as states from blocks "
        "where AIANNHCE <> '9999' group by AIANNHCE)",
        [1, 2],
    ),
}


@pytest.mark.parametrize(("query", "expected"), OF_EVERY_NATION.values(), ids=OF_EVERY_NATION)
def test_what_holds_for_every_nation(ask_any, query, expected):
    assert ask_any(query) == expected


ABOUT = {
    "three blocks in ten are empty": (
        f"select avg((people is null)::int) from blocks left join "
        f"(select {BLOCK}, count(*) as people from persons group by {BLOCK}) using ({BLOCK})",
        *(0.22, 0.38),
    ),
    "most blocks have a place and many have none": ("select avg((PLACEFP <> '99999')::int) from blocks", 0.4, 0.9),
    "some places take part of a tract only": (
        f"select count(*) from (select {TRACT} from blocks group by {TRACT} having count(distinct PLACEFP) > 1)",
        *(51, 1e9),
    ),
    "some places take several tracts": (
        f"select count(*) from (select 1 from blocks where PLACEFP <> '99999' group by TABBLKST, PLACEFP "
        f"having count(distinct ({TRACT})) > 3)",
        *(6, 1e9),
    ),
    "Puerto Rico has no AIANNH area": (
        *("select count(*) filter (AIANNHCE <> '9999') from blocks where TABBLKST = '72'", 0, 0),
    ),
}


@pytest.mark.parametrize(("query", "lowest", "highest"), ABOUT.values(), ids=ABOUT)
def test_blocks_and_places_are_about_as_they_should_be(ask, query, lowest, highest):
    assert lowest <= ask(query) <= highest


def test_tracts_have_about_four_thousand_people_and_spread(ask):
    sizes = f"select count(*) as people from persons group by {TRACT}"
    quartiles = ask(f"select quantile_cont(people, [0.1, 0.5, 0.9]) from ({sizes})")
    assert quartiles[0] < 3_000 < quartiles[1] < 5_000 < quartiles[2]


def test_a_full_size_state_has_its_real_number_of_counties(full_size_state):
    assert len(set(full_size_state.tract_county.tolist())) == 77


def test_a_full_size_state_has_about_its_real_number_of_tracts(full_size_state):
    assert 950 < full_size_state.tract_people.size < 1_250


def test_a_full_size_state_has_about_one_block_for_41_people(full_size_state):
    assert 36 < 3_959_353 / full_size_state.block_people.size < 46


def test_people_of_blocks_add_up_to_those_of_the_state(full_size_state):
    assert full_size_state.block_people.sum() == full_size_state.tract_people.sum() == 3_959_353


def test_every_aiannh_area_of_a_full_size_state_has_blocks(full_size_state):
    areas = set(full_size_state.block_aiannh.tolist()) - {NO_AIANNH}
    assert areas == set(aiannh_codes(US_PEOPLE)["40"])


def test_the_states_add_up_to_the_nation_of_2020():
    assert sum(state.people for state in us_states()) == US_PEOPLE


def test_a_nation_of_full_size_has_the_states_of_2020():
    sizes = state_people(US_PEOPLE)
    assert max(abs(sizes[state.code] - state.people) for state in us_states()) == 0
