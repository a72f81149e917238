"""iteration_tallies: the tallies that each characteristic iteration adds up."""

# Iterations 1 and 2 hold the same codes, 3 holds one of them, and so does 4, which is of an ethnicity.
GIVEN = {
    "code_iterations": """
        code | iteration_id | iteration_kind
        -----+--------------+---------------
          10 |            1 |          alone
          20 |            1 |          alone
          20 |            2 |    combination
          10 |            2 |    combination
          10 |            3 |    combination
          10 |            4 |      ethnicity
    """,
}


def test_iterations_that_hold_the_same_codes_of_a_question_share_those_who_give_one(run_sql):
    assert run_sql("iteration_tallies", given=GIVEN) == [
        (1, 7, "one"),
        (1, 9, "all"),
        (2, 7, "one"),
        (2, 8, "some"),
        (3, 4, "one"),
        (3, 5, "some"),
        (4, 1, "one"),
    ]
