"""level_answers: the most iterations that one answer to the question of several columns leads to, all answers tried."""

import pytest

# Kind 0 is in combination iterations 1 and 2, kind 1 in 2 and 3, kind 2 in 4; alone iteration 9 holds kinds 0 and 1.
CODE_KINDS = """
    factor_id | code_kind | iteration_id | is_alone
    ----------+-----------+--------------+---------
            1 |         0 |             1 |    false
            1 |         0 |            2 |    false
            1 |         1 |            2 |    false
            1 |         1 |            3 |    false
            1 |         2 |            4 |    false
            1 |         0 |            9 |     true
            1 |         1 |            9 |     true
"""


@pytest.mark.parametrize(("codes_read", "most"), [(1, 3), (2, 4), (3, 4)])
def test_every_answer_of_as_many_codes_as_are_read_is_tried(run_sql, codes_read, most):
    """One code: two combinations, and alone. Two: three combinations, and alone. Three: four combinations."""
    given = {"code_kinds": CODE_KINDS, "level_factors": f"factor_id | codes_read\n-\n1 | {codes_read}"}
    assert run_sql("level_answers", given=given) == [(1, most)]
