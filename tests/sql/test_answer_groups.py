"""answer_groups: how many iterations of each level each answer that somebody gave leads to."""

import pytest

from tests.sql.parameters import parts_of
from tests.sql.test_audited_records import TRACT, records

CODES = """
    listed_code | code_number
    ------------+------------
    1010        |           1
    1020        |           2
    2000        |           9
"""
LEVEL_CODES = """
    level_id | iteration_kind | iteration_id | code
    ---------+----------------+--------------+-----
           1 |          alone |            1 |    1
           1 |    combination |            2 |    1
           1 |    combination |            3 |    2
           1 |      ethnicity |            4 |    9
           2 |          alone |            5 |    1
           2 |          alone |            5 |    2
           2 |      ethnicity |            6 |    1
"""


@pytest.fixture
def answer_groups(run_sql):
    def rows(*races, state="01"):
        given = {
            "person_records": records((state, TRACT, *races)),
            "code_numbers": CODES,
            "level_codes": LEVEL_CODES,
        }
        found = run_sql("answer_groups", given=given, is_requested=parts_of("01")["is_requested"])
        return [row[1:] for row in found]

    return rows


def test_one_code_leads_to_its_iterations_alone_and_in_combination_and_the_ethnicity(answer_groups):
    assert answer_groups("1010") == [(1, 3), (2, 1)]


def test_two_codes_lead_to_the_alone_iterations_that_hold_both(answer_groups):
    assert answer_groups("1010", "1020") == [(1, 3), (2, 1)]


def test_a_code_that_stands_twice_counts_once(answer_groups):
    assert answer_groups("1010", "1010") == answer_groups("1010")


def test_a_code_in_no_iteration_leaves_no_alone_iteration(answer_groups):
    assert answer_groups("1010", "2000") == [(1, 2)]


def test_whoever_is_not_requested_gives_no_answer(answer_groups):
    assert answer_groups("1010", state="06") == []
