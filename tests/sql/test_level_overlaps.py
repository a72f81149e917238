"""level_overlaps: how many "in combination" iterations share a code with one "alone" iteration, by kind."""

import pytest

LEVELS = """
    level_id | region_type | iteration_level | iteration_kind
    ---------+-------------+-----------------+---------------
           1 |      COUNTY |               2 |          alone
           2 |      COUNTY |               2 |    combination
           3 |       STATE |               2 |
"""
CODES = """
    level_id | iteration_id | code
    ---------+--------------+-----
           1 |            1 |    1
           1 |            1 |    2
           2 |            3 |    1
           2 |            {} |    2
           3 |            1 |    1
"""


@pytest.mark.parametrize(("other", "combinations"), [(3, 1), (4, 2)])
def test_the_codes_of_an_alone_iteration_lie_in_one_or_several_in_combination(run_sql, other, combinations):
    given = {"levels": LEVELS, "level_codes": CODES.format(other)}
    assert run_sql("level_overlaps", given=given) == [("COUNTY", "2", combinations)]
