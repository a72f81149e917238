"""persons_block_unknown: people of the requested states in blocks that the geography lacks."""

from tests.sql.parameters import parts_of

GEOGRAPHY = """
    TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK
    ---------+-----------+------------+-------
          01 |       007 |     000101 |   1000
          44 |       007 |     000101 |   1000
"""


def unknown(run_sql, block, states):
    header = "person_file | person_row | TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK\n-\np.parquet | 7 | "
    given = {"person_records": header + block, "geography_rows": GEOGRAPHY}
    names = ("block_columns", "record_key", "geography_key", "is_requested")
    values = parts_of(*states)
    return run_sql("persons_block_unknown", given=given, **{name: values[name] for name in names})


def test_somebody_in_a_block_that_is_not_listed_is_returned(run_sql):
    rows = unknown(run_sql, "44 | 007 | 000101 | 1001", ["44"])
    assert rows == [("p.parquet", 7, "44", "007", "000101", "1001")]


def test_somebody_whose_block_has_no_key_is_returned(run_sql):
    assert len(unknown(run_sql, "44 | 007 | 000101 | NULL", ["44"])) == 1


def test_somebody_in_a_listed_block_is_fine(run_sql):
    assert unknown(run_sql, "01 | 007 | 000101 | 1000", ["01", "44"]) == []


def test_somebody_outside_the_requested_states_is_not_looked_at(run_sql):
    assert unknown(run_sql, "06 | 007 | 000101 | 1000", ["01", "44"]) == []
