"""Synthetic rows beside the best known method, in one run: `python -m tests.benchmarks.rivals --adult adult.data`.

--adult names the Adult table of the UCI repository, adult.data, which is no part of this project: 15 fields, of which
the first 32,384 records are taken. Without it, fields of the wide table of the simulated nation are. Fields become
codes from 0: age and hours by year and hour, fnlwgt, capital gain and loss by 15,000, 1,000 and 44, others by their
place in a list. Prints seconds (of the clock and of processors), peak memory, and the scores of all sets of two and of
three fields, at each epsilon, of

- `synthesize run`, given nothing but epsilon: pure DP; and given the rho that (epsilon, 1e-9) allows: zCDP;
- MST, pure and with delta 1e-9 (tests/benchmarks/maximum_spanning_tree.py), where the package `mbi` is installed;
- independent columns without noise.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.accounting.conversions import zcdp_to_approximate_dp
from safetab_sql.histograms.evaluation.score import MarginalScore, marginal_scores
from safetab_sql.kit.text_tables import aligned
from tests.benchmarks.wide import write_wide

DELTA = 1e-9
EPSILONS = ("0.3", "1", "8")
ADULT_ROWS, WIDE_ROWS = 32_384, 36_000
# Fields of adult.data in their order: number of codes, smallest number, numbers that share a code; 0 for a list.
ADULT = {
    **{"age": (74, 17, 1), "workclass": (9, 0, 0), "fnlwgt": (100, 0, 15_000), "education": (16, 0, 0)},
    **{"education_num": (16, 1, 1), "marital_status": (7, 0, 0), "occupation": (15, 0, 0), "relationship": (6, 0, 0)},
    **{"race": (5, 0, 0), "sex": (2, 0, 0), "capital_gain": (100, 0, 1_000), "capital_loss": (100, 0, 44)},
    **{"hours_per_week": (99, 1, 1), "native_country": (42, 0, 0), "income": (2, 0, 0)},
}
# Of the wide table, whose other fields are much like these; INCWAGE has thousands of values.
WIDE = (
    "AGE",
    "SEX",
    "RELATE",
    "MARST",
    "RACE",
    "HISPAN",
    "BPL",
    "CITIZEN",
    "EDUC",
    "EMPSTAT",
    "LABFORCE",
    "OCC",
    "IND",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adult", type=Path, help="adult.data; without it, the simulated wide table")
    parser.add_argument("--epsilon", action="append", help="default: 0.3, 1 and 8")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="safetab-sql-benchmark-") as name:
        folder = Path(name)
        codes, sizes = adult_codes(options.adult) if options.adult else wide_codes(folder)
        pq.write_table(pa.table(codes), folder / "codes.parquet")
        (folder / "sizes.json").write_text(json.dumps(sizes), encoding="utf-8")
        made = {}
        for epsilon in options.epsilon or EPSILONS:
            made |= _ours(folder, sizes, epsilon)
            if find_spec("mbi"):
                made |= _mst(folder, epsilon)
        scores = marginal_scores(
            folder / "codes.parquet", [file for file, _ in made.values()], [2, 3], 10**6, with_baseline=True
        )
        print(aligned(list(_rows(made, scores))))


def adult_codes(path: Path) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """The codes of the first records of adult.data, and the number of codes of each field."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = [line for line in csv.reader(file, skipinitialspace=True) if len(line) == len(ADULT)]
    columns = zip(*lines[:ADULT_ROWS], strict=True)
    codes = {}
    for (name, (size, least, width)), texts in zip(ADULT.items(), columns, strict=True):
        if width:
            codes[name] = np.minimum((np.array(texts, dtype=np.int64) - least) // width, size - 1)
        else:
            codes[name] = np.unique(np.array(texts), return_inverse=True)[1].astype(np.int64)
        if codes[name].min() < 0 or codes[name].max() >= size:
            sys.exit(f"{path}: {name} has more than {size} values, or values below {least}: not the Adult table")
    return codes, {name: size for name, (size, _, _) in ADULT.items()}


def wide_codes(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Codes of some fields of the simulated wide table, in the order of their values; sizes as occur."""
    wide = pq.read_table(write_wide(folder / "nation", WIDE_ROWS), columns=list(WIDE))
    found = {name: np.unique(wide[name].to_numpy(), return_inverse=True) for name in WIDE}
    codes = {name: places.astype(np.int64) for name, (_, places) in found.items()}
    return codes, {name: values.size for name, (values, _) in found.items()}


def rho_of(epsilon: float, delta: float) -> Fraction:
    """The largest rho, to nine decimals, of which the loss stays within (epsilon, delta)."""
    low, high = 0, round(epsilon * 10**9)
    while high - low > 1:
        middle = (low + high) // 2
        is_within = zcdp_to_approximate_dp(Fraction(middle, 10**9), Fraction(delta)) <= epsilon
        low, high = (middle, high) if is_within else (low, middle)
    return Fraction(low, 10**9)


def _ours(folder: Path, sizes: dict[str, int], epsilon: str) -> dict[str, tuple[Path, str]]:
    """What `synthesize run` makes with this epsilon, and with its rho: files of rows, and what they took, by name."""
    domains = "\n".join(f"{name} = {{ minimum = 0, maximum = {size - 1} }}" for name, size in sizes.items())
    rho = f"{float(rho_of(float(epsilon), DELTA)):.9f}"
    found = {}
    for name, budget in {
        "ours, pure DP": f"epsilon = {epsilon}",
        f"ours, zCDP, delta {DELTA:g}": f"rho = {rho}",
    }.items():
        spec, out = folder / "spec.toml", folder / f"{name} {epsilon}"
        spec.write_text(f"{budget}\n[domains]\n{domains}\n", encoding="utf-8")
        data = ["--data", str(folder / "codes.parquet"), "--out", str(out), "--quiet"]
        taken = _measured(["-m", "safetab_sql", "synthesize", "run", "--spec", str(spec), *data])
        found[f"{name}, epsilon {epsilon}"] = (out / "synthetic.parquet", taken)
    return found


def _mst(folder: Path, epsilon: str) -> dict[str, tuple[Path, str]]:
    found = {}
    for name, delta in {"MST, pure DP": "0", f"MST, delta {DELTA:g}": str(DELTA)}.items():
        out = folder / f"{name} {epsilon}.parquet"
        inputs = [str(folder / "codes.parquet"), str(folder / "sizes.json"), epsilon, delta]
        taken = _measured(["-m", "tests.benchmarks.maximum_spanning_tree", *inputs, str(out)])
        found[f"{name}, epsilon {epsilon}"] = (out, taken)
    return found


def _measured(arguments: list[str]) -> str:
    """Run Python with these arguments; seconds of the clock and of processors, and GiB, as text."""
    started = time.monotonic()
    environment = os.environ | {"JAX_ENABLE_X64": "true"}  # as MST's inference asks
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(arguments)} failed")
    seconds = f"{time.monotonic() - started:.1f} s ({usage.ru_utime + usage.ru_stime:.1f})"
    return f"{seconds}, {usage.ru_maxrss / 2**20:.2f} GiB"


def _rows(made: dict[str, tuple[Path, str]], scores: list[MarginalScore]) -> list[tuple[str, ...]]:
    by_file = {(one.name, one.ways): f"{one.score:,.0f}" for one in scores}
    rows = [(name, by_file[str(file), 2], by_file[str(file), 3], taken) for name, (file, taken) in made.items()]
    baseline = next(one.name for one in scores if one.name not in {str(file) for file, _ in made.values()})
    last = (f"{baseline}", by_file[baseline, 2], by_file[baseline, 3], "")
    return [("rows", "2-way", "3-way", "seconds (of processors), memory"), *rows, last]


if __name__ == "__main__":
    main()
