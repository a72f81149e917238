"""How fast, and in how much memory, `bottom-up run` publishes a histogram of a hundred million cells.

    python -m tests.benchmarks.bottom_up [--records N] [--values V] [--epsilon E] [--publish-cells]

Four domains of V values each (V^4 cells), N records, margins by one, two and three columns. Seconds are of the whole
command, processor seconds of all its threads; memory is the peak of the process.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = ("A", "B", "C", "D")
GOAL_SECONDS, GOAL_GIB = 60, 2.0  # siblings: over 10^8 cells with 10^6 records, on two cores


def write_inputs(folder: Path, *, records: int, values: int, epsilon: str, publish_cells: bool) -> None:
    """data.parquet, with codes that crowd at the low end, and spec.toml."""
    stream = np.random.default_rng(1)
    table = {name: (values * stream.random(records) ** 2).astype(np.int32) for name in COLUMNS}
    pq.write_table(pa.table(table), folder / "data.parquet")
    domains = [f"[domains.{name}]\nminimum = 0\nmaximum = {values - 1}" for name in COLUMNS]
    margins = {"all": [], "a": ["A"], "a_b": ["A", "B"], "c_d": ["C", "D"], "a_c_d": ["A", "C", "D"]}
    lines = [f"{name} = {columns}".replace("'", '"') for name, columns in margins.items()]
    top = f"epsilon = {epsilon}\npublish_cells = {str(publish_cells).lower()}"
    (folder / "spec.toml").write_text("\n".join([top, *domains, "[margins]", *lines]) + "\n", encoding="utf-8")


def main() -> int:
    """Print the figures; exit code 1 if the goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--values", type=int, default=100, help="of each of the four domains")
    parser.add_argument("--epsilon", default="1.0")
    parser.add_argument("--publish-cells", action="store_true", help="write every non-zero cell, too")
    parser.add_argument("--scratch", type=Path, help="where to work; default: the system's")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        folder = Path(name)
        write_inputs(
            folder,
            records=options.records,
            values=options.values,
            epsilon=options.epsilon,
            publish_cells=options.publish_cells,
        )
        inputs = ["--spec", str(folder / "spec.toml"), "--data", str(folder / "data.parquet")]
        command = [sys.executable, "-m", "safetab_sql", "bottom-up", "run", *inputs, "--out", str(folder / "out")]
        start = time.perf_counter()
        process = subprocess.Popen([*command, "--quiet"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds, gib = time.perf_counter() - start, usage.ru_maxrss / 2**20
        if status:
            return 1
        written = sum(file.stat().st_size for file in (folder / "out").rglob("*.parquet"))
    processor = usage.ru_utime + usage.ru_stime
    print(f"{options.values**4:,} cells, {options.records:,} records, epsilon {options.epsilon}:")
    print(
        f"{seconds:.1f} s, {processor:.1f} s of processor, {gib:.2f} GiB at the peak, {written / 1e6:,.0f} MB written"
    )
    return 0 if seconds < GOAL_SECONDS and gib < GOAL_GIB else 1


if __name__ == "__main__":
    raise SystemExit(main())
