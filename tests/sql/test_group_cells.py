"""group_cells: exact sex-by-age counts of the population groups with a sex-by-age table; broad and local as one."""

from collections import Counter

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from safetab_sql.sqlfiles import sql_files
from tests.conftest import declared_columns

HEADER = "population_group_id | stat_level | cell_position | exact_count\n-\n"

# From answers to cells, in the order of sql/2_catalog and sql/4_count.
CHAIN = (
    *("broad_cells", "broad_cell_regions", "member_answers"),
    *("cell_answers", "broad_answers", "broad_iterations", "broad_group_cells"),
    *("local_groups", "local_answers", "local_group_cells", "group_cells"),
)
CELL_REGIONS = [(1, 30), (2, 30), (3, 31), (1, 40), (2, 41), (3, 41), (1, 50), (2, 50)]  # cell 3 is not in 50
REGIONS = sorted({region for _, region in CELL_REGIONS})
ITERATIONS = [60, 61, 62]
STATISTICS = {1: (0, 0, 1), 2: (0, 1, 2)}  # the cell of each of three finest cells
# Ten statements an example: a failing one is shown as it came, for shrinking it would take minutes.
EXAMPLES = settings(max_examples=12, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
GROUPS = {(region, iteration): 10 * region + iteration % 10 for region in REGIONS for iteration in ITERATIONS}


def test_broad_and_local_cells_stand_side_by_side(run_sql):
    given_tables = {"broad_group_cells": f"{HEADER}7 | 1 | 0 | 3", "local_group_cells": f"{HEADER}8 | 2 | 5 | 4"}
    assert run_sql("group_cells", given=given_tables) == [(7, 1, 0, 3), (8, 2, 5, 4)]


def test_cells_with_nobody_are_absent(run_sql):
    assert run_sql("group_cells", given={"broad_group_cells": HEADER, "local_group_cells": HEADER}) == []


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
    """The three tables of cells, if `broad` regions are broad and the others local."""
    people, answer_iterations, chosen = case
    tables = {
        "members": written("members", people),
        "answer_iterations": written("answer_iterations", answer_iterations),
        "cell_regions": written("cell_regions", CELL_REGIONS),
        "region_breadth": written("region_breadth", [(region, region in broad) for region in REGIONS]),
        "chosen_groups": written("chosen_groups", [(GROUPS[key], *key, level) for key, level in chosen.items()]),
        "statistic_finest_cells": written(
            "statistic_finest_cells",
            [(level, finest, cell) for level, cells in STATISTICS.items() for finest, cell in enumerate(cells)],
        ),
    }
    made = {}
    for name in CHAIN:
        made[name] = run_sql(name, given={table: tables[table] for table in sql_files()[name].tables_read})
        tables[name] = written(name, made[name])
    return made


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


@pytest.mark.parametrize("broad", [REGIONS, [], [30, 31], [30, 31, 50]], ids=["broad", "local", "mixed", "mixed too"])
@EXAMPLES
@given(case=counted())
def test_counts_are_those_of_a_brute_force_whichever_regions_are_broad(run_sql, broad, case):
    assert counts(run_sql, case, broad)["group_cells"] == brute_force(case)


@EXAMPLES
@given(case=counted(), broad=st.sets(st.sampled_from(REGIONS)))
def test_a_group_is_counted_by_the_way_of_its_region_and_by_no_other(run_sql, case, broad):
    made = counts(run_sql, case, broad)
    found = [{row[0] // 10 for row in made[name]} for name in ("broad_group_cells", "local_group_cells")]
    assert found == [
        {region for region in {row[0] // 10 for row in brute_force(case)} if (region in broad) == is_broad}
        for is_broad in (True, False)
    ]
