"""reported_kinds: the population groups of a ladder by level and table."""

HEAD = (
    "region_type | level_name | is_total_only | statistic | least_cell_moe95 | most_cell_moe95 | noisy_count"
    " | released_count | total_moe95 | total_reach95\n"
)


def test_groups_are_counted_by_level_and_table_and_by_how_reliable_their_totals_are(run_sql):
    lines = [f"WARD | WARD-people | false | sex | 3 | 3 | {count} | {count} | 6 | 6" for count in (60, 20, 6, 5, -9)]
    lines += ["WARD | WARD-region | false | sex | 3 | 3 | 9 | 9 | 8 | 8"]
    lines += ["WARD | WARD-region | true | sex | 3 | 3 | 9 | 9 | NULL | 8"]
    assert run_sql("reported_kinds", given={"reported_tables": HEAD + "\n".join(lines)}) == [
        ("WARD", "WARD-people", False, "sex", 5, 0, 6, 6, 6, 3, 3, 3, 1, 2, 3),
        ("WARD", "WARD-region", False, "sex", 1, 0, 8, 8, 8, 3, 3, 3, 0, 0, 1),
        ("WARD", "WARD-region", True, "sex", 1, 0, None, None, None, 3, 3, 3, 0, 0, 1),
    ]


def test_margins_of_reconciled_cells_and_totals_have_spans_and_changed_totals_are_counted(run_sql):
    lines = [
        "WARD | WARD-1 | false | sex | 3.0 | 4.0 | 30 | 31 | 6.5 | 6.5",
        "WARD | WARD-1 | false | sex | 2.0 | 2.5 | 40 | 40 | 3.5 | 3.5",
        "WARD | WARD-1 | false | sex | 2.2 | 2.4 | 41 | 40 | 5.0 | 5.0",
        "WARD | WARD-1 | false | total | 5.0 | 5.0 | 4 | 4 | 5.0 | 5.0",
    ]
    assert run_sql("reported_kinds", given={"reported_tables": HEAD + "\n".join(lines)}) == [
        ("WARD", "WARD-1", False, "sex", 3, 2, 3.5, 5.0, 6.5, 2.0, 2.5, 4.0, 1, 3, 3),
        ("WARD", "WARD-1", False, "total", 1, 0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 0, 0, 0),
    ]
