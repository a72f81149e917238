"""totals_duplicate: population groups that the published totals hold more than once."""

from tests.sql.totals_tables import total_rows

ONE, OTHER = "STATE | 01 | 0101 | 5", "STATE | 02 | 0101 | 5"


def test_a_group_that_stands_twice_is_returned(run_sql):
    assert run_sql("totals_duplicate", given={"total_rows": total_rows(ONE, OTHER, ONE)}) == [("STATE", "01", "0101")]


def test_groups_that_stand_once_are_fine(run_sql):
    assert run_sql("totals_duplicate", given={"total_rows": total_rows(ONE, OTHER)}) == []
