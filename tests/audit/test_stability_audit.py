"""The stability audit of nations and of software that are as they should be; rows come of public files alone."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracle
from tests.audit.stability import StabilityAudit, audit_stability, chosen_places
from tests.nations import Nation, Tables, oracle_inputs, sample_nation, write_nation
from tests.oracle import Cell, Row, Total
from tests.properties.drawn import examples, nations, people, published

EVERYBODY = 100  # more than any nation drawn here has


def audited(nation: Nation, people: int) -> StabilityAudit:
    with TemporaryDirectory() as folder:
        return audit_stability(write_nation(nation, Path(folder)), people)


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


@pytest.fixture(scope="module")
def audit() -> StabilityAudit:
    return audited(sample_nation(), 1)


def test_no_level_changes_more_than_it_may_and_people_are_in_several_groups_of_one(audit):
    assert (audit.people, audit.violations) == (1, ())
    assert {level.name for level in audit.levels} == sample_nation().parameters["levels"].keys()
    assert max(level.most_changed for level in audit.levels) > 2


@pytest.mark.parametrize(
    ("people", "places"),
    [(1, [1]), (2, [1, 10]), (3, [1, 2, 10]), (4, [1, 2, 6, 10]), (9, [1, 2, 3, 4, 5, 6, 7, 8, 10])],
)
def test_half_come_from_the_most_race_codes_and_the_others_are_evenly_spaced(people, places):
    assert chosen_places(people, 10) == places


FAR = 10**9  # persons; no noisy total comes near


def at_stat_level(nation: Nation, stat_level: int) -> Nation:
    """Nothing is suppressed, and every population group that may have a table gets that of `stat_level`."""
    thresholds = [-FAR] * stat_level + [FAR] * (3 - stat_level)
    levels = {name: {**level, "thresholds": thresholds} for name, level in nation.parameters["levels"].items()}
    return nation.with_parameters(zero_suppression_chance=0, levels=levels)


def rows(tables: Tables) -> tuple[set[Any], set[Any]]:
    return set(tables.t1), set(tables.t2)


@st.composite
def two_extracts(draw: Callable[..., Any]) -> tuple[Nation, Nation]:
    """Two nations that share all public files and, but for one person a state, nobody."""
    nation = draw(nations())
    codes = sorted({person["QSPAN"] for person in nation.persons} | {code for _, code in nation.links})
    states = {block["TABBLKST"] for block in nation.blocks}
    everywhere: list[Row] = nation.persons[-len(states) :]
    others = draw(st.lists(people(nation.blocks, codes), max_size=8))
    return nation, replace(nation, persons=[*others, *everywhere])


@examples(2)
@given(two_extracts(), st.integers(0, 3))
@pytest.mark.slow
def test_any_two_extracts_have_the_same_rows_without_suppression(extracts, stat_level):
    one, other = (published(at_stat_level(nation, stat_level)) for nation in extracts)
    assert rows(one) == rows(other)
