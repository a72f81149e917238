"""selected_groups: the population groups that published totals list, and the table of each ladder that they pick."""

import pytest

from tests.sql.published_tables import PUBLIC
from tests.sql.totals_tables import total_rows

LADDER_LEVELS = """
    ladder_id | level_id | total_only_flag | is_by_totals | thresholds
    ----------+----------+-----------------+--------------+-----------
            1 |        1 |                 |         true | [10, 20]
            1 |        2 |                 |         true | [10, 20]
            2 |        1 |                 |        false | []
"""


@pytest.fixture
def selected(run_sql):
    def rows(*totals):
        names = ("regions", "iterations", "level_regions", "ladder_iterations")
        given = {name: PUBLIC[name] for name in names}
        given |= {"ladder_levels": LADDER_LEVELS, "total_rows": total_rows(*totals)}
        return [row[:4] for row in run_sql("selected_groups", given=given)]

    return rows


@pytest.mark.parametrize(
    ("total", "stat_level"), [("9", 0), ("10", 1), ("11", 1), ("19", 1), ("20", 2), ("21", 2), ("-3", 0)]
)
def test_a_total_equal_to_a_threshold_moves_up(selected, total, stat_level):
    assert selected(f"COUNTY | 44007 | 0102 | {total}") == [(1, 2, 3, stat_level)]


def test_a_group_that_never_gets_a_table_gets_a_total_however_large(selected):
    assert selected("USA | 1 | 0101 | 500") == [(1, 1, 0, 0)]


@pytest.mark.parametrize("row", ["COUNTY | 44007 | 0101 | 30", "COUNTY | 99999 | 0102 | 30", "TRACT | 1 | 0102 | 30"])
def test_what_no_ladder_tabulates_is_not_selected(selected, row):
    assert selected(row) == []
