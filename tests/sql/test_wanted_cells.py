"""wanted_cells: the independent noisy counts that wanted counts add up."""

from tests.sql.wanted_tables import GIVEN

AGES = (0, 17), (18, 115), (0, 17), (18, 115)


def found(run_sql, statistic, *, is_other=False):
    rows = run_sql("wanted_cells", given=GIVEN)
    return [row[4:-2] for row in rows if row[:2] == (statistic, is_other)]


def test_cells_are_found_by_wanted_values_in_part_by_totals_and_by_ranges(run_sql):
    assert found(run_sql, 0) == [(1, 7, 10, 4.0, 4.0, True, None, None), (1, 8, 20, 4.0, 4.0, True, None, None)]
    assert [row[1] for row in found(run_sql, 0, is_other=True)] == [8, 10]
    assert found(run_sql, 2) == [(1, 9, 11, 4.0, 4.0, False, None, None)]
    assert [found(run_sql, number) for number in (1, 3)] == [
        [(0, 11, 40, 4.0, 4.0, is_whole, None, None)] for is_whole in (True, False)
    ]
    assert [row[-2:] for row in found(run_sql, 5)] == list(AGES)
