"""person_groups: the regions and iterations that each person of a bucket is in, once each."""

from hashlib import md5

import pytest

GIVEN = {
    "record_tallies": """
        person_key | kept_place | geo_unit_id | finest_position | tally_id
        -----------+------------+-------------+-----------------+---------
               ann |          2 |           7 |               0 |        1
               ann |          2 |           7 |               0 |        4
               ann |          1 |           7 |               3 |        1
               ann |          1 |           7 |               3 |        7
               ann |          3 |           8 |               4 |        2
               ann |          3 |           8 |               4 |        2
               ann |          3 |           8 |               4 |     NULL
               ann |          3 |           8 |               4 |        4
    """,
    "iteration_tallies": """
        iteration_id | tally_id
        -------------+---------
                  10 | 1
                  20 | 1
                  20 | 2
                  30 | 4
                  31 | 7
    """,
    "geo_unit_regions": "geo_unit_id | region_key\n-\n7 | 100\n8 | 100\n8 | 200",
    "level_regions": "level_id | region_key | first_population_group_id\n-\n1 | 100 | 0\n2 | 200 | 50",
    "level_iterations": """
        level_id | iteration_id | iteration_position
        ---------+--------------+-------------------
               1 |           10 | 0
               1 |           20 | 1
               1 |           30 | 2
               1 |           31 | 3
               2 |           20 | 0
               2 |           30 | 1
    """,
}


@pytest.fixture
def groups(run_sql):
    def rows(bounds):
        return run_sql("person_groups", given=GIVEN, group_bounds=bounds)

    return rows


def test_a_person_is_in_a_group_once_in_the_cell_of_the_first_record_in_it(groups):
    found = {(region, iteration): cell for region, iteration, cell, _, _ in groups([])}
    assert found == {(100, 10): 3, (100, 20): 3, (100, 30): 0, (100, 31): 3, (200, 20): 4, (200, 30): 4}


def test_groups_are_bounded_at_each_level_by_a_hash_of_person_and_group(groups):
    counted = {(region, iteration) for region, iteration, _, _, is_counted in groups([2]) if is_counted}
    numbers = {number: (100, 10 * number + 10) for number in range(3)} | {3: (100, 31)}
    first = sorted(numbers, key=lambda number: int.from_bytes(md5(f"ann\x1f{number}".encode()).digest(), "little"))
    assert counted == {numbers[first[0]], numbers[first[1]], (200, 20), (200, 30)}
