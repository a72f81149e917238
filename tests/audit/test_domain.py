"""Which rows may be published is read from public files, never from records."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.nations import Nation, Tables, sample_nation
from tests.oracle import Row, age_bins
from tests.properties.drawn import exact, examples, nations, people, published

FAR = 10**9  # persons; no noisy total comes near

NATION = sample_nation(200)


def without(nation: Nation, **where: str) -> Nation:
    """The nation with nobody in some region."""
    stays = [person for person in nation.persons if any(person[name] != code for name, code in where.items())]
    assert len(stays) < len(nation.persons), "somebody lived there"
    return replace(nation, persons=stays)


def with_one_person_a_state(nation: Nation) -> Nation:
    """The fewest people that validation lets a run of three states have."""
    first = {person["TABBLKST"]: person for person in reversed(nation.persons)}
    return replace(nation, persons=list(first.values()))


def of_puerto_rico_alone(nation: Nation) -> Nation:
    return nation.with_parameters(run_us=False, state_filter_us=[])


def with_one_person(nation: Nation) -> Nation:
    alone = next(person for person in nation.persons if person["TABBLKST"] == "72")
    return replace(nation, persons=[alone])


FULL = {"three-states": NATION, "puerto-rico": of_puerto_rico_alone(NATION)}
EXTRACTS = {
    "nobody-in-a-county": ("three-states", without(NATION, TABBLKST="02", TABBLKCOU="005")),
    "nobody-in-a-tract": ("three-states", without(NATION, TABBLKST="01", TABBLKCOU="001", TABTRACTCE="000200")),
    "one-person-a-state": ("three-states", with_one_person_a_state(NATION)),
    "one-person": ("puerto-rico", with_one_person(of_puerto_rico_alone(NATION))),
}
SPARSE_EXTRACT = pytest.mark.parametrize(("full", "extract"), EXTRACTS.values(), ids=EXTRACTS)


@cache
def possible(full: str) -> tuple[set[Any], set[Any]]:
    """The rows of the exact tables with everybody there: all that any run of these public files might publish."""
    return rows(exact(FULL[full]))


def at_stat_level(nation: Nation, stat_level: int) -> Nation:
    """Nothing is suppressed, and every population group that may have a table gets that of `stat_level`."""
    thresholds = [-FAR] * stat_level + [FAR] * (3 - stat_level)
    levels = {name: {**level, "thresholds": thresholds} for name, level in nation.parameters["levels"].items()}
    return nation.with_parameters(zero_suppression_chance=0, levels=levels)


def rows(tables: Tables) -> tuple[set[Any], set[Any]]:
    return set(tables.t1), set(tables.t2)


@SPARSE_EXTRACT
@pytest.mark.each_time("nobody-in-a-tract")
@pytest.mark.slow
def test_the_possible_rows_do_not_depend_on_where_people_live(full, extract):
    assert rows(exact(extract)) == possible(full)


@pytest.mark.parametrize(
    ("name", "stat_level"),
    [
        *((name, 3) for name in EXTRACTS),
        ("one-person-a-state", 0),
        ("nobody-in-a-tract", 2),
        *(pytest.param(name, 0, marks=pytest.mark.slow) for name in EXTRACTS if name != "one-person-a-state"),
        *(pytest.param(name, 2, marks=pytest.mark.slow) for name in EXTRACTS if name != "nobody-in-a-tract"),
    ],
)
@pytest.mark.each_time("nobody-in-a-tract-3", "one-person-a-state-0")
@pytest.mark.slow
def test_without_suppression_every_row_that_a_stat_level_has_is_published(name, stat_level):
    """T1 is the whole domain; T2 has all cells and marginals of each group that may have a table, people or not."""
    full, extract = EXTRACTS[name]
    totals, cells = possible(full)
    groups = {cell[:3] for cell in cells} if stat_level > 0 else set()
    bins = [(str(start), str(end)) for start, end in age_bins(stat_level)] if stat_level > 0 else []
    wanted = {(*group, *ages, sex) for group in groups for ages in [*bins, ("*", "*")] for sex in "12"}
    assert rows(published(at_stat_level(extract, stat_level))) == (totals, wanted)


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
