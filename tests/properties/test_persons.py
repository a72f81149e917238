"""People with several records: the package and plain loops agree on what is counted of them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from safetab_sql.public.inputs import InputPaths
from tests.nations import (
    PERSON_COLUMNS,
    Nation,
    exact_of,
    oracle_inputs,
    sample_nation,
    write_nation,
    write_text,
)
from tests.oracle import Row
from tests.properties.persons_oracle import Bound, exact_tables

COLUMNS = [*PERSON_COLUMNS, "PATIENT", "DAY", "KIND"]


def nation_of_stays(patients: int = 60, seed: int = 5) -> Nation:
    """A nation whose people have 1 to 36 stays: some at one place with one answer, some anywhere with any."""
    random, of_one = Random(seed), sample_nation(400)
    stays: list[Row] = []
    for patient in range(patients):
        number = random.choice([1, 1, 2, 3, 5, 8, 36])
        home = random.sample(of_one.persons, random.choice([1, 1, 2, 6]))
        for _ in range(number):
            other, at = random.choice(of_one.persons), random.choice(home)
            stay = {**at, **({"QAGE": other["QAGE"]} if random.random() < 0.5 else {})}
            day, kind = random.choice([None, *"abcd"]), random.choice("IIIO")
            stays.append({**stay, "PATIENT": str(1000 + patient), "DAY": day, "KIND": kind})
    random.shuffle(stays)
    named = {name: level for name, level in of_one.parameters["levels"].items() if not name.startswith("PR-")}
    return replace(of_one, persons=stays).with_parameters(run_pr=False, levels=named)


def unit_of(bound: Bound) -> dict[str, Any]:
    order = [f"{column} desc" if is_descending else column for column, is_descending in bound.order]
    return {
        "person": "PATIENT",
        "most_records": bound.most_records,
        **({"count": "persons"} if bound.is_once else {}),
        **({"most_groups": bound.most_groups} if bound.most_groups else {}),
        **({"keep": {"order": order}} if order else {}),
        **({"where": {"KIND": list(bound.kinds)}} if bound.kinds else {}),
    }


def write_stays(nation: Nation, folder: Path, unit: Mapping[str, Any]) -> InputPaths:
    inputs = write_nation(nation, folder)
    write_text(folder / "person-records.txt", COLUMNS, nation.persons)
    with Path(inputs.parameters).open("a", encoding="utf-8") as stream:
        stream.write("[unit]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in unit.items()))
    return inputs


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)


BOUNDS = [
    *(Bound(k, is_once) for k in (1, 3, 5) for is_once in (False, True)),
    Bound(3, order=(("DAY", True),)),
    Bound(3, is_once=True, order=(("DAY", False), ("QAGE", True)), kinds=("I",)),
    Bound(2, order=(("DAY", False),), kinds=("I",)),
    Bound(5, is_once=True, most_groups=1),
    Bound(5, is_once=True, most_groups=4, order=(("DAY", True),)),
    Bound(36, is_once=True),
]


@pytest.mark.parametrize("bound", BOUNDS, ids=str)
def test_what_is_counted_of_a_person_is_what_plain_loops_count(bound: Bound, tmp_path: Path) -> None:
    nation = nation_of_stays()
    made = exact_of(write_stays(nation, tmp_path, unit_of(bound)), tmp_path / "exact")
    assert (made.t1, made.t2) == exact_tables(oracle_inputs(nation), bound)
