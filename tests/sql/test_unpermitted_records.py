"""unpermitted_records: the records with a value outside one domain."""

import pytest

VALUES = """
    value_1 | value_2 | given_weight | record_file | record_row
    --------+---------+--------------+-------------+-----------
          1 |      50 |            1 | a.parquet   |          1
          9 |      50 |            1 | a.parquet   |          2
       NULL |      51 |            1 | a.parquet   |          3
"""
CODES = """
    domain_id | value_key | code
    ----------+-----------+-----
            0 | 1         |    0
            1 | 9         |    0
"""


@pytest.fixture
def unpermitted_records(run_sql):
    def rows(candidates, name="SEX", value="value_1"):
        return run_sql(
            "unpermitted_records",
            given={"table_values": VALUES, "domain_codes": CODES},
            examined_columns=[{"name": name, "value": value}],
            examined_domain={"domain_id": 0, "key": "table_values.value_1", "candidates": candidates},
        )

    return rows


def test_values_that_the_domain_does_not_list_come_with_file_and_row(unpermitted_records):
    found = unpermitted_records("domain_codes.code")
    assert found == [("a.parquet", 2, "9"), ("a.parquet", 3, None)]


def test_a_range_is_examined_by_its_expression(unpermitted_records):
    candidates = "code_in_range(signed_number_from_text(table_values.value_2), 0, 50)"
    assert unpermitted_records(candidates, "AGE", "value_2") == [("a.parquet", 3, "51")]
