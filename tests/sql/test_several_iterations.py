"""several_iterations: the race iterations that people with each answer of several codes belong to."""

import pytest

from tests.sql.packed import packed

CODE_ITERATIONS = """
    code | iteration_id | iteration_kind
    -----+--------------+---------------
    1001 |            1 |          alone
    1002 |            1 |          alone
    1003 |            1 |          alone
    1001 |            2 |          alone
    1002 |            2 |          alone
    1001 |            3 |    combination
    1002 |            3 |    combination
"""


@pytest.fixture
def iterations(run_sql):
    def rows(*codes):
        first, last = packed(*codes)
        given = {
            "several_answers": f"answer_id | codes_1_to_4 | codes_5_to_8\n-\n9 | {first} | {last}",
            "several_codes": "answer_id | code\n-\n" + "\n".join(f"9 | {code}" for code in codes),
            "code_iterations": CODE_ITERATIONS,
        }
        return [iteration for _, iteration in run_sql("several_iterations", given=given)]

    return rows


def test_every_iteration_that_holds_all_codes_or_some_in_combination_has_one_row(iterations):
    assert iterations(1001, 1002) == [1, 2, 3]


@pytest.mark.parametrize("codes", [(1001, 1002, 1003), (1003, 1002, 1001), (1001, 1003, 1003, 1002)], ids=str)
def test_a_further_code_bars_the_alone_iterations_that_lack_it_wherever_it_stands(iterations, codes):
    assert iterations(*codes) == [1, 3]


def test_a_code_in_no_iteration_bars_all_alone_iterations(iterations):
    assert iterations(1001, 1002, 9999) == [3]
