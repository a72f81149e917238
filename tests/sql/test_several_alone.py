"""several_alone: the alone iterations of the people of a slice of geo units who give several race codes."""

import pytest

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
def alone(run_sql):
    def iterations(*codes):
        first, last = (int("".join(f"{code:04}" for code in [*codes, *[0] * 8][at : at + 4])) for at in (0, 4))
        header = "geo_unit_id | finest_position | race_codes_1_to_4 | race_codes_5_to_8\n-\n"
        given = {
            "persons": f"{header}7 | 5 | {first} | {last}",
            "several_codes": "person | code\n-\n" + "\n".join(f"0 | {code}" for code in codes),
            "code_iterations": CODE_ITERATIONS,
        }
        rows = run_sql("several_alone", given=given, first_geo_unit_id=1, last_geo_unit_id=9)
        assert all(row[:2] == (7, 5) for row in rows)
        return [row[2] for row in rows]

    return iterations


def test_every_alone_iteration_that_holds_all_codes_has_one_row(alone):
    assert alone(1001, 1002) == [1, 2]


@pytest.mark.parametrize("codes", [(1001, 1002, 1003), (1003, 1002, 1001), (1001, 1003, 1003, 1002)], ids=str)
def test_a_further_code_bars_the_iterations_that_lack_it_wherever_it_stands(alone, codes):
    assert alone(*codes) == [1]


def test_a_code_in_no_iteration_bars_all(alone):
    assert alone(1001, 1002, 9999) == []
