"""The oracle's cases: inputs with known exact answers, in the folder `shared` beside the repository."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths
from tests.statistics import recorded_bits

SHARED = Path(__file__).parents[2] / ".." / "shared"
PRODUCTION_LISTS = SHARED / "reference" / "ddhca-2020"
# Thresholds, in noisy persons, that send about as many groups to each stat level.
DETAILED = {"STATE-1": (-40, 0, 40), "STATE-2": (-4, 0, 4), "COUNTY-1": (-40, 0, 40)}
# Of the totals of detailed iterations in sub-state regions: a third of the empty groups survive, as CHANCE is so low.
SUPPRESSED, CHANCE = ("COUNTY-2", "TRACT-2", "PLACE-2", "AIANNH-2"), 0.6


@pytest.fixture(scope="session")
def case() -> Callable[[str], Path]:
    def folder(name: str) -> Path:
        if not (SHARED / "oracle" / name).is_dir() or not PRODUCTION_LISTS.is_dir():
            pytest.skip("the oracle's cases are not there: no folder `shared` beside the repository")
        return SHARED / "oracle" / name

    return folder


@pytest.fixture(scope="session")
def case_inputs(case: Callable[[str], Path]) -> Callable[[str], InputPaths]:
    """The inputs of a case, with production's code lists where it has none of its own."""

    def inputs(name: str) -> InputPaths:
        folder = case(name)
        own_lists = (folder / "params" / "race-and-ethnicity-codes.txt").is_file()
        return InputPaths(
            parameters=folder / "params" / "config.json",
            persons=folder / "data" / "person-records.txt",
            geography=folder / "data" / "GRF-C.txt",
            code_lists=None if own_lists else PRODUCTION_LISTS,
        )

    return inputs


@pytest.fixture(scope="session")
def exact_tables(
    case_inputs: Callable[[str], InputPaths], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """Folder of the ground truth of a case, made once a session: all of it, or that of some region types."""

    @cache
    def folder(name: str, *region_types: str) -> Path:
        out = tmp_path_factory.mktemp("exact") / name
        inputs = case_inputs(name)
        if region_types:
            config = json.loads(inputs.parameters.read_text())
            others = {key: 0 for key in config if _region_type(key) not in (None, *region_types)}
            parameters = tmp_path_factory.mktemp("parameters") / "config.json"
            parameters.write_text(json.dumps({**config, **others}))
            inputs = replace(inputs, parameters=parameters)
        ground_truth(inputs, out, dense=True, resources=Resources(memory_limit="3GB"))
        return out

    return folder


def _region_type(key: str) -> str | None:
    """The region type of a budget of production's parameters, such as privacy_budget_p_level_1_pr_state."""
    found = re.fullmatch(r"privacy_budget_p_level_\d_(\w+)", key)
    return found[1].upper().replace("_", "-") if found else None


@pytest.fixture(scope="session")
def released(case_inputs: Callable[[str], InputPaths], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """OUT of a run of us_small, suppression off unless it is asked for, with changes to production's parameters."""

    def out(name: str, **changes: object) -> Path:
        folder = tmp_path_factory.mktemp("released")
        inputs = case_inputs("us_small")
        config = json.loads(inputs.parameters.read_text())
        (folder / "config.json").write_text(json.dumps({**config, "zero_suppression_chance": 0, **changes}))
        run(replace(inputs, parameters=folder / "config.json"), folder / "out", bits=recorded_bits(name))
        return folder / "out"

    return out


@pytest.fixture(scope="session")
def detailed_out(released: Callable[..., Path], case: Callable[[str], Path]) -> Path:
    """OUT of a run: thresholds of three levels are so low that every stat level is common, five are suppressed."""
    config = json.loads((case("us_small") / "params" / "config.json").read_text())
    budgets = {key: 0 for key in config if key.startswith("privacy_budget_p_level") and "pr_" not in key}
    thresholds = dict(config["thresholds_p"])
    for name in (*DETAILED, *SUPPRESSED):
        region_type, level = name.split("-")
        key = f"privacy_budget_p_level_{level}_{region_type.lower()}"
        budgets[key] = config[key]
        thresholds[f"({region_type}, {level})"] = DETAILED.get(name, thresholds[f"({region_type}, {level})"])
    return released("detailed", **budgets, thresholds_p=thresholds, zero_suppression_chance=CHANCE)
