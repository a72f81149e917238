"""person_universe: which records of the person files are in the universe that the parameters state."""

STAYS = """
    KIND       | WARD
    inpatient  | a
    outpatient | a
    NULL       | a
    inpatient  | b
"""
INPATIENTS, WARD_A = """coalesce("KIND" = 'inpatient', false)""", """coalesce("WARD" = 'a', false)"""


def inside(run_sql, write_parquet, *universe):
    asked = {"universe": universe, "universe_columns": [], "unread_columns": {}}
    return [
        row for _, row, is_inside in run_sql("person_universe", persons=[write_parquet(STAYS)], **asked) if is_inside
    ]


def test_a_record_with_another_value_or_none_in_a_column_of_the_universe_is_outside(run_sql, write_parquet):
    assert inside(run_sql, write_parquet, INPATIENTS, WARD_A) == [1]
    assert inside(run_sql, write_parquet) == [1, 2, 3, 4]
