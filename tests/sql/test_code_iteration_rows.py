"""code_iteration_rows: which detailed codes belong to which characteristic iterations."""

from tests.sql.stored_columns import read_lists


def test_the_iteration_comes_first_and_then_the_code(run_sql, write_parquet):
    path = write_parquet("""
        RACE_ETH_CODE | ITERATION_CODE
        --------------+---------------
                 1010 |           0001
    """)
    rows = run_sql("code_iteration_rows", member_lists=read_lists(code_iterations=path))
    assert rows == [("0001", "1010")]


def test_codes_stored_as_numbers_get_their_leading_zeros_back(run_sql, write_parquet):
    path = write_parquet("""
        ITERATION_CODE:smallint | RACE_ETH_CODE:smallint
        ------------------------+-----------------------
                              1 |                     10
    """)
    rows = run_sql("code_iteration_rows", member_lists=read_lists(code_iterations=path))
    assert rows == [("0001", "0010")]
