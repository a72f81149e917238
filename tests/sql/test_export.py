"""The statements of sql/export: a release in the forms of others."""

import pytest

from tests.census import region_types
from tests.sql.published_tables import LADDER_ROWS

# By region type: a region, and its identifier.
REGIONS = {
    "USA": ("1", "0100000US"),
    "STATE": ("06", "0400000US06"),
    "COUNTY": ("44007", "0500000US44007"),
    "TRACT": ("44007010102", "1400000US44007010102"),
    "PLACE": ("4459000", "1600000US4459000"),
    "AIANNH": ("2430", "2500000US2430"),
    "PR-STATE": ("72", "0400000US72"),
    "PR-COUNTY": ("72001", "0500000US72001"),
    "PR-TRACT": ("72001956300", "1400000US72001956300"),
    "PR-PLACE": ("7206593", "1600000US7206593"),
}


def test_every_standard_region_type_has_a_summary_level_and_counts_and_names_stay(run_sql):
    t1, index = ["COUNT | MOE95"], ["REGION_NAME | ITERATION_NAME"]
    t1 += ["-3 | 3" if kind == "USA" else "7 | 2" for kind in REGIONS]
    index += [f"{'Providence' if kind == 'COUNTY' else 'NULL'} | Irish alone" for kind in REGIONS]
    keys = [
        "REGION_TYPE | REGION_ID | ITERATION_CODE",
        *(f"{kind} | {own} | 0102" for kind, (own, _) in REGIONS.items()),
    ]
    given = {
        name: "\n".join(f"{key} | {rest}" for key, rest in zip(keys, rows, strict=True))
        for name, rows in (("t1", t1), ("exported_index", index))
    }
    found = run_sql("api_groups", given=given)
    assert {row[0]: (row[1], row[3]) for row in found} == REGIONS
    assert set(REGIONS) == {kind.name for kind in region_types()}
    assert ("USA", "1", "0102", "0100000US", None, "Irish alone", -3, 3.0) in found
    assert [row[4] for row in found if row[0] == "COUNTY"] == ["Providence"]


GROUP = "REGION_TYPE | REGION_ID | ITERATION_CODE"
HEAD = f"{GROUP} | row_id | STATISTIC | IS_MARGINAL | COUNT | VARIANCE | MOE95 | LOW95 | HIGH95"
PX = {"separator": " ", "missing": "..", "mark": "'", "backslash": "/", "no_cell": "-"}


def test_cells_come_in_order_with_what_is_missing_and_a_group_is_called_by_names_and_codes(run_sql_in_order):
    rows = f"""{HEAD}
        STATE | 44 | 0102 | 7 |  age2 |  true |  5 | NULL | NULL |  2 |  8
        STATE | 44 | 0102 | 3 |  age2 | false | -1 |  2.5 |    3 | -4 |  2
        STATE | 06 | 0102 | 7 |  age2 |  true |  6 |  2.5 |    3 |  3 |  9
        STATE | 06 | 0102 | 3 |  age2 | false |  7 |  2.5 |    3 |  4 | 10
        STATE | 01 | 0102 | 7 | total | false |  9 |  2.5 |    3 |  6 | 12
    """
    index = f"""{GROUP} | STATISTIC | REGION_NAME | ITERATION_NAME
        STATE | 44 | 0102 |  age2 |     NULL | Irish
        STATE | 06 | 0102 |  age2 | "Golden |  NULL
        STATE | 01 | 0102 | total |  Alabama | Irish
    """

    def lines(cells):
        given = {"exported_rows": rows, "exported_index": index}
        values = {"table_statistic": "age2", "cell_rows": cells, "noisy_counts": []}
        return run_sql_in_order("cube_lines", given=given, **values, **PX)

    assert [row[3] for row in lines([3, None, 7])] == [
        "7 2.5 3.0 4 10 0 - 6 2.5 3.0 3 9 1",
        "-1 2.5 3.0 -4 2 0 - 5 .. .. 2 8 1",
    ]
    first, second = (row[:3] for row in lines([3, 7]))
    assert first == (code := '"STATE.06.0102"', label := '"\'Golden, STATE 06: 0102"', f"{code}: {label}")
    assert second[1] == '"STATE 44: Irish, 0102"'


def test_a_name_of_the_export_is_taken_and_else_the_one_of_the_release(run_sql_in_order):
    group = "REGION_ID | REGION_TYPE | ITERATION_CODE | LEVEL | ITERATION_KIND | IS_TOTAL_ONLY:boolean"
    index = f"""{group} | REGION_NAME | ITERATION_NAME | LADDER | STATISTIC | TABLE_ROWS:bigint
        44 | STATE | 0102 | STATE-2 | alone | false | NULL | Irish | T2 | total | 0
        06 | STATE | 0102 | STATE-2 | alone | false | California | Irish | T2 | age4 | 10
        06 | STATE | 0102 | STATE-2 | alone | false | California | Irish | T3 | age4 | 10
    """
    codes = """
           column_name | region_type | code | meaning
             REGION_ID |       STATE |   44 | Rhode Island
             REGION_ID |      COUNTY |   06 | another
        ITERATION_CODE |             | 0102 | irisch
                   SEX |             |   06 | no region
    """
    given = {"group_index": index, "export_codes": codes}
    found = run_sql_in_order("exported_index", given=given, table_name="T2")
    assert [(row[0], row[6], row[7], row[9]) for row in found] == [
        ("06", "California", "irisch", "age4"),
        ("44", "Rhode Island", "irisch", "total"),
    ]


INDEX = """
    REGION_ID | REGION_TYPE | ITERATION_CODE |   LEVEL | STATISTIC | REGION_NAME | ITERATION_NAME | TABLE_ROWS
           06 |       STATE |           0102 | STATE-2 |      age2 |  California |          Irish |          6
           44 |       STATE |           0102 | STATE-2 |     total |        NULL |          Irish |          0
"""
T1 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT:bigint | VARIANCE | MOE95 | LOW95 | HIGH95 | NOISY_COUNT:bigint
           44 |       STATE |           0102 |           -3 |      2.5 |     3 |    -6 |      0 |          -2
           06 |       STATE |           0102 |            9 |      2.5 |     3 |     6 |     12 |           8
"""
T2 = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | AGE_START:integer | AGE_END:integer | IS_MARGINAL:boolean | COUNT:bigint | VARIANCE | MOE95 | LOW95 | HIGH95
           06 |       STATE |           0102 |      age2 |       18 |    115 |   2 |                18 |             115 |               false |            7 |      2.5 |     3 |     4 |     10
           06 |       STATE |           0102 |      age2 |        * |      * |   1 |              NULL |            NULL |                true |            8 |      2.5 |     3 |     5 |     11
"""  # noqa: E501
LADDER = {"ladder_columns": {"AGESTART": [], "AGEEND": [], "SEX": []}, "counted": ["COUNT"], "noisy_counts": []}


def test_a_total_has_the_names_level_and_table_of_its_group(run_sql_in_order):
    values = {"counted": ["COUNT"], "noisy_counts": ["NOISY_COUNT"]}
    found = run_sql_in_order("labelled_t1", given={"t1": T1, "exported_index": INDEX}, **values)
    assert [(row[0], row[3], *row[8:]) for row in found] == [
        ("06", 9, 8, "STATE-2", "age2", "California", "Irish"),
        ("44", -3, -2, "STATE-2", "total", None, "Irish"),
    ]


def test_a_row_has_the_names_of_its_codes_in_the_order_of_the_ladder(run_sql_in_order):
    labels = {"columns": "SEX", "codes": ["*", "1", "2"], "meanings": ["both", "male", "female"]}
    values = {f"label_{what}": {"SEX_NAME": label} for what, label in labels.items()}
    given = {"t2": T2, "exported_index": INDEX, "ladder_rows": LADDER_ROWS}
    numbers = {"AGE_START": [], "AGE_END": []}
    found = run_sql_in_order("labelled_t2", given=given, **LADDER, number_columns=numbers, **values)
    assert [(row[6], row[9], row[10], *row[15:]) for row in found] == [
        ("1", True, 8, "California", "Irish", "male"),
        ("2", False, 7, "California", "Irish", "female"),
    ]


def test_a_total_has_the_number_after_all_rows_and_comes_once_and_rows_of_the_table_stay(run_sql):
    t1 = "\n".join(line.rpartition("|")[0] for line in T1.strip().splitlines())
    given = {"t1": t1, "t2": T2, "ladder_rows": LADDER_ROWS, "exported_index": INDEX}
    with_totals, without = (
        run_sql("exported_rows", given=given, has_totals=each, **LADDER, ladder_rows=6) for each in (True, False)
    )
    found = [(row[1], *row[4:7]) for row in with_totals if row[3] == 6]
    assert found == [("06", "age2", True, 9), ("44", "total", False, -3)]
    assert [row[4:7] for row in without] == [("age2", True, 8), ("age2", False, 7)]


def test_each_code_has_an_identifier_and_a_name(run_sql_in_order):
    listed = {"listed_lists": ["SEX", "SEX"], "listed_codes": ["*", "1"], "listed_meanings": ["both", ""]}
    index = "REGION_TYPE | REGION_ID | REGION_NAME\nSTATE | 44 | NULL" + 2 * "\nSTATE | 06 | California"
    assert run_sql_in_order("sdmx_codes", given={"exported_index": index}, **listed) == [
        *(("REGION", "STATE@06", "California"), ("REGION", "STATE@44", "STATE 44")),
        *(("SEX", "1", "1"), ("SEX", "_T", "both")),
    ]


def test_an_observation_has_the_value_of_each_attribute_and_all_that_is_known_of_the_count(run_sql_in_order):
    rows = f"""{HEAD}
        STATE | 06 | 0102 | 1 | age 2 |  true | 5 | NULL | NULL | 2 | 8
        STATE | 06 | 0102 | 0 | age 2 | false | 6 |  2.5 |    3 | 3 | 9
    """
    index = f"{GROUP} | LEVEL | STATISTIC\nSTATE | 06 | 0102 | STATE-2 | age 2"
    values = {"dataflow": "A:T2(1.0.0)", "sdmx_columns": {"SEX": ["1", "*"]}, "noisy_counts": [], "ladder_rows": 1}
    assert run_sql_in_order("sdmx_rows", given={"exported_rows": rows, "exported_index": index}, **values) == [
        ("dataflow", "A:T2(1.0.0)", "I", "STATE@06", "0102", "1", 6, 2.5, 3.0, 3, 9, False, "age$202", "STATE-2"),
        ("dataflow", "A:T2(1.0.0)", "I", "STATE@06", "0102", "_T", 5, None, None, 2, 8, True, "age$202", "STATE-2"),
    ]


def test_a_bound_is_an_observation(run_sql):
    bounds = "REGION_TYPE | ITERATION_CODE | SUPPRESSED_UP_TO | HIGH95\nCOUNTY | A x B | 21 | 30"
    assert run_sql("sdmx_suppressed", given={"suppressed": bounds}, dataflow="A:S(1.0.0)") == [
        ("dataflow", "A:S(1.0.0)", "I", "COUNTY", "A$20x$20B", 21, 30)
    ]


def test_each_kind_of_group_has_its_two_bounds_and_the_name_of_its_iteration(run_sql_in_order):
    bounds = "REGION_TYPE | ITERATION_CODE | SUPPRESSED_UP_TO | HIGH95\nCOUNTY | 0103 | 21 | 30"
    codes = "column_name | region_type | code | meaning\nITERATION_CODE |  | 0102 | Irish"
    given = {
        "suppressed": f"{bounds}\nCOUNTY | 0102 | 22 | 31",
        "export_codes": f"{codes}\nREGION_ID | COUNTY | 0103 | no",
    }
    assert run_sql_in_order("suppressed_lines", given=given, separator=",", mark="'", backslash="/") == [
        (code := '"COUNTY.0102"', label := '"COUNTY: Irish, 0102"', f"{code}: {label}", "22,31"),
        (code := '"COUNTY.0103"', label := '"COUNTY: 0103"', f"{code}: {label}", "21,30"),
    ]


GROUPS = """
    region_type | region_id | iteration_code | geo_id      | region_name | iteration_name | noisy_count | moe95
          STATE | 06        |           0102 | 0400000US06 |        NULL |          Irish |          99 |   9.0
            USA | 1         |           0102 | 0100000US   |  the nation |          Irish |          21 |   5.0
            USA | 1         |           0101 | 0100000US   |  the nation |           NULL |           8 |   2.0
"""
# One table of two ages, and a row of another statistic.
TABLE = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | STATISTIC | AGESTART | AGEEND | SEX | COUNT | VARIANCE | MOE95
            1 |         USA |           0102 |      age2 |       18 |    115 |   2 |     6 |      2.5 |   2.0
            1 |         USA |           0102 |      age2 |       18 |    115 |   1 |     3 |      2.5 |   2.0
            1 |         USA |           0102 |      age2 |        0 |     17 |   2 |     5 |      2.5 |   2.0
            1 |         USA |           0102 |      age2 |        0 |     17 |   1 |     2 |      2.5 |   2.0
            1 |         USA |           0102 |      age2 |        * |      * |   2 |    11 |      2.5 |   4.0
            1 |         USA |           0102 |      age2 |        * |      * |   1 |     5 |      2.5 |   4.0
           06 |       STATE |           0102 |      age9 |        * |      * |   1 |     7 |      2.5 |   4.0
"""
COUNTY = "44007 | COUNTY | 0102 | age2 | 0 | 17 | 1 | 9 | 2.5 | 2.0"


def test_totals_come_by_region_and_group(run_sql_in_order):
    assert run_sql_in_order("t1_api", given={"api_groups": GROUPS}) == [
        ("0100000US", "the nation", "0101", None, 8, 2.0),
        *(("0100000US", "the nation", "0102", "Irish", 21, 5.0), ("0400000US06", None, "0102", "Irish", 99, 9.0)),
    ]


def test_a_table_is_one_row_total_first_then_men_then_women_in_the_order_of_ages(run_sql):
    """Ages are in the order of numbers; tables of other statistics, and groups without a table, have no row."""
    variables = {
        f"api_{what}": {f"T02001_{place:03}{end}": place for place in range(1, 8)}
        for what, end in (("counts", "N"), ("margins", "M"))
    }
    t2 = TABLE.replace(" 0 | ", " 5 | ")
    (row,) = run_sql("t2_api", given={"api_groups": GROUPS, "t2": t2}, published_statistic="age2", **variables)
    assert row == ("0100000US", "the nation", "0102", "Irish", 21, 5, 2, 3, 11, 5, 6, 5.0, 4.0, 2.0, 2.0, 4.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ("name", "given", "values", "place", "row", "counts"),
    [
        ("t1_census", {"t1": T1}, {}, 3, ("44", "STATE", "0102", -3), [9, -3]),
        (
            *(
                "t2_census",
                {"t2": f"{TABLE}{COUNTY}", "ladder_rows": LADDER_ROWS},
                {"published_statistics": ["age2"]},
                6,
            ),
            *(("1", "USA", "0102", "*", "*", "2", 11), [9, 5, 11, 2, 5, 3, 6]),
        ),
    ],
    ids=["totals", "tables"],
)
def test_rows_come_in_order_without_columns_of_uncertainty(run_sql_in_order, name, given, values, place, row, counts):
    rows = run_sql_in_order(name, given=given, **values)
    assert (row in rows, [row[place] for row in rows]) == (True, counts)
