"""persons_code_other: records whose code the code list lacks, where a code counts all such records."""


def found(run_sql, code):
    rows = f"person_file | person_row | QRACE1:varchar\n-\np.parquet | 7 | {code}"
    given = {"person_records": rows, "codes": "question_name | code:varchar\n-\n | 1010\nlanguage | 9999"}
    return run_sql("persons_code_other", given=given, other_column="QRACE1")


def test_a_code_that_the_list_lacks_is_returned(run_sql):
    assert found(run_sql, "9999") == [("p.parquet", 7)]


def test_listed_codes_and_missing_ones_are_fine(run_sql):
    assert found(run_sql, "1010") == []
    assert found(run_sql, "NULL") == []
