"""t2_census: the published sex-by-age tables with the columns of the production system."""

from tests.sql.published_tables import LADDER_ROWS

T2 = {
    "t2": """
        REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95
                1 |         USA |           0102 |      age2 |       18 |    115 |   2 |     1 |      2.5 |     3
                1 |         USA |           0102 |      age2 |       18 |    115 |   1 |     2 |      2.5 |     3
                1 |         USA |           0102 |      age2 |        0 |     17 |   1 |     3 |      2.5 |     3
                1 |         USA |           0102 |      age2 |        * |      * |   2 |     4 |      2.5 |     3
                1 |         USA |           0102 |      age2 |        * |      * |   1 |     5 |      2.5 |     3
            44007 |      COUNTY |           0102 |      age2 |        0 |     17 |   1 |     6 |      2.5 |     3
    """
}


def test_rows_come_as_in_t2_with_ages_as_numbers_and_without_columns_of_uncertainty(run_sql, run_sql_in_order):
    assert ("1", "USA", "0102", "*", "*", "2", 4) in run_sql(
        "t2_census", given={**T2, "ladder_rows": LADDER_ROWS}, published_statistics=["age2"]
    )
    rows = run_sql_in_order("t2_census", given={**T2, "ladder_rows": LADDER_ROWS}, published_statistics=["age2"])
    assert [row[6] for row in rows] == [6, 5, 4, 3, 2, 1]
