"""wanted_cells: the independent noisy counts that wanted counts add up."""

from tests.sql.wanted_tables import GIVEN

AGES = (0, 17), (18, 115), (0, 17), (18, 115)


def found(run_sql, statistic, *, is_other=False):
    rows = run_sql("wanted_cells", given=GIVEN)
    return [row[4:-1] for row in rows if row[:2] == (statistic, is_other)]


def test_the_cells_with_the_wanted_values_are_found(run_sql):
    assert found(run_sql, 0) == [(1, 7, 10, 4.0, 4.0, True, None, None), (1, 8, 20, 4.0, 4.0, True, None, None)]
    assert [row[1] for row in found(run_sql, 0, is_other=True)] == [8, 10]


def test_a_cell_that_is_wanted_in_part_is_marked(run_sql):
    assert found(run_sql, 2) == [(1, 9, 11, 4.0, 4.0, False, None, None)]


def test_a_group_without_a_table_has_its_total(run_sql):
    assert [found(run_sql, number) for number in (1, 3)] == [
        [(0, 11, 40, 4.0, 4.0, is_whole, None, None)] for is_whole in (True, False)
    ]


def test_a_quantile_has_the_ranges_of_its_cells(run_sql):
    assert [row[-2:] for row in found(run_sql, 5)] == list(AGES)
