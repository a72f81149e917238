"""uncoded_records: how many records have a value outside each domain."""

CODED = [{"name": "code_1", "code": ""}, {"name": "code_2", "code": ""}]


def test_records_without_a_code_are_counted_domain_by_domain(run_sql):
    drawn = """
        code_1 | code_2 | weight
        -------+--------+-------
             0 |   NULL |      1
          NULL |   NULL |      1
             1 |      0 |      1
    """
    assert run_sql("uncoded_records", given={"table_codes": drawn}, coded_domains=CODED) == [(3, 1, 2)]


def test_a_table_without_records_has_none_outside(run_sql):
    drawn = "code_1 | code_2 | weight\n-"
    assert run_sql("uncoded_records", given={"table_codes": drawn}, coded_domains=CODED) == [(0, 0, 0)]
