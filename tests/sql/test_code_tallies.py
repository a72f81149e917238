"""code_tallies: the tallies that people with each code are in."""

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
        iteration_id | tally_id | gives
        -------------+----------+------
                   1 |        4 |   one
                   1 |        6 |   all
                   2 |        4 |   one
                   2 |        5 |  some
                   3 |        1 |   one
    """,
}


def test_a_code_is_in_each_tally_of_its_iterations_once_and_by_question(run_sql):
    assert run_sql("code_tallies", given=GIVEN) == [
        ("ethnicity", 10, [1], None, None),
        (None, 10, [4], [5], [6]),
        (None, 20, [4], [5], None),
    ]
