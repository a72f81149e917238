"""example_rows: a few rows of the nation's largest sex-by-age table, for people to look at."""

import pytest

INDEX = """
    REGION_TYPE | ITERATION_CODE | ITERATION_NAME | ITERATION_KIND
    ------------+----------------+----------------+---------------
            USA |           0101 |        English |          alone
            USA |           0102 |          Irish |          alone
            USA |           3001 |        Mexican |      ethnicity
          STATE |           0101 |        English |          alone
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | AGESTART | AGEEND | SEX | COUNT:bigint | MOE95:double
    ----------+-------------+----------------+----------+--------+-----+--------------+-------------
            1 |         USA |           0101 |        0 |     17 |   1 |           99 |          2.0
            1 |         USA |           0102 |        * |      * |   1 |          150 |          4.0
            1 |         USA |           0102 |        * |      * |   2 |          150 |          4.0
            1 |         USA |           0102 |       18 |    115 |   2 |          100 |          2.0
            1 |         USA |           0102 |       18 |    115 |   1 |           50 |          2.0
            1 |         USA |           0102 |        5 |     17 |   1 |          100 |          2.0
            1 |         USA |           0102 |        5 |     17 |   2 |           50 |          2.0
           44 |       STATE |           0101 |        0 |     17 |   1 |          999 |          2.0
            1 |         USA |           3001 |        0 |     17 |   1 |          998 |          2.0
"""


@pytest.fixture
def example_rows(run_sql_in_order, write_parquet):
    return run_sql_in_order(
        "example_rows",
        t2_files=[write_parquet(T2, "t2.parquet")],
        given={"group_index": INDEX},
    )


def test_the_group_with_the_largest_cell_comes_first_by_age_and_sex(example_rows):
    assert [row[2:6] for row in example_rows[:4]] == [
        ("Irish", "5-17", "male", 100),
        ("Irish", "5-17", "female", 50),
        ("Irish", "18-115", "male", 50),
        ("Irish", "18-115", "female", 100),
    ]


def test_only_cells_of_race_iterations_of_the_nation_are_shown(example_rows):
    assert {row[:3] for row in example_rows} == {("USA", "1", "Irish"), ("USA", "1", "English")}


def test_each_row_has_its_margin_of_error(example_rows):
    assert {row[6] for row in example_rows} == {2.0}


def test_at_most_six_rows_are_shown(run_sql, write_parquet):
    ages = "\n".join(f"1 | USA | 0101 | {age} | {age} | 1 | {age} | 2.0" for age in range(30))
    t2 = "\n".join([*T2.strip().splitlines()[:2], ages])
    rows = run_sql(
        "example_rows",
        t2_files=[write_parquet(t2, "t2.parquet")],
        given={"group_index": INDEX},
    )
    assert len(rows) == 6
