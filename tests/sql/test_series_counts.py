"""series_counts: the totals of one release, and which of them a model may rest on."""

from tests.sql.reconciled_tables import T1

# County 01001 has a table, as in T1; the place is of a ladder of its own.
INDEX = """
    REGION_TYPE | REGION_ID | ITERATION_CODE | LADDER | TABLE_ROWS
    ------------+-----------+----------------+--------+-----------
         COUNTY |     01001 |           2210 |     T2 |          9
         COUNTY |     01003 |           2210 |     T2 |          1
          PLACE |   0100100 |           2210 |  OTHER |          1
          STATE |        01 |           2210 |     T2 |          1
          STATE |        01 |           2220 |     T2 |          1
"""


def test_a_total_alone_of_a_suppressed_type_is_no_evidence(run_sql):
    found = run_sql(
        "series_counts", given={"t1": T1, "group_index": INDEX}, table_name="T2", suppressed_types=["COUNTY"]
    )
    assert {row[:3]: row[-1] for row in found} == {
        ("COUNTY", "01001", "2210"): True,
        ("COUNTY", "01003", "2210"): False,
        ("STATE", "01", "2210"): True,
        ("STATE", "01", "2220"): True,
    }
    assert found[0][3:6] == (10.0, 8.0, 6.0)
