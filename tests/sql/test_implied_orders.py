"""implied_orders: which iterations hold everybody that another one holds."""

import pytest

ITERATIONS = """
    iteration_id | iteration_code | iteration_level | iteration_kind
               1 |           0011 |               1 |    combination
               2 |           0012 |               1 |          alone
               3 |           0021 |               2 |    combination
               4 |           0022 |               2 |          alone
               5 |           0031 |               1 |      ethnicity
               6 |           0041 |               2 |      ethnicity
"""
# The regional group (0011, 0012) has codes 1000 and 1010; the detailed one (0021, 0022) has 1000 alone.
CODES = """
    code | iteration_id | iteration_kind
    1000 |            1 |    combination
    1010 |            1 |    combination
    1000 |            2 |          alone
    1010 |            2 |          alone
    1000 |            3 |    combination
    1000 |            4 |          alone
    2000 |            5 |      ethnicity
    2010 |            5 |      ethnicity
    2010 |            6 |      ethnicity
"""


@pytest.fixture
def orders(run_sql):
    return {
        (row[0], row[3])
        for row in run_sql("implied_orders", given={"iterations": ITERATIONS, "code_iterations": CODES})
    }


def test_alone_lies_in_alone_or_in_combination_a_detailed_group_in_its_regional_one_and_no_more(orders):
    assert {("0012", "0011"), ("0022", "0021")} <= orders
    assert {("0021", "0011"), ("0022", "0012"), ("0022", "0011"), ("0041", "0031")} <= orders
    assert len(orders) == 6
