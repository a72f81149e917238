"""tabulated_iterations: by which iterations the regions of each type are tabulated."""

from tests.sql.published_tables import PUBLIC


def test_each_type_has_the_iterations_of_its_levels(run_sql_in_order):
    given = {name: PUBLIC[name] for name in ("levels", "level_iterations", "iterations")}
    rows = run_sql_in_order("tabulated_iterations", given=given)
    assert rows == [("COUNTY", "0102"), ("USA", "0101"), ("USA", "0102")]
