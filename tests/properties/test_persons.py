"""People with several records: the package and plain loops agree on what is counted of them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from safetab_sql.jobs.export import export
from safetab_sql.jobs.run import run, validate
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.parameters import load_parameters
from tests.nations import PERSON_COLUMNS, Nation, exact_of, oracle_inputs, sample_nation, write_nation, write_text
from tests.oracle import Row
from tests.properties.persons_oracle import Bound, exact_tables
from tests.statistics import recorded_bits

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


# Those that bound and choose in every way; the others in the soak.
BOUNDS = [Bound(3, order=(("DAY", False), ("QAGE", True)), kinds=("I",))]
OTHERS = [
    *map(Bound, (1, 3, 5, 36)),
    Bound(5, order=(("DAY", True),)),
    Bound(2, order=(("DAY", False),), kinds=("I",)),
    Bound(3, order=(("DAY", True),)),
]


@pytest.mark.parametrize("bound", [*BOUNDS, *(pytest.param(each, marks=pytest.mark.slow) for each in OTHERS)], ids=str)
def test_what_is_counted_of_a_person_is_what_plain_loops_count(bound, tmp_path):
    nation = nation_of_stays()
    made = exact_of(write_stays(nation, tmp_path, unit_of(bound)), tmp_path / "exact")
    assert (made.t1, made.t2) == exact_tables(oracle_inputs(nation), bound)


def published_files(nation: Nation, folder: Path, unit: Mapping[str, Any]) -> list[bytes]:
    inputs = write_stays(nation, folder, unit)
    bits = recorded_bits("persons")
    release = run(inputs, folder / "out", bits=bits, resources=Resources(threads=1))
    export(release.out, folder / "export", format="census", resources=Resources(threads=1))
    return [path.read_bytes() for path in sorted((folder / "export").glob("t[12]/*.csv"))]


def test_validate_tells_the_log_which_ids_have_most_records(tmp_path):
    inputs = write_stays(nation_of_stays(20), tmp_path, {"person": "PATIENT", "most_records": 5})
    assert validate(inputs, resources=Resources(confidential_log=tmp_path / "log")) == ()
    assert " are not counted; the most frequent id(s): 10" in (tmp_path / "log").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
def test_with_one_record_a_person_the_tables_are_those_of_a_run_without_the_key(definition, tmp_path):
    """To the byte. As text, because the metadata of a Parquet file says what the parameters are."""
    nation = nation_of_stays(200).with_parameters(privacy_definition=definition)
    by_person = {stay["PATIENT"]: stay for stay in nation.persons}
    alone = replace(nation, persons=list(by_person.values()))
    with_key = {"person": "PATIENT", "most_records": 1}
    first, second = (
        published_files(alone, tmp_path / name, unit) for name, unit in (("without", {}), ("with", with_key))
    )
    assert len(first) == 2
    assert first == second


@pytest.mark.slow
def test_a_record_without_a_person_is_refused_or_left_out(tmp_path):
    nation = nation_of_stays()
    lost = replace(nation, persons=[{**nation.persons[0], "PATIENT": None}, *nation.persons[1:]])
    with pytest.raises(InputError, match=r"PATIENT\]: 1 record\(s\) without a person"):
        exact_of(write_stays(lost, tmp_path / "refused", unit_of(Bound(3))), tmp_path / "none")
    unit = {**unit_of(Bound(3)), "leave_out": ["person"]}
    made = exact_of(write_stays(lost, tmp_path / "left", unit), tmp_path / "exact")
    rest = replace(nation, persons=nation.persons[1:])
    assert (made.t1, made.t2) == exact_tables(oracle_inputs(rest), Bound(3))


def test_two_parts_are_not_run_together_where_a_person_may_be_in_both(tmp_path):
    nation = replace(nation_of_stays(), parameters=sample_nation(1).parameters)
    parameters = write_stays(nation, tmp_path, unit_of(Bound(3))).parameters
    with pytest.raises(InputError, match="the parts US and PR are run together"):
        load_parameters(Path(parameters))
