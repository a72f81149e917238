"""reported_table_kinds: the population groups of a ladder by region type, table and noise."""

HEAD = "region_type | statistic | count_variance | count_moe95 | noisy_count | total_moe95\n-\n"


def test_groups_are_counted_by_table_and_noise_and_by_how_reliable_their_totals_are(run_sql):
    lines = [f"WARD | sex | 2.0 | 3 | {count} | 6" for count in (60, 20, 6, 5, -9)] + ["WARD | sex | 4.0 | 4 | 9 | 8"]
    assert run_sql("reported_table_kinds", given={"reported_tables": HEAD + "\n".join(lines)}) == [
        ("WARD", "sex", 2.0, 3, 6, 5, 1, 2, 3),
        ("WARD", "sex", 4.0, 4, 8, 1, 0, 0, 1),
    ]
