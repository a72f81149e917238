"""totals_count_malformed: published totals that are no whole number."""

from tests.sql.totals_tables import total_rows


def test_a_fraction_is_returned_as_it_is_written(run_sql):
    given = {"total_rows": total_rows("STATE | 01 | 0101 | 1.5")}
    assert run_sql("totals_count_malformed", given=given) == [("STATE", "01", "0101", "1.5")]


def test_whole_numbers_are_fine(run_sql):
    assert run_sql("totals_count_malformed", given={"total_rows": total_rows("STATE | 01 | 0101 | -7")}) == []
