"""totals_region_type_unknown: region types of the published totals that the parameters do not know."""

from tests.sql.totals_tables import total_rows

ROWS = total_rows("STATE | 01 | 0101 | 5", "SHIRE | 9 | 0101 | 5", "SHIRE | 8 | 0101 | 5")


def test_a_region_type_that_is_unknown_is_returned_once(run_sql):
    found = run_sql("totals_region_type_unknown", given={"total_rows": ROWS}, known_region_types=["STATE"])
    assert found == [("SHIRE",)]


def test_region_types_of_the_parameters_are_fine(run_sql):
    known = ["STATE", "SHIRE"]
    assert run_sql("totals_region_type_unknown", given={"total_rows": ROWS}, known_region_types=known) == []
