"""mapping_ambiguous: codes that lead to two iterations of one kind where one is meant."""

import pytest

MAPPING = """
    iteration_code | code
    ---------------+-----
              0101 | 1010
              0102 | 1010
"""
HEADER = "iteration_code | iteration_level | iteration_kind | is_detailed_only | is_coarse_only\n-\n"


def ambiguous(run_sql, first, second):
    given = {"code_iteration_rows": MAPPING, "iteration_rows": f"{HEADER}0101 | {first}\n0102 | {second}"}
    return run_sql("mapping_ambiguous", given=given)


def test_a_code_in_two_iterations_of_one_level_and_kind_is_returned_for_both_kinds_of_region(run_sql):
    rows = ambiguous(run_sql, "2 | alone | false | false", "2 | alone | false | false")
    assert rows == [
        ("1010", 2, "alone", "nation- and state-like", ["0101", "0102"]),
        ("1010", 2, "alone", "sub-state", ["0101", "0102"]),
    ]


@pytest.mark.parametrize(
    ("flags", "regions"), [("true | false", "nation- and state-like"), ("false | true", "sub-state")]
)
def test_a_code_in_two_iterations_of_some_regions_is_returned_for_those(run_sql, flags, regions):
    rows = ambiguous(run_sql, f"1 | alone | {flags}", "1 | alone | false | false")
    assert [row[3] for row in rows] == [regions]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2 | alone | false | false", "1 | alone | false | false"),
        ("2 | alone | false | false", "2 | combination | false | false"),
        ("2 | alone | true | false", "2 | alone | false | true"),
        ("0 | alone | NULL | NULL", "0 | alone | NULL | NULL"),
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
    given = {"code_iteration_rows": mapping, "iteration_rows": f"{HEADER}0101 | 2 | alone | false | false"}
    assert run_sql("mapping_ambiguous", given=given) == []


def test_a_code_in_one_iteration_of_several_is_fine(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  0102 | 1020
                  0103 | 1030
    """
    rows = "\n".join(f"{code} | 2 | alone | false | false" for code in ("0101", "0102", "0103"))
    given = {"code_iteration_rows": mapping, "iteration_rows": HEADER + rows}
    assert run_sql("mapping_ambiguous", given=given) == []


def test_each_iteration_of_an_ambiguous_code_is_named_once(run_sql):
    mapping = """
        iteration_code | code
        ---------------+-----
                  0101 | 1010
                  0101 | 1010
                  0102 | 1010
    """
    rows = "\n".join(f"{code} | 2 | alone | true | false" for code in ("0101", "0102"))
    given = {"code_iteration_rows": mapping, "iteration_rows": HEADER + rows}
    assert [row[4] for row in run_sql("mapping_ambiguous", given=given)] == [["0101", "0102"]]
