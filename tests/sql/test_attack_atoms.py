"""attack_atoms: the finest pieces that are counted, with the sums of their people's record keys."""

CELLS = """
    unit_id | tally_id | finest_position | exact_count
    --------+----------+-----------------+------------
          1 |        3 |               7 |           2
          1 |        3 |               7 |           1
          1 |        4 |               7 |           1
          2 |        3 |               9 |           5
        900 |        3 |               7 |           8
"""
UNITS = "geo_unit_id\n-\n1\n2"
TALLIES = "iteration_id | tally_id | gives\n-\n10 | 3 | one\n10 | 4 | some\n11 | 3 | one"


def atoms(run_sql):
    given = {"unit_finest_cells": CELLS, "geo_units": UNITS, "iteration_tallies": TALLIES}
    return run_sql("attack_atoms", given=given)


def test_tallies_and_slices_add_up_and_broad_units_are_left_out(run_sql):
    assert [row[:4] for row in atoms(run_sql)] == [(1, 10, 7, 4), (1, 11, 7, 3), (2, 10, 9, 5), (2, 11, 9, 5)]


def test_the_same_people_have_the_same_keys_in_every_iteration(run_sql):
    keys = {row[:3]: row[4] for row in atoms(run_sql)}
    assert keys[2, 10, 9] == keys[2, 11, 9]
    assert keys[1, 10, 7] != keys[1, 11, 7]
