"""Coverage of reconciled totals near the threshold of their table, with stage 1, in whole runs of a made-up nation.

    python -m tests.benchmarks.identical_states [--states N] [--runs N] [--integers]

All states are alike, so a run is as many independent releases of one state, each bound to the nation by all the others.
A group gets a table of so many cells if its stage-1 total, with a standard deviation of 12 persons, reaches 150.
distance: of the true size above 150, standard deviations of stage 1. tables: how many groups of that size got one.
within MOE95, LOW95 to HIGH95: the shares of their totals that do as they say, after `reconcile`; z: how many standard
errors the first is above 95 %. length: of MOE95, relative to that of the table as released. measured: the share that
the interval of `measurements` holds, before.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.inputs import InputPaths

HEAD = ("cells", "gamma", "distance", "tables", "within MOE95", "z", "LOW95 to HIGH95", "length", "measured")
KINDS = ((46, Fraction(1, 10)), (24, Fraction(1, 4)), (64, Fraction(1, 4)))  # cells, and gamma
DISTANCES = (-2.5, -2, -1.5, -1.25, -1, -0.5, 0, 1, 3)
THRESHOLD, DEVIATION = 150, 12
SIZES = tuple(round(THRESHOLD + distance * DEVIATION) for distance in DISTANCES)
PARAMETERS = """\
privacy_definition = "zcdp"
gamma = {gamma}
publish_stage_1 = true
allow_negative_counts = true
place.key = {{ STATE = "text" }}
attributes.CELL.values = {values}
questions.group = {{ column = "GROUP", values = {groups} }}
[region_types]
USA.id = "'1'"
STATE.id = "STATE"
[ladders.CELLS]
statistics = [{{ name = "cells", cells = {{ CELL = "each" }} }}]
totals = "SUMS"
levels = [{{ each = ["USA-1", "STATE-1"], budget = {budget}, thresholds = [{threshold}] }}]
"""


def nation(folder: Path, cells: int, gamma: Fraction, states: int) -> InputPaths:
    """The inputs of a nation whose states all have SIZES people in groups 0, 1, ..."""
    names = np.array([f"S{number:05}" for number in range(states)])
    groups = np.array([f"G{number}" for number in range(len(SIZES))])
    in_state = np.repeat(groups, SIZES)
    values = np.array([f"C{number}" for number in range(cells)])
    persons = {
        "STATE": np.repeat(names, in_state.size),
        "GROUP": np.tile(in_state, states),
        "CELL": np.tile(values[np.arange(in_state.size) % cells], states),
    }
    pq.write_table(pa.table(persons), folder / "persons.parquet")
    pq.write_table(pa.table({"STATE": names}), folder / "geography.parquet")
    text = PARAMETERS.format(
        gamma=float(gamma), values=values.tolist(), groups=groups.tolist(), threshold=THRESHOLD,
        budget=round(float(1 / (2 * DEVIATION**2 * gamma)), 6),
    )  # fmt: skip
    (folder / "parameters.toml").write_text(text, encoding="utf-8")
    return InputPaths(folder / "parameters.toml", folder / "persons.parquet", folder / "geography.parquet", None)


def totals(inputs: InputPaths, folder: Path, *, integers: bool = False) -> list[np.ndarray]:
    """One run: for each of SIZES a row for each state whose group got a table.

    Columns: COUNT, MOE95, LOW95 and HIGH95 as reconciled; MOE95 as released; LOW95 and HIGH95 of `measurements`.
    """
    run(inputs, folder / "out", overwrite=True)
    reconcile(folder / "out", folder / "reconciled", geography=inputs.geography, integers=integers, overwrite=True)
    with duckdb.connect() as database:
        found = database.execute(
            "select cast(ITERATION_CODE[2:] as integer), reconciled.COUNT, reconciled.MOE95, reconciled.LOW95,"
            " reconciled.HIGH95, released.MOE95, measured.LOW95, measured.HIGH95"
            f" from '{folder}/reconciled/sums/*.parquet' as reconciled"
            f" join '{folder}/out/sums/*.parquet' as released using (REGION_ID, REGION_TYPE, ITERATION_CODE)"
            f" join '{folder}/out/measurements/*.parquet' as measured using (REGION_ID, REGION_TYPE, ITERATION_CODE)"
            f" where REGION_TYPE = 'STATE' and STAGE_1 >= {THRESHOLD}"
        )
        rows = np.array(found.fetchall(), dtype=float).reshape(-1, 8)
    return [rows[rows[:, 0] == number, 1:] for number in range(len(SIZES))]


def shares(size: int, found: np.ndarray) -> tuple[float, float, float, float]:
    """Of groups of one true size: within MOE95, in LOW95 to HIGH95, relative length, held by `measurements`."""
    count, margin, low, high, released, measured_low, measured_high = found.T
    return (
        float(np.mean(np.abs(count - size) <= margin)),
        float(np.mean((low <= size) & (size <= high))),
        float(np.mean(margin / released)),
        float(np.mean((measured_low <= size) & (size <= measured_high))),
    )


def rows_of(cells: int, gamma: Fraction, found: Sequence[np.ndarray]) -> Iterator[tuple[str, ...]]:
    """The lines of one nation."""
    for distance, size, each in zip(DISTANCES, SIZES, found, strict=True):
        number = each.shape[0]
        if number:
            within, held, length, measured = shares(size, each)
            z = (within - 0.95) * (number / (0.95 * 0.05)) ** 0.5
            place = (str(cells), str(gamma), f"{distance:g}", f"{number:,}")
            yield (*place, f"{within:.4f}", f"{z:+.1f}", f"{held:.4f}", f"{length:.3f}", f"{measured:.4f}")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--states", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=3, help="releases of each nation")
    parser.add_argument("--integers", action="store_true", help="whole numbers")
    options = parser.parse_args()
    lines = [HEAD]
    for cells, gamma in KINDS:
        with tempfile.TemporaryDirectory(prefix="safetab-sql-states-") as name:
            inputs = nation(Path(name), cells, gamma, options.states)
            made = [totals(inputs, Path(name), integers=options.integers) for _ in range(options.runs)]
        lines += rows_of(cells, gamma, [np.concatenate(each) for each in zip(*made, strict=True)])
    print(aligned(lines))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
