"""iteration_nesting: the iterations that are a part of another one, or have parts."""

import pytest

PART_OF_A_PART = """
    iteration_code | parent_code | parts:bigint | codes:bigint
                 B |           A |            1 |            9
                 C |           B |            1 |            4
                 C |           A |            3 |            9
"""
TWO_LEVELS = """
    iteration_code | parent_code | parts:bigint | codes:bigint
                 B |           A |            2 |            9
                 C |           A |            2 |            9
                 D |           A |            3 |            9
                 E |           A |            3 |            9
                 F |           A |            3 |            9
"""


@pytest.mark.parametrize(
    ("nested", "found"),
    [
        (PART_OF_A_PART, [("A", None, "A", 0, 1), ("B", "A", "A", 1, 1), ("C", "B", "A", 2, 0)]),
        (TWO_LEVELS, [("A", None, "A", 0, 2), ("B", "A", "A", 1, 0), ("C", "A", "A", 1, 0)]),
    ],
    ids=["a part of a part lies two below its root", "a whole that two levels split is made up of the fewer parts"],
)
def test_each_part_is_in_one_whole(run_sql, nested, found):
    assert sorted(run_sql("iteration_nesting", given={"nested_iterations": nested})) == found
