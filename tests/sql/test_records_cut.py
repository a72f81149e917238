"""records_cut: how many persons have more records than are counted, how many records are not, and who has the most."""

HEAD = "person_key | kept_place | records"


def test_only_what_exceeds_the_bound_is_cut_and_the_most_frequent_ids_are_named(run_sql):
    rows = "\nann | 1 | 7\nann | 2 | 7\nbob | 1 | 5\neve | 1 | 6"
    found = run_sql("records_cut", given={"kept_records": HEAD + rows}, most_records=5)
    assert found == [(2, 3, ["ann has 7", "eve has 6"])]
    assert run_sql("records_cut", given={"kept_records": HEAD}, most_records=5) == [(0, 0, None)]
