"""iteration_names: the names of the characteristic iterations, for a report on their tables."""

from safetab_sql.public.columns import ETHNICITY_ITERATIONS, RACE_ITERATIONS
from tests.sql.stored_columns import stored_columns

RACES = """
    ITERATION_CODE | ITERATION_NAME | LEVEL | ALONE | DETAILED_ONLY | COARSE_ONLY
    ---------------+----------------+-------+-------+---------------+------------
              0102 |      <b>Irish  |     2 |  True |         False |       False
              0101 |        English |     2 |  True |         False |       False
"""
ETHNICITIES = """
    ITERATION_CODE | ITERATION_NAME | LEVEL | DETAILED_ONLY | COARSE_ONLY
    ---------------+----------------+-------+---------------+------------
              0301 |        Mexican |     2 |         False |       False
"""


def test_the_iterations_of_both_lists_have_the_names_they_are_given(run_sql_in_order, write_parquet):
    races = write_parquet(RACES, "races.parquet")
    ethnicities = write_parquet(ETHNICITIES, "ethnicities.parquet")
    rows = run_sql_in_order(
        "iteration_names",
        race_iterations=[races],
        ethnicity_iterations=[ethnicities],
        race_columns=stored_columns(races, RACE_ITERATIONS),
        ethnicity_columns=stored_columns(ethnicities, ETHNICITY_ITERATIONS),
    )
    assert rows == [("0101", "English"), ("0102", "<b>Irish"), ("0301", "Mexican")]
