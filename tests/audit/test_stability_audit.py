"""The stability audit of nations and of software that are as they should be."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from safetab_sql.evaluation.audit_stability import StabilityAudit, audit_stability, chosen_places
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from tests import oracle
from tests.cli.command import Result, call, inputs
from tests.cli.nations import simulate_few_states
from tests.nations import Nation, oracle_inputs, sample_nation, write_nation
from tests.oracle import Cell, Row, Total
from tests.properties.drawn import examples, nations
from tests.simulation.conftest import FEWEST_PEOPLE

EVERYBODY = 100  # more than any nation drawn here has


def audited(nation: Nation, people: int) -> StabilityAudit:
    with TemporaryDirectory() as folder:
        return audit_stability(write_nation(nation, Path(folder)), people, resources=Resources(threads=1))


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


# --- the command ---


@pytest.fixture(scope="module")
def simulated(smallest_simulated_nation: Path) -> Result:
    return call("audit", "stability", *inputs(smallest_simulated_nation), "--people", "2", "--threads", "1")


@pytest.fixture(scope="module")
def smallest_simulated_nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit") / "nation"
    simulate_few_states(folder, people=FEWEST_PEOPLE)
    return folder


@pytest.mark.slow
def test_the_command_has_a_line_for_each_level_and_one_for_all(simulated):
    mark, header, *levels, verdict = simulated.stdout.splitlines()
    assert (mark, header.split("  ")[0]) == ("confidential: made from exact counts", "level")
    assert {line.split()[0].rpartition("-")[0] for line in levels} == {
        "USA", "STATE", "COUNTY", "TRACT", "PLACE", "AIANNH"
    }  # fmt: skip
    assert verdict == "2 people left out, one at a time: no level changed more than it may"


@pytest.mark.slow
def test_the_command_ends_well(simulated):
    assert simulated.code == 0


@pytest.mark.slow
def test_the_command_says_that_it_is_for_public_or_synthetic_data(simulated):
    assert "EXACT counts: for public or synthetic data only" in simulated.stderr


@pytest.mark.parametrize("people", ["0", "-1"])
def test_the_command_refuses_to_leave_out_nobody(tmp_path, people):
    refused = call("audit", "stability", *inputs(tmp_path), "--people", people)
    assert refused.code == 2
    assert f"--people: {people} is not a number of people" in refused.stderr
