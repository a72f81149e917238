"""Which rows may be published is read from public files, never from records."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.nations import Nation, Tables
from tests.oracle import Row
from tests.properties.drawn import examples, nations, people, published

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
