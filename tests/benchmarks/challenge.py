"""The size of the NIST challenge, 98 columns x 661,967 rows: `python -m tests.benchmarks.challenge`.

The rows are the wide table of the simulated nation, its fields repeated with some values changed until there are 98,
with CITY, SEX and INCWAGE among them, as comma-separated text with the challenge's JSON. Wages differ between cities
and sexes. Prints seconds (of the clock, and of processors) and peak memory of `synthesize run --format csv` at each
epsilon, of the three scores, and the scores: their mean over the --runs, and the standard deviation of a run, which
holds noise, choices and drawn rows. The sets, rules and cities are the same for all runs. With --zcdp each run gets the
rho that (epsilon, 1e-9) allows: the challenge asked for a loss of that kind.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, stdev
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from docs.reproductions.challenge import challenge_domains
from tests.benchmarks.rivals import DELTA, rho_of
from tests.benchmarks.wide import write_wide

FIELDS, ROWS = 98, 661_967


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--epsilon", action="append", help="default: 8, 1 and 0.3")
    parser.add_argument("--runs", type=int, default=1, help="of each epsilon; default: 1")
    parser.add_argument("--parquet", action="store_true", help="give the rows as Parquet, not as text")
    parser.add_argument("--zcdp", action="store_true", help="(epsilon, 1e-9) under zCDP, not pure DP")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="safetab-sql-benchmark-") as name:
        folder = Path(name)
        data = challenge_table(folder, options.rows, as_text=not options.parquet)
        for epsilon in options.epsilon or ["8", "1", "0.3"]:
            spec = folder / f"spec-{epsilon}.toml"
            budget = f"rho = {float(rho_of(float(epsilon), DELTA)):.9f}" if options.zcdp else f"epsilon = {epsilon}"
            spec.write_text(f"{budget}\n{(folder / 'spec.toml').read_text(encoding='utf-8')}", encoding="utf-8")
            outs = [folder / f"epsilon-{epsilon}-{run}" for run in range(options.runs)]
            for seed, out in enumerate(outs):
                arguments = ["synthesize", "run", "--spec", spec, "--data", data, "--seed", seed]
                _timed(f"epsilon {epsilon}", [*arguments, "--format", "csv", "--out", out, "--quiet"])
            _print_scores(folder, data, [out / "synthetic.csv" for out in outs])


def _print_scores(folder: Path, data: Path, rows: list[Path]) -> None:
    """Each score of these rows and of independent columns: its mean over runs, and the deviation of one run."""
    arguments = ["score", "--data", data, "--specs", folder / "specs.json", "--baseline"]
    arguments += [part for file in rows for part in ("--synthetic", file)]
    found = folder / "scores.json"
    with found.open("wb") as file:
        _timed("scores", [*arguments, "--json"], file, program="docs.reproductions.challenge")
    scores = json.loads(found.read_text(encoding="utf-8"))["scores"]
    for name, of in (("runs", scores[:-1]), ("independent columns", scores[-1:])):
        shown = []
        for part in ("marginals", "conjunctions", "income"):
            values = [one[part]["score"] for one in of]
            shown.append(f"{part} {fmean(values):,.0f}, of a run ± {stdev(values) if len(values) > 1 else 0:,.0f}")
        means = [fmean(one[part]["score"] for part in ("marginals", "conjunctions", "income")) for one in of]
        shown.append(f"mean {fmean(means):,.0f}, of a run ± {stdev(means) if len(means) > 1 else 0:,.0f}")
        print(f"{name}: {'; '.join(shown)}", flush=True)


def challenge_table(folder: Path, rows: int, *, as_text: bool) -> Path:
    """The rows, specs.json, and spec.toml without a budget; every field is a whole number."""
    wide = pq.read_table(write_wide(folder / "nation", rows)).slice(0, rows)
    stream = np.random.default_rng(1940)
    columns: dict[str, pa.Array] = {}
    for name in wide.column_names:
        codes = wide[name].combine_chunks().dictionary_encode()
        columns[name] = codes.indices.cast(pa.int32())
    columns = {name: column for name, column in columns.items() if name not in ("CITY", "INCWAGE")}
    sex = columns["SEX"].to_numpy()
    columns["SEX"] = pa.array((sex % 2 + 1).astype(np.int32))
    columns |= _incomes(sex % 2, stream)
    names = [name for name in columns if name not in ("CITY", "INCWAGE", "SEX")]
    while len(columns) < FIELDS:
        name = names[len(columns) % len(names)]
        old = columns[name].to_numpy()
        changed = np.where(stream.random(rows) < 0.2, stream.permutation(old), old)
        columns[f"{name}_{len(columns)}"] = pa.array(changed.astype(np.int32))
    specs = {name: {"type": "enum", "maxval": int(column.to_numpy().max())} for name, column in columns.items()} | {
        "INCWAGE": {"type": "integer", "min": 0, "max": 999_999}
    }
    (folder / "specs.json").write_text(json.dumps(specs), encoding="utf-8")
    edges = [[0, 0], *([low, low + 49] for low in range(1, 5_001, 50)), [5_001, 999_997], [999_998, 999_998]]
    (folder / "fields.toml").write_text(challenge_domains(folder / "specs.json"), encoding="utf-8")
    spec = f'base = "fields.toml"\n[domains.INCWAGE]\nbins = {edges}\n'
    (folder / "spec.toml").write_text(spec, encoding="utf-8")
    table = pa.table(columns)
    data = folder / ("rows.csv" if as_text else "rows.parquet")
    if as_text:
        csv.write_csv(table, data, csv.WriteOptions(quoting_style="needed"))
    else:
        pq.write_table(table, data)
    return data


def _incomes(sex: np.ndarray, stream: np.random.Generator) -> dict[str, pa.Array]:
    """CITY and INCWAGE of people of these sexes, 0 or 1: cities differ in wages, and sexes within each."""
    city = stream.zipf(1.6, sex.size) % 60
    usual = stream.normal(6.3, 0.4, 60)[city] + 0.3 * sex  # mean logarithm
    wage = np.minimum(np.exp(stream.normal(usual, 0.8)).astype(np.int32) // 50 * 50, 5_000)
    is_unknown = stream.random(sex.size) < 0.4
    return {
        "CITY": pa.array(city.astype(np.int32)),
        "INCWAGE": pa.array(np.where(is_unknown, 999_998, wage).astype(np.int32)),
    }


def _timed(what: str, arguments: list[object], answer: BinaryIO | None = None, program: str = "safetab_sql") -> None:
    """Run a command in a process of its own, and print what it took. answer: the file for its standard output."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", program, *map(str, arguments)], stdout=answer)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    taken = f"{seconds:.1f} s ({usage.ru_utime + usage.ru_stime:.1f}), {usage.ru_maxrss / 2**20:.2f} GiB"
    print(f"{what}: {taken}, status {status}", flush=True)


if __name__ == "__main__":
    main()
