"""nested_iterations: iterations that other iterations make up, as the code lists prove."""

import pytest

# 4016 is made up of 4017 and 4018; 4020 has all of 4024's codes and one that no iteration of level 2 has.
# 1001 and 1101 have the same codes; 1002 is larger than its only part.
ITERATIONS = """
    iteration_id | iteration_code | iteration_level | iteration_kind
               1 |           4016 |               1 |      ethnicity
               2 |           4017 |               2 |      ethnicity
               3 |           4018 |               2 |      ethnicity
               4 |           4020 |               1 |      ethnicity
               5 |           4024 |               2 |      ethnicity
               6 |           1001 |               1 |          alone
               7 |           1101 |               2 |          alone
               8 |           1002 |               1 |          alone
               9 |           1102 |               2 |          alone
              10 |           1103 |               2 |          alone
"""
CODES = {1: (1, 2, 3), 2: (1, 2), 3: (3,), 4: (4, 5), 5: (4,), 6: (6,), 7: (6,), 8: (7, 8), 9: (7,), 10: (8,)}
KINDS = {number: "ethnicity" if number < 6 else "alone" for number in CODES}


@pytest.fixture
def pairs(run_sql):
    rows = [f"{code} | {number} | {KINDS[number]}" for number, codes in CODES.items() for code in codes]
    code_iterations = "\n".join(["code | iteration_id | iteration_kind", *rows])
    given = {"iterations": ITERATIONS, "code_iterations": code_iterations}
    return sorted(run_sql("nested_iterations", given=given))


def test_iterations_among_which_codes_are_split_make_up_another_and_alone_only_equal_ones(pairs):
    assert pairs[1:] == [("4017", "4016", 2, 3), ("4018", "4016", 2, 3)]
    # Somebody with codes of 1102 and 1103 is alone in 1002 and in neither of these.
    assert pairs[:1] == [("1101", "1001", 1, 1)]
