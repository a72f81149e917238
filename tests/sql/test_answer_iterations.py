"""answer_iterations: the characteristic iterations that people with each answer belong to."""

import pytest

# Iterations 1 and 2 hold codes 10 and 20, alone and in combination; 3 holds 30 in combination; 4 is an ethnicity.
CODE_ITERATIONS = """
    code | iteration_id | iteration_kind
    -----+--------------+---------------
      10 |            1 |          alone
      20 |            1 |          alone
      10 |            2 |    combination
      20 |            2 |    combination
      30 |            3 |    combination
      40 |            4 |      ethnicity
      10 |            5 |      ethnicity
      40 |            6 |    combination
"""


@pytest.fixture
def iterations(run_sql):
    """Iterations of one answer: its race codes, or else an ethnicity code."""

    def of(*codes, ethnicity="NULL"):
        rows = "\n".join(f"9 | {code}" for code in codes)
        given = {
            "answers": f"answer_id | ethnicity_code\n-\n9 | {ethnicity}",
            "answer_codes": f"answer_id | code\n-\n{rows}",
            "code_iterations": CODE_ITERATIONS,
        }
        return [iteration for _, _, iteration in run_sql("answer_iterations", given=given, first_geo_unit_id=1)]

    return of


def test_one_code_is_in_the_alone_and_the_combination_iterations_that_hold_it(iterations):
    assert iterations(10) == [1, 2]


def test_alone_needs_every_code(iterations):
    assert 1 not in iterations(10, 30)


def test_in_combination_needs_some_code(iterations):
    assert iterations(10, 30) == [2, 3]


def test_two_codes_of_one_alone_iteration_are_alone(iterations):
    assert 1 in iterations(10, 20)


def test_two_codes_of_one_iteration_are_in_it_once(iterations):
    assert iterations(10, 20) == [1, 2]


@pytest.mark.parametrize("codes", [(30, 10, 20), (20, 30, 10), (10, 20, 30)], ids=str)
def test_the_order_of_codes_does_not_change_iterations(iterations, codes):
    assert iterations(*codes) == [2, 3]


def test_a_code_in_no_iteration_bars_alone_iterations(iterations):
    assert iterations(10, 99) == [2]


def test_an_ethnicity_code_is_in_the_ethnicity_iterations_that_hold_it(iterations):
    assert iterations(ethnicity=40) == [4]


def test_a_race_code_is_in_no_ethnicity_iteration(iterations):
    assert 5 not in iterations(10)


def test_an_ethnicity_code_is_in_no_race_iteration(iterations):
    assert 6 not in iterations(ethnicity=40)


def test_codes_of_another_answer_do_not_count(run_sql):
    given = {
        "answers": "answer_id | ethnicity_code\n-\n8 | NULL\n9 | NULL",
        "answer_codes": "answer_id | code\n-\n8 | 10\n9 | 10\n9 | 30",
        "code_iterations": CODE_ITERATIONS,
    }
    rows = run_sql("answer_iterations", given=given, first_geo_unit_id=1)
    assert rows == [(1, 8, 1), (1, 8, 2), (1, 9, 2), (1, 9, 3)]


def test_every_row_names_its_slice(run_sql):
    given = {
        "answers": "answer_id | ethnicity_code\n-\n8 | NULL\n9 | 40",
        "answer_codes": "answer_id | code\n-\n8 | 10",
        "code_iterations": CODE_ITERATIONS,
    }
    assert {row[0] for row in run_sql("answer_iterations", given=given, first_geo_unit_id=17)} == {17}
