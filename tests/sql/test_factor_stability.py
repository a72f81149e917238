"""factor_stability: how many iterations of a question one record can belong to at a level; see test_level_stability."""

from tests.sql.test_level_stability import FACTORS, NO_ANSWERS

CODES = """
    factor_id | iteration_kind | iteration_id | code
    ----------+----------------+--------------+-----
            1 |          alone |            1 |    1
            1 |          alone |            1 |    2
            1 |    combination |            2 |    1
            1 |    combination |            3 |    2
            1 |    combination |            4 |    3
            2 |      ethnicity |            5 |    1
            2 |      ethnicity |            6 |    1
"""


def test_a_factor_has_the_most_iterations_of_one_answer_to_its_question(run_sql):
    """Two codes lead to an alone iteration and to two others; an ethnicity to two. Factor 3 has no iterations."""
    factors = f"{FACTORS}\n1 | 1 | race | race | 2\n2 | 1 | ethnicity | ethnicity | 1\n3 | 2 | race | race | 2"
    given = {"level_factors": factors, "level_codes": CODES, "level_answers": NO_ANSWERS}
    assert run_sql("factor_stability", given=given) == [
        (1, 1, 1, 3, True, 3),
        (2, 0, 2, 1 + 1, True, 2),
        (3, 0, 0, 0, True, 0),
    ]
