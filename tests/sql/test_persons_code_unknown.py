"""persons_code_unknown: race and ethnicity codes of people that are not in the code list."""

CODES = """
    question_name | code
    --------------+-----
                  | 1010
                  | 2000
                  | NULL
         language | 3000
"""


def unknown(run_sql, first, second, ethnicity, columns, counted=(), **others):
    header = "person_file | person_row | QRACE1:varchar | QRACE2:varchar | QSPAN:varchar\n-\n"
    given = {"person_records": f"{header}p.parquet | 7 | {first} | {second} | {ethnicity}", "codes": CODES}
    values = {"asked_columns": dict.fromkeys(columns, "") | others, "counted_codes": list(counted)}
    return run_sql("persons_code_unknown", given=given, **values)


def test_each_unknown_code_is_returned_with_its_column(run_sql):
    rows = unknown(run_sql, "1011", "1010", "2001", ["QRACE1", "QRACE2", "QSPAN"])
    assert rows == [("p.parquet", 7, "QRACE1", "1011"), ("p.parquet", 7, "QSPAN", "2001")]


def test_known_codes_are_fine(run_sql):
    assert unknown(run_sql, "1010", "1010", "2000", ["QRACE1", "QRACE2", "QSPAN"]) == []


def test_empty_places_are_fine(run_sql):
    assert unknown(run_sql, "1010", "NULL", "2000", ["QRACE1", "QRACE2", "QSPAN"]) == []


def test_columns_past_max_race_codes_are_not_looked_at(run_sql):
    assert unknown(run_sql, "1010", "1011", "2000", ["QRACE1", "QSPAN"]) == []


def test_a_value_of_another_question_is_unknown(run_sql):
    assert unknown(run_sql, "1010", "NULL", "3000", ["QRACE1", "QSPAN"]) == [("p.parquet", 7, "QSPAN", "3000")]
    assert unknown(run_sql, "1010", "NULL", "3000", ["QRACE1"], QSPAN="language") == []
    rows = unknown(run_sql, "1010", "NULL", "2000", ["QRACE1"], QSPAN="language")
    assert rows == [("p.parquet", 7, "QSPAN", "2000")]


def test_a_code_that_answers_count_as_is_another_checks_concern(run_sql):
    assert unknown(run_sql, "NS", "NULL", "2001", ["QRACE1", "QSPAN"], ["NS"]) == [("p.parquet", 7, "QSPAN", "2001")]
