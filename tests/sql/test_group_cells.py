"""group_cells: exact sex-by-age counts of the population groups with a sex-by-age table; broad and local as one."""

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from safetab_sql.kit.sqlfiles import sql_files
from tests.conftest import declared_columns
from tests.properties.drawn import SOAK

HEADER = "population_group_id | stat_level | finest_position | exact_count\n-\n"
# Statistic 1 tells finest cells 0 and 1 from 2; statistic 2 tells all three apart.
STATISTIC_FINEST_CELLS = """
    stat_level | finest_position | cell_position
    -----------+-----------------+--------------
             1 |               0 |             0
             1 |               1 |             0
             1 |               2 |             1
             2 |               0 |             0
             2 |               1 |             1
             2 |               2 |             2
"""

# From answers to cells, in the order of sql/run/2_catalog and sql/run/5_tables.
CHAIN = (
    *("broad_geo_units", "broad_geo_unit_regions", "member_answers"),
    *("geo_unit_answers", "broad_answers", "broad_iterations", "broad_group_finest_cells"),
    *("local_groups", "local_answers", "local_group_finest_cells", "group_cells"),
)
CELL_REGIONS = [(1, 30), (2, 30), (3, 31), (1, 40), (2, 41), (3, 41), (1, 50), (2, 50)]  # cell 3 is not in 50
REGIONS = sorted({region for _, region in CELL_REGIONS})
ITERATIONS = [60, 61, 62]
SLICES = [{"first_geo_unit_id": 1, "last_geo_unit_id": 2}, {"first_geo_unit_id": 3, "last_geo_unit_id": 4}]
STATISTICS = {1: (0, 0, 1), 2: (0, 1, 2)}  # the cell of each of three finest cells
# Ten statements an example: a failing one is shown as it came, for shrinking it would take minutes.
EXAMPLES = settings(max_examples=3 * SOAK, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
GROUPS = {(region, iteration): 10 * region + iteration % 10 for region in REGIONS for iteration in ITERATIONS}


@pytest.fixture
def group_cells(run_sql):
    def rows(broad=(), local=()):
        given_tables = {
            "broad_group_finest_cells": HEADER + "\n".join(broad),
            "local_group_finest_cells": HEADER + "\n".join(local),
            "statistic_finest_cells": STATISTIC_FINEST_CELLS,
        }
        return run_sql("group_cells", given=given_tables)

    return rows


def test_broad_and_local_cells_stand_side_by_side(group_cells):
    assert group_cells(broad=["7 | 1 | 0 | 3"], local=["8 | 2 | 2 | 4"]) == [(7, 1, 0, 3), (8, 2, 2, 4)]


def test_finest_cells_of_one_bin_add_up_and_others_stay_apart(group_cells):
    assert group_cells(broad=["7 | 1 | 0 | 3", "7 | 1 | 1 | 4", "7 | 1 | 2 | 5"]) == [(7, 1, 0, 7), (7, 1, 1, 5)]


def test_a_finer_statistic_keeps_finest_cells_apart(group_cells):
    assert group_cells(broad=["7 | 2 | 0 | 3", "7 | 2 | 1 | 4"]) == [(7, 2, 0, 3), (7, 2, 1, 4)]


def test_the_slices_of_a_local_group_add_up(group_cells):
    assert group_cells(local=["8 | 2 | 2 | 4", "8 | 2 | 2 | 1"]) == [(8, 2, 2, 5)]


def test_cells_with_nobody_are_absent(group_cells):
    assert group_cells() == []


@st.composite
def counted(draw):
    """People (cell, finest cell, race answer, ethnicity answer), iterations of answers, chosen groups."""
    races, ethnicities = st.sampled_from([1, 2, 3]), st.sampled_from([4, 5])
    people = draw(st.lists(st.tuples(st.sampled_from([1, 2, 3]), st.integers(0, 2), races, ethnicities), max_size=12))
    # No iteration mixes the two questions.
    in_race = draw(st.sets(st.tuples(races, st.sampled_from(ITERATIONS[:2]))))
    in_ethnicity = draw(st.sets(st.tuples(ethnicities, st.just(ITERATIONS[2]))))
    chosen = draw(st.dictionaries(st.sampled_from(sorted(GROUPS)), st.sampled_from(sorted(STATISTICS)), min_size=1))
    return people, sorted(in_race | in_ethnicity), chosen


def drawn(table, rows):
    """The rows as a literal table."""
    return "\n".join([" | ".join(table), "-", *(" | ".join(map(str, row)) for row in rows)])


def written(table, rows):
    return drawn(declared_columns(table, {}), rows)


def counts(run_sql, case, broad):
    """Every table on the way, if `broad` regions are broad and the others local."""
    people, answer_iterations, chosen = case
    tables = {
        "members": written("members", people),
        "answer_iterations": written(
            "answer_iterations",
            [(values["first_geo_unit_id"], *row) for values in SLICES for row in answer_iterations],
        ),
        "geo_unit_regions": written("geo_unit_regions", CELL_REGIONS),
        "region_breadth": written("region_breadth", [(region, region in broad) for region in REGIONS]),
        "chosen_groups": written("chosen_groups", [(GROUPS[key], *key, level) for key, level in chosen.items()]),
        "statistic_finest_cells": written(
            "statistic_finest_cells",
            [(level, finest, cell) for level, cells in STATISTICS.items() for finest, cell in enumerate(cells)],
        ),
    }
    made = {}
    for is_sliced, names in groupby(CHAIN, key=lambda name: sql_files()[name].kind in ("slice", "slices")):
        together = list(names)
        for number, values in enumerate(SLICES if is_sliced else [{}]):
            for name in together:
                rows = rows_of(run_sql, name, tables, values)
                is_added = number > 0 and sql_files()[name].kind == "slices"
                made[name] = made[name] + rows if is_added else rows
                tables[name] = written(name, made[name])
    return made


def rows_of(run_sql, name, tables, values):
    """The rows of one statement; of the slice that `values` name, where it asks for them."""
    file = sql_files()[name]
    asked = {parameter: values[parameter] for parameter in file.parameters}
    return run_sql(name, given={table: tables[table] for table in file.tables_read}, **asked)


def brute_force(case):
    """The cells with people, person by person."""
    people, answer_iterations, chosen = case
    cells = Counter(
        (GROUPS[region, iteration], stat_level, STATISTICS[stat_level][finest])
        for (region, iteration), stat_level in chosen.items()
        for cell, finest, *answers in people
        if (cell, region) in CELL_REGIONS and any((answer, iteration) in answer_iterations for answer in answers)
    )
    return sorted((*key, count) for key, count in cells.items())


@pytest.mark.parametrize("broad", [REGIONS, [], [30, 31, 50]], ids=["broad", "local", "mixed"])
@EXAMPLES
@given(case=counted())
@pytest.mark.each_time("mixed")
def test_counts_are_those_of_a_brute_force_whichever_regions_are_broad(run_sql, broad, case):
    assert counts(run_sql, case, broad)["group_cells"] == brute_force(case)


@EXAMPLES
@given(case=counted(), broad=st.sets(st.sampled_from(REGIONS)))
def test_a_group_is_counted_by_the_way_of_its_region_and_by_no_other(run_sql, case, broad):
    made = counts(run_sql, case, broad)
    found = [{row[0] // 10 for row in made[name]} for name in ("broad_group_finest_cells", "local_group_finest_cells")]
    assert found == [
        {region for region in {row[0] // 10 for row in brute_force(case)} if (region in broad) == is_broad}
        for is_broad in (True, False)
    ]
