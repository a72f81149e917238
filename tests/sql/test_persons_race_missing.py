"""persons_race_missing: people without a first race code."""


def test_somebody_without_a_first_race_code_is_returned(run_sql):
    records = """
        person_file | person_row | QRACE1
        ------------+------------+-------
          p.parquet |          7 |   NULL
          p.parquet |          8 |   1010
    """
    assert run_sql("persons_race_missing", given={"person_records": records}) == [("p.parquet", 7)]


def test_people_with_a_first_race_code_are_fine(run_sql):
    records = """
        person_file | person_row | QRACE1
        ------------+------------+-------
          p.parquet |          8 |   1010
    """
    assert run_sql("persons_race_missing", given={"person_records": records}) == []
