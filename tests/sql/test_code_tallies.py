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
        iteration_id | question_name | tally_id | gives
        -------------+---------------+----------+------
                   1 |          race |        6 |   one
                   1 |          race |        8 |   all
                   2 |          race |        6 |   one
                   2 |          race |        7 |  some
                   3 |     ethnicity |        3 |   one
    """,
}


def test_a_code_is_in_the_tally_of_one_of_each_set_once_and_by_question(run_sql):
    assert run_sql("code_tallies", given=GIVEN) == [("ethnicity", 10, [3]), ("race", 10, [6]), ("race", 20, [6])]
