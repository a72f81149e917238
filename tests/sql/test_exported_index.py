"""exported_index: names of an export over those of the release."""

GROUP = "REGION_ID | REGION_TYPE | ITERATION_CODE | LEVEL | ITERATION_KIND | IS_TOTAL_ONLY:boolean"
HEAD = f"{GROUP} | REGION_NAME | ITERATION_NAME | LADDER | STATISTIC | TABLE_ROWS:bigint"
GIVEN = {
    "group_index": f"""{HEAD}
        44 | STATE | 0102 | STATE-2 | alone | false | NULL | Irish | T2 | total | 0
        06 | STATE | 0102 | STATE-2 | alone | false | California | Irish | T2 | age4 | 10
        06 | STATE | 0102 | STATE-2 | alone | false | California | Irish | T3 | age4 | 10
    """,
    "export_codes": """
           column_name | region_type | code | meaning
             REGION_ID |       STATE |   44 | Rhode Island
             REGION_ID |      COUNTY |   06 | another
        ITERATION_CODE |             | 0102 | irisch
                   SEX |             |   06 | no region
    """,
}


def test_a_name_of_the_export_is_taken_and_else_the_one_of_the_release(run_sql_in_order):
    found = run_sql_in_order("exported_index", given=GIVEN, table_name="T2")
    assert [(row[0], row[6], row[7], row[9]) for row in found] == [
        ("06", "California", "irisch", "age4"),
        ("44", "Rhode Island", "irisch", "total"),
    ]
