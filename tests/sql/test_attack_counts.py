"""attack_counts: totals, cells of the tables that were released, and pieces that nobody publishes."""

from tests.sql.test_attack_totals import GIVEN as TOTALS

GIVEN = {
    "attack_atoms": TOTALS["attack_atoms"],
    "geo_unit_regions": TOTALS["geo_unit_regions"],
    "attack_totals": """
        population_group_id | region_key | iteration_id | exact_count | record_keys
        --------------------+------------+--------------+-------------+------------
                          3 |          1 |           10 |           7 |  4294967297
    """,
    "attack_tables": "population_group_id | statistic_id\n-\n3 | 1",
    "chosen_groups": "population_group_id | region_key | iteration_id\n-\n3 | 1 | 10",
    "statistic_finest_cells": "statistic_id | finest_position | cell_position\n-\n1 | 7 | 0\n1 | 8 | 1\n2 | 7 | 0",
}


def test_a_total_its_cells_and_its_pieces_have_keys_of_their_own(run_sql):
    assert run_sql("attack_counts", given=GIVEN) == [
        (-2000010, "piece", 2, 3),
        (-1000010, "piece", 5, 120),
        (3 * 1048576, "total", 7, 1),
        (3 * 1048576 + 1, "cell", 6, 103),
        (3 * 1048576 + 2, "cell", 1, 20),
    ]


def test_a_group_without_a_table_has_no_cells(run_sql):
    found = run_sql("attack_counts", given={**GIVEN, "attack_tables": "population_group_id | statistic_id\n-"})
    assert {kind for _, kind, *_ in found} == {"total", "piece"}
