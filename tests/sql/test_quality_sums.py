"""quality_sums: groups whose table does not add up."""

import pytest

from tests.sql.quality_tables import county, t1, t2

GROUP = "44001 | COUNTY | 2210"


@pytest.mark.parametrize(("total", "found"), [(24, 0), (24.001, 0), (25, 1)])
def test_a_total_that_is_not_the_sum_of_its_cells_is_found(run_sql, total, found):
    given = {"t1": t1(f"{GROUP} | {total} | 16.0 | 8"), "t2": t2(*county(1, (5, 7), (4, 8)))}
    assert run_sql("quality_sums", given=given) == [(1, found, 0.0)]


def test_a_sum_of_one_sex_that_is_not_that_of_its_cells_is_found(run_sql):
    rows = [row.replace("| * | * | 1 | 12 |", "| * | * | 1 | 13 |") for row in county(1, (5, 7), (4, 8))]
    given = {"t1": t1(f"{GROUP} | 24 | 16.0 | 8"), "t2": t2(*rows)}
    assert run_sql("quality_sums", given=given) == [(1, 1, 0.0)]
