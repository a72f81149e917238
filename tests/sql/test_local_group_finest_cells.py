"""local_group_finest_cells: exact counts by finest cell of the local population groups with a sex-by-age table."""

import pytest

# Answer 5 in cells 1 and 2 feeds group 7 (statistic 1), answer 6 in cell 2 group 7 and group 8 (statistic 2).
GIVEN = {
    "local_answers": """
        geo_unit_id | answer_id | population_group_id | stat_level
        --------+-----------+---------------------+-----------
              1 |         5 |                   7 |          1
              2 |         5 |                   7 |          1
              2 |         6 |                   7 |          1
              2 |         6 |                   8 |          2
    """,
}


@pytest.fixture
def finest_cells(run_sql):
    """The rows of one slice, for people as "cell | finest cell | answer"."""

    def rows(*people, first=1, last=9):
        given = {**GIVEN, "member_answers": "geo_unit_id | finest_position | answer_id\n-\n" + "\n".join(people)}
        return run_sql("local_group_finest_cells", given=given, first_geo_unit_id=first, last_geo_unit_id=last)

    return rows


def test_the_cells_of_a_region_add_up(finest_cells):
    assert finest_cells("1 | 0 | 5", "2 | 0 | 5", "2 | 0 | 5") == [(7, 1, 0, 3)]


def test_finest_cells_stay_apart(finest_cells):
    assert finest_cells("1 | 0 | 5", "1 | 1 | 5") == [(7, 1, 0, 1), (7, 1, 1, 1)]


def test_a_person_counts_in_each_group_that_the_answer_feeds_by_its_own_statistic(finest_cells):
    assert finest_cells("2 | 1 | 6") == [(7, 1, 1, 1), (8, 2, 1, 1)]


def test_an_answer_counts_in_no_cell_where_it_feeds_no_group(finest_cells):
    assert finest_cells("1 | 0 | 6", "3 | 0 | 5") == []


def test_a_slice_counts_the_people_of_its_cells_alone(finest_cells):
    people = ["1 | 0 | 5", "2 | 0 | 5", "2 | 0 | 5"]
    slices = [finest_cells(*people, first=1, last=1), finest_cells(*people, first=2, last=9)]
    assert slices == [[(7, 1, 0, 1)], [(7, 1, 0, 2)]]


def test_finest_cells_with_nobody_are_absent(finest_cells):
    assert finest_cells() == []
