"""Tiny nations: plain rows, the files they are written to, and what the package makes of them."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq

from safetab_sql.accounting.ledger_file import Bits
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths
from tests import oracle
from tests.oracle import Cell, Row, Total
from tests.statistics import recorded_bits

US_TYPES = ("USA", "STATE", "COUNTY", "TRACT", "PLACE", "AIANNH")
PR_TYPES = ("PR-STATE", "PR-COUNTY", "PR-TRACT", "PR-PLACE")
RACE_PLACES = [f"QRACE{place}" for place in range(1, 9)]
PERSON_COLUMNS = ["QAGE", "QSEX", "TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", *RACE_PLACES, "QSPAN"]
BLOCK_COLUMNS = ["TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK", "PLACEFP", "AIANNHCE"]
EDGE_AGES = sorted({age for starts in oracle.AGE_STARTS.values() for start in starts for age in (start, start - 1)})
AGES = [*EDGE_AGES[1:], 115]
NO_NOISE = 10**9  # budget of a level whose noise is never seen: P(noise is not 0) is below 2^-(10^6)


@dataclass(frozen=True)
class Nation:
    """iterations and links as in `oracle.Inputs`. parameters: what a TOML file says."""

    persons: list[Row]
    blocks: list[Row]
    iterations: list[Row]
    links: set[tuple[str, str]]
    parameters: dict[str, Any]

    def with_parameters(self, **changes: Any) -> "Nation":
        return replace(self, parameters={**self.parameters, **changes})

    def with_half_of_the_levels(self) -> "Nation":
        """Those of iterations of level 2, which have the small groups, and the first."""
        levels = self.parameters["levels"].items()
        return self.with_parameters(levels=dict(each for each in levels if each[0] == "USA-1" or each[0][-1] == "2"))


@dataclass(frozen=True)
class Tables:
    """Exact or published counts, and the manifest beside them."""

    t1: dict[Total, int]
    t2: dict[Cell, int]
    manifest: dict[str, Any]

    @property
    def stabilities(self) -> dict[str, int]:
        return {level["level"]: level["stability"] for level in self.manifest["ledger"]["levels"]}


def oracle_inputs(nation: Nation) -> oracle.Inputs:
    parameters = nation.parameters
    parts = {name: kind.part for name, kind in oracle.REGION_TYPES.items()}
    is_run = {"US": parameters["run_us"], "PR": parameters["run_pr"]}
    levels = {}
    for name, level in parameters["levels"].items():
        region_type, _, iteration_level = name.rpartition("-")
        if level["budget"] > 0 and is_run[parts[region_type]]:
            levels[region_type, int(iteration_level)] = tuple(level["thresholds"])
    return oracle.Inputs(
        persons=nation.persons,
        blocks=nation.blocks,
        iterations=nation.iterations,
        links=nation.links,
        levels=levels,
        max_race_codes=parameters["max_race_codes"],
        us_states=parameters["state_filter_us"] if parameters["run_us"] else [],
        run_pr=parameters["run_pr"],
    )


def write_text(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> Path:
    lines = ["|".join("Null" if row[name] is None else str(row[name]) for name in columns) for row in rows]
    path.write_text("\n".join(["|".join(columns), *lines]) + "\n", encoding="utf-8")
    return path


def read_text(path: Path) -> list[Row]:
    """The rows of a pipe-delimited file: text, Null as None, flags as booleans, ages and levels as integers."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    words = {"Null": None, "True": True, "False": False}
    rows = [
        {name: words.get(word, word) for name, word in zip(header.split("|"), line.split("|"), strict=True)}
        for line in lines
    ]
    return [{name: int(word) if name in ("QAGE", "LEVEL") else word for name, word in row.items()} for row in rows]


def write_nation(nation: Nation, folder: Path) -> InputPaths:
    folder.mkdir(parents=True, exist_ok=True)
    flags = ["DETAILED_ONLY", "COARSE_ONLY"]
    names = ["ITERATION_CODE", "ITERATION_NAME", "LEVEL"]
    rows = [{**row, "ITERATION_NAME": row["KIND"], "ALONE": row["KIND"] == "alone"} for row in nation.iterations]
    races = [row for row in rows if row["KIND"] != "ethnicity"]
    ethnicities = [row for row in rows if row["KIND"] == "ethnicity"]
    links = [{"ITERATION_CODE": iteration, "RACE_ETH_CODE": code} for iteration, code in sorted(nation.links)]
    held = {row[name] for row in nation.persons for name in [*RACE_PLACES, "QSPAN"]} - {None}
    listed = sorted(held | {code for _, code in nation.links})
    codes = [{"RACE_ETH_CODE": code, "RACE_ETH_NAME": "-"} for code in listed]
    write_text(folder / "race-characteristic-iterations.txt", [*names, "ALONE", *flags], races)
    write_text(folder / "ethnicity-characteristic-iterations.txt", [*names, *flags], ethnicities)
    write_text(folder / "race-and-ethnicity-code-to-iteration.txt", ["ITERATION_CODE", "RACE_ETH_CODE"], links)
    write_text(folder / "race-and-ethnicity-codes.txt", ["RACE_ETH_CODE", "RACE_ETH_NAME"], codes)
    block_columns = [*BLOCK_COLUMNS, *(name for name in nation.blocks[0] if name not in BLOCK_COLUMNS)]
    (folder / "parameters.toml").write_text(_toml(nation.parameters), encoding="utf-8")
    return InputPaths(
        parameters=folder / "parameters.toml",
        persons=write_text(folder / "person-records.txt", PERSON_COLUMNS, nation.persons),
        geography=write_text(folder / "GRF-C.txt", block_columns, nation.blocks),
        code_lists=folder,
    )


def _toml(parameters: dict[str, Any]) -> str:
    plain = {name: value for name, value in parameters.items() if not isinstance(value, dict)}
    lines = [f"{name} = {json.dumps(value)}" for name, value in plain.items()]
    for section in ("region_types", "levels"):
        for table, entries in parameters.get(section, {}).items():
            lines += [f"[{section}.{table}]", *(f"{name} = {json.dumps(value)}" for name, value in entries.items())]
    return "\n".join(lines) + "\n"


def published(nation: Nation, folder: Path, bits: Bits | None = None) -> Tables:
    inputs = write_nation(nation, folder)
    run(inputs, folder / "out", bits=bits or recorded_bits("nation"), resources=Resources(threads=1))
    return tables(folder / "out", "t1", "t2")


def exact(nation: Nation, folder: Path) -> Tables:
    """The ground truth of the nation with every zero; `folder` is made."""
    return exact_of(write_nation(nation, folder), folder / "exact")


def exact_of(inputs: InputPaths, out: Path) -> Tables:
    """The ground truth of these files with every zero; `out` is made."""
    ground_truth(inputs, out, dense=True, resources=Resources(threads=1))
    return tables(out, "t1.parquet", "t2.parquet")


def tables(folder: Path, t1: str, t2: str, counted: str = "COUNT") -> Tables:
    group = ["REGION_TYPE", "REGION_ID", "ITERATION_CODE"]
    return Tables(
        t1=_counts(folder / t1, group, counted),
        t2=_counts(folder / t2, [*group, "AGESTART", "AGEEND", "SEX"], counted),
        manifest=json.loads((folder / "manifest.json").read_text(encoding="utf-8")),
    )


def _counts(path: Path, keys: Sequence[str], counted: str) -> dict[Any, int]:
    table = pq.read_table(path, columns=[*keys, counted]).to_pydict()
    rows = list(zip(*(table[name] for name in keys), strict=True))
    assert len(set(rows)) == len(rows), "a row stands twice"
    return dict(zip(rows, table[counted], strict=True))


def sample_nation(people_count: int = 600) -> Nation:
    """One fixed nation with both parts, every kind of iteration and groups of every size."""
    random = Random(7)
    codes = ["1000", "1010", "1020", "2000", "3000", "3010"]
    combination, alone = ["2110", "2120", "2130"], ["2210", "2220", "2230"]
    tracts = [("001", "000100"), ("001", "000200"), ("003", "000100"), ("005", "000300")]
    areas = [("99999", "0010"), ("00100", "9999"), ("00200", "0010"), ("99999", "9999")]
    blocks = [
        dict(zip(BLOCK_COLUMNS, (state, *tract, "1000", *area), strict=True))
        for state in ("01", "02", "72")
        for tract, area in zip(tracts, areas, strict=True)
    ]
    links = {
        (iteration, code)
        for group in (combination, alone)
        for iteration, its_codes in zip(group, (codes[:2], codes[2:3], codes[3:4]), strict=True)
        for code in its_codes
    } | {("3110", "3000"), ("3120", "3010"), ("1110", "1000"), ("1110", "1010"), ("1110", "1020")}
    rows = [("1110", 1, "combination", False, False), ("3110", 1, "ethnicity", False, False)]
    rows += [("3120", 2, "ethnicity", False, False)]
    rows += [(code, 2, "combination", code == "2130", False) for code in combination]
    rows += [(code, 2, "alone", code == "2230", code == "2220") for code in alone]
    names = ["ITERATION_CODE", "LEVEL", "KIND", "DETAILED_ONLY", "COARSE_ONLY"]
    persons = []
    for _ in range(people_count):
        block = random.choice([*blocks, *blocks[:1] * 10])
        races = random.choices(codes[:4], weights=[6, 3, 2, 1], k=random.choice([1, 1, 1, 2, 3]))
        persons.append(
            {
                "QAGE": random.choice(AGES),
                "QSEX": random.choice("12"),
                **{name: block[name] for name in BLOCK_COLUMNS[:4]},
                **dict(zip(RACE_PLACES, [*races, *[None] * (8 - len(races))], strict=True)),
                "QSPAN": random.choice(codes[3:]),
            }
        )
    levels = [f"{region_type}-{level}" for region_type in (*US_TYPES, *PR_TYPES) for level in (1, 2)]
    parameters = {
        "privacy_definition": "zcdp",
        "max_race_codes": 3,
        "gamma": 0.1,
        "zero_suppression_chance": 0.9,
        "allow_negative_counts": True,
        "run_us": True,
        "run_pr": True,
        "state_filter_us": ["01", "02"],
        "levels": {name: {"budget": 1, "thresholds": [20, 60, 150]} for name in levels},
    }
    return Nation(persons, blocks, [dict(zip(names, row, strict=True)) for row in rows], links, parameters)
