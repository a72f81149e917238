"""group_levels: the level of the published groups of a ladder, by region type and iteration."""

INDEX = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | LEVEL    | IS_TOTAL_ONLY | LADDER
        44007 |      COUNTY |           2210 | COUNTY-2 |         false |     T2
        44009 |      COUNTY |           2210 | COUNTY-2 |         false |     T2
        44009 |      COUNTY |           1110 | COUNTY-1 |          true |     T2
        44009 |      COUNTY |           1110 | COUNTY-1 |         false |     T3
"""


def test_a_region_type_and_an_iteration_have_one_level_in_all_regions(run_sql):
    assert run_sql("group_levels", given={"group_index": INDEX}, table_name="T2") == [
        ("COUNTY", "1110", "COUNTY-1", True),
        ("COUNTY", "2210", "COUNTY-2", False),
    ]
