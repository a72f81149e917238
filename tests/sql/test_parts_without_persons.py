"""parts_without_persons: values of the requested parts that no record has."""

from tests.sql.parameters import parts_of

ROWS = {
    "person_records": """
        TABBLKST
        --------
              01
              01
              44
    """
}


def found(run_sql, *states):
    values = parts_of(*states)["record_part_values"]
    return run_sql("parts_without_persons", given=ROWS, record_part_values=values)


def test_a_requested_value_without_a_record_is_returned(run_sql):
    assert found(run_sql, "01", "06", "44") == [("TABBLKST", "06")]


def test_requested_values_that_have_one_are_fine(run_sql):
    assert found(run_sql, "01", "44") == []


def test_columns_that_records_lack_are_not_looked_at(run_sql):
    assert run_sql("parts_without_persons", given=ROWS, record_part_values=[]) == []
