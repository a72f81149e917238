"""reported_table_kinds: the population groups of a ladder by level and table."""

HEAD = (
    "region_type | level_name | is_total_only | statistic | count_moe95 | noisy_count | total_moe95 | total_reach95\n"
    "------------+------------+---------------+-----------+-------------+-------------+-------------+--------------\n"
)


def test_groups_are_counted_by_level_and_table_and_by_how_reliable_their_totals_are(run_sql):
    lines = [f"WARD | WARD-people | false | sex | 3 | {count} | 6 | 6" for count in (60, 20, 6, 5, -9)]
    lines += ["WARD | WARD-region | false | sex | 3 | 9 | 8 | 8", "WARD | WARD-region | true | sex | 3 | 9 | NULL | 8"]
    assert run_sql("reported_table_kinds", given={"reported_tables": HEAD + "\n".join(lines)}) == [
        ("WARD", "sex", "WARD-people", False, 3, 6, 5, 1, 2, 3),
        ("WARD", "sex", "WARD-region", False, 3, 8, 1, 0, 0, 1),
        ("WARD", "sex", "WARD-region", True, 3, None, 1, 0, 0, 1),
    ]
