"""level_codes: the codes of the iterations that each population group level tabulates, by themselves or in pairs."""

from tests.sql.test_level_factors import factors

ITERATIONS = """
    iteration_id | iteration_level | iteration_kind | flags
    -------------+-----------------+----------------+-------------
               1 |               1 |          alone | {HERE=true}
               2 |               2 |    combination | {}
               3 |               2 |    combination | {HERE=true}
               4 |               1 |      ethnicity | {}
               5 |               2 |          alone | {HERE=false}
"""
CODES = """
    code | iteration_id | iteration_kind
    -----+--------------+---------------
    1010 |            1 |          alone
    1020 |            2 |    combination
    1030 |            3 |    combination
    1040 |            4 |      ethnicity
    1050 |            5 |          alone
"""


def test_a_factor_has_the_codes_of_the_iterations_of_its_level_and_no_others(run_sql):
    rows = "\n".join(" | ".join(map(str, factor)) for factor in factors(run_sql))
    names = "factor_id | level_id | term_name | question_name | codes_read | iteration_level"
    given = {
        "level_factors": f"{names} | excluded_flag\n-\n{rows}",
        "iterations": ITERATIONS,
        "code_iterations": CODES,
    }
    assert run_sql("level_codes", given=given) == [
        (1, 1, "ethnicity", 4, 1040),
        (1, 2, "alone", 1, 1010),
        (2, 4, "alone", 5, 1050),
        (2, 4, "combination", 2, 1020),
        (3, 5, "ethnicity", 4, 1040),
        (3, 6, "alone", 5, 1050),
        (3, 6, "combination", 2, 1020),
    ]
