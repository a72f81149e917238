"""reported_counts: the groups of some region types with their independent noisy counts."""

TABLES = (
    "region_type | region_id | iteration_code | statistic | noisy_count\n"
    "WARD | A | 01 | sex | 30\n"
    "WARD | B | 01 | total | 4\n"
    "CITY | C | 01 | sex | 9"
)
CELLS = {
    "ladder_statistics": "statistic_name | stat_level\nsex | 1",
    "statistic_cells": "stat_level | cell_position | SEX\n1 | 0 | M\n1 | 1 | F",
}
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | SEX | COUNT
            A |        WARD |             01 |       sex |   F |    12
            A |        WARD |             01 |       sex |   M |    18
            A |        WARD |             01 |       sex |   * |    30
            C |        CITY |             01 |       sex |   F |     7
"""


def rows_of(run_sql, types):
    given = {"reported_tables": TABLES, "t2": T2, **CELLS}
    return run_sql("reported_counts", picked_types=types, ladder_columns=["SEX"], given=given)


def test_a_group_of_the_types_asked_for_has_its_cells_in_order_or_its_total(run_sql):
    assert rows_of(run_sql, ["WARD"])[0] == ("WARD", "A", "01", 1, [18, 12])
    assert rows_of(run_sql, ["WARD"])[1:] == [("WARD", "B", "01", 0, [4])]
    assert [row[:2] for row in rows_of(run_sql, ["CITY"])] == [("CITY", "C")]
