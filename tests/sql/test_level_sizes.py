"""level_sizes: how many population groups each level has, and where its numbering starts."""

GIVEN = {
    "levels": """
        level_id | region_type
        ---------+------------
               1 |         USA
               2 |      COUNTY
               3 |         USA
    """,
    "regions": """
        region_key | region_type
        -----------+------------
                 1 |      COUNTY
                 2 |      COUNTY
                 3 |         USA
    """,
    "level_iterations": """
        level_id | iteration_id
        ---------+-------------
               1 |            1
               1 |            2
               1 |            3
               2 |            1
               2 |            3
               3 |            4
    """,
}


def test_a_level_counts_the_regions_of_its_type_and_its_own_iterations(run_sql):
    assert [row[:3] for row in run_sql("level_sizes", given=GIVEN)] == [(1, 1, 3), (2, 2, 2), (3, 1, 1)]


def test_each_level_starts_where_the_one_before_it_ends(run_sql):
    assert [row[3] for row in run_sql("level_sizes", given=GIVEN)] == [0, 3, 7]


def test_a_level_without_regions_takes_no_numbers(run_sql):
    regions = """
        region_key | region_type
        -----------+------------
                 1 |         USA
    """
    rows = run_sql("level_sizes", given={**GIVEN, "regions": regions})
    assert rows == [(1, 1, 3, 0), (2, 0, 2, 3), (3, 1, 1, 3)]


def test_a_level_without_iterations_takes_no_numbers(run_sql):
    level_iterations = """
        level_id | iteration_id
        ---------+-------------
               3 |            4
    """
    rows = run_sql("level_sizes", given={**GIVEN, "level_iterations": level_iterations})
    assert rows == [(1, 1, 0, 0), (2, 2, 0, 0), (3, 1, 1, 0)]
