"""The stability audit of nations and of software that are as they should be."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from safetab_sql.kit.errors import InputError
from tests import oracle
from tests.audit.stability import StabilityAudit, audit_stability, chosen_places
from tests.nations import Nation, oracle_inputs, sample_nation, write_nation
from tests.oracle import Cell, Row, Total
from tests.properties.drawn import examples, nations

EVERYBODY = 100  # more than any nation drawn here has


def audited(nation: Nation, people: int) -> StabilityAudit:
    with TemporaryDirectory() as folder:
        return audit_stability(write_nation(nation, Path(folder)), people)


# --- any nation ---


@examples(2)
@given(nations())
@pytest.mark.slow
def test_the_counts_of_any_nation_without_any_person_are_as_the_oracle_has_them(nation):
    """The audit replays the rendered SQL; the oracle, which knows no SQL, says in how many groups each person is."""
    audit = audited(nation, EVERYBODY)
    found = {level.name: level.most_changed for level in audit.levels}
    assert (found, audit.violations) == (most_changed(nation), ())


def most_changed(nation: Nation) -> dict[str, int]:
    """By level: the most totals that change when one person leaves, counted by the oracle."""
    levels = oracle_inputs(nation).levels
    sizes = [Counter(level for level, _ in total_changes(nation, person)) for person in requested(nation)]
    return {f"{kind}-{level}": max(size[f"{kind}-{level}"] for size in sizes) for kind, level in levels}


def requested(nation: Nation) -> list[Row]:
    """The people of the states that the run asks for."""
    states = {*oracle_inputs(nation).us_states, *(["72"] if nation.parameters["run_pr"] else [])}
    return [person for person in nation.persons if person["TABBLKST"] in states]


def total_changes(nation: Nation, person: Row) -> list[tuple[str, int]]:
    """Level and amount of each exact total that `person` adds to."""
    levels = {row["ITERATION_CODE"]: row["LEVEL"] for row in nation.iterations}
    before, after = (tables[0] for tables in with_and_without(nation, person))
    return [
        (f"{group[0]}-{levels[group[2]]}", before[group] - after[group])
        for group in before
        if before[group] != after[group]
    ]


def with_and_without(nation: Nation, person: Row) -> Sequence[tuple[dict[Total, int], dict[Cell, int]]]:
    others = list(nation.persons)
    others.remove(person)
    return [oracle.exact_tables(oracle_inputs(one)) for one in (nation, replace(nation, persons=others))]


# --- one nation ---


@pytest.fixture(scope="module")
def audit() -> StabilityAudit:
    return audited(sample_nation(), 6)


def test_as_many_people_are_left_out_as_were_asked_for(audit):
    assert audit.people == 6


def test_every_level_of_the_run_is_audited(audit):
    assert {level.name for level in audit.levels} == sample_nation().parameters["levels"].keys()


def test_no_level_changes_more_than_it_may(audit):
    assert audit.violations == ()


def test_the_audit_sees_people_in_several_groups_of_one_level(audit):
    assert max(level.most_changed for level in audit.levels) > 2


@pytest.mark.slow
def test_a_nation_of_one_person_is_audited():
    nation = sample_nation()
    somebody = next(person for person in nation.persons if person["TABBLKST"] == "72")
    alone = replace(nation, persons=[somebody]).with_parameters(run_us=False, state_filter_us=[])
    audit = audited(alone, 5)
    assert (audit.people, audit.violations) == (1, ())


@pytest.mark.slow
def test_inputs_are_refused_as_by_a_run(tmp_path):
    nation = sample_nation()
    paths = write_nation(replace(nation, blocks=[*nation.blocks, nation.blocks[0]]), tmp_path)
    with pytest.raises(InputError, match="place\\(s\\) listed more than once"):
        audit_stability(paths, 1)


# --- who is left out ---


@pytest.mark.parametrize(
    ("people", "places"),
    [(1, [1]), (2, [1, 10]), (3, [1, 2, 10]), (4, [1, 2, 6, 10]), (9, [1, 2, 3, 4, 5, 6, 7, 8, 10])],
)
def test_half_come_from_the_most_race_codes_and_the_others_are_evenly_spaced(people, places):
    assert chosen_places(people, 10) == places


@pytest.mark.parametrize("people", [10, 11, 1000])
def test_everybody_is_left_out_where_there_are_no_more(people):
    assert chosen_places(people, 10) == list(range(1, 11))


def test_nobody_is_left_out_of_nobody():
    assert chosen_places(5, 0) == []
