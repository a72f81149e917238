"""numbered_series: the totals of several releases, with a number for each population group."""

ROWS = """
    RELEASE_NUMBER | LADDER | REGION_TYPE | REGION_ID | ITERATION_CODE | COUNT | VARIANCE | MOE95 | is_evidence
    ---------------+--------+-------------+-----------+----------------+-------+----------+-------+------------
                 2 |     T2 |      COUNTY |     01003 |           2210 |   4.0 |      2.0 |   3.0 |        true
                 2 |     T2 |      COUNTY |     01001 |           2210 |   9.0 |      2.0 |   3.0 |        true
                 1 |     T2 |      COUNTY |     01003 |           2210 |   5.0 |      2.0 |   3.0 |       false
                 1 |     A1 |      COUNTY |     01003 |           2210 |   5.0 |      2.0 |   3.0 |        true
"""


def test_a_group_has_one_number_in_all_releases(run_sql):
    found = run_sql("numbered_series", given={"series_rows": ROWS})
    assert sorted((row[1], row[3], row[0], row[-1]) for row in found) == [
        ("A1", "01003", 1, 0),
        ("T2", "01001", 2, 1),
        ("T2", "01003", 1, 2),
        ("T2", "01003", 2, 2),
    ]
