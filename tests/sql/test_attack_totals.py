"""attack_totals: exact totals of population groups, with the sums of their people's record keys."""

GIVEN = {
    "attack_atoms": """
        geo_unit_id | iteration_id | finest_position | exact_count | record_keys
        ------------+--------------+-----------------+-------------+------------
                  1 |           10 |               7 |           4 |         100
                  1 |           10 |               8 |           1 |          20
                  2 |           10 |               7 |           2 |           3
    """,
    "geo_unit_regions": "geo_unit_id | region_key\n-\n1 | 1\n2 | 1\n2 | 2",
    "level_regions": "level_id | region_key | first_population_group_id\n-\n1 | 1 | 0\n2 | 2 | 50",
    "level_iterations": "level_id | iteration_id | iteration_position\n-\n1 | 10 | 3\n2 | 10 | 0",
}


def test_a_region_adds_up_its_geo_units_and_all_finest_cells(run_sql):
    assert run_sql("attack_totals", given=GIVEN) == [(3, 1, 10, 7, 123), (50, 2, 10, 2, 3)]


def test_an_iteration_that_a_level_does_not_tabulate_has_no_total_there(run_sql):
    other = GIVEN["level_iterations"].replace("2 | 10 | 0", "2 | 11 | 0")
    assert run_sql("attack_totals", given={**GIVEN, "level_iterations": other}) == [(3, 1, 10, 7, 123)]
