"""local_groups: the cells of the local population groups with a sex-by-age table."""

# Cells 1 and 2 lie in tract 30, cell 3 in tract 31, all of them in the broad county 40.
GIVEN = {
    "region_breadth": """
        region_key | is_broad
        -----------+---------
                30 |    false
                31 |    false
                40 |     true
    """,
    "geo_unit_regions": """
        geo_unit_id | region_key
        --------+-----------
              1 |         30
              2 |         30
              3 |         31
              1 |         40
              2 |         40
              3 |         40
    """,
}


def local_groups(run_sql, *chosen):
    header = "population_group_id | region_key | iteration_id | stat_level\n-\n"
    return run_sql("local_groups", given={**GIVEN, "chosen_groups": header + "\n".join(chosen)})


def test_a_group_has_every_cell_of_its_region_and_no_other(run_sql):
    assert local_groups(run_sql, "7 | 30 | 50 | 1") == [(1, 50, 7, 1), (2, 50, 7, 1)]


def test_groups_of_one_region_each_have_its_cells(run_sql):
    assert local_groups(run_sql, "9 | 31 | 50 | 1", "10 | 31 | 60 | 3") == [(3, 50, 9, 1), (3, 60, 10, 3)]


def test_a_group_with_every_stat_level_keeps_them_all(run_sql):
    """The ground truth asks for all three."""
    rows = local_groups(run_sql, "9 | 31 | 50 | 1", "9 | 31 | 50 | 2", "9 | 31 | 50 | 3")
    assert [row[3] for row in rows] == [1, 2, 3]


def test_broad_groups_are_left_out(run_sql):
    assert local_groups(run_sql, "11 | 40 | 50 | 1") == []


def test_groups_that_earned_no_table_are_absent(run_sql):
    assert local_groups(run_sql) == []
