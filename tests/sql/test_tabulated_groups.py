"""tabulated_groups: the population groups that releases tabulate, with their exact sizes."""

import pytest

ITERATIONS = (
    "iteration_id | iteration_code | iteration_name | iteration_level | iteration_kind | is_detailed_only"
    " | is_coarse_only\n-\n"
    "1 | 0101 | Danes | 2 | alone | true | false\n"
    "2 | 0102 | Northern | 1 | alone | false | true"
)


def rows(run_sql, group: str) -> list[tuple[object, ...]]:
    exact = f"REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT\n-\n{group}"
    return run_sql("tabulated_groups", given={"exact_t1": exact, "iterations": ITERATIONS})


def test_a_group_has_the_level_of_its_region_type_and_iteration_and_the_flags_of_the_latter(run_sql):
    assert rows(run_sql, "1 | USA | 0101 | 7") == [("1", "USA", "0101", "USA-2", True, False, 7, 1)]


@pytest.mark.parametrize(
    ("size", "start"),
    [
        *[(0, 0), (1, 1), (9, 1), (10, 10), (99, 10), (100, 100), (999, 100), (9_999, 1_000), (99_999, 10_000)],
        *[(100_000, 100_000), (3_000_000, 100_000)],
    ],
)
def test_buckets_are_powers_of_ten_and_nobody_has_one_of_his_own(run_sql, size, start):
    assert [row[-2:] for row in rows(run_sql, f"01003 | COUNTY | 0102 | {size}")] == [(size, start)]


def test_a_group_of_an_iteration_that_no_list_has_is_left_out(run_sql):
    assert rows(run_sql, "1 | USA | 9999 | 7") == []
