"""table_codes: every record as the codes of its values."""

import pytest

CODES = """
    domain_id | value_key | code
            0 | 1         |    0
            0 | 2         |    1
            1 | 1         |    7
"""
CODED = [
    {"name": "code_1", "candidates": "codes_of_1.code"},
    {"name": "code_2", "candidates": "code_in_range(signed_number_from_text(table_values.value_2), 10, 99), 90"},
]
LISTED = [{"domain_id": 0, "lookup": "codes_of_1", "key": "table_values.value_1"}]


@pytest.fixture
def table_codes(run_sql):
    def rows(*values, weight="1"):
        lines = [f"{first} | {second} | {given} | f | 1" for first, second, given in values]
        names = "value_1 | value_2 | given_weight | record_file | record_row"
        given = {"table_values": "\n".join([names, *lines]), "domain_codes": CODES}
        return run_sql("table_codes", given=given, coded_domains=CODED, listed_domains=LISTED, weight=weight)

    return rows


def test_a_record_has_the_first_code_that_applies_in_each_domain_or_none_and_its_weight_clamped(table_codes):
    assert table_codes(("1", "10", 1), ("2", "12", 1)) == [(0, 0, 1), (1, 2, 1)]
    assert table_codes(("9", "10", 1)) == [(None, 0, 1)]
    rows = table_codes(("1", "10", 1), ("1", "100", 1), ("1", "ten", 1))
    assert [row[1] for row in rows] == [0, 90, 90]
    weight = "clamped_weight(table_values.given_weight, 4)"
    rows = table_codes(("1", "10", -3), ("1", "11", 2), ("1", "12", 9), weight=weight)
    assert [row[2] for row in rows] == [0, 2, 4]
