"""example_rows: a few cells of the nation's four largest tables of sex by age, for people to look at."""

import pytest

INDEX = """
    REGION_TYPE | ITERATION_CODE | ITERATION_NAME | ITERATION_KIND
            USA |           0001 |        English |    combination
            USA |           0002 |          Irish |    combination
            USA |           0003 |          Welsh |    combination
            USA |           0004 |         Manxer |    combination
            USA |           0005 |        Cornish |    combination
            USA |           0102 |          Irish |          alone
            USA |           3001 |        Mexican |      ethnicity
          STATE |           0001 |        English |    combination
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT:bigint | MOE95:double
            1 |         USA |           0001 |        0 |     17 |   1 |           99 |          2.0
            1 |         USA |           0001 |        0 |     17 |   2 |           98 |          2.0
            1 |         USA |           0002 |        * |      * |   1 |          150 |          4.0
            1 |         USA |           0002 |       18 |    115 |   2 |          100 |          2.0
            1 |         USA |           0002 |       18 |    115 |   1 |           50 |          2.0
            1 |         USA |           0002 |        5 |     17 |   1 |          100 |          2.0
            1 |         USA |           0003 |        0 |     17 |   1 |           70 |          3.0
            1 |         USA |           0003 |        0 |     17 |   2 |           60 |          3.0
            1 |         USA |           0004 |        0 |     17 |   2 |           40 |          3.0
            1 |         USA |           0005 |        0 |     17 |   2 |           30 |          3.0
           44 |       STATE |           0001 |        0 |     17 |   1 |          999 |          2.0
            1 |         USA |           0102 |        0 |     17 |   1 |          997 |          2.0
            1 |         USA |           3001 |        0 |     17 |   1 |          998 |          2.0
"""


@pytest.fixture
def example_rows(run_sql_in_order, write_parquet):
    return run_sql_in_order("example_rows", t2_files=[write_parquet(T2, "t2.parquet")], given={"group_index": INDEX})


def test_six_cells_of_the_four_largest_groups_of_the_nation_in_combination_are_shown(example_rows):
    assert example_rows == [
        ("USA", "1", "Irish", "5-17", "male", 100, 2.0),
        ("USA", "1", "Irish", "18-115", "female", 100, 2.0),
        ("USA", "1", "English", "0-17", "male", 99, 2.0),
        ("USA", "1", "English", "0-17", "female", 98, 2.0),
        ("USA", "1", "Welsh", "0-17", "male", 70, 3.0),
        ("USA", "1", "Manxer", "0-17", "female", 40, 3.0),
    ]
