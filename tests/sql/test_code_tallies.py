"""code_tallies: the tallies of people with one code, by that code."""

GIVEN = {
    "code_iterations": """
        code | iteration_id | iteration_kind
        -----+--------------+---------------
          10 |            1 |          alone
          10 |            2 |    combination
          10 |            3 |      ethnicity
          20 |            2 |    combination
    """,
    "iteration_tallies": """
        iteration_id | tally_id | is_of_one_code
        -------------+----------+---------------
                   1 |        1 |          false
                   1 |        4 |           true
                   2 |        2 |          false
                   2 |        4 |           true
                   3 |        3 |          false
    """,
}


def test_a_code_is_in_each_tally_of_its_iterations_once(run_sql):
    assert run_sql("code_tallies", given=GIVEN) == [(10, 4), (20, 4)]
