"""local_answers: which answers in which cells feed which sex-by-age tables of local population groups."""

# Answer 5 is in iteration 50, answer 6 in 50 and 60; in another slice they are other answers.
GIVEN = {
    "geo_unit_answers": """
        geo_unit_id | answer_id
        --------+----------
              1 |         5
              2 |         5
              2 |         6
              3 |         6
    """,
    "answer_iterations": """
        first_geo_unit_id | answer_id | iteration_id
        --------------+-----------+-------------
                    1 |         5 |           50
                    1 |         6 |           50
                    1 |         6 |           60
                    2 |         5 |           60
                    2 |         6 |           50
    """,
}


def local_answers(run_sql, *groups, first=1, last=9):
    header = "geo_unit_id | iteration_id | population_group_id | stat_level\n-\n"
    given = {**GIVEN, "local_groups": header + "\n".join(groups)}
    return run_sql("local_answers", given=given, first_geo_unit_id=first, last_geo_unit_id=last)


def test_every_answer_of_the_iteration_in_every_cell_of_the_group_feeds_it(run_sql):
    assert local_answers(run_sql, "1 | 50 | 7 | 1", "2 | 50 | 7 | 1") == [(1, 5, 7, 1), (2, 5, 7, 1), (2, 6, 7, 1)]


def test_answers_that_are_not_of_the_iteration_do_not_feed_the_group(run_sql):
    assert local_answers(run_sql, "2 | 60 | 8 | 1") == [(2, 6, 8, 1)]


def test_an_answer_may_feed_two_groups(run_sql):
    assert local_answers(run_sql, "3 | 50 | 9 | 1", "3 | 60 | 10 | 3") == [(3, 6, 9, 1), (3, 6, 10, 3)]


def test_answers_that_nobody_in_the_cell_gave_feed_no_group(run_sql):
    assert local_answers(run_sql, "1 | 60 | 8 | 1") == []


def test_cells_of_no_group_feed_none(run_sql):
    assert local_answers(run_sql) == []


def test_a_slice_has_the_answers_of_its_cells_alone(run_sql):
    groups = ["1 | 50 | 7 | 1", "2 | 50 | 7 | 1"]
    slices = [local_answers(run_sql, *groups, first=1, last=1), local_answers(run_sql, *groups, first=2, last=9)]
    assert slices == [[(1, 5, 7, 1)], [(2, 6, 7, 1)]]
