"""table_values: the columns of a table that a histogram is made of, as text."""

import pytest


@pytest.fixture
def table_values(run_sql_in_order, write_parquet):
    def rows(text, *, given_weight="1", record_id="null"):
        columns = [{"name": "value_1", "expression": 'as_text("AGE")'}, {"name": "value_2", "expression": '"SEX"'}]
        path = write_parquet(text)
        found = run_sql_in_order(
            "table_values", table_files=[path], value_columns=columns, given_weight=given_weight, record_id=record_id
        )
        return [(*row[:3], row[5]) if record_id == "null" else row[3] for row in found]

    return rows


def test_values_become_text_beside_weight_row_and_id(table_values):
    drawn = """
        AGE:integer | SEX
                  7 | 01
    """
    assert table_values(drawn) == [("7", "01", 1, 1)]
    drawn = """
        AGE:integer | SEX | WEIGHT:integer
                  1 | 1   |              5
                  2 | 2   |           NULL
    """
    assert [row[2:] for row in table_values(drawn, given_weight='"WEIGHT"')] == [(5, 1), (None, 2)]
    drawn = """
        AGE:integer | SEX | ID:bigint
                  1 | 1   |        17
                  2 | 2   |      NULL
    """
    assert table_values(drawn, record_id='"ID"') == ["17", None]
