"""sdmx_codes: the regions of published groups, and the codes that are listed."""

INDEX = """
    REGION_TYPE | REGION_ID | REGION_NAME
          STATE |        44 |        NULL
          STATE |        06 |  California
          STATE |        06 |  California
"""


def test_each_code_has_an_identifier_and_a_name(run_sql_in_order):
    listed = {"listed_lists": ["SEX", "SEX"], "listed_codes": ["*", "1"], "listed_meanings": ["both", ""]}
    assert run_sql_in_order("sdmx_codes", given={"exported_index": INDEX}, **listed) == [
        *(("REGION", "STATE@06", "California"), ("REGION", "STATE@44", "STATE 44")),
        *(("SEX", "1", "1"), ("SEX", "_T", "both")),
    ]
