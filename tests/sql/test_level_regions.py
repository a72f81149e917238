"""level_regions: the regions of each population group level, and where the numbering of each starts."""

GIVEN = {
    "levels": """
        level_id | region_type
        ---------+------------
               1 |         USA
               2 |      COUNTY
    """,
    "level_sizes": """
        level_id | iterations | first_population_group_id
        ---------+------------+--------------------------
               1 |          3 |                         0
               2 |          5 |                         3
    """,
    "regions": """
        region_key | region_type
        -----------+------------
                10 |      COUNTY
                20 |      COUNTY
                30 |      COUNTY
                40 |         USA
    """,
}


def test_a_level_has_the_regions_of_its_type(run_sql):
    rows = run_sql("level_regions", given=GIVEN)
    assert [row[:2] for row in rows] == [(1, 40), (2, 10), (2, 20), (2, 30)]


def test_the_first_region_starts_where_its_level_starts(run_sql):
    rows = run_sql("level_regions", given=GIVEN)
    assert [row[2] for row in rows if row[1] in (40, 10)] == [0, 3]


def test_each_region_has_a_number_for_every_iteration_of_the_level(run_sql):
    rows = run_sql("level_regions", given=GIVEN)
    assert [row[2] for row in rows if row[0] == 2] == [3, 8, 13]


def test_numbers_may_pass_two_billion(run_sql):
    level_sizes = """
        level_id | iterations | first_population_group_id
        ---------+------------+--------------------------
               1 |          3 |                         0
               2 | 1500000000 |                4000000000
    """
    rows = run_sql("level_regions", given={**GIVEN, "level_sizes": level_sizes})
    assert [row[2] for row in rows if row[0] == 2] == [4_000_000_000, 5_500_000_000, 7_000_000_000]
