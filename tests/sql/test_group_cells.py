"""group_cells: exact counts of the cells of every table that a population group gets."""

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from safetab_sql.kit.sqlfiles import sql_files
from tests.conftest import declared_columns
from tests.properties.drawn import SOAK
from tests.sql.test_people import packed

HEADER = "population_group_id | finest_position | exact_count\n"
# Statistic 1 tells finest cells 0 and 1 from 2; statistic 2 tells all three apart.
STATISTIC_FINEST_CELLS = """
    statistic_id | finest_position | cell_position
               1 |               0 |             0
               1 |               1 |             0
               1 |               2 |             1
               2 |               0 |             0
               2 |               1 |             1
               2 |               2 |             2
"""
# From people to totals and cells, in the order of sql/run.
CHAIN = (
    *("iteration_tallies", "code_tallies", "broad_geo_units", "unit_regions"),
    *("several_people", "several_tallies", "geo_unit_finest_cells"),
    *("unit_finest_cells", "unit_tallies", "slice_totals", "group_totals"),
    *("unit_groups", "group_finest_cells", "group_cells"),
)
UNIT_REGIONS = [(1, 30), (2, 30), (3, 31), (1, 40), (2, 41), (3, 41), (1, 50), (2, 50)]  # geo unit 3 is not in 50
REGIONS = sorted({region for _, region in UNIT_REGIONS})
KINDS = {60: "combination", 61: "alone", 62: "ethnicity", 63: "combination", 64: "alone"}
EVERY_GROUP = {"first_population_group_id": 0, "end_population_group_id": 10_000}
UNIT_RANGES = [{"first_unit_id": 0, "end_unit_id": 2}, {"first_unit_id": 2, "end_unit_id": 10_000}]
STATISTICS = {1: (0, 0, 1), 2: (0, 1, 2)}  # the cell of each of three finest cells
# A dozen statements an example: a failing one is shown as it came, for shrinking it would take minutes.
EXAMPLES = settings(max_examples=3 * SOAK, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
GROUPS = {(region, iteration): 10 * region + iteration % 10 for region in REGIONS for iteration in KINDS}


@pytest.fixture
def group_cells(run_sql):
    def rows(*finest_cells, statistics=(1,)):
        chosen = [f"1 | 7 | {statistic}" for statistic in statistics]
        given_tables = {
            "stat_levels": "\n".join(["level_id | population_group_id | statistic_id", *chosen]),
            "group_finest_cells": HEADER + "\n".join(finest_cells),
            "statistic_finest_cells": STATISTIC_FINEST_CELLS,
        }
        return run_sql("group_cells", given=given_tables)

    return rows


@st.composite
def counted(draw):
    """People (geo unit, finest cell, race codes, ethnicity code), codes of iterations, chosen groups.

    The lists are hostile: a code may be in several iterations of a kind, or in none; a person may give a code twice.
    """
    codes = st.sampled_from([10, 20, 30])
    answers = st.tuples(st.sampled_from([1, 2, 3]), st.integers(0, 2), st.lists(codes, min_size=1, max_size=8), codes)
    people = draw(st.lists(answers, max_size=12))
    links = draw(st.sets(st.tuples(codes, st.sampled_from(sorted(KINDS)))))
    chosen = draw(st.dictionaries(st.sampled_from(sorted(GROUPS)), st.sampled_from(sorted(STATISTICS)), min_size=1))
    return people, sorted(links), chosen


def drawn(table, rows):
    texts = [["NULL" if value is None else str(value).replace("None", "NULL") for value in row] for row in rows]
    return "\n".join([" | ".join(table), *map(" | ".join, texts)])


def written(table, rows):
    return drawn(declared_columns(table, {}), rows)


def counts(run_sql, case, broad):
    """Every table on the way, if `broad` regions are broad and the others local."""
    people, links, chosen = case
    tables = {
        "code_iterations": written("code_iterations", [(*link, KINDS[link[1]]) for link in links]),
        "finely_counted_iterations": drawn(["iteration_id"], [(iteration,) for iteration in KINDS]),
        "geo_units": drawn(["geo_unit_id"], [(1,), (2,), (3,)]),
        "geo_unit_regions": written("geo_unit_regions", UNIT_REGIONS),
        "region_breadth": written("region_breadth", [(region, region in broad) for region in REGIONS]),
        "level_regions": drawn(
            ["level_id", "region_key", "first_population_group_id"], [(1, region, 10 * region) for region in REGIONS]
        ),
        "level_iterations": drawn(
            ["level_id", "iteration_id", "iteration_position"], [(1, iteration, iteration % 10) for iteration in KINDS]
        ),
        "chosen_groups": written("chosen_groups", [(GROUPS[key], *key) for key in chosen]),
        "stat_levels": written("stat_levels", [(1, GROUPS[key], statistic) for key, statistic in chosen.items()]),
        "statistic_finest_cells": written(
            "statistic_finest_cells",
            [(level, finest, cell) for level, cells in STATISTICS.items() for finest, cell in enumerate(cells)],
        ),
    }
    persons = [(unit, cell, *packed(*codes), other) for unit, cell, codes, other in people]
    slices = [persons[: len(persons) // 2], persons[len(persons) // 2 :]]
    made = {}
    for is_sliced, names in groupby(CHAIN, key=lambda name: sql_files()[name].kind in ("slice", "slices")):
        together = list(names)
        for number, rows_of_slice in enumerate(slices if is_sliced else [persons]):
            tables["persons"] = written("persons", rows_of_slice)
            for name in together:
                rows = rows_of(run_sql, name, tables, UNIT_RANGES[number])
                is_added = number > 0 and sql_files()[name].kind == "slices"
                made[name] = made[name] + rows if is_added else rows
                tables[name] = written(name, made[name])
    return made


def rows_of(run_sql, name, tables, units):
    """The rows of one statement, of all groups. units: the range of counting units."""
    file, values = sql_files()[name], {**EVERY_GROUP, **units}
    asked = {parameter: value for parameter, value in values.items() if parameter in file.parameters}
    return run_sql(name, given={table: tables[table] for table in file.tables_read if table in tables}, **asked)


def belongs(iteration, links, codes, ethnicity):
    """Whether somebody with these codes is in the iteration."""
    held = {code for code, of in links if of == iteration}
    return {"combination": not held.isdisjoint(codes), "alone": held.issuperset(codes), "ethnicity": ethnicity in held}[
        KINDS[iteration]
    ]


def groups_of(person, links):
    unit, _, *answers = person
    return [key for key in GROUPS if (unit, key[0]) in UNIT_REGIONS and belongs(key[1], links, *answers)]


def brute_force_cells(case):
    people, links, chosen = case
    cells = Counter(
        (GROUPS[key], chosen[key], STATISTICS[chosen[key]][person[1]])
        for person in people
        for key in groups_of(person, links)
        if key in chosen
    )
    return sorted((*key, count) for key, count in cells.items())


@pytest.mark.parametrize("broad", [REGIONS, [], [30, 31, 50]], ids=["broad", "local", "mixed"])
@EXAMPLES
@given(case=counted())
@pytest.mark.each_time("mixed")
def test_counts_are_those_of_a_brute_force_whichever_regions_are_broad(run_sql, broad, case):
    (people, links, _), made = case, counts(run_sql, case, broad)
    totals = Counter(GROUPS[key] for person in people for key in groups_of(person, links))
    assert (made["group_totals"], made["group_cells"]) == (sorted(totals.items()), brute_force_cells(case))
