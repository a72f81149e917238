"""parts_without_blocks: values of the requested parts that no row of the geography has."""

from tests.sql.parameters import parts_of

ROWS = {
    "geography_rows": """
        TABBLKST
        --------
              01
              01
              44
    """
}


def found(run_sql, *states):
    return run_sql("parts_without_blocks", given=ROWS, part_values=parts_of(*states)["part_values"])


def test_a_requested_value_without_a_row_is_returned(run_sql):
    assert found(run_sql, "01", "06", "44") == [("TABBLKST", "06")]


def test_requested_values_that_have_one_are_fine(run_sql):
    assert found(run_sql, "01", "44") == []


def test_a_geography_without_parts_is_fine(run_sql):
    assert run_sql("parts_without_blocks", given=ROWS, part_values=[]) == []
