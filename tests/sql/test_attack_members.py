"""attack_members: which counts add up to which other count."""

GIVEN = {
    "attack_totals": """
        population_group_id | region_key | iteration_id | exact_count | record_keys
        --------------------+------------+--------------+-------------+------------
                          0 |          1 |           10 |           7 |           1
                         50 |          2 |           10 |           7 |           1
    """,
    "attack_tables": "population_group_id | statistic_id\n-\n0 | 1",
    "attack_parts": "whole_key | part_key\n-\n1 | 2\n1 | 3",
    "regions": "region_key | region_type | region_id\n-\n1 | USA | 1\n2 | STATE | 01\n3 | STATE | 02",
    "level_regions": "level_id | region_key | first_population_group_id\n-\n1 | 1 | 0\n2 | 2 | 50\n2 | 3 | 52",
    "level_iterations": "level_id | iteration_id | iteration_position\n-\n1 | 10 | 0\n2 | 10 | 0",
    "geo_unit_regions": "geo_unit_id | region_key\n-\n1 | 1\n1 | 2\n2 | 1\n2 | 3",
    "statistic_finest_cells": "statistic_id | finest_position | cell_position\n-\n1 | 7 | 0\n1 | 8 | 0\n1 | 9 | 1",
}


def test_cells_regions_and_pieces_add_up_also_those_without_people(run_sql):
    assert run_sql("attack_members", given=GIVEN) == [
        ("* of STATE", 50 * 1048576, -1000010),
        ("STATE of USA", 0, 50 * 1048576),
        ("STATE of USA", 0, 52 * 1048576),
        ("cells", 0, 1),
        ("cells", 0, 2),
    ]
