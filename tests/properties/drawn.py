"""Strategies that draw tiny nations with random lists, people and parameters."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st

import tests.nations
from tests.nations import AGES, BLOCK_COLUMNS, NO_NOISE, PR_TYPES, RACE_PLACES, US_TYPES, Nation, Tables
from tests.oracle import Row

# `SOAK=20 pytest tests/properties` tries twenty times as many nations, and other ones each time.
SOAK = int(os.environ.get("SOAK", "1"))


def examples(count: int) -> settings:
    """As many examples, the same ones every time unless the environment asks for a soak."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(
        max_examples=count * SOAK, derandomize=SOAK == 1, database=None, deadline=None, suppress_health_check=slow
    )


@st.composite
def nations(draw: Callable[..., Any]) -> Nation:
    """A nation of up to three states with random lists and parameters, and with noise that is never seen."""
    codes = [f"{1000 + 111 * number}" for number in range(draw(st.integers(1, 6)))]
    iterations, links = draw(code_lists(codes))
    assume(iterations or SOAK > 1)  # the first example has none: where few are tried, it would be the only one
    states = draw(st.lists(st.sampled_from(["01", "02", "72"]), min_size=1, max_size=3, unique=True))
    blocks = [block for state in states for block in draw(state_blocks(state))]
    persons = draw(st.lists(people(blocks, codes), max_size=12))
    # Every requested state needs somebody.
    persons += [draw(people([block for block in blocks if block["TABBLKST"] == state], codes)) for state in states]
    return Nation(persons, blocks, iterations, links, draw(parameter_sets(states)))


Flags = tuple[bool | None, bool | None]  # DETAILED_ONLY, COARSE_ONLY


@st.composite
def code_lists(draw: Callable[..., Any], codes: list[str]) -> tuple[list[Row], set[tuple[str, str]]]:
    """Iterations of every level and kind over `codes`; alone iterations need not be nested in combinations."""
    iterations: list[Row] = []
    links: set[tuple[str, str]] = set()
    major_groups = st.sampled_from([[], [((None, None), codes)]])
    shuffle = draw(st.sampled_from([1, 5, 9]))  # so that the order of codes is not the order of kinds
    for kind in ("alone", "combination", "ethnicity"):
        for level in (0, 1, 2):
            for flags, its_codes in draw(major_groups if level == 0 else tabulated_groups(codes)):
                code = f"{2000 + 100 * (shuffle * len(iterations) % 31)}"
                row = {"ITERATION_CODE": code, "LEVEL": level, "KIND": kind}
                iterations.append({**row, "DETAILED_ONLY": flags[0], "COARSE_ONLY": flags[1]})
                links.update((code, its_code) for its_code in its_codes)
    return iterations, links


@st.composite
def tabulated_groups(draw: Callable[..., Any], codes: list[str]) -> list[tuple[Flags, list[str]]]:
    """Up to four iterations of one level and kind; a code leads to one of them at most that a region tabulates."""
    slots = {code: draw(st.integers(0, 3)) for code in codes}
    wide, local, narrow = ([code for code in codes if slots[code] == slot] for slot in (1, 2, 3))
    groups: list[tuple[Flags, list[str]]] = []
    if draw(st.booleans()):
        groups.append(((False, False), wide))
    if draw(st.booleans()):
        groups.append(((False, draw(st.booleans())), local))
    if draw(st.booleans()):
        groups.append(((False, False), narrow))
    elif draw(st.booleans()):  # detailed-only; its codes may be a group of their own at sub-state regions
        groups += [((True, False), narrow), *[((False, True), narrow)] * draw(st.booleans())]
    return groups


def state_blocks(state: str) -> st.SearchStrategy[list[Row]]:
    """Up to four blocks of one state, some in no place or area, and areas that cross state lines."""
    return st.lists(
        st.tuples(
            st.sampled_from(["001", "003"]),
            st.sampled_from(["000100", "010000"]),
            st.sampled_from(["0001", "1000"]),
            st.sampled_from(["99999", "00100", "09999"]),
            st.sampled_from(["9999", "0010", "9990"]),
        ),
        min_size=1,
        max_size=4,
        unique_by=lambda fields: fields[:3],
    ).map(lambda rows: [dict(zip(BLOCK_COLUMNS, (state, *row), strict=True)) for row in rows])


@st.composite
def people(draw: Callable[..., Any], blocks: list[Row], codes: list[str]) -> Row:
    """Somebody in one of `blocks`: race codes may stand twice and in any order."""
    block = draw(st.sampled_from(blocks))
    races = draw(st.lists(st.sampled_from(codes), min_size=1, max_size=8))
    return {
        "QAGE": draw(st.sampled_from(AGES)),
        "QSEX": draw(st.sampled_from("12")),
        **{name: block[name] for name in BLOCK_COLUMNS[:4]},
        **dict(zip(RACE_PLACES, [*races, *[None] * (8 - len(races))], strict=True)),
        "QSPAN": draw(st.sampled_from(codes)),
    }


@st.composite
def parameter_sets(draw: Callable[..., Any], states: list[str]) -> dict[str, Any]:
    """Parameters for a nation of these states: no noise, no suppression, small thresholds."""
    us_states = [state for state in states if state != "72"]
    requested = draw(st.lists(st.sampled_from(us_states), unique=True)) if us_states else []
    run_pr = "72" in states and (not requested or draw(st.booleans()))
    if not requested and not run_pr:
        requested = us_states
    types = [*(US_TYPES if requested else ()), *(PR_TYPES if run_pr else ())]
    names = [f"{region_type}-{level}" for region_type in types for level in (1, 2)]
    # A part whose budgets are all zero is refused: its first level always has one.
    skipped = draw(st.sets(st.sampled_from(names))) - {"USA-1", "PR-STATE-1"}
    thresholds = st.lists(st.integers(-1, 4), min_size=3, max_size=3).map(sorted)
    return {
        "privacy_definition": draw(st.sampled_from(["zcdp", "puredp"])),
        "max_race_codes": draw(st.integers(1, 8)),
        "gamma": draw(st.sampled_from([0.1, 0.5])),
        "zero_suppression_chance": 0,
        "allow_negative_counts": draw(st.booleans()),
        "run_us": bool(requested),
        "run_pr": run_pr,
        "state_filter_us": requested,
        "levels": {
            name: {"budget": 0 if name in skipped else NO_NOISE, "thresholds": draw(thresholds)} for name in names
        },
    }


def published(nation: Nation) -> Tables:
    with TemporaryDirectory() as folder:
        return tests.nations.published(nation, Path(folder))


def exact(nation: Nation) -> Tables:
    """The ground truth of the nation."""
    with TemporaryDirectory() as folder:
        return tests.nations.exact(nation, Path(folder))
