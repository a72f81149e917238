"""finely_counted_iterations: the iterations of which more is wanted than totals of broad regions."""

GIVEN = {
    "levels": "level_id | region_type\n-\n1 | STATE\n2 | TRACT",
    "regions": "region_type | region_key\n-\nSTATE | 1\nTRACT | 2",
    "region_breadth": "region_key | is_broad\n-\n1 | true\n2 | false",
    "ladder_iterations": """
        ladder_id | level_id | iteration_id | is_total_only
        ----------+----------+--------------+--------------
                1 |        1 |           10 |          true
                1 |        1 |           11 |         false
                1 |        1 |           12 |          true
                1 |        2 |           12 |          true
                1 |        1 |           13 |          true
                2 |        1 |           13 |         false
    """,
}


def test_tables_and_regions_that_are_not_broad_want_more_than_totals_of_broad_regions(run_sql):
    assert run_sql("finely_counted_iterations", given=GIVEN) == [(11,), (12,), (13,)]
