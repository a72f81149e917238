"""iteration_tallies: the tallies that each characteristic iteration of a list adds up."""

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
    "finely_counted_iterations": "iteration_id\n-\n2\n4",
}
LISTED = [
    (1, "race", 9, "one"),
    (1, "race", 11, "all"),
    (2, "race", 9, "one"),
    (2, "race", 10, "some"),
    (3, "race", -6, "one"),
    (3, "race", -5, "some"),
    (4, "ethnicity", 3, "one"),
]


def test_iterations_that_hold_the_same_codes_of_a_question_share_those_who_give_one(run_sql):
    """Nothing but totals of broad regions is wanted of iteration 3."""
    assert run_sql("iteration_tallies", given=GIVEN) == LISTED
