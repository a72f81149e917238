"""levels: the population group levels of the run, in the order of the parameters."""

from safetab_sql.public.values import parameter_values
from tests.sql.parameters import SCHOOL, parameters

NAMES = ("level_names", "level_region_types", "level_iteration_levels", "level_without")


def level_values(*levels, **settings):
    values = parameter_values(parameters(*levels, **settings))
    return {name: values[name] for name in NAMES}


def test_levels_are_numbered_from_one_in_the_order_of_the_parameters(run_sql):
    rows = run_sql("levels", **level_values("COUNTY-2", "USA-1", "USA-2"))
    assert [row[:4] for row in rows] == [
        (1, "USA-1", "USA", "1"),
        (2, "USA-2", "USA", "2"),
        (3, "COUNTY-2", "COUNTY", "2"),
    ]


def test_nations_and_states_leave_out_coarse_only_iterations(run_sql):
    rows = run_sql("levels", **level_values("USA-1", "STATE-1", "PR-STATE-1"))
    assert [row[4] for row in rows] == ["COARSE_ONLY"] * 3


def test_every_other_standard_region_type_leaves_out_detailed_only_iterations(run_sql):
    names = ["COUNTY", "TRACT", "PLACE", "AIANNH", "PR-COUNTY", "PR-TRACT", "PR-PLACE"]
    rows = run_sql("levels", **level_values(*(f"{name}-1" for name in names)))
    assert [row[4] for row in rows] == ["DETAILED_ONLY"] * 7


def test_a_region_type_of_ones_own_is_a_level_like_any_other(run_sql):
    rows = run_sql("levels", **level_values("SCHOOL-2", own=(SCHOOL,)))
    assert rows == [(1, "SCHOOL-2", "SCHOOL", "2", "DETAILED_ONLY")]
