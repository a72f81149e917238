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
    factors = f"{FACTORS}\n1 | 1 | 2\n2 | 1 | 1\n3 | 2 | 2"
    given = {"level_factors": factors, "level_codes": CODES, "level_answers": NO_ANSWERS}
    assert run_sql("factor_stability", given=given) == [
        (1, True, 3),
        (2, True, 2),
        (3, True, 0),
    ]


def test_one_code_in_several_iterations_reaches_the_bound_where_none_is_an_alone_one(run_sql):
    """Code 1 is in two alone iterations, code 2 in two others: no code reaches four."""
    codes = "\n".join(
        [
            "factor_id | iteration_kind | iteration_id | code\n-+-+-+-",
            *("1 | alone | 1 | 1", "1 | alone | 2 | 1", "1 | combination | 3 | 1"),
            *("1 | alone | 1 | 2", "1 | combination | 3 | 2", "1 | combination | 4 | 2"),
        ]
    )
    given = {"level_factors": f"{FACTORS}\n1 | 1 | 1", "level_codes": codes, "level_answers": NO_ANSWERS}
    assert [row[1:] for row in run_sql("factor_stability", given=given)] == [(False, 4)]
