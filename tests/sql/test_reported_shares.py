"""reported_shares: how many of the people of the largest groups are female, as their tables say."""

from tests.sql.reconciled_tables import T2


def test_the_women_of_the_largest_groups_are_added_up_from_cells(run_sql):
    levels = "region_type | iteration_code | level_name | is_total_only\n-\nCOUNTY | 2210 | COUNTY-2 | false"
    given = {"t2": T2, "group_levels": levels}
    found = run_sql("reported_shares", given=given, first_type="COUNTY")
    assert found == [("COUNTY", "01001", "2210", 4, 7, 10, "COUNTY-2")]
    assert run_sql("reported_shares", given=given, first_type="STATE") == []
