"""published_iterations: the iterations that the ladder tabulates at each level, by their place in it."""

from tests.sql.published_tables import PUBLIC

NAMES = {name: PUBLIC[name] for name in ("ladder_iterations", "iterations")}


def test_each_iteration_of_a_level_has_its_code_and_says_whether_it_is_total_only(run_sql):
    assert run_sql("published_iterations", ladder_id=1, given=NAMES) == [
        (1, 0, 1, "0101", True),
        (1, 1, 2, "0102", False),
        (2, 0, 2, "0102", False),
    ]


def test_an_iteration_may_be_total_only_in_one_ladder_and_not_in_another(run_sql):
    rows = run_sql("published_iterations", ladder_id=2, given=NAMES)
    assert [(row[3], row[4]) for row in rows] == [("0101", False), ("0102", True)]
