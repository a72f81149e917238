"""audited_records: the person records in the order in which the stability audit picks those that it leaves out."""

import pytest

from safetab_sql.public.values import question_values
from tests.sql.parameters import parameters, parts_of

PARTS = parts_of("01")
QUESTIONS = question_values(parameters("USA-1"))
NAMES = ["person_file", "person_row", "TABBLKST", *(f"QRACE{place}" for place in range(1, 9)), "QSPAN"]
NAMES += ["AGE_number", "SEX_number", "TABBLKCOU", "TABTRACTCE", "TABBLK"]
VALUES = {name: PARTS[name] for name in ("block_columns", "record_key", "is_requested")}


def records(*people):
    """Rows of person_records: state, tract and race codes of each; everybody has ethnicity 2000."""
    rows = [
        f"a | {row} | {state} | {' | '.join([*races, *['NULL'] * 7][:8])} | 2000 | NULL | NULL | 001 | {tract} | 0001"
        for row, (state, tract, *races) in enumerate(people, start=1)
    ]
    return "\n".join([" | ".join(NAMES), "-", *rows])


@pytest.fixture
def audited_records(run_sql_in_order):
    def rows(people, groups, tracts):
        """groups: race codes, level and number of groups. tracts: tract and level."""
        answers = [
            f"[{', '.join([*races, *['NULL'] * 7][:8])}, 2000] | {level} | {number}" for *races, level, number in groups
        ]
        places = [f"{10010000000000 + int(tract) * 10000 + 1} | {level}" for tract, level in tracts]
        given = {
            "person_records": records(*people),
            "answer_groups": "\n".join(["answer | level_id | iterations", "-", *answers]),
            "place_levels": "\n".join(["block_key | level_id", "-", *places]),
        }
        return run_sql_in_order("audited_records", given=given, **VALUES, code_columns=QUESTIONS["code_columns"])

    return rows


TRACT = "000001"
EVERYWHERE = [(TRACT, 1), (TRACT, 2)]


def order(rows):
    return [row[2] for row in rows if row[0] is not None]


def test_whoever_is_in_more_groups_comes_first(audited_records):
    people = [("01", TRACT, "1010"), ("01", TRACT, "1010", "1020")]
    groups = [("1010", 1, 2), ("1010", "1020", 1, 3)]
    assert order(audited_records(people, groups, EVERYWHERE)) == [2, 1]


def test_the_first_of_each_level_comes_before_the_second_of_any(audited_records):
    people = [("01", TRACT, race) for race in ("1010", "1020", "1030")]
    groups = [("1010", 1, 9), ("1020", 1, 8), ("1020", 2, 1), ("1030", 2, 2)]
    assert order(audited_records(people, groups, EVERYWHERE)) == [1, 3, 2]


def test_groups_of_a_level_without_a_region_at_the_place_do_not_count(audited_records):
    people = [("01", TRACT, "1010"), ("01", "000002", "1020")]
    groups = [("1010", 1, 2), ("1020", 1, 3)]
    assert order(audited_records(people, groups, [(TRACT, 1), ("000002", 2)])) == [1, 2]


def test_people_outside_the_requested_states_have_no_place(audited_records):
    rows = audited_records([("06", TRACT, "1010"), ("01", TRACT, "1010")], [("1010", 1, 1)], EVERYWHERE)
    assert [row[:3] for row in rows] == [(1, "a", 2), (None, "a", 1)]


def test_the_records_keep_their_columns(audited_records):
    (row,) = audited_records([("01", TRACT, "1010", "1020")], [("1010", "1020", 1, 1)], EVERYWHERE)
    assert row == (1, "a", 1, None, None, "01", "001", TRACT, "0001", "1010", "1020", *(None,) * 6, "2000")
