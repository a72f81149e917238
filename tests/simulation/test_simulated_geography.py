"""What the geography of a synthetic nation is like."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.simulation.geography import NO_AIANNH, Geography, aiannh_codes, state_geography
from safetab_sql.simulation.states import US_PEOPLE, state_people, state_sizes, us_states

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


def test_a_block_stands_once(ask_any):
    assert ask_any(f"select count(*) - count(distinct ({BLOCK})) from blocks") == 0


def test_every_state_has_blocks(ask_any):
    assert ask_any("select count(distinct TABBLKST) from blocks where TABBLKST <> '72'") == 51


def test_some_tracts_are_empty(ask_any):
    assert ask_any(f"select count(*) from (select distinct {TRACT} from blocks anti join persons using ({TRACT}))") >= 1


def test_every_state_has_empty_blocks(ask_any):
    states = f"select distinct TABBLKST from (select * from blocks anti join persons using ({BLOCK}))"
    assert ask_any(f"select count(*) from ({states}) where TABBLKST <> '72'") == 51


def test_about_three_blocks_in_ten_are_empty(ask):
    share = ask(
        f"select avg((people is null)::int) from blocks left join "
        f"(select {BLOCK}, count(*) as people from persons group by {BLOCK}) using ({BLOCK})"
    )
    assert 0.22 < share < 0.38


def test_tracts_have_about_four_thousand_people_and_spread(ask):
    sizes = f"select count(*) as people from persons group by {TRACT}"
    quartiles = ask(f"select quantile_cont(people, [0.1, 0.5, 0.9]) from ({sizes})")
    assert quartiles[0] < 3_000 < quartiles[1] < 5_000 < quartiles[2]


def test_some_aiannh_areas_cross_a_state_line_and_some_do_not(ask_any):
    areas = "select count(distinct TABBLKST) as states from blocks where AIANNHCE <> '9999' group by AIANNHCE"
    assert ask_any(f"select list(distinct states order by states) from ({areas})") == [1, 2]


def test_most_blocks_have_a_place_and_many_have_none(ask):
    assert 0.4 < ask("select avg((PLACEFP <> '99999')::int) from blocks") < 0.9


def test_some_places_take_part_of_a_tract_only(ask):
    mixed = f"select {TRACT} from blocks group by {TRACT} having count(distinct PLACEFP) > 1"
    assert ask(f"select count(*) from ({mixed})") > 50


def test_some_places_take_several_tracts(ask):
    cities = f"""
        select 1 from blocks where PLACEFP <> '99999'
        group by TABBLKST, PLACEFP having count(distinct ({TRACT})) > 3
    """
    assert ask(f"select count(*) from ({cities})") > 5


def test_puerto_rico_has_no_aiannh_area(ask):
    assert ask("select bool_and(AIANNHCE = '9999') from blocks where TABBLKST = '72'")


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
