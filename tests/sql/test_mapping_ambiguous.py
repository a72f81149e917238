"""mapping_ambiguous: codes that lead to two iterations of one kind where one is meant."""

import pytest

NEITHER = "{DETAILED_ONLY=false, COARSE_ONLY=false}"
DETAILED = "{DETAILED_ONLY=true, COARSE_ONLY=false}"
COARSE = "{DETAILED_ONLY=false, COARSE_ONLY=true}"
WITHOUTS = ["COARSE_ONLY", "DETAILED_ONLY"]
MAPPING = """
    iteration_code | code
    ---------------+-----
              0101 | 1010
              0102 | 1010
"""
HEADER = "iteration_code | iteration_level | iteration_kind | flags\n-\n"


def ambiguous(run_sql, first, second):
    given = {"code_iteration_rows": MAPPING, "iteration_rows": f"{HEADER}0101 | {first}\n0102 | {second}"}
    return run_sql("mapping_ambiguous", given=given, withouts=WITHOUTS)


def test_a_code_in_two_iterations_of_one_level_and_kind_is_returned_for_both_kinds_of_region(run_sql):
    rows = ambiguous(run_sql, f"2 | alone | {NEITHER}", f"2 | alone | {NEITHER}")
    assert rows == [
        ("1010", "2", "alone", "COARSE_ONLY", ["0101", "0102"]),
        ("1010", "2", "alone", "DETAILED_ONLY", ["0101", "0102"]),
    ]


@pytest.mark.parametrize(("flags", "regions"), [(DETAILED, "COARSE_ONLY"), (COARSE, "DETAILED_ONLY")])
def test_a_code_in_two_iterations_of_some_regions_is_returned_for_those(run_sql, flags, regions):
    rows = ambiguous(run_sql, f"1 | alone | {flags}", f"1 | alone | {NEITHER}")
    assert [row[3] for row in rows] == [regions]
