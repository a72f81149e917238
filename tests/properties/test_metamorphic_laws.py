"""How the exact tables change when the nation does, whatever the nation."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.nations import Nation
from tests.oracle import Row
from tests.properties.drawn import examples, nations, people, published


@st.composite
def nations_and_somebody(draw: Callable[..., Any]) -> tuple[Nation, Row]:
    """A nation, and somebody with its codes who moves into one of its blocks."""
    nation = draw(nations())
    codes = sorted({person["QSPAN"] for person in nation.persons} | {code for _, code in nation.links})
    return nation, draw(people(nation.blocks, codes))


@examples(1)
@given(nations_and_somebody())
@pytest.mark.slow  # tests/audit/test_stability_audit.py shows it of one nation
def test_one_more_person_adds_one_to_at_most_stability_totals_of_each_level(nation_and_somebody):
    """The stability is the ledger's: the one that the noise was scaled to."""
    nation, somebody = nation_and_somebody
    before = published(nation)
    after = published(replace(nation, persons=[*nation.persons, somebody]))
    assert before.t1.keys() == after.t1.keys()
    levels = {row["ITERATION_CODE"]: row["LEVEL"] for row in nation.iterations}
    changes = [
        (f"{group[0]}-{levels[group[2]]}", count - before.t1[group])
        for group, count in after.t1.items()
        if count != before.t1[group]
    ]
    most = max(Counter(level for level, _ in changes).items(), key=lambda item: item[1], default=(None, 0))
    assert all(change == 1 for _, change in changes)
    assert most[0] is None or most[1] <= before.stabilities[most[0]]
