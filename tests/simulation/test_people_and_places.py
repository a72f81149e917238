"""What the person records and the geography of a synthetic nation are like."""

from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.simulation.geography import US_PEOPLE, state_people, state_sizes

TRACT = "TABBLKST, TABBLKCOU, TABTRACTCE"
BLOCK = f"{TRACT}, TABBLK"
RACES = [f"QRACE{number}" for number in range(1, 9)]
CODES = f"list_filter([{', '.join(RACES)}], lambda code : code is not null)"


def test_columns_are_those_of_the_specification(nation):
    schema = pq.read_schema(nation / "persons" / "01.parquet")
    text = ["QSEX", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "CENRACE", *RACES, "QSPAN"]
    expected = {"QAGE": pa.int16(), "HOUSEHOLDER": pa.bool_()} | dict.fromkeys(text, pa.string())
    assert dict(zip(schema.names, schema.types, strict=True)) == expected


GAPS = " or ".join(f"({before} is null and {after} is not null)" for before, after in pairwise(RACES))


def unlisted(codes: str, question: str) -> str:
    """The query for the number of answered codes that lead to no iteration of a question."""
    return f"""
        select count(*) from (select distinct {codes} as RACE_ETH_CODE from persons) anti join (
            select RACE_ETH_CODE from links semi join "{question}-characteristic-iterations" using (ITERATION_CODE)
        ) using (RACE_ETH_CODE)
    """


OF_EVERY_NATION = {
    "every state is inhabited": ("select count(distinct TABBLKST) from persons", 51),
    "everybody lives in a listed block": (f"select count(*) from persons anti join blocks using ({BLOCK})", 0),
    "ages lie between 0 and 115": ("select bool_and(QAGE between 0 and 115) from persons", True),
    "sexes are 1 and 2 only": ("select list(distinct QSEX order by QSEX) from persons", ["1", "2"]),
    "no code stands after a NULL": (f"select count(*) from persons where QRACE1 is null or {GAPS}", 0),
    "no code stands twice": (f"select count(*) from persons where len({CODES}) > len(list_distinct({CODES}))", 0),
    "race codes belong to a race iteration": (unlisted(f"unnest({CODES})", "race"), 0),
    "ethnicity codes belong to an ethnicity iteration": (unlisted("QSPAN", "ethnicity"), 0),
    "a block stands once": (f"select count(*) - count(distinct ({BLOCK})) from blocks", 0),
    "every state has blocks": ("select count(distinct TABBLKST) from blocks", 51),
    "some tracts are empty": (
        *(f"select count(*) > 0 from (select distinct {TRACT} from blocks anti join persons using ({TRACT}))", True),
    ),
    "no state is full": (f"select count(distinct TABBLKST) from blocks anti join persons using ({BLOCK})", 51),
    "some AIANNH areas cross a state line and some do not": (
        "select list(distinct states order by states) from (select count(distinct TABBLKST) as states from blocks "
        "where AIANNHCE <> '9999' group by AIANNHCE)",
        [1, 2],
    ),
}
ABOUT = {
    "as many people as asked for": ("select count(*) from persons", 250_000, 250_000),
    "the largest state as in 2020": ("select count(*) from persons where TABBLKST = '06'", 29_797, 29_847),
    "two in nine under 18": ("select avg((QAGE < 18)::int) from persons", 0.20, 0.25),
    "one in six 65 or older": ("select avg((QAGE >= 65)::int) from persons", 0.14, 0.19),
    "women the majority of the old": ("select avg((QSEX = '2')::int) from persons where QAGE >= 75", 0.52, 0.62),
    "two thirds with one race code": ("select avg((QRACE2 is null)::int) from persons", 0.62, 0.75),
    "Hispanic and other ethnicity codes": ("select avg((QSPAN like '8%')::int) from persons", 0.08, 0.35),
    "frequencies of codes with a heavy tail": (
        *("select max(people) / median(people) from (select count(*) as people from persons group by QRACE1)", 50, 1e9),
    ),
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
        *(1, 1e9),
    ),
}


def test_neighbours_share_a_code_far_more_often_than_strangers(ask):
    """The chance that two people have the same first code: within a tract, against within the nation."""
    within_tracts = ask(f"""
        select sum(people ** 2 / tract_people) / sum(people) from (
            select people, sum(people) over (partition by {TRACT}) as tract_people
            from (select {TRACT}, count(*) as people from persons group by {TRACT}, QRACE1)
        )
    """)
    counts = "select count(*) as people from persons group by QRACE1"
    within_nation = ask(f"select sum(people ** 2) / sum(people) ** 2 from ({counts})")
    assert within_tracts > 1.3 * within_nation


def test_columns_of_the_geography_are_those_of_the_specification(nation):
    schema = pq.read_schema(nation / "geography.parquet")
    codes = ["TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "PLACEFP", "AIANNHCE"]
    names = ["STATE_NAME", "COUNTY_NAME", "TRACT_NAME", "PLACE_NAME", "AIANNH_NAME"]
    assert (schema.names, schema.types) == ([*codes, *names], [pa.string()] * 11)


@pytest.mark.parametrize(
    ("column", "width"),
    [("TABBLKST", 2), ("TABBLKCOU", 3), ("TABTRACTCE", 6), ("TABBLK", 4), ("PLACEFP", 5), ("AIANNHCE", 4)],
)
def test_codes_are_digits_of_fixed_width(ask_any, column, width):
    assert ask_any(f"select bool_and(regexp_full_match({column}, '[0-9]{{{width}}}')) from blocks")


def test_a_nation_of_full_size_has_the_states_of_2020():
    sizes = state_people(US_PEOPLE)
    assert max(abs(sizes[state.code] - state.people) for state in state_sizes().values()) == 0


@pytest.mark.parametrize(("query", "expected"), OF_EVERY_NATION.values(), ids=OF_EVERY_NATION)
def test_what_holds_for_every_nation(ask_any, query, expected):
    assert ask_any(query) == expected


@pytest.mark.parametrize(("query", "lowest", "highest"), ABOUT.values(), ids=ABOUT)
def test_people_and_places_are_about_as_they_should_be(ask, query, lowest, highest):
    assert lowest <= ask(query) <= highest
