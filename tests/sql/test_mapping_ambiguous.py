"""mapping_ambiguous: codes that lead to two iterations of one kind where one is meant."""

import pytest

NEITHER = "{DETAILED_ONLY=false, COARSE_ONLY=false}"
DETAILED = "{DETAILED_ONLY=true, COARSE_ONLY=false}"
COARSE = "{DETAILED_ONLY=false, COARSE_ONLY=true}"
UNSAID = "{DETAILED_ONLY=NULL, COARSE_ONLY=NULL}"
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


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"2 | alone | {NEITHER}", f"1 | alone | {NEITHER}"),
        (f"2 | alone | {NEITHER}", f"2 | combination | {NEITHER}"),
        (f"2 | alone | {DETAILED}", f"2 | alone | {COARSE}"),
        (f"0 | alone | {UNSAID}", f"0 | alone | {UNSAID}"),
    ],
    ids=["two levels", "two kinds", "two kinds of region", "level 0"],
)
def test_iterations_that_never_meet_are_fine(run_sql, first, second):
    assert ambiguous(run_sql, first, second) == []


def test_a_pair_that_stands_twice_in_the_list_is_fine(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  0101 | 1010
    """
    given = {"code_iteration_rows": mapping, "iteration_rows": f"{HEADER}0101 | 2 | alone | {NEITHER}"}
    assert run_sql("mapping_ambiguous", given=given, withouts=WITHOUTS) == []


def test_a_code_in_one_iteration_of_several_is_fine(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  0102 | 1020
                  0103 | 1030
    """
    rows = "\n".join(f"{code} | 2 | alone | {NEITHER}" for code in ("0101", "0102", "0103"))
    given = {"code_iteration_rows": mapping, "iteration_rows": HEADER + rows}
    assert run_sql("mapping_ambiguous", given=given, withouts=WITHOUTS) == []


def test_each_iteration_of_an_ambiguous_code_is_named_once(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  0101 | 1010
                  0102 | 1010
    """
    rows = "\n".join(f"{code} | 2 | alone | {DETAILED}" for code in ("0101", "0102"))
    given = {"code_iteration_rows": mapping, "iteration_rows": HEADER + rows}
    assert [row[4] for row in run_sql("mapping_ambiguous", given=given, withouts=WITHOUTS)] == [["0101", "0102"]]
