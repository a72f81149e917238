"""geography_rows: the geography file with its codes as text."""

from safetab_sql.public.columns import GEOGRAPHY
from tests.sql.stored_columns import stored_columns

TEXT = """
    TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | PLACEFP | AIANNHCE | SDELM
    ---------+-----------+------------+--------+---------+----------+------
          01 |       003 |     000400 |   0005 |   00006 |     0007 | 00008
"""
NUMBERS = """
    TABBLKST:tinyint | TABBLKCOU:smallint | TABTRACTCE:integer | TABBLK:smallint | PLACEFP:integer | AIANNHCE:bigint
    -----------------+--------------------+--------------------+-----------------+-----------------+----------------
                   1 |                  3 |                400 |               5 |               6 |              7
"""


def test_codes_stored_as_text_stay_as_they_are(run_sql, write_parquet):
    path = write_parquet(TEXT)
    rows = run_sql(
        "geography_rows", geography=[path], geography_columns=stored_columns(path, GEOGRAPHY), extra_columns=[]
    )
    assert rows == [("01", "003", "000400", "0005", "00006", "0007")]


def test_codes_stored_as_numbers_get_their_leading_zeros_back(run_sql, write_parquet):
    path = write_parquet(NUMBERS)
    rows = run_sql(
        "geography_rows", geography=[path], geography_columns=stored_columns(path, GEOGRAPHY), extra_columns=[]
    )
    assert rows == [("01", "003", "000400", "0005", "00006", "0007")]


def test_further_columns_are_kept_for_region_types_of_ones_own(run_sql, write_parquet):
    path = write_parquet(TEXT)
    rows = run_sql(
        "geography_rows", geography=[path], geography_columns=stored_columns(path, GEOGRAPHY), extra_columns=['"SDELM"']
    )
    assert rows == [("01", "003", "000400", "0005", "00006", "0007", "00008")]


def test_the_blocks_of_all_files_stand_one_under_another(run_sql, write_parquet):
    first, second = write_parquet(TEXT, "first.parquet"), write_parquet(TEXT, "second.parquet")
    rows = run_sql(
        "geography_rows",
        geography=[first, second],
        geography_columns=stored_columns(first, GEOGRAPHY),
        extra_columns=[],
    )
    assert rows == [("01", "003", "000400", "0005", "00006", "0007")] * 2
