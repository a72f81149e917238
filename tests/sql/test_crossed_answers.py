"""crossed_answers: the pairs of tallies that each answer of a slice to crossed questions leads to."""

import pytest

from tests.sql.packed import packed

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
                first_tally_id | second_tally_id | tally_id
                ---------------+-----------------+---------
                             6 |              -3 |       11
                             6 |              -3 |       11
                             7 |              -3 |      -12
            """,
        }
        return [(row[0], row[2], row[3]) for row in run_sql("crossed_answers", given=given)]

    return of


def test_an_answer_is_in_the_pairs_of_the_tallies_of_its_two_questions_once(answers):
    one, two = packed(1001)[0], packed(1001, 1002)[0]
    assert answers((1001, 5), (1001, 5), (1001, 1002, 5)) == [(one, 5, [11]), (two, 5, [-12])]


def test_an_answer_without_a_tally_of_one_question_is_in_no_pair(answers):
    assert answers((1001, 6), (1003, 5)) == []
