"""crossed_iterations, crossed_tallies and crossed_answers: pairs of iterations of two questions, and who is in them."""

import pytest

from tests.sql.packed import packed

LEVELS = """
    crossing_name | factor | question_name | iteration_level
    --------------+--------+---------------+----------------
             both |  first |          race |               2
             both | second |     ethnicity |               1
"""
ROWS = """
    iteration_code | iteration_name | iteration_level | iteration_kind | flags
    ---------------+----------------+-----------------+----------------+-------------------------
                 A |      Far alone |               2 |          alone | {HERE=true, THERE=false}
                 C |            Far |               2 |    combination | {HERE=false, THERE=NULL}
                 D |           Wide |               1 |    combination | {}
                 E |          North |               1 |      ethnicity | {}
                 F |          South |               2 |      ethnicity | {}
"""


def test_every_iteration_of_one_level_is_paired_with_every_one_of_the_other(run_sql):
    given = {"crossed_levels": LEVELS, "iteration_rows": ROWS}
    assert run_sql("crossed_iterations", given=given) == [
        ("both", "A x E", "Far alone; North", "A", "E", {"HERE": True, "THERE": False}),
        ("both", "C x E", "Far; North", "C", "E", {"HERE": False, "THERE": False}),
    ]


def test_the_levels_of_two_questions_are_two_rows(run_sql):
    asked = {
        "factor_crossings": ["both", "both"],
        "factor_places": ["first", "second"],
        "factor_questions": ["race", "ethnicity"],
        "factor_levels": ["2", "1"],
    }
    assert run_sql("crossed_levels", **asked) == [("both", "first", "race", "2"), ("both", "second", "ethnicity", "1")]


# Pair 4 is of iterations 1 and 3, pair 5 of 2 and 3; of pair 5 nothing but totals of broad regions is wanted.
TALLIES = {
    "crossed_iterations": """
        crossing_name | iteration_code | first_code | second_code
        --------------+----------------+------------+------------
                 both |          A x E |          A |           E
                 both |          C x E |          C |           E
    """,
    "iterations": """
        iteration_id | iteration_code
        -------------+---------------
                   1 |              A
                   2 |              C
                   3 |              E
                   4 |          A x E
                   5 |          C x E
    """,
    "listed_tallies": """
        iteration_id | tally_id
        -------------+---------
                   1 |        6
                   1 |        8
                   2 |        6
                   2 |        7
                   3 |       -3
    """,
    "finely_counted_iterations": "iteration_id\n-\n4",
}


def test_pairs_that_share_two_tallies_share_their_pair(run_sql):
    assert run_sql("crossed_tallies", given=TALLIES) == [
        (4, "both", 6, -3, 11),
        (4, "both", 8, -3, 13),
        (5, "both", 6, -3, 11),
        (5, "both", 7, -3, -12),
    ]


SEVERAL = "question_name | codes_1_to_4 | codes_5_to_8 | tally_ids"


@pytest.fixture
def answers(run_sql):
    """The pairs of tallies of persons: race codes, and an ethnicity code, of each."""

    def of(*persons):
        rows = [f"7 | 5 | {' | '.join(map(str, packed(*codes)))} | {ethnicity}" for *codes, ethnicity in persons]
        head = "geo_unit_id | finest_position | codes_1_to_4 | codes_5_to_8 | ethnicity_code"
        several = " | ".join(map(str, packed(1001, 1002)))
        given = {
            "persons": "\n".join([head, "-", *rows]),
            "code_tallies": "question_name | code | tally_ids\n-\nrace | 1001 | [6]\nethnicity | 5 | [-3]",
            "several_tallies": f"{SEVERAL}\n-\nrace | {several} | [7, NULL]",
            "crossed_tallies": """
                crossing_name | first_tally_id | second_tally_id | tally_id
                --------------+----------------+-----------------+---------
                         both |              6 |              -3 |       11
                         both |              6 |              -3 |       11
                         both |              7 |              -3 |      -12
            """,
        }
        crossings = [{"name": "both"}]
        return [(row[1], row[3], row[4]) for row in run_sql("crossed_answers", given=given, crossings=crossings)]

    return of


def test_an_answer_is_in_the_pairs_of_the_tallies_of_its_two_questions_once(answers):
    one, two = packed(1001)[0], packed(1001, 1002)[0]
    assert answers((1001, 5), (1001, 5), (1001, 1002, 5)) == [(one, 5, [11]), (two, 5, [-12])]


def test_an_answer_without_a_tally_of_one_question_is_in_no_pair(answers):
    assert answers((1001, 6), (1003, 5)) == []
