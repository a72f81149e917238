"""quality_ages: groups with over 1.1 times as many people of age 20 as of age 21."""

import pytest

from tests.sql.quality_tables import t2


def cells(of_20: int, of_21: int) -> list[str]:
    return [f"44001 | COUNTY | 2210 | {age} | {age} | 1 | {n} | 4.0 | 4" for age, n in ((20, of_20), (21, of_21))]


@pytest.mark.parametrize(("of_20", "found"), [(100, 0), (110, 0), (111, 1)])
def test_a_tenth_more_of_20_is_no_heap_and_more_is(run_sql, of_20, found):
    assert run_sql("quality_ages", given={"t2": t2(*cells(of_20, 100))}) == [(1, found, 0.5)]


def test_tables_without_single_ages_are_not_looked_at(run_sql):
    assert run_sql("quality_ages", given={"t2": t2(cells(5, 5)[0])}) == [(0, 0, 0.0)]
