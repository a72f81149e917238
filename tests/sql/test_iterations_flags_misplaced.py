"""iterations_flags_misplaced: iterations whose flags do not go with their level."""

import pytest

HEADER = "iteration_code | iteration_level | flags\n-\n0101 | "


@pytest.mark.parametrize(
    "flags",
    [
        "0 | {DETAILED_ONLY=false, COARSE_ONLY=NULL}",
        "0 | {DETAILED_ONLY=NULL, COARSE_ONLY=true}",
        "0 | {DETAILED_ONLY=true, COARSE_ONLY=false}",
    ],
)
def test_a_level_zero_iteration_with_a_flag_is_returned(run_sql, flags):
    rows = run_sql("iterations_flags_misplaced", given={"iteration_rows": HEADER + flags})
    assert [row[:2] for row in rows] == [("0101", "0")]


@pytest.mark.parametrize(
    "flags",
    [
        "1 | {DETAILED_ONLY=NULL, COARSE_ONLY=false}",
        "2 | {DETAILED_ONLY=false, COARSE_ONLY=NULL}",
        "2 | {DETAILED_ONLY=NULL, COARSE_ONLY=NULL}",
    ],
)
def test_an_iteration_of_level_one_or_two_without_a_flag_is_returned(run_sql, flags):
    rows = run_sql("iterations_flags_misplaced", given={"iteration_rows": HEADER + flags})
    assert [row[0] for row in rows] == ["0101"]


@pytest.mark.parametrize(
    "flags",
    [
        "0 | {DETAILED_ONLY=NULL, COARSE_ONLY=NULL}",
        "1 | {DETAILED_ONLY=false, COARSE_ONLY=false}",
        "2 | {DETAILED_ONLY=true, COARSE_ONLY=false}",
    ],
)
def test_flags_that_go_with_the_level_are_fine(run_sql, flags):
    assert run_sql("iterations_flags_misplaced", given={"iteration_rows": HEADER + flags}) == []
