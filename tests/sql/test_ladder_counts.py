"""ladder_counts: the counts of the ladder's table, by population group and row."""

import pytest

from tests.sql.published_tables import NO_TOTALS, PUBLIC, STATISTIC_CELLS, STATISTIC_SUMS

GIVEN = {
    "level_sizes": PUBLIC["level_sizes"],
    "statistic_cells": STATISTIC_CELLS,
    "statistic_sums": STATISTIC_SUMS,
    "noisy_totals": NO_TOTALS,
    "noisy_cells": """
        level_id | population_group_id | stat_level | cell_position | noisy_count
               2 |                   2 |          1 |             3 |           4
               2 |                   2 |          1 |             2 |          30
               2 |                   2 |          1 |             1 |         200
               2 |                   2 |          1 |             0 |       -1000
    """,
}
TOTAL = "6 | * | * | *"


def test_each_cell_is_a_row_and_each_sum_adds_its_cells(run_sql):
    assert run_sql("ladder_counts", given=GIVEN) == [
        (2, 2, 1, 0, -800, 2, 0, True),
        (2, 2, 1, 1, 34, 2, 0, True),
        (2, 2, 1, 2, -1000, 1, 0, False),
        (2, 2, 1, 3, 30, 1, 0, False),
        (2, 2, 1, 4, 200, 1, 0, False),
        (2, 2, 1, 5, 4, 1, 0, False),
    ]


def test_totals_without_a_folder_of_their_own_are_rows_summed_or_alone(run_sql):
    given = {
        **GIVEN,
        "statistic_cells": f"{STATISTIC_CELLS.rstrip()}\n0 | 0 | {TOTAL}",
        "statistic_sums": STATISTIC_SUMS.rstrip() + "".join(f"\n1 | {cell} | 6" for cell in range(4)),
        "noisy_totals": "level_id | population_group_id | noisy_count\n1 | 0 | 12",
    }
    totals = [row for row in run_sql("ladder_counts", given=given) if row[3] == 6]
    assert totals == [(1, 0, 0, 6, 12, 1, 0, False), (2, 2, 1, 6, -766, 4, 0, True)]


def test_a_sum_of_one_cell_is_a_marginal_too(run_sql):
    sums = "stat_level | cell_position | row_id\n1 | 0 | 6"
    found = {row[3]: row[5:] for row in run_sql("ladder_counts", given={**GIVEN, "statistic_sums": sums})}
    assert (found[6], found[2]) == ((1, 0, True), (1, 0, False))


@pytest.mark.parametrize(("group", "position"), [("1 | 0", 0), ("1 | 1", 1), ("2 | 3", 0)])
def test_the_place_of_an_iteration_follows_from_the_number_of_the_group(run_sql, group, position):
    cells = f"level_id | population_group_id | stat_level | cell_position | noisy_count\n{group} | 1 | 0 | 7"
    assert {row[6] for row in run_sql("ladder_counts", given={**GIVEN, "noisy_cells": cells})} == {position}
