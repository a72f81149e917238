"""evaluated_iterations: the population group level of every iteration that a ladder tabulates."""

from tests.sql.evaluated_tables import EXACT_ITERATIONS, ITERATIONS, LADDER_LEVELS, LEVELS

BY_KIND = """
    level_id | region_type | iteration_level | iteration_kind | excluded_flag
    ---------+-------------+-----------------+----------------+--------------
           1 |      COUNTY |               2 |          alone | DETAILED_ONLY
           2 |      COUNTY |               2 |    combination | DETAILED_ONLY
           3 |      COUNTY |               2 |                | DETAILED_ONLY
"""
OF_TWO_LADDERS = "ladder_id | level_id | total_only_flag | is_by_totals | thresholds\n-\n" + "\n".join(
    f"{ladder} | {level} | NULL | false | [5]" for ladder, level in [(1, 1), (1, 2), (2, 3)]
)


def found(run_sql, ladder_id: int, *, levels: str = LEVELS, ladder_levels: str = LADDER_LEVELS) -> list[object]:
    given = {
        "exact_iterations": EXACT_ITERATIONS,
        "iterations": ITERATIONS.replace("Northern | 2 | alone", "N | 2 | combination"),
    }
    given |= {"levels": levels, "ladder_levels": ladder_levels}
    return run_sql("evaluated_iterations", ladder_id=ladder_id, level_prefix="T3 ", given=given)


def test_an_iteration_has_the_level_of_its_region_type_in_this_ladder(run_sql):
    usa = ("USA", "0101", 1, "T3 USA-2", False)
    assert found(run_sql, 1) == [("COUNTY", "0102", 2, "T3 COUNTY-2", False), usa]
    assert found(run_sql, 2) == [("COUNTY", "0102", 2, "T3 COUNTY-2", True)]


def test_where_kinds_have_shares_the_level_is_that_of_the_kind_in_this_ladder_alone(run_sql):
    both = {"levels": BY_KIND, "ladder_levels": OF_TWO_LADDERS}
    assert [row[3] for row in found(run_sql, 1, **both)] == ["T3 COUNTY-2 combination"]
    assert [row[3] for row in found(run_sql, 2, **both)] == ["T3 COUNTY-2"]
