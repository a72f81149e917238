"""published_groups: the names of the population groups that have a published count."""

from tests.sql.published_tables import NO_CELLS, NO_TOTALS, PUBLIC

NAMES = {name: table for name, table in PUBLIC.items() if name != "level_iterations"}
EVERY_GROUP = """
    level_id | population_group_id | noisy_count
    ---------+---------------------+------------
           1 |                   0 |          12
           1 |                   1 |          -3
           2 |                   2 |           0
           2 |                   3 |           8
"""


def test_the_number_of_a_group_is_taken_apart_into_its_region_and_iteration(run_sql):
    rows = run_sql(
        "published_groups", ladder_id=1, given={**NAMES, "noisy_totals": EVERY_GROUP, "noisy_cells": NO_CELLS}
    )
    assert [(row[0], *row[5:]) for row in rows] == [
        (0, "USA", "1", "0101"),
        (1, "USA", "1", "0102"),
        (2, "COUNTY", "01003", "0102"),
        (3, "COUNTY", "44007", "0102"),
    ]


def test_a_group_keeps_its_level_and_whether_it_is_total_only(run_sql):
    rows = run_sql(
        "published_groups", ladder_id=1, given={**NAMES, "noisy_totals": EVERY_GROUP, "noisy_cells": NO_CELLS}
    )
    assert [(row[1], row[4]) for row in rows] == [(1, True), (1, False), (2, False), (2, False)]


def test_a_group_with_cells_is_named_once(run_sql):
    cells = """
        level_id | population_group_id | stat_level | cell_position | noisy_count
        ---------+---------------------+------------+---------------+------------
               2 |                   3 |          1 |             0 |           7
               2 |                   3 |          1 |             1 |           7
    """
    rows = run_sql("published_groups", ladder_id=1, given={**NAMES, "noisy_totals": NO_TOTALS, "noisy_cells": cells})
    assert rows == [(3, 2, 2, 2, False, "COUNTY", "44007", "0102")]


def test_a_group_without_a_published_count_is_not_named(run_sql):
    assert (
        run_sql("published_groups", ladder_id=1, given={**NAMES, "noisy_totals": NO_TOTALS, "noisy_cells": NO_CELLS})
        == []
    )


def test_a_group_may_be_total_only_in_one_ladder_and_not_in_another(run_sql):
    given = {**NAMES, "noisy_totals": EVERY_GROUP, "noisy_cells": NO_CELLS}
    rows = run_sql("published_groups", ladder_id=2, given=given)
    assert [(row[0], row[4]) for row in rows] == [(0, False), (1, True)]
