"""broken_orders: totals above those of iterations that hold everybody they count."""

ORDERS = """
    narrow_code | narrow_level | narrow_kind | wide_code | wide_level |   wide_kind
           0012 |            1 |       alone |      0011 |          1 | combination
           0022 |            2 |       alone |      0021 |          2 | combination
           0022 |            2 |       alone |      0012 |          1 |       alone
"""
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT | NOISY_COUNT
        44007 |      COUNTY |           0011 |  10.0 |          10
        44007 |      COUNTY |           0012 |  10.5 |           9
        44007 |      COUNTY |           0021 |   5.0 |           4
        44007 |      COUNTY |           0022 |   5.0 |           6
        44009 |      COUNTY |           0022 |  90.0 |          90
"""


def test_pairs_are_compared_where_both_totals_are_published_and_equal_ones_are_in_order(run_sql):
    """Levels of equal kind stay apart."""
    assert sorted(run_sql("broken_orders", given={"implied_orders": ORDERS, "reconciled_t1": T1})) == [
        ("COUNTY", "1", "alone", "1", "combination", 1, 0, 1),
        ("COUNTY", "2", "alone", "1", "alone", 1, 0, 0),
        ("COUNTY", "2", "alone", "2", "combination", 1, 1, 0),
    ]
