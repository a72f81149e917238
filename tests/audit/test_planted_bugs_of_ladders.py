"""Bugs planted in the statements of other countries and of households: the stability audit finds each.

As in test_planted_bugs.py, the package reads a copy of sql/ in which one statement says something else.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from safetab_sql.public.inputs import InputPaths
from tests.audit.stability import StabilityAudit, audit_stability
from tests.audit.test_planted_bugs import (
    CELLS_BY_OTHER_THAN_ONE,
    NOT_ONE_CELL,
    TOTALS_BY_OTHER_THAN_ONE,
    levels_of,
    plant,
)
from tests.golden.test_households import ORACLE, households
from tests.golden.test_ladders import EXAMPLES, made
from tests.properties.test_questions import records, written

pytestmark = pytest.mark.skipif(
    not (EXAMPLES.is_dir() and ORACLE.is_dir()), reason="the shared folder with the examples is absent"
)
__all__ = ["plant"]  # the fixture
INPUTS: dict[str, Callable[[Path], InputPaths]] = {
    "norland": lambda folder: made("norland", folder),
    "hospitals": lambda folder: made("hospitals", folder),
    "households": households,
}
LARGEST = {"norland": 2, "hospitals": 1}  # of the groups of a level that somebody who is left out is in


def audited(name: str, folder: Path, people: int = 2) -> StabilityAudit:
    return audit_stability(INPUTS[name](folder), people)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hospitals", "norland", "households"])
def test_each_example_passes_without_a_bug(name, tmp_path):
    audit = audited(name, tmp_path, people=6 if name == "norland" else 2)
    assert audit.violations == ()
    assert all(level.most_changed <= level.bound for level in audit.levels)
    reached = max(level.most_changed for level in audit.levels)
    assert reached == LARGEST.get(name, reached) > 0


CHOICE = "though published totals pick them"
# Statement, text, text in its place.
OVERLAPPING_GROUPS = (  # each value is in two groups of its grouping
    "statistic_finest_cells",
    "unnest(cast($cell_positions as integer[])) as cell_position",
    "unnest(cast($cell_positions as integer[])) + copies.copy as cell_position\n"
    "from (select unnest([0, 1]) as copy) as copies",
)
EVERY_STATISTIC = ("group_cells", "stat_levels.statistic_id = statistic_finest_cells.statistic_id\n        and ", "")
DOUBLED_JOIN = (
    "persons",
    "left join finest_values",
    "inner join (select unnest([1, 2]) as copy) as copies on true\nleft join finest_values",
)
EVERY_VALUE = ("persons", '{{ attribute_numbers | equal("person_numbers", "finest_values") }}', "true")
OTHER_UNITS = ("group_finest_cells", "unit_finest_cells.unit_id = unit_groups.unit_id\n        and ", "")
CHOICE_BY_EXACT_TOTALS = (
    *("selected_groups", "when ladder_iterations.is_total_only then 0"),
    "when ladder_iterations.is_total_only or (select count(*) % 2 = 1 from person_numbers) then 0",
)
BUGS = {
    "hospitals: a join counts everybody twice": ("hospitals", DOUBLED_JOIN, "ALL-1", TOTALS_BY_OTHER_THAN_ONE),
    "hospitals: a group meets the cells of every statistic": (
        *("hospitals", EVERY_STATISTIC, "ALL-1", CELLS_BY_OTHER_THAN_ONE),
    ),
    "hospitals: a group meets people of other hospitals": (
        *("hospitals", OTHER_UNITS, "ALL-1", CELLS_BY_OTHER_THAN_ONE),
    ),
    "norland: residents meet every value": ("norland", EVERY_VALUE, "COUNTRY-people", TOTALS_BY_OTHER_THAN_ONE),
    "norland: a group meets the cells of every statistic": (
        *("norland", EVERY_STATISTIC, "COUNTRY-people", NOT_ONE_CELL),
    ),
    "norland: groups of a grouping overlap": ("norland", OVERLAPPING_GROUPS, "COUNTRY-people", NOT_ONE_CELL),
    "households: groups of a grouping overlap": ("households", OVERLAPPING_GROUPS, "STATE-2", NOT_ONE_CELL),
    "households: a join counts everybody twice": ("households", DOUBLED_JOIN, "STATE-1", TOTALS_BY_OTHER_THAN_ONE),
    "households: a group meets the cells of both ladders": (
        *("households", EVERY_STATISTIC, "STATE-2", CELLS_BY_OTHER_THAN_ONE),
    ),
    "households: the choice reads records": ("households", CHOICE_BY_EXACT_TOTALS, "totals", CHOICE),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "bug", "level", "words"), BUGS.values(), ids=BUGS)
@pytest.mark.planted("joins-that-multiply", "post-processing-that-peeks")
def test_the_audit_finds_a_bug_in_the_statements_of_each_example(name, bug, level, words, plant, tmp_path):
    plant(*bug)
    audit = audited(name, tmp_path)
    assert level in levels_of(audit, words), audit.violations


@pytest.mark.slow
def test_a_language_for_every_code_of_an_ancestry_is_found(tmp_path, plant):
    inputs = written(tmp_path, records(60))
    second = "persons.{{ question.second }}"
    plant("geo_unit_finest_cells", second, "persons.codes_5_to_8, 4")
    audit = audit_stability(inputs, 8)
    found = {text.partition(":")[0] for text in audit.violations}
    assert found == {"COUNTRY-1", "COUNTRY-2", "COUNTRY-language", "PROVINCE-1", "PROVINCE-language"}
