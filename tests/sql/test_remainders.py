"""remainders: the noisy sums of groups without a table, by the names of their parent region and iteration."""

from tests.sql.published_tables import NAMED_GROUPS, PUBLIC

SUMS = """
    level_id | parent_region_key | iteration_position | members | noisy_count | variance
    ---------+-------------------+--------------------+---------+-------------+---------
           2 |                 3 |                  0 |       5 |         -12 |     40.0
"""


def test_a_sum_has_the_names_of_its_region_type_parent_and_iteration(run_sql_in_order):
    given = {"published_iterations": NAMED_GROUPS["published_iterations"], "levels": PUBLIC["levels"]}
    given |= {"regions": PUBLIC["regions"], "noisy_remainders": SUMS}
    assert run_sql_in_order("remainders", given=given) == [("USA", "1", "COUNTY", "0102", 5, -12, 40.0)]
