"""level_codes: the codes of the iterations that each population group level tabulates."""

FACTORS = """
    factor_id | level_id | question_name
    ----------+----------+--------------
            1 |        1 |     ethnicity
            2 |        1 |          race
            3 |        2 |     ethnicity
            4 |        2 |          race
"""
ITERATIONS = """
    level_id | iteration_id
    ---------+-------------
           1 |            1
           2 |            2
           2 |            4
"""
CODES = """
    code | iteration_id | iteration_kind
    -----+--------------+---------------
    1010 |            1 |          alone
    1020 |            2 |    combination
    1030 |            3 |    combination
    1040 |            4 |      ethnicity
"""


def test_a_factor_has_the_codes_of_the_iterations_of_its_level_and_no_others(run_sql):
    given = {"level_factors": FACTORS, "level_iterations": ITERATIONS, "code_iterations": CODES}
    assert run_sql("level_codes", given=given) == [
        (2, "alone", 1, 1010),
        (3, "ethnicity", 4, 1040),
        (4, "combination", 2, 1020),
    ]
