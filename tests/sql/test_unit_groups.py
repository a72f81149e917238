"""unit_groups: the population groups with a table, by the counting units of their regions."""

UNIT_REGIONS = "unit_id | region_key\n-\n1 | 30\n2 | 30\n3 | 31"


def unit_groups(run_sql, *chosen):
    header = "population_group_id | region_key | iteration_id\n-\n"
    return run_sql("unit_groups", given={"unit_regions": UNIT_REGIONS, "chosen_groups": header + "\n".join(chosen)})


def test_a_group_has_every_unit_of_its_region_and_no_other(run_sql):
    assert unit_groups(run_sql, "7 | 30 | 50") == [(1, 50, 7), (2, 50, 7)]


def test_groups_that_earned_no_table_are_absent(run_sql):
    assert unit_groups(run_sql) == []
