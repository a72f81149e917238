"""iteration_tallies: the tallies that each characteristic iteration adds up."""

from tests.sql.test_listed_tallies import LISTED

CROSSED = "iteration_id | tally_id\n-\n5 | -13"


def test_the_tallies_of_lists_and_of_pairs_are_rows(run_sql):
    listed = "\n".join(f"{iteration} | {tally} | {gives}" for iteration, _, tally, gives in LISTED)
    given = {"listed_tallies": f"iteration_id | tally_id | gives\n-\n{listed}", "crossed_tallies": CROSSED}
    assert (5, -13, "pair") in run_sql("iteration_tallies", given=given)
