"""ladder_levels: the population group levels that each ladder tabulates."""


def test_each_level_of_a_ladder_is_a_row(run_sql):
    values = {"ladder_ids": [1, 2], "ladder_level_ids": [1, 1], "ladder_total_only": ["DETAILED_ONLY", ""]}
    values |= {"ladder_by_totals": [False, True], "ladder_thresholds": ["", "5, 7"]}
    assert run_sql("ladder_levels", **values) == [(1, 1, "DETAILED_ONLY", False, []), (2, 1, "", True, [5, 7])]
