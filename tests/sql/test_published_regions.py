"""published_regions: the names of regions, by the number of their first population group at each level."""

from tests.sql.published_tables import PUBLIC

NAMES = {name: PUBLIC[name] for name in ("levels", "level_regions", "regions")}


def test_each_region_of_a_level_has_its_name(run_sql):
    assert run_sql("published_regions", given=NAMES) == [
        (1, 0, "USA-1", 3, "USA", "1"),
        (2, 2, "COUNTY-2", 1, "COUNTY", "01003"),
        (2, 3, "COUNTY-2", 2, "COUNTY", "44007"),
    ]


def test_a_region_of_two_levels_is_named_at_both(run_sql):
    level_regions = """
        level_id | region_key | first_population_group_id
        ---------+------------+--------------------------
               1 |          3 |                         0
               2 |          3 |                         2
    """
    rows = run_sql("published_regions", given={**NAMES, "level_regions": level_regions})
    assert [row[:4] for row in rows] == [(1, 0, "USA-1", 3), (2, 2, "COUNTY-2", 3)]
