"""bounded_persons: the persons with more records than are counted."""

RECORDS = "person_key\nann\nbob\nann\nann\nbob\neve"


def test_whoever_has_more_records_than_the_bound_is_a_row(run_sql):
    given = {"person_numbers": RECORDS}
    assert run_sql("bounded_persons", given=given, most_records=2) == [("ann",)]
    assert run_sql("bounded_persons", given=given, most_records=0) == [("ann",), ("bob",), ("eve",)]
