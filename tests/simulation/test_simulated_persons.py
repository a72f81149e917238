"""What the person records of a synthetic nation are like."""

from itertools import pairwise

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

BLOCK = "TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK"
RACES = [f"QRACE{number}" for number in range(1, 9)]
RACE_LIST = f"list_filter([{', '.join(RACES)}], lambda code : code is not null)"


@pytest.fixture(scope="module")
def household(nation):
    """The value of an expression over all households: blocks, answers about race, people of each.

    Households are consecutive rows of a file and begin with the householder.
    """
    con = duckdb.connect()
    con.execute(f"""
        create table households as
        select count(distinct ({BLOCK})) as blocks, count(distinct ({", ".join(RACES)})) as answers,
            count(*) as people
        from (
            select *, sum(HOUSEHOLDER::int) over (order by file_row_number) as household
            from read_parquet('{nation}/persons/06.parquet', file_row_number=true)
        )
        group by household
    """)
    return lambda expression: con.execute(f"select {expression} from households").fetchall()[0][0]


def test_columns_are_those_of_the_specification(nation):
    schema = pq.read_schema(nation / "persons" / "01.parquet")
    text = ["QSEX", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "CENRACE", *RACES, "QSPAN"]
    expected = {"QAGE": pa.int16(), "HOUSEHOLDER": pa.bool_()} | dict.fromkeys(text, pa.string())
    assert dict(zip(schema.names, schema.types, strict=True)) == expected


def test_there_are_as_many_people_as_asked_for(ask):
    assert ask("select count(*) from persons where TABBLKST <> '72'") == 1_000_000


def test_the_smallest_nation_has_as_many_people_as_asked_for(smallest_nation):
    files = (smallest_nation / "persons").iterdir()
    assert sum(pq.read_metadata(file).num_rows for file in files) == 1_000


def test_puerto_rico_comes_on_top_in_proportion(ask):
    assert ask("select count(*) from persons where TABBLKST = '72'") == 9_914


def test_a_large_state_has_several_row_groups(nation):
    assert pq.read_metadata(nation / "persons" / "06.parquet").num_row_groups == 2


def test_every_state_is_inhabited(ask_any):
    assert ask_any("select count(distinct TABBLKST) from persons where TABBLKST <> '72'") == 51


def test_the_largest_state_is_as_large_as_in_2020(ask):
    assert abs(ask("select count(*) from persons where TABBLKST = '06'") - 119_289) < 100


def test_everybody_lives_in_a_block_of_the_geography(ask_any):
    assert ask_any(f"select count(*) from persons anti join blocks using ({BLOCK})") == 0


def test_ages_lie_between_0_and_115(ask_any):
    assert ask_any("select bool_and(QAGE between 0 and 115) from persons")


def test_about_two_in_nine_people_are_under_18(ask):
    assert 0.20 < ask("select avg((QAGE < 18)::int) from persons") < 0.25


def test_about_one_person_in_six_is_65_or_older(ask):
    assert 0.14 < ask("select avg((QAGE >= 65)::int) from persons") < 0.19


def test_sexes_are_1_and_2_only(ask_any):
    assert ask_any("select list(distinct QSEX order by QSEX) from persons") == ["1", "2"]


def test_women_are_the_majority_of_the_old(ask):
    assert 0.52 < ask("select avg((QSEX = '2')::int) from persons where QAGE >= 75") < 0.62


def test_a_household_lives_in_one_block(household):
    assert household("max(blocks)") == 1


def test_a_household_has_at_most_eight_members(household):
    assert household("max(people)") == 8


def test_a_household_has_between_two_and_three_members_on_average(household):
    assert 2.2 < household("avg(people)") < 2.8


def test_most_households_give_one_answer_about_race_and_some_give_several(household):
    assert 0.75 < household("avg((answers = 1)::int) filter (people > 1)") < 0.95


def test_people_have_one_to_eight_race_codes(ask):
    numbers = ask(f"select list(distinct len({RACE_LIST}) order by len({RACE_LIST})) from persons")
    assert numbers == [1, 2, 3, 4, 5, 6, 7, 8]


def test_about_two_thirds_have_one_race_code(ask):
    assert 0.62 < ask("select avg((QRACE2 is null)::int) from persons") < 0.75


def test_no_code_stands_after_a_null(ask_any):
    gaps = " or ".join(f"({before} is null and {after} is not null)" for before, after in pairwise(RACES))
    assert ask_any(f"select count(*) from persons where QRACE1 is null or {gaps}") == 0


def test_no_code_stands_twice(ask_any):
    assert ask_any(f"select count(*) from persons where len({RACE_LIST}) <> len(list_distinct({RACE_LIST}))") == 0


def test_race_codes_belong_to_a_race_iteration(ask_any):
    unlisted = ask_any(f"""
        select count(*) from (select distinct unnest({RACE_LIST}) as RACE_ETH_CODE from persons)
        anti join (
            select RACE_ETH_CODE
            from links semi join "race-characteristic-iterations" using (ITERATION_CODE)
        ) using (RACE_ETH_CODE)
    """)
    assert unlisted == 0


def test_ethnicity_codes_belong_to_an_ethnicity_iteration(ask_any):
    unlisted = ask_any("""
        select count(*) from (select distinct QSPAN as RACE_ETH_CODE from persons)
        anti join (
            select RACE_ETH_CODE
            from links semi join "ethnicity-characteristic-iterations" using (ITERATION_CODE)
        ) using (RACE_ETH_CODE)
    """)
    assert unlisted == 0


def test_hispanic_and_other_ethnicity_codes_are_given(ask):
    hispanic = ask("select avg((QSPAN like '8%')::int) from persons")
    assert 0.08 < hispanic < 0.35


def test_frequencies_of_codes_have_a_heavy_tail(ask):
    counts = "select count(*) as people from persons group by QRACE1"
    assert ask(f"select max(people) / median(people) from ({counts})") > 50


def test_neighbours_share_a_code_far_more_often_than_strangers(ask):
    """The chance that two people have the same first code: within a tract, against within the nation."""
    within_tracts = ask("""
        select sum(people ** 2 / tract_people) / sum(people) from (
            select people, sum(people) over (partition by TABBLKST, TABBLKCOU, TABTRACTCE) as tract_people
            from (
                select TABBLKST, TABBLKCOU, TABTRACTCE, count(*) as people
                from persons group by TABBLKST, TABBLKCOU, TABTRACTCE, QRACE1
            )
        )
    """)
    within_nation = ask("""
        select sum(people ** 2) / sum(people) ** 2
        from (select count(*) as people from persons group by QRACE1)
    """)
    assert within_tracts > 1.3 * within_nation


@pytest.mark.slow
def test_cenrace_says_which_major_groups_a_person_has(ask):
    """The first digit of an example race code is its major group; codes in 8... are of the sixth."""
    groups = f"list_sort(list_distinct(list_transform({RACE_LIST}, lambda code : replace(code[1], '8', '6'))))"
    ambiguous = ask(f"""
        select count(*) from (
            select CENRACE from persons group by CENRACE having count(distinct {groups}) <> 1
        )
    """)
    assert ambiguous == 0
