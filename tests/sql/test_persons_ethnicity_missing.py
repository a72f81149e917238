"""persons_ethnicity_missing: people without an ethnicity code."""


def test_somebody_without_an_ethnicity_code_is_returned(run_sql):
    records = """
        person_file | person_row | QSPAN
        ------------+------------+-------
          p.parquet |          7 |   NULL
          p.parquet |          8 |   1010
    """
    assert run_sql("persons_ethnicity_missing", given={"person_records": records}) == [("p.parquet", 7)]


def test_people_with_an_ethnicity_code_are_fine(run_sql):
    records = """
        person_file | person_row | QSPAN
        ------------+------------+-------
          p.parquet |          8 |   1010
    """
    assert run_sql("persons_ethnicity_missing", given={"person_records": records}) == []
