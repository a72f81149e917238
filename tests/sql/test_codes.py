"""codes: the detailed race and ethnicity codes."""

from tests.sql.stored_columns import read_lists


def test_codes_stored_as_text_stay_as_they_are(run_sql, write_parquet):
    path = write_parquet("""
        RACE_ETH_CODE | RACE_ETH_NAME
        --------------+--------------
                 1010 | English
    """)
    assert run_sql("codes", code_lists=read_lists(codes_list=path)) == [("", "1010", "English")]


def test_codes_stored_as_numbers_get_their_leading_zeros_back(run_sql, write_parquet):
    path = write_parquet("""
        RACE_ETH_CODE:integer | RACE_ETH_NAME
        ----------------------+--------------
                           10 | English
    """)
    assert run_sql("codes", code_lists=read_lists(codes_list=path)) == [("", "0010", "English")]
