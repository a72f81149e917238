"""suppressed: upper bound of the people in a population group whose total was suppressed."""

from tests.sql.published_tables import PUBLIC

NAMES = {name: PUBLIC[name] for name in ("levels", "ladder_iterations", "iterations")}


def test_every_iteration_of_a_suppressed_type_has_the_bound_of_its_kind_of_group_in_order(run_sql, run_sql_in_order):
    totals = """
        level_id | is_total_only | suppressed_up_to | high95
               1 |          true |               20 |     29
               1 |         false |               21 |     31
               2 |          true |               22 |     33
    """
    rows = run_sql("suppressed", given={**NAMES, "suppressed_totals": totals}, ladder_id=1)
    assert rows == [("USA", "0101", 20, 29), ("USA", "0102", 21, 31)]
    totals = """
        level_id | is_total_only | suppressed_up_to | high95
               1 |         false |                1 |      2
               1 |          true |                1 |      2
               2 |         false |                1 |      2
    """
    rows = run_sql_in_order("suppressed", given={**NAMES, "suppressed_totals": totals}, ladder_id=1)
    assert [row[:2] for row in rows] == [("COUNTY", "0102"), ("USA", "0101"), ("USA", "0102")]
