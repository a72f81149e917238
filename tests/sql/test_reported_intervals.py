"""reported_intervals: the totals whose 95 % interval is longer on one side, by region type."""

from tests.sql.reconciled_tables import T1

SIDED = f"{T1}        01005 |      COUNTY |           2210 |    22 |      2.0 |   3.0 |     0 |     25\n"


def test_totals_whose_interval_is_longer_on_one_side_are_counted_with_the_smallest_and_the_largest(run_sql):
    rows = {row[0]: row[1:] for row in run_sql("reported_intervals", given={"t1": SIDED}, columns_of_totals=[])}
    assert rows["COUNTY"] == (3, 1, 22, 0, 25, 22, 0, 25)
    assert rows["STATE"] == (2, 0, *[None] * 6)
