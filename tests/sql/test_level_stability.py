"""level_stability: how many population groups of each level one person can belong to, at the most."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.drawn import examples

ONE_LEVEL = """
    level_id
    --------
           1
"""
NESTED = """
    code | iteration_id | iteration_kind
    -----+--------------+---------------
    1010 |            1 |          alone
    1020 |            1 |          alone
    1010 |            2 |    combination
    1020 |            2 |    combination
    2000 |            3 |      ethnicity
"""
# Codes 1010 and 1020 are alone together, but fall in different combination iterations.
SPLIT = """
    code | iteration_id | iteration_kind
    -----+--------------+---------------
    1010 |            1 |          alone
    1020 |            1 |          alone
    1010 |            2 |    combination
    1020 |            4 |    combination
    2000 |            3 |      ethnicity
"""


@pytest.fixture
def stability(run_sql):
    """Columns is_nested and stability of one level that tabulates every iteration of the lists."""

    def of(code_iterations, codes_read):
        ids = {line.split("|")[1].strip() for line in code_iterations.strip().splitlines()[2:]}
        tables = {"levels": ONE_LEVEL, "level_iterations": level_iterations(*((1, id_) for id_ in sorted(ids)))}
        given_tables = {**tables, "code_iterations": code_iterations}
        ((*_, is_nested, bound),) = run_sql("level_stability", given=given_tables, codes_read=codes_read)
        return is_nested, bound

    return of


def level_iterations(*pairs):
    rows = "\n".join(f"{level} | {iteration}" for level, iteration in pairs)
    return f"level_id | iteration_id\n-+-\n{rows}"


def test_nested_lists_with_eight_codes_have_stability_nine(stability):
    assert stability(NESTED, 8) == (True, 9)


@pytest.mark.parametrize(("codes_read", "bound"), [(1, 3), (2, 3), (3, 4)])
def test_one_race_code_counts_as_two_alone_and_in_combination(stability, codes_read, bound):
    assert stability(NESTED, codes_read) == (True, bound)


def test_the_plain_sum_is_the_bound_where_an_alone_iteration_is_split(stability):
    assert stability(SPLIT, 8) == (False, 1 + 8 * 1 + 1)


def test_a_code_in_no_combination_iteration_splits_its_alone_iteration(stability):
    code_iterations = """
        code | iteration_id | iteration_kind
        -----+--------------+---------------
        1010 |            1 |          alone
        1020 |            1 |          alone
        1010 |            2 |    combination
    """
    assert stability(code_iterations, 8) == (False, 1 + 8 * 1)


def test_whoever_is_in_alone_iterations_is_in_the_others_of_one_code_alone(stability):
    code_iterations = """
        code | iteration_id | iteration_kind
        -----+--------------+---------------
        1010 |            1 |          alone
        1010 |            2 |          alone
        1010 |            3 |    combination
    """
    assert [stability(code_iterations, codes) for codes in (1, 3, 4)] == [(True, 2 + 1), (True, 2 + 1), (True, 4 * 1)]


def test_a_code_in_two_combination_iterations_doubles_the_race_part(stability):
    code_iterations = """
        code | iteration_id | iteration_kind
        -----+--------------+---------------
        1010 |            1 |    combination
        1010 |            2 |    combination
        2000 |            3 |      ethnicity
    """
    assert stability(code_iterations, 8) == (True, 2 * 8 + 1)


def test_a_level_of_ethnicities_alone_has_as_many_groups_as_one_code_has_iterations(stability):
    code_iterations = """
        code | iteration_id | iteration_kind
        -----+--------------+---------------
        2000 |            1 |      ethnicity
        2000 |            2 |      ethnicity
        2010 |            1 |      ethnicity
    """
    assert stability(code_iterations, 8) == (True, 2)


def test_a_level_without_iterations_has_stability_one(stability):
    nothing = """
        code | iteration_id | iteration_kind
        -----+--------------+---------------
    """
    assert stability(nothing, 8) == (True, 1)


def test_iterations_that_a_level_leaves_out_do_not_count_there(run_sql):
    tables = {
        "levels": ONE_LEVEL,
        "level_iterations": level_iterations((1, 2)),
        "code_iterations": NESTED,
    }
    assert run_sql("level_stability", given=tables, codes_read=8) == [(1, 0, 1, 0, True, 8)]


def test_a_split_iteration_of_one_level_leaves_the_others_alone(run_sql):
    levels = """
        level_id
        --------
               1
               2
    """
    tables = {
        "levels": levels,
        "level_iterations": level_iterations((1, 1), (1, 2), (1, 4), (2, 2), (2, 4)),
        "code_iterations": SPLIT,
    }
    rows = run_sql("level_stability", given=tables, codes_read=8)
    assert [row[4:] for row in rows] == [(False, 9), (True, 8)]


CODES = (10, 20, 30, 40)
ITERATIONS = {1: "alone", 2: "alone", 3: "combination", 4: "combination", 5: "combination", 6: "ethnicity"}


def most_groups(mapping, codes_read):
    """The most iterations of any person with one to `codes_read` race codes, and some ethnicity code."""
    members = {iteration: {code for code, mapped in mapping if mapped == iteration} for iteration in ITERATIONS}
    races = [set(held) for size in range(1, codes_read + 1) for held in combinations(CODES, min(size, len(CODES)))]
    in_race = [
        sum(
            (held <= members[iteration] if kind == "alone" else bool(held & members[iteration]))
            for iteration, kind in ITERATIONS.items()
            if kind != "ethnicity"
        )
        for held in races
    ]
    return max(in_race) + bool(members[6])


@examples(30)
@given(
    mapping=st.sets(st.tuples(st.sampled_from(CODES), st.sampled_from(sorted(ITERATIONS))), min_size=1),
    codes_read=st.integers(min_value=1, max_value=4),
)
@pytest.mark.slow
def test_nobody_is_in_more_population_groups_than_the_stability(run_sql, mapping, codes_read):
    rows = "\n".join(f"{code} | {iteration} | {ITERATIONS[iteration]}" for code, iteration in sorted(mapping))
    tables = {
        "levels": ONE_LEVEL,
        "level_iterations": level_iterations(*((1, iteration) for iteration in ITERATIONS)),
        "code_iterations": f"code | iteration_id | iteration_kind\n-+-+-\n{rows}",
    }
    ((*_, bound),) = run_sql("level_stability", given=tables, codes_read=codes_read)
    assert most_groups(mapping, codes_read) <= bound
