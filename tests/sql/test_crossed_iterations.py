"""crossed_iterations: the pairs of iterations of two questions that are crossed."""

LEVELS = """
    crossing_name | factor | question_name | iteration_level
    --------------+--------+---------------+----------------
             both |  first |          race |               2
             both | second |     ethnicity |               1
"""
ROWS = """
    iteration_code | iteration_name | iteration_level | iteration_kind | flags
    ---------------+----------------+-----------------+----------------+-------------------------
                 A |      Far alone |               2 |          alone | {HERE=true, THERE=false}
                 C |            Far |               2 |    combination | {HERE=false, THERE=NULL}
                 D |           Wide |               1 |    combination | {}
                 E |          North |               1 |      ethnicity | {}
                 F |          South |               2 |      ethnicity | {}
"""


def test_every_iteration_of_one_level_is_paired_with_every_one_of_the_other(run_sql):
    given = {"crossed_levels": LEVELS, "iteration_rows": ROWS}
    assert run_sql("crossed_iterations", given=given) == [
        ("both", "A x E", "Far alone x North", "A", "E", {"HERE": True, "THERE": False}),
        ("both", "C x E", "Far x North", "C", "E", {"HERE": False, "THERE": False}),
    ]
