"""iteration_rows: both lists of characteristic iterations, one under the other."""

import pytest

from tests.sql.stored_columns import read_lists

NO_RACES = """
    ITERATION_CODE | ITERATION_NAME | LEVEL | ALONE | DETAILED_ONLY | COARSE_ONLY
    ---------------+----------------+-------+-------+---------------+------------
"""
NO_ETHNICITIES = """
    ITERATION_CODE | ITERATION_NAME | LEVEL | DETAILED_ONLY | COARSE_ONLY
    ---------------+----------------+-------+---------------+------------
"""


def flags(detailed_only, coarse_only):
    return {"DETAILED_ONLY": detailed_only, "COARSE_ONLY": coarse_only}


@pytest.fixture
def iteration_rows(run_sql, write_parquet):
    def rows(races=NO_RACES, ethnicities=NO_ETHNICITIES):
        race_path, ethnicity_path = write_parquet(races, "races.parquet"), write_parquet(ethnicities, "ethn.parquet")
        return run_sql(
            "iteration_rows",
            iteration_lists=read_lists(race_iterations=race_path, ethnicity_iterations=ethnicity_path),
        )

    return rows


def test_alone_says_which_kind_a_race_iteration_is(iteration_rows):
    rows = iteration_rows("""
        ITERATION_CODE | ITERATION_NAME | LEVEL | ALONE | DETAILED_ONLY | COARSE_ONLY
        ---------------+----------------+-------+-------+---------------+------------
                  0001 | Celtic alone   |     2 |  True |         False |        True
                  0002 | Celtic         |     2 | False |         False |        True
    """)
    assert [(row[0], row[3]) for row in rows] == [("0001", "alone"), ("0002", "combination")]


def test_ethnicity_iterations_are_a_kind_of_their_own(iteration_rows):
    rows = iteration_rows(
        ethnicities="""
        ITERATION_CODE | ITERATION_NAME | LEVEL | DETAILED_ONLY | COARSE_ONLY
        ---------------+----------------+-------+---------------+------------
                  3001 | Maya           |     1 |          True |       False
    """
    )
    assert rows == [("3001", "Maya", "1", "ethnicity", flags(True, False))]


def test_the_flags_of_level_zero_are_null(iteration_rows):
    rows = iteration_rows("""
        ITERATION_CODE | ITERATION_NAME | LEVEL | ALONE | DETAILED_ONLY | COARSE_ONLY
        ---------------+----------------+-------+-------+---------------+------------
                  0001 | White          |     0 |  True |          Null |        Null
    """)
    assert rows == [("0001", "White", "0", "alone", flags(None, None))]


def test_a_row_that_stands_twice_stays_twice_for_a_check_to_find(iteration_rows):
    row = "0001 | Celtic | 2 | True | False | False"
    header = "ITERATION_CODE | ITERATION_NAME | LEVEL | ALONE | DETAILED_ONLY | COARSE_ONLY"
    assert len(iteration_rows(f"{header}\n-\n{row}\n{row}")) == 2
