"""persons_code_missing: people without an answer to a question."""


def missing(run_sql, race, ethnicity):
    records = f"person_file | person_row | QRACE1 | QSPAN\n-\np.parquet | 7 | {race} | {ethnicity}"
    return run_sql("persons_code_missing", given={"person_records": records})


def test_each_question_without_a_first_code_is_returned(run_sql):
    assert missing(run_sql, "NULL", "2000") == [("p.parquet", 7, "QRACE1", None)]
    assert [row[2] for row in missing(run_sql, "NULL", "NULL")] == ["QRACE1", "QSPAN"]


def test_people_with_a_first_code_of_each_question_are_fine(run_sql):
    assert missing(run_sql, "1010", "2000") == []
