"""persons_place_unrequested: records of places that the parameters do not request."""

from tests.sql.parameters import parts_of

HEADER = "person_file | person_row | TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK\n-\np.parquet | 7 | "
GEOGRAPHY = """
    TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | part_name
    ---------+-----------+------------+--------+----------
          01 |       007 |     000101 |   1000 | US
          06 |       007 |     000101 |   1000 |
"""


def unrequested(run_sql, block):
    values = {name: parts_of("01")[name] for name in ("block_columns", "record_key", "geography_key", "is_requested")}
    given = {"person_records": HEADER + block, "geography_rows": GEOGRAPHY}
    return run_sql("persons_place_unrequested", given=given, **values)


def test_somebody_in_a_listed_place_of_no_part_is_returned(run_sql):
    rows = unrequested(run_sql, "06 | 007 | 000101 | 1000")
    assert rows == [("p.parquet", 7, "06", "007", "000101", "1000")]


def test_somebody_who_is_not_requested_in_a_place_that_is_not_listed_is_returned(run_sql):
    assert len(unrequested(run_sql, "44 | 007 | 000101 | 1000")) == 1


def test_somebody_who_may_be_requested_in_a_place_that_is_not_listed_is_of_another_check(run_sql):
    assert unrequested(run_sql, "01 | 007 | 000101 | 1001") == []


def test_somebody_in_a_requested_place_is_fine(run_sql):
    assert unrequested(run_sql, "01 | 007 | 000101 | 1000") == []
