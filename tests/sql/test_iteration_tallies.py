"""iteration_tallies: the tallies that each characteristic iteration adds up."""

# Iterations 1 and 2 hold the same codes, 3 holds one of them, 4 is of an ethnicity.
GIVEN = {
    "iterations": "iteration_id\n-\n1\n2\n3\n4",
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


def test_iterations_with_the_same_codes_share_a_tally_and_each_has_its_own(run_sql):
    assert run_sql("iteration_tallies", given=GIVEN) == [
        (1, 1, False),
        (1, 6, True),
        (2, 2, False),
        (2, 6, True),
        (3, 3, False),
        (3, 5, True),
        (4, 4, False),
    ]
