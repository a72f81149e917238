"""crossed_levels: the two questions of each crossing, and the level of their iterations that it pairs."""


def test_the_levels_of_two_questions_are_two_rows(run_sql):
    asked = {
        "factor_crossings": ["both", "both"],
        "factor_places": ["first", "second"],
        "factor_questions": ["race", "ethnicity"],
        "factor_levels": ["2", "1"],
    }
    assert run_sql("crossed_levels", **asked) == [("both", "first", "race", "2"), ("both", "second", "ethnicity", "1")]
