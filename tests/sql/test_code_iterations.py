"""code_iterations: the detailed codes of each tabulated iteration, as numbers."""

ITERATIONS = """
    iteration_id | iteration_code | iteration_kind
    -------------+----------------+---------------
               7 |           0101 |          alone
               8 |           3001 |      ethnicity
"""
NUMBERS = """
    listed_code | code_number
    ------------+------------
           0050 |          50
           1010 |        1010
           2000 |        2000
"""


def test_a_code_is_the_number_that_its_digits_spell(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 0050
    """
    rows = run_sql(
        "code_iterations", given={"code_iteration_rows": mapping, "iterations": ITERATIONS, "code_numbers": NUMBERS}
    )
    assert rows == [(50, 7, "alone")]


def test_a_code_may_belong_to_several_iterations(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  3001 | 1010
    """
    rows = run_sql(
        "code_iterations", given={"code_iteration_rows": mapping, "iterations": ITERATIONS, "code_numbers": NUMBERS}
    )
    assert rows == [(1010, 7, "alone"), (1010, 8, "ethnicity")]
