"""bound_errors: what the bound on the records of a person leaves out of the totals of population groups."""

LEVEL_SIZES = """
    level_id | first_population_group_id | regions | iterations
    ---------+---------------------------+---------+-----------
           1 |                         0 |       2 |          2
           2 |                         4 |       3 |          2
"""
HEAD = "population_group_id | exact_count\n-"


def bound_errors(run_sql, unbounded: str, bounded: str) -> list[tuple[object, ...]]:
    """Rows: level, size bucket, groups, exact, counted, sum of squares of what is lacking."""
    given = {"unbounded_totals": HEAD + unbounded, "group_totals": HEAD + bounded, "level_sizes": LEVEL_SIZES}
    return run_sql("bound_errors", given=given)


def test_what_groups_lack_is_added_up_by_level_and_size(run_sql):
    unbounded = "\n0 | 9\n1 | 8\n3 | 12\n4 | 5"
    assert bound_errors(run_sql, unbounded, "\n0 | 7\n1 | 8\n3 | 9\n4 | 4") == [
        (1, 1, 2, 17, 15, 4.0),
        (1, 10, 1, 12, 9, 9.0),
        (1, None, 3, 29, 24, 13.0),
        (2, 1, 1, 5, 4, 1.0),
        (2, None, 1, 5, 4, 1.0),
    ]


def test_a_group_of_which_nothing_is_counted_lacks_all_that_it_has(run_sql):
    assert bound_errors(run_sql, "\n9 | 3", "") == [(2, 1, 1, 3, 0, 9.0), (2, None, 1, 3, 0, 9.0)]


def test_a_group_is_of_the_size_that_it_has_without_the_bound(run_sql):
    assert bound_errors(run_sql, "\n2 | 100", "\n2 | 4")[0] == (1, 100, 1, 100, 4, 96.0**2)


def test_the_last_group_of_a_level_and_the_first_of_the_next_are_told_apart(run_sql):
    found = bound_errors(run_sql, "\n3 | 2\n4 | 1", "\n3 | 2\n4 | 1")
    assert [row for row in found if row[1] is None] == [(1, None, 1, 2, 2, 0.0), (2, None, 1, 1, 1, 0.0)]


def test_without_people_there_is_no_row(run_sql):
    assert bound_errors(run_sql, "", "") == []
