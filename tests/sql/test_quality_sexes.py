"""quality_sexes: groups with as many men as women."""

import math

from tests.sql.quality_tables import county, t2


def test_groups_with_equal_sums_of_sexes_are_found_and_noise_makes_some(run_sql):
    rows = t2(*county(1, (5, 7), (4, 8)), *county(3, (5, 7), (4, 9)))
    assert run_sql("quality_sexes", given={"t2": rows}) == [(2, 1, 2 / math.sqrt(1 + 2 * 16))]


def test_no_table_has_nothing_to_look_at(run_sql):
    assert run_sql("quality_sexes", given={"t2": t2()}) == [(0, 0, 0.0)]
