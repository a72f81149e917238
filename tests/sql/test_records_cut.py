"""records_cut: how many persons have more records than are counted, and how many records are not."""


def test_only_what_exceeds_the_bound_is_cut(run_sql):
    given = {"bounded_persons": "person_key | records\n-\nann | 7\nbob | 5\neve | 6"}
    assert run_sql("records_cut", given=given, most_records=5) == [(2, 3)]


def test_where_nothing_is_cut_the_numbers_are_zero(run_sql):
    assert run_sql("records_cut", given={"bounded_persons": "person_key | records\n-"}, most_records=5) == [(0, 0)]
