"""labelled_t2: rows of a table with the names of region, group and codes."""

from tests.sql.published_tables import LADDER_ROWS
from tests.sql.test_labelled_t1 import INDEX

_CODES = "REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX"
_NUMBERS = (
    "AGE_START:integer | AGE_END:integer | IS_MARGINAL:boolean | COUNT:bigint | VARIANCE | MOE95 | LOW95 | HIGH95"
)
T2 = f"""{_CODES} | {_NUMBERS}
    06 | STATE | 0102 | age2 | 18 | 115 | 2 |   18 |  115 | false | 7 | 2.5 | 3 | 4 | 10
    06 | STATE | 0102 | age2 |  * |   * | 1 | NULL | NULL |  true | 8 | 2.5 | 3 | 5 | 11
"""


def test_a_row_has_the_names_of_its_codes_in_the_order_of_the_ladder(run_sql_in_order):
    given = {"t2": T2, "exported_index": INDEX, "ladder_rows": LADDER_ROWS}
    found = run_sql_in_order(
        "labelled_t2",
        given=given,
        ladder_columns={"AGESTART": [], "AGEEND": [], "SEX": []},
        number_columns={"AGE_START": [], "AGE_END": []},
        counted=["COUNT"],
        noisy_counts=[],
        label_columns={"SEX_NAME": "SEX"},
        label_codes={"SEX_NAME": ["*", "1", "2"]},
        label_meanings={"SEX_NAME": ["both", "male", "female"]},
    )
    assert [(row[6], row[9], row[10], *row[15:]) for row in found] == [
        ("1", True, 8, "California", "Irish", "male"),
        ("2", False, 7, "California", "Irish", "female"),
    ]
