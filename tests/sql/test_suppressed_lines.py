"""suppressed_lines: the bounds of groups without a row, as entries of a file."""

GIVEN = {
    "suppressed": """
        REGION_TYPE | ITERATION_CODE | SUPPRESSED_UP_TO | HIGH95
             COUNTY |           0103 |               21 |     30
             COUNTY |           0102 |               22 |     31
    """,
    "export_codes": """
           column_name | region_type | code | meaning
        ITERATION_CODE |             | 0102 |   Irish
             REGION_ID |      COUNTY | 0103 |   wrong
    """,
}


def test_each_kind_of_group_has_its_two_bounds_and_the_name_of_its_iteration(run_sql_in_order):
    assert run_sql_in_order("suppressed_lines", given=GIVEN, separator=",", mark="'", backslash="/") == [
        (code := '"COUNTY.0102"', label := '"COUNTY: Irish, 0102"', f"{code}: {label}", "22,31"),
        (code := '"COUNTY.0103"', label := '"COUNTY: 0103"', f"{code}: {label}", "21,30"),
    ]
