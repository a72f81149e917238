"""nested_part_counts: the counts of some groups."""

COUNTS = """
    group_id | cell_position | noisy_count
           0 |             0 |          10
           1 |             0 |          11
           1 |             1 |          12
           2 |             0 |          13
"""


def test_the_first_and_the_last_group_asked_for_are_among_them(run_sql):
    rows = run_sql("nested_part_counts", given={"nested_counts": COUNTS}, first_group=1, last_group=2)
    assert rows == [(1, 0, 11), (1, 1, 12), (2, 0, 13)]
