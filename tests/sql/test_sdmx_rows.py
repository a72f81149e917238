"""sdmx_rows: rows of a ladder as observations."""

from tests.sql.test_cube_lines import GROUP

ROWS = f"""{GROUP} | row_id | STATISTIC | IS_MARGINAL | COUNT | VARIANCE | MOE95 | LOW95 | HIGH95
    STATE | 06 | 0102 | 1 | age 2 |  true | 5 | NULL | NULL | 2 | 8
    STATE | 06 | 0102 | 0 | age 2 | false | 6 |  2.5 |    3 | 3 | 9
"""
INDEX = f"{GROUP} | LEVEL | STATISTIC\nSTATE | 06 | 0102 | STATE-2 | age 2"


def test_an_observation_has_the_value_of_each_attribute_and_all_that_is_known_of_the_count(run_sql_in_order):
    values = {"dataflow": "A:T2(1.0.0)", "sdmx_columns": {"SEX": ["1", "*"]}, "noisy_counts": [], "ladder_rows": 1}
    assert run_sql_in_order("sdmx_rows", given={"exported_rows": ROWS, "exported_index": INDEX}, **values) == [
        ("dataflow", "A:T2(1.0.0)", "I", "STATE@06", "0102", "1", 6, 2.5, 3.0, 3, 9, False, "age$202", "STATE-2"),
        ("dataflow", "A:T2(1.0.0)", "I", "STATE@06", "0102", "_T", 5, None, None, 2, 8, True, "age$202", "STATE-2"),
    ]
