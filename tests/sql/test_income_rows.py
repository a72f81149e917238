"""income_rows: city, sex and wage of everybody with a wage."""


def test_people_without_a_wage_have_no_row(run_sql):
    """Field 1 stands for the city and for the sex."""
    rows = """
        is_exact | field_1 | field_2
        ---------+---------+--------
            true |       1 |   1200
            true |       2 | 999998
           false |       2 | 999999
           false |       2 |      0
           false |       2 |   NULL
    """
    found = run_sql("income_rows", {"scored_rows": rows}, income_columns=["field_1", "field_1", "field_2"])
    assert found == [(False, 2, 2, 0), (True, 1, 1, 1200)]
