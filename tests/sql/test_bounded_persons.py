"""bounded_persons: the persons whose records are not all counted as they are."""

RECORDS = "person_key\n-\nann\nbob\nann\nann\nbob\neve"


def test_whoever_has_more_records_than_the_bound_is_a_row(run_sql):
    given = {"person_numbers": RECORDS}
    assert run_sql("bounded_persons", given=given, records_as_they_are=2) == [("ann",)]
    assert run_sql("bounded_persons", given=given, records_as_they_are=0) == [("ann",), ("bob",), ("eve",)]
