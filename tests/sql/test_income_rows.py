"""income_rows: city, sex and wage of everybody with a wage."""


def test_people_without_a_wage_have_no_row(run_sql):
    rows = """
        is_exact | field_1 | field_2 | field_3
        -----------------+-----------------+-----------------+----------------
                    true |               7 |               1 |           1200
                    true |               7 |               2 |         999998
                   false |               8 |               2 |         999999
                   false |               8 |               2 |              0
                   false |               8 |               2 |           NULL
    """
    found = run_sql("income_rows", {"scored_rows": rows}, income_columns=["field_1", "field_2", "field_3"])
    assert found == [(False, 8, 2, 0), (True, 7, 1, 1200)]
