"""The code lists that this project authored are consistent, and of the kinds that production's lists have."""

import csv
from collections import defaultdict

import pytest

from safetab_sql.simulation.people import FILES, example_lists, read_code_lists

NATION_AND_STATE, SUB_STATE = "COARSE_ONLY", "DETAILED_ONLY"  # the flag that keeps an iteration out of this kind


def rows(name: str) -> list[dict[str, str]]:
    with (example_lists() / name).open(newline="") as lines:
        return list(csv.DictReader(lines, delimiter="|"))


CODES, RACE, ETHNICITY, LINKS = (rows(name) for name in FILES)
ITERATIONS = {row["ITERATION_CODE"]: row for row in RACE + ETHNICITY}


def iterations_of(*, level: str, alone: str | None, left_out: str) -> dict[str, set[str]]:
    """Iterations of each code, of one level, aloneness (None: ethnicity) and region kind."""
    found = defaultdict(set)
    for link in LINKS:
        iteration = ITERATIONS[link["ITERATION_CODE"]]
        if (iteration["LEVEL"], iteration.get("ALONE"), iteration[left_out]) == (level, alone, "False"):
            found[link["RACE_ETH_CODE"]].add(link["ITERATION_CODE"])
    return found


@pytest.mark.parametrize("flag", ["DETAILED_ONLY", "COARSE_ONLY"])
@pytest.mark.parametrize("kind", [RACE, ETHNICITY], ids=["race", "ethnicity"])
def test_some_detailed_iterations_carry_each_flag(kind, flag):
    assert {row[flag] for row in kind if row["LEVEL"] == "2"} == {"True", "False"}


@pytest.mark.parametrize("left_out", [NATION_AND_STATE, SUB_STATE], ids=["nation and state", "sub-state"])
@pytest.mark.parametrize("alone", ["True", "False", None], ids=["alone", "in combination", "ethnicity"])
@pytest.mark.parametrize("level", ["1", "2"])
def test_a_code_is_in_exactly_one_iteration_of_a_kind(level, alone, left_out):
    """So that h_r = h_e = 1, and the stability of every level is 1 * 8 + 1 = 9."""
    lists = read_code_lists(example_lists())
    codes = lists.hispanic_codes if alone is None else lists.race_codes
    found = iterations_of(level=level, alone=alone, left_out=left_out)
    assert {code: len(iterations) for code, iterations in found.items()} == dict.fromkeys(codes, 1)


@pytest.mark.parametrize("left_out", [NATION_AND_STATE, SUB_STATE], ids=["nation and state", "sub-state"])
@pytest.mark.parametrize("level", ["1", "2"])
def test_the_codes_of_an_alone_iteration_share_their_combination_iterations(level, left_out):
    alone = iterations_of(level=level, alone="True", left_out=left_out)
    combination = iterations_of(level=level, alone="False", left_out=left_out)
    sharing = defaultdict(set)
    for code, iterations in alone.items():
        for iteration in iterations:
            sharing[iteration].add(frozenset(combination[code]))
    assert {len(combinations) for combinations in sharing.values()} == {1}
