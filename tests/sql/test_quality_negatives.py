"""quality_negatives: sums that are further below 0 than noise brings them."""

from tests.sql.quality_tables import county, t2


def test_a_sum_is_found_beyond_twice_its_margin_below_0(run_sql):
    rows = t2(*county(1, (-6, -6), (-6, -7)), *county(3, (99, 1), (0, 0)))
    assert run_sql("quality_negatives", given={"t2": rows}) == [(4, 1, 4 / 800)]
