"""person_universe: which records of the person files are in the universe that the parameters state."""

STAYS = """
    KIND       | WARD
    inpatient  | a
    outpatient | a
    NULL       | a
    inpatient  | b
"""
INPATIENTS = {'"KIND"': ["inpatient"]}
WARD_A = {'"WARD"': ["a"]}


def inside(run_sql, write_parquet, columns):
    rows = run_sql("person_universe", persons=[write_parquet(STAYS)], universe_columns=columns, unread_columns=[])
    return [row for _, row, is_inside, *_ in rows if is_inside]


def test_a_record_with_another_value_or_none_in_a_column_of_the_universe_is_outside(run_sql, write_parquet):
    assert inside(run_sql, write_parquet, {**INPATIENTS, **WARD_A}) == [1]
    assert inside(run_sql, write_parquet, {}) == [1, 2, 3, 4]
