"""broad_answers: how many people of each broad cell gave each answer, by sex and age."""

# Cells 1 and 2 share a broad cell, cells 3 and 5 another, cell 4 lies in no broad region.
BROAD_CELLS = """
    geo_unit_id | broad_geo_unit_id
    --------+--------------
          1 |            10
          2 |            10
          3 |            11
          5 |            11
"""


def broad_answers(run_sql, *rows):
    member_answers = "geo_unit_id | finest_position | answer_id\n-\n" + "\n".join(rows)
    given = {"member_answers": member_answers, "broad_geo_units": BROAD_CELLS}
    return run_sql("broad_answers", given=given, first_geo_unit_id=1, last_geo_unit_id=4)


def test_people_of_cells_that_share_a_broad_cell_add_up(run_sql):
    assert broad_answers(run_sql, "1 | 0 | 5", "2 | 0 | 5", "2 | 0 | 5") == [(10, 5, 0, 3)]


def test_broad_cells_answers_and_finest_cells_are_counted_apart(run_sql):
    rows = broad_answers(run_sql, "1 | 0 | 5", "1 | 1 | 5", "1 | 0 | 6", "3 | 0 | 5")
    assert rows == [(10, 5, 0, 1), (10, 5, 1, 1), (10, 6, 0, 1), (11, 5, 0, 1)]


def test_a_person_in_no_broad_region_is_left_out(run_sql):
    assert broad_answers(run_sql, "4 | 0 | 5") == []


def test_people_of_cells_outside_the_slice_are_left_to_other_slices(run_sql):
    assert broad_answers(run_sql, "3 | 0 | 5", "5 | 0 | 5") == [(11, 5, 0, 1)]
