"""What reading a release of national size needs: `python -m tests.benchmarks.release --keep FOLDER`.

Makes a release about as large as that of the nation (8.4 million rows of T1, 3.9 million of T2) from a small share of
its people: all blocks of the nation, each person kept with a chance of --share. Thresholds are multiplied by the share
and budgets divided by its square, so that counts are as large beside their noise and their thresholds as in the whole
nation. Then runs `moe`, `reconcile` and `report` on it, each in a process of its own, and prints wall seconds,
processor seconds and peak memory; --json writes the same.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.dataset as ds

from safetab_sql.simulation.answers import example_lists, national_frequencies, read_code_lists
from safetab_sql.simulation.geography import (
    US_PEOPLE,
    Geography,
    aiannh_codes,
    geography_tables,
    state_geography,
    state_people,
    state_sizes,
    write_parquet,
)
from safetab_sql.simulation.simulate import simulate, write_persons
from tests.benchmarks.nation import PRODUCTION_LISTS, machine

COUNTY = "REGION_TYPE='COUNTY' and REGION_ID='06037' and TABLE='T2' and AGESTART<>'*'"


def main() -> None:
    options = _options()
    folder = options.keep or Path(tempfile.mkdtemp(prefix="safetab-sql-benchmark-"))
    nation, release = folder / f"thinned-{options.share}", folder / f"release-{options.share}"
    if not nation.exists():
        make_nation(nation, options.share)
    public = ["--geography", str(nation / "geography.parquet"), "--code-lists", str(nation / "code-lists")]
    limits = ["--memory-limit", options.memory_limit] if options.memory_limit else []
    figures: dict[str, object] = {"machine": machine(), "share": options.share}
    if not release.exists():
        inputs = ["--parameters", str(nation / "parameters.toml"), "--persons", str(nation / "persons"), *public]
        figures["run"] = measured("run", *inputs, "--quiet", "--out", str(release))
    for name in ("t1", "t2"):
        figures[f"{name}_rows"] = ds.dataset(release / name).count_rows()
    commands: Mapping[str, list[str]] = {
        "moe": [str(release), "--sum", COUNTY],
        "reconcile": [
            str(release),
            *public[:2],
            *limits,
            "--quiet",
            "--overwrite",
            "--out",
            str(folder / "reconciled"),
        ],
        "report": [str(release), *public[2:], "--overwrite", "--out", str(folder / "report.html")],
    }
    for name in options.commands:
        figures[name] = measured(name, *commands[name])
    for name, value in figures.items():
        print(f"{name:<10} {value}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if options.keep is None:
        shutil.rmtree(folder)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=0.03, help="of the nation's people, default 0.03")
    parser.add_argument("--commands", nargs="*", default=["moe", "reconcile", "report"])
    parser.add_argument("--memory-limit", help="of reconcile, in DuckDB's notation")
    parser.add_argument("--keep", type=Path, help="folder to keep the release in, and to find it in next time")
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser.parse_args()


def make_nation(folder: Path, share: float) -> None:
    """The geography of the whole nation, with `share` of its people, and parameters to match."""
    lists = PRODUCTION_LISTS if PRODUCTION_LISTS.is_dir() else example_lists()
    folder.parent.mkdir(parents=True, exist_ok=True)
    simulate(folder, people=1000, code_lists=lists)
    codes = read_code_lists(lists)
    frequencies = national_frequencies(codes, seed=0)
    for file in (folder / "persons").iterdir():
        file.unlink()
    states = {code: _whole_state(code) for code in sorted(state_sizes())}
    write_parquet(folder / "geography.parquet", (rows for state in states.values() for rows in geography_tables(state)))
    for code, state in states.items():
        write_persons(folder / "persons" / f"{code}.parquet", _thinned(state, share), codes, frequencies, seed=0)
    parameters = folder / "parameters.toml"
    parameters.write_text(_scaled(parameters.read_text(encoding="utf-8"), share), encoding="utf-8")


def _whole_state(code: str) -> Geography:
    facts = state_sizes()[code]
    sizes = state_people(US_PEOPLE)
    is_largest = sizes[code] == max(sizes.values())
    return state_geography(
        facts, sizes[code], aiannh_codes(US_PEOPLE).get(code, []), seed=0, has_empty_tract=is_largest
    )


def _thinned(state: Geography, share: float) -> Geography:
    """The state with each person kept with a chance of `share`."""
    people = np.random.default_rng(int(state.state_code)).binomial(state.block_people, share)
    return replace(state, block_people=people, tract_people=np.add.reduceat(people, state.tract_first_block[:-1]))


def _scaled(toml: str, share: float) -> str:
    """Parameters under which counts of a share of the people are published as those of all people are."""

    def budget(found: re.Match[str]) -> str:
        return f"budget = {float(found[1]) / share**2:.6f}"

    def thresholds(found: re.Match[str]) -> str:
        return f"thresholds = [{', '.join(str(round(int(number) * share)) for number in found[1].split(','))}]"

    return re.sub(r"thresholds = \[(.*)\]", thresholds, re.sub(r"budget = ([\d.]+)", budget, toml))


def measured(command: str, *arguments: str) -> dict[str, float]:
    """Wall seconds, processor seconds and peak memory of one command, run as its own process."""
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "safetab_sql", command, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed with exit code {process.returncode}")
    return {
        "seconds": round(time.monotonic() - started, 1),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_memory_gib": round(usage.ru_maxrss / 2**20, 2),
    }


if __name__ == "__main__":
    main()
