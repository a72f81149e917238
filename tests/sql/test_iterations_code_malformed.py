"""iterations_code_malformed: iteration codes that are not four digits."""

import pytest


@pytest.mark.parametrize("code", ["101", "01010", "01a1", "1e3"])
def test_a_code_that_is_not_four_digits_is_returned_with_its_name(run_sql, code):
    rows = f"iteration_code | iteration_name | iteration_kind\n-\n{code} | European | alone"
    assert run_sql("iterations_code_malformed", given={"iteration_rows": rows}) == [(code, "European")]


def test_a_missing_code_is_returned(run_sql):
    rows = "iteration_code | iteration_name | iteration_kind\n-\nNULL | European | NULL"
    assert run_sql("iterations_code_malformed", given={"iteration_rows": rows}) == [(None, "European")]


def test_four_digits_are_fine(run_sql):
    rows = "iteration_code | iteration_name | iteration_kind\n-\n0001 | European | alone"
    assert run_sql("iterations_code_malformed", given={"iteration_rows": rows}) == []


def test_a_value_may_be_any_text(run_sql):
    rows = "iteration_code | iteration_name | iteration_kind\n-\npt | pt | language"
    assert run_sql("iterations_code_malformed", given={"iteration_rows": rows}, value_kinds=["language"]) == []
