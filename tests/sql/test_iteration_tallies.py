"""listed_tallies and iteration_tallies: the tallies that each characteristic iteration adds up."""

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
CROSSED = "iteration_id | tally_id\n-\n5 | -13"


def test_iterations_that_hold_the_same_codes_of_a_question_share_those_who_give_one(run_sql):
    """Nothing but totals of broad regions is wanted of iteration 3."""
    assert run_sql("listed_tallies", given=GIVEN) == LISTED


def test_an_iteration_is_a_tally_of_its_own_where_a_person_counts_once(run_sql):
    listed = "\n".join(f"{iteration} | {tally} | {gives}" for iteration, _, tally, gives in LISTED)
    given = {"listed_tallies": f"iteration_id | tally_id | gives\n-\n{listed}", "crossed_tallies": CROSSED}
    rows = run_sql("iteration_tallies", given=given, persons_once=["person_key"])
    once = {iteration: tally for iteration, tally, gives in rows if gives == "once"}
    others = {tally for _, tally, gives in rows if gives != "once"}
    assert len({*once.values()}) == 5
    assert (5, -13, "pair") in rows
    assert not {*once.values()} & others
    assert min(once.values()) > 0
