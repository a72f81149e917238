"""group_shares: what became of the population groups."""

HEAD = (
    "RUN | REGION_ID | REGION_TYPE | ITERATION_CODE | DETAILED_ONLY | COARSE_ONLY | TOTAL_ONLY | POPULATION_GROUP_LEVEL"
    " | POPULATION_GROUP_SIZE | STAT_LEVEL | MEASURED_COUNTS | TOTAL_ABSOLUTE_ERROR | TOTAL_SQUARED_ERROR"
)
SIZES = """
    population_group_level | size_start | population_groups
                  COUNTY-2 |          0 |                 1
                  COUNTY-2 |         10 |                 1
"""


def shares(run_sql, *groups: str) -> dict[object, tuple[object, ...]]:
    """The rows by the first size of their bucket. groups: run, region, total only, size, statistic, error."""
    lines = []
    for group in groups:
        run, region, total_only, size, stat_level, error = [cell.strip() for cell in group.split("|")]
        cells = [
            run,
            region,
            "COUNTY",
            "0102",
            "false",
            "false",
            total_only,
            "COUNTY-2",
            size,
            stat_level,
            "1",
            error,
            "0",
        ]
        lines.append(" | ".join(cells))
    given = {"group_sizes": SIZES, "group_errors": "\n".join([HEAD, *lines])}
    return {row[1]: row[2:] for row in run_sql("group_shares", given=given, runs=2)}


def test_groups_are_shared_by_what_became_of_them_and_errors_are_pooled_where_there_are_people(run_sql):
    found = shares(
        run_sql, "1 | 01003 | false | 90 | 0 | 9", "2 | 01003 | false | 90 | 1 | 9", "1 | 44007 | false | 0 | 0 | 5"
    )
    assert found[None][:8] == (2, 1, 0.25, 0.0, 0.5, 0.25, 0.0, 0.0)
    found = shares(run_sql, "1 | 01003 | false | 90 | 2 | 9", "2 | 01003 | false | 90 | 3 | 9")
    assert found[10][:8] == (1, 1, 0.0, 0.0, 0.0, 0.0, 0.5, 0.5)
    assert found[0][:8] == (1, 0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    found = shares(run_sql, "1 | 01003 | true | 90 | 0 | 9", "2 | 01003 | true | 90 | 0 | 9")
    assert found[10][2:5] == (0.0, 1.0, 0.0)
    found = shares(
        run_sql, "1 | 01003 | false | 90 | 0 | 9", "2 | 01003 | false | 90 | 0 | 45", "1 | 44007 | false | 0 | 0 | 36"
    )
    assert found[None][8:] == (0.5, 0.3)
    assert shares(run_sql, "1 | 44007 | false | 0 | 0 | 36")[0][8:] == (None, None)
