"""reported_shares: how many of the people of the largest groups are female, as their tables say."""

from tests.sql.reconciled_tables import T2


def test_the_women_of_the_largest_groups_are_added_up_from_cells(run_sql):
    assert run_sql("reported_shares", given={"t2": T2}, first_type="COUNTY") == [
        ("COUNTY", "01001", "2210", 4, 7, 10, 2.0)
    ]
    assert run_sql("reported_shares", given={"t2": T2}, first_type="STATE") == []
