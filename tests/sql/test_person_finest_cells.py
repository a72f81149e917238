"""person_finest_cells: how many persons who count once in a group are in each region and iteration."""

GROUPS = """
    region_key | iteration_id | finest_position | level_id | is_counted
    -----------+--------------+-----------------+----------+-----------
           100 |           10 |               3 |        1 | true
           100 |           10 |               3 |        1 | true
           100 |           10 |               3 |        1 | false
           100 |           20 |               4 |        1 | true
"""


def test_persons_are_counted_where_they_count(run_sql):
    rows = run_sql("person_finest_cells", given={"person_groups": GROUPS})
    assert rows == [(100, 10, 3, 2), (100, 20, 4, 1)]
