"""level_factors: the questions whose iterations each level tabulates, by themselves or in pairs."""

LEVELS = """
    level_id | iteration_level | excluded_flag
    ---------+-----------------+--------------
           1 |               1 |
           2 |               2 |          HERE
           3 |            both |          HERE
"""
CROSSED = """
    crossing_name | factor | question_name | iteration_level
    --------------+--------+---------------+----------------
             both |  first |          race |               2
             both | second |     ethnicity |               1
"""


def factors(run_sql):
    return run_sql("level_factors", given={"levels": LEVELS, "crossed_levels": CROSSED})


def test_a_level_has_every_question_and_two_factors_of_its_crossing(run_sql):
    assert [(factor[1:4], factor[4]) for factor in factors(run_sql)] == [
        ((1, "ethnicity", "ethnicity"), 1),
        ((1, "race", "race"), 8),
        ((2, "ethnicity", "ethnicity"), 1),
        ((2, "race", "race"), 8),
        ((3, "both", "ethnicity"), 1),
        ((3, "both", "race"), 8),
        ((3, "ethnicity", "ethnicity"), 1),
        ((3, "race", "race"), 8),
    ]
