"""plausible_tables: the tables that a population group with people may plausibly get, level by level."""

import pytest

from tests.sql.published_tables import PUBLIC

TOTALS = """
    population_group_id | exact_count
                      0 |         900
                      1 |           8
                      3 |           9
"""


@pytest.mark.parametrize(
    ("floor", "groups"), [(8, {1}), (9, set())], ids=["a group at the floor", "a group with fewer people"]
)
def test_a_group_from_the_floor_on_has_every_statistic_unless_it_gets_a_total_alone(run_sql, floor, groups):
    given = {name: PUBLIC[name] for name in ("level_sizes", "ladder_iterations")} | {"group_totals": TOTALS}
    values = {
        "ladder_id": 1,
        "first_statistic": 4,
        "end_statistic": 7,
        "level_id": 1,
        "first_group_id": 0,
        "last_group_id": 1,
        "table_floor": floor,
    }
    rows = run_sql("plausible_tables", given=given, **values)
    assert rows == [(1, group, statistic) for group in sorted(groups) for statistic in (4, 5, 6)]
