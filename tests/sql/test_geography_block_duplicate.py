"""geography_block_duplicate: blocks that the geography lists more than once."""

from tests.sql.parameters import parts_of

COLUMNS = parts_of()["block_columns"]


def test_a_block_that_stands_twice_is_returned_even_in_different_places(run_sql):
    geography = """
        TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | PLACEFP
        ---------+-----------+------------+--------+--------
              44 |       007 |     000101 |   1000 |   59000
              44 |       007 |     000101 |   1000 |   99999
              44 |       007 |     000101 |   1001 |   99999
    """
    rows = run_sql("geography_block_duplicate", given={"geography_rows": geography}, block_columns=COLUMNS)
    assert rows == [("44", "007", "000101", "1000", 2)]


def test_blocks_that_differ_in_one_code_are_fine(run_sql):
    geography = """
        TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK
        ---------+-----------+------------+-------
              44 |       007 |     000101 |   1000
              45 |       007 |     000101 |   1000
              44 |       009 |     000101 |   1000
              44 |       007 |     000102 |   1000
              44 |       007 |     000101 |   1001
    """
    assert run_sql("geography_block_duplicate", given={"geography_rows": geography}, block_columns=COLUMNS) == []
