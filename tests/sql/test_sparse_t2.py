"""sparse_t2: the exact rows with people of the population groups whose cells were counted, level by level."""

from tests.sql.published_tables import LADDER_ROWS, PUBLIC
from tests.sql.test_ground_truth_t2 import GIVEN, ROWS

NAMES = {name: PUBLIC[name] for name in ("level_sizes", "level_regions", "ladder_iterations", "regions", "iterations")}


def test_it_has_the_rows_of_the_dense_table_that_are_not_zero_and_totals_alone(run_sql):
    given = {**NAMES, "exact_rows": ROWS, "ladder_rows": LADDER_ROWS}
    values = {"ladder_id": 1, "level_id": 2, "first_group_id": 2, "last_group_id": 3}
    dense = run_sql("ground_truth_t2", given=GIVEN, ladder_id=1)
    assert run_sql("sparse_t2", given=given, **values) == [row for row in dense if row[-1]]
    rows = "population_group_id | row_id | is_total | exact_count\n0 | 0 | true | 9\n0 | 1 | false | 5"
    given = {**NAMES, "exact_rows": rows, "ladder_rows": LADDER_ROWS}
    values = {"ladder_id": 1, "level_id": 1, "first_group_id": 0, "last_group_id": 1}
    assert [row[-1] for row in run_sql("sparse_t2", given=given, **values)] == [9]
