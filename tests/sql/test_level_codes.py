"""level_codes: the codes of the iterations that each population group level tabulates."""


def test_a_level_has_the_codes_of_its_iterations_and_no_others(run_sql):
    given = {
        "level_iterations": """
            level_id | iteration_id
            ---------+-------------
                   1 |            1
                   2 |            1
                   2 |            2
        """,
        "code_iterations": """
            code | iteration_id | iteration_kind
            -----+--------------+---------------
            1010 |            1 |          alone
            1020 |            2 |    combination
            1030 |            3 |    combination
        """,
    }
    wanted = [(1, "alone", 1, 1010), (2, "alone", 1, 1010), (2, "combination", 2, 1020)]
    assert run_sql("level_codes", given=given) == wanted
