"""unit_groups: the population groups with a table, by the counting units of their regions."""

ITERATION_TALLIES = "iteration_id | tally_id | gives\n-\n50 | 50 | all\n50 | 70 | one\n51 | 51 | all"
UNIT_REGIONS = "unit_id | region_key\n-\n1 | 30\n2 | 30\n3 | 31"


def unit_groups(run_sql, *chosen, end=10):
    header = "population_group_id | region_key | iteration_id\n-\n"
    given = {"unit_regions": UNIT_REGIONS, "iteration_tallies": ITERATION_TALLIES}
    given["chosen_groups"] = header + "\n".join(chosen)
    return run_sql("unit_groups", given=given, first_unit_id=1, end_unit_id=end)


def test_a_group_has_every_unit_of_its_region_with_every_tally_and_no_other(run_sql):
    assert unit_groups(run_sql, "7 | 30 | 50") == [(1, 50, 7), (1, 70, 7), (2, 50, 7), (2, 70, 7)]


def test_a_range_has_its_own_units_alone(run_sql):
    assert unit_groups(run_sql, "7 | 30 | 50", end=2) == [(1, 50, 7), (1, 70, 7)]


def test_groups_that_earned_no_table_are_absent(run_sql):
    assert unit_groups(run_sql) == []
