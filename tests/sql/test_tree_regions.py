"""tree_regions: every region that reconciling knows, and the larger region that it divides."""

from tests.sql.reconciled_tables import REGION_PARENTS, REGIONS, T1


def test_regions_that_are_in_no_tree_come_after_those_that_are(run_sql):
    given = {"regions": REGIONS, "region_parents": REGION_PARENTS, "released_totals": T1}
    assert sorted(run_sql("tree_regions", given=given)) == [
        *((1, "COUNTY", "01001", 3), (2, "COUNTY", "01003", 3)),
        *((3, "STATE", "01", None), (4, "PLACE", "0100100", None)),
    ]
