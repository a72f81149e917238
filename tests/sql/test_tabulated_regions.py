"""tabulated_regions: every region of the exact tables."""

from tests.sql.published_tables import PUBLIC


def test_every_region_of_a_tabulated_type_is_there_once_and_no_other(run_sql_in_order):
    levels = "level_id | region_type\n-\n1 | COUNTY\n2 | COUNTY"
    rows = run_sql_in_order("tabulated_regions", given={"levels": levels, "regions": PUBLIC["regions"]})
    assert rows == [("COUNTY", "01003"), ("COUNTY", "44007")]
