"""sparse_t2: the exact cells with people of the population groups that may plausibly get a table."""

from tests.sql.published_tables import PUBLIC
from tests.sql.test_ground_truth_t2 import BINS, GIVEN

CHOSEN = """
    population_group_id | region_key | iteration_id | stat_level
    --------------------+------------+--------------+-----------
                      3 |          2 |            2 |          1
                      3 |          2 |            2 |          2
"""


def test_it_has_the_rows_of_the_dense_table_that_are_not_zero(run_sql):
    names = {name: PUBLIC[name] for name in ("regions", "iterations")}
    given = {**names, "exact_bins": BINS, "chosen_groups": CHOSEN}
    assert run_sql("sparse_t2", given=given) == [row for row in run_sql("ground_truth_t2", given=GIVEN) if row[-1]]
