"""iteration_tallies: the tallies that each characteristic iteration adds up."""

from tests.sql.test_listed_tallies import LISTED

CROSSED = "iteration_id | tally_id\n-\n5 | -13"


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
