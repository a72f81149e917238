"""persons_state_unrequested: people of states that the parameters do not request."""

RECORDS = """
    person_file | person_row | TABBLKST
    ------------+------------+---------
    p.parquet   |          1 | 01
    p.parquet   |          2 | 06
    p.parquet   |          3 | 77
    p.parquet   |          4 | NULL
"""


def found(run_sql, *states):
    return run_sql(
        "persons_state_unrequested",
        given={"person_records": RECORDS},
        states=list(states),
        known_states=["01", "06", "72"],
    )


def test_people_of_a_known_state_that_is_not_requested_are_returned(run_sql):
    assert found(run_sql, "01", "72") == [("p.parquet", 2, "06")]


def test_people_of_requested_states_are_fine(run_sql):
    assert found(run_sql, "01", "06") == []
