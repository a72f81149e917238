"""geo_unit_finest_cells, after the statements of tallies and codes: from people to the iterations they belong to."""

from collections import Counter

import pytest

from safetab_sql.kit.sqlfiles import sql_files
from tests.conftest import declared_columns
from tests.sql.packed import packed

# Iterations 1 and 2 hold codes 10 and 20, alone and in combination; 3 holds 30 in combination; 4 is an ethnicity; 7
# holds 10, 20 and 30, alone: code 10 is in two alone iterations.
CODE_ITERATIONS = """
    code | iteration_id | iteration_kind
    -----+--------------+---------------
      10 |            1 |          alone
      20 |            1 |          alone
      10 |            2 |    combination
      20 |            2 |    combination
      30 |            3 |    combination
      40 |            4 |      ethnicity
      10 |            5 |      ethnicity
      40 |            6 |    combination
      10 |            7 |          alone
      20 |            7 |          alone
      30 |            7 |          alone
"""
HEADER = "geo_unit_id | finest_position | codes_1_to_4 | codes_5_to_8 | ethnicity_code\n-\n"
STATEMENTS = (
    *("iteration_tallies", "code_tallies"),
    *("several_people", "several_tallies", "geo_unit_finest_cells"),
)
FINELY = "iteration_id\n-\n1\n2\n3\n4\n5\n6\n7"


def person(*codes, geo_unit=1, finest=0, ethnicity=99):
    """A row of persons."""
    first, last = packed(*codes)
    return f"{geo_unit} | {finest} | {first} | {last} | {ethnicity}"


def as_text(row):
    """A row of a literal table."""
    return " | ".join(str(value).replace("None", "NULL") for value in row)


def by_iteration(cells, iteration_tallies):
    """The counts of tallies, added up to those of iterations."""
    counts = Counter()
    for unit, tally, finest, count in cells:
        for iteration in [iteration for iteration, _, each, _ in iteration_tallies if each == tally]:
            counts[unit, iteration, finest] += count
    return sorted((*key, count) for key, count in counts.items())


@pytest.fixture
def cells(run_sql):
    """The counts of some people by geo unit, iteration and finest cell."""

    def rows(*people):
        given = {
            "persons": HEADER + "\n".join(people),
            "code_iterations": CODE_ITERATIONS,
            "finely_counted_iterations": FINELY,
        }
        tables = {}
        for name in STATEMENTS:
            file = sql_files()[name]
            tables[name] = run_sql(name, given={table: given[table] for table in file.tables_read if table in given})
            columns = " | ".join(declared_columns(name, {}))
            given[name] = f"{columns}\n-\n" + "\n".join(map(as_text, tables[name]))
        return by_iteration(tables["geo_unit_finest_cells"], tables["iteration_tallies"])

    return rows


@pytest.fixture
def iterations(cells):
    """Iterations of one person."""
    return lambda *codes, ethnicity=99: [row[1] for row in cells(person(*codes, ethnicity=ethnicity))]


def test_one_code_is_in_the_alone_and_the_combination_iterations_that_hold_it(iterations):
    assert iterations(10) == [1, 2, 7]


def test_alone_needs_every_code(iterations):
    assert 1 not in iterations(10, 30)


def test_two_codes_of_one_iteration_are_in_it_once(cells):
    assert cells(person(10, 20)) == [(1, 1, 0, 1), (1, 2, 0, 1), (1, 7, 0, 1)]


@pytest.mark.parametrize("codes", [(10, 10), (10, 10, 10), (10,) * 8], ids=len)
def test_a_code_that_is_given_twice_counts_once(cells, codes):
    assert cells(person(*codes)) == [(1, 1, 0, 1), (1, 2, 0, 1), (1, 7, 0, 1)]


@pytest.mark.parametrize("codes", [(10, 99), (99, 10), (10, 20, 99)], ids=str)
def test_a_code_in_no_iteration_bars_alone_iterations(iterations, codes):
    assert iterations(*codes) == [2]


def test_an_ethnicity_code_is_in_the_ethnicity_iterations_that_hold_it(iterations):
    assert iterations(99, ethnicity=40) == [4]


def test_people_of_one_geo_unit_and_finest_cell_add_up_and_others_stay_apart(cells):
    people = [person(30, 50), person(30, 99), person(30, 50, finest=1), person(30, 50, geo_unit=2)]
    assert cells(*people) == [(1, 3, 0, 2), (1, 3, 1, 1), (2, 3, 0, 1)]


def test_people_without_a_geo_unit_are_not_counted(cells):
    assert cells(person(30, geo_unit="NULL"), person(30, 10, geo_unit="NULL")) == []
