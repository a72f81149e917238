"""How the exact tables change when the nation does, whatever the nation."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.nations import RACE_PLACES, Nation, Tables
from tests.oracle import Row
from tests.properties.drawn import exact, examples, nations, people, published


@st.composite
def nations_and_somebody(draw: Callable[..., Any]) -> tuple[Nation, Row]:
    """A nation, and somebody with its codes who moves into one of its blocks."""
    nation = draw(nations())
    codes = sorted({person["QSPAN"] for person in nation.persons} | {code for _, code in nation.links})
    return nation, draw(people(nation.blocks, codes))


def _races(person: Row) -> list[str]:
    return [person[place] for place in RACE_PLACES if person[place] is not None]


def _with_races(person: Row, races: list[str]) -> Row:
    return {**person, **dict(zip(RACE_PLACES, [*races, *[None] * (8 - len(races))], strict=True))}


@examples(2)
@given(nations_and_somebody())
def test_one_more_person_adds_one_to_at_most_stability_totals_of_each_level(nation_and_somebody):
    """The stability is the ledger's: the one that the noise was scaled to."""
    nation, somebody = nation_and_somebody
    before = published(nation)
    after = published(replace(nation, persons=[*nation.persons, somebody]))
    changes = _changes(nation, before, after)
    most = max(Counter(level for level, _ in changes).items(), key=lambda item: item[1], default=(None, 0))
    assert before.t1.keys() == after.t1.keys()
    assert all(change == 1 for _, change in changes)
    assert most[0] is None or most[1] <= before.stabilities[most[0]]


def _changes(nation: Nation, before: Tables, after: Tables) -> list[tuple[str, int]]:
    """Level and change of every total that changed."""
    levels = {row["ITERATION_CODE"]: row["LEVEL"] for row in nation.iterations}
    return [
        (f"{group[0]}-{levels[group[2]]}", count - before.t1[group])
        for group, count in after.t1.items()
        if count != before.t1[group]
    ]


@pytest.mark.slow
@examples(2)
@given(nations())
def test_renaming_states_and_counties_renames_their_rows_and_nothing_else(nation):
    """The new names sort in another order than the old ones."""
    states, counties = {"01": "56", "02": "04"}, {"001": "840", "003": "105"}

    def renamed(row: Row) -> Row:
        state = states.get(row["TABBLKST"], row["TABBLKST"])
        return {**row, "TABBLKST": state, "TABBLKCOU": counties[row["TABBLKCOU"]]}

    def renamed_region(key: tuple[str, ...]) -> tuple[str, ...]:
        kind, region, *rest = key
        if kind in ("USA", "AIANNH"):
            return key
        state, inner = states.get(region[:2], region[:2]), region[2:]
        if kind.endswith(("COUNTY", "TRACT")):
            inner = counties[inner[:3]] + inner[3:]
        return kind, state + inner, *rest

    moved = replace(nation, persons=list(map(renamed, nation.persons)), blocks=list(map(renamed, nation.blocks)))
    moved = moved.with_parameters(state_filter_us=[states[state] for state in nation.parameters["state_filter_us"]])
    wanted = [{renamed_region(key): count for key, count in table.items()} for table in _counts(exact(nation))]
    assert _counts(exact(moved)) == tuple(wanted)


@examples(2)
@given(nations(), st.integers(0, 12))
@pytest.mark.slow
def test_the_tables_of_two_extracts_add_up_to_those_of_both_together(nation, cut):
    # The last people are one of each state: a state without anybody would be refused.
    states = len({block["TABBLKST"] for block in nation.blocks})
    others, everywhere = nation.persons[:-states], nation.persons[-states:]
    first, second = [*others[:cut], *everywhere], [*others[cut:], *everywhere]
    one, two, both = (_counts(exact(replace(nation, persons=people))) for people in (first, second, first + second))
    assert both == tuple({key: one[table][key] + two[table][key] for key in both[table]} for table in (0, 1))


@pytest.mark.slow
@examples(2)
@given(nations())
def test_a_race_code_that_stands_twice_counts_once(nation):
    nation = nation.with_parameters(max_race_codes=8)
    stuttering = [_with_races(person, (_races(person) + _races(person)[:1])[:8]) for person in nation.persons]
    assert _counts(exact(replace(nation, persons=stuttering))) == _counts(exact(nation))


def _counts(tables: Tables) -> tuple[dict[Any, int], dict[Any, int]]:
    return tables.t1, tables.t2
