"""several_answers: the distinct answers with several race codes of the people of a slice."""

from tests.sql.packed import packed

HEADER = "geo_unit_id | codes_1_to_4 | codes_5_to_8\n-\n"


def several_answers(run_sql, *persons):
    """persons: geo unit and codes of each."""
    rows = ["{} | {} | {}".format(geo_unit, *packed(*codes)) for geo_unit, *codes in persons]
    given = {"persons": HEADER + "\n".join(rows)}
    return run_sql("several_answers", given=given)


def test_answers_that_differ_in_any_code_are_told_apart(run_sql):
    rows = several_answers(run_sql, (7, 1001, 1002), (7, 1001, 1002, 1003, 1004, 20), (7, 1001, 1003))
    assert [row[0] for row in rows] == [1, 2, 3]


def test_an_answer_that_two_people_give_stands_once(run_sql):
    rows = several_answers(run_sql, (7, 1001, 1002), (8, 1001, 1002))
    assert rows == [(1, *packed(1001, 1002))]


def test_whoever_gives_one_code_has_no_row(run_sql):
    assert several_answers(run_sql, (7, 1001)) == []


def test_whoever_has_no_geo_unit_has_no_row(run_sql):
    assert several_answers(run_sql, ("NULL", 1001, 1002)) == []
