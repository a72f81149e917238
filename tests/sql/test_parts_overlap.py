"""parts_overlap: rows of the geography that lie in two parts."""

from tests.sql.parameters import parts_of

GEOGRAPHY = """
    TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | part_name
    ---------+-----------+------------+--------+----------
          01 |       003 |     000400 |   0005 | US
          72 |       003 |     000400 |   0005 | US, PR
          73 |       003 |     000400 |   0005 |
"""


def test_a_row_of_two_parts_is_returned_and_a_row_of_one_or_none_is_fine(run_sql):
    columns = parts_of()["block_columns"]
    rows = run_sql("parts_overlap", given={"geography_rows": GEOGRAPHY}, block_columns=columns)
    assert rows == [("72", "003", "000400", "0005", "US, PR")]
