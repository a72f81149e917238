"""group_totals: how many people each population group of a range has."""

SLICES = "population_group_id | exact_count\n-\n9 | 1\n3 | 5\n4 | 2\n3 | 2\n5 | 7"


def test_the_slices_of_a_group_add_up_and_groups_come_in_order(run_sql_in_order):
    given = {"slice_totals": SLICES}
    rows = run_sql_in_order("group_totals", given=given, first_population_group_id=0, end_population_group_id=10)
    assert rows == [(3, 7), (4, 2), (5, 7), (9, 1)]


def test_a_range_ends_before_its_end(run_sql_in_order):
    given = {"slice_totals": SLICES}
    rows = run_sql_in_order("group_totals", given=given, first_population_group_id=4, end_population_group_id=9)
    assert rows == [(4, 2), (5, 7)]
