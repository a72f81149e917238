"""measurements: the stage-1 totals of published groups, by the names of the groups."""

from tests.sql.published_tables import NAMED_GROUPS

MEASURED = """
    level_id | population_group_id | stage_1 | stage_1_variance | estimate | low95 | high95
           2 |                   3 |      70 |              9.5 |     71.5 |    60 |     80
           1 |                   1 |     -10 |              8.5 |      2.0 |    -5 |      9
"""


def test_a_measurement_has_the_names_of_its_group_in_order(run_sql_in_order):
    given = {**NAMED_GROUPS, "noisy_measurements": MEASURED}
    assert run_sql_in_order("measurements", given=given) == [
        ("44007", "COUNTY", "0102", 70, 9.5, 71.5, 60, 80),
        ("1", "USA", "0102", -10, 8.5, 2.0, -5, 9),
    ]
