"""released_regions: the regions that a release has totals of."""

T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT
        44007 |      COUNTY |           2210 |     1
        44007 |      COUNTY |           2220 |     2
            1 |         USA |           2210 |     3
"""


def test_a_region_is_there_once_however_many_totals_it_has(run_sql):
    assert run_sql("released_regions", given={"released_totals": T1}) == [("COUNTY", "44007"), ("USA", "1")]
