"""unit_groups: the population groups with a sex-by-age table, by the counting units of their regions."""

UNIT_REGIONS = "unit_id | region_key\n-\n1 | 30\n2 | 30\n3 | 31"


def unit_groups(run_sql, *chosen):
    header = "population_group_id | region_key | iteration_id | stat_level\n-\n"
    return run_sql("unit_groups", given={"unit_regions": UNIT_REGIONS, "chosen_groups": header + "\n".join(chosen)})


def test_a_group_has_every_unit_of_its_region_and_no_other(run_sql):
    assert unit_groups(run_sql, "7 | 30 | 50 | 1") == [(1, 50, 7, 1), (2, 50, 7, 1)]


def test_a_group_with_every_stat_level_keeps_them_all(run_sql):
    """The ground truth asks for all three."""
    rows = unit_groups(run_sql, "9 | 31 | 50 | 1", "9 | 31 | 50 | 2", "9 | 31 | 50 | 3")
    assert [row[3] for row in rows] == [1, 2, 3]


def test_groups_that_earned_no_table_are_absent(run_sql):
    assert unit_groups(run_sql) == []
