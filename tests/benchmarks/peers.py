"""Margins of error of a person with several records, beside those of OpenDP and Tumult Analytics.

    python -m tests.benchmarks.peers --out FOLDER [--opendp PYTHON] [--tumult PYTHON]

Each peer needs an environment of its own, which is no part of this project; Tumult Analytics needs Java too:

    python3.11 -m venv opendp && opendp/bin/pip install 'opendp[polars]==0.16.0'
    python3.11 -m venv tumult && tumult/bin/pip install 'tmlt.analytics==0.21.0'
    python -m tests.benchmarks.peers --out peers --opendp opendp/bin/python --tumult tumult/bin/python

About 200,000 stays of 50,000 patients, 1 to 36 each, are counted by hospital and diagnosis group: one table of 2,000
public cells, of which 1,000 hold nobody, at epsilon 1 (pure DP) and at rho 1/2 (zCDP), with several bounds of the stays
of a patient. What is protected is a patient with all stays. The whole loss goes into this table: ours has one level,
whose groups get totals alone, so that nothing is spent on a choice of tables.

Printed for each program, loss and bound: the stated 95 % margin of a count (OpenDP's `accuracy`; Tumult states none: of
its noise); the margin observed in cells with nobody, where all error is noise; the share of the stays that the counts
of cells with stays lack; and the 95 % error of these counts, by bias and noise together. FOLDER keeps the stays and a
parameter file, so that `safetab-sql evaluate` compares bounds on the same stays.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from math import exp
from pathlib import Path
from typing import Any

EPSILON, RHO = 1, 0.5
BOUNDS = (1, 2, 5, 10, 36)
MOST_STAYS = 36
HOSPITALS = [f"H{number:02}" for number in range(40)]
DIAGNOSES = [f"D{number:02}" for number in range(50)]
CELLS = [(hospital, diagnosis) for hospital in HOSPITALS for diagnosis in DIAGNOSES]
LOSSES = {"puredp": f"epsilon {EPSILON}", "zcdp": f"rho {RHO}"}
STAYS, PARAMETERS, GEOGRAPHY = "stays.parquet", "parameters.toml", "hospitals.csv"
_PARAMETERS = """privacy_definition = "{definition}"
gamma = 0.1  # of no effect: no table is chosen

[unit]
one = "stay"
many = "stays"
person = "PATIENT"
most_records = {bound}

[place]
key = {{ HOSPITAL = "text" }}

[region_types]
HOSPITAL.id = "HOSPITAL"

[questions.diagnosis]
column = "DIAGNOSIS"
values = {diagnoses}

[attributes]
SEX.values = ["F", "M"]

[ladders.STAYS]
statistics = [{{ name = "sex", cells = {{ SEX = "each" }} }}]
levels = [{{ each = ["HOSPITAL-1"], budget = {budget}, total_only = true }}]
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be counted: stays, of each patient so many; how often."""

    folder: Path
    bounds: Sequence[int]
    draws: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program said of one loss and bound. stated: its margin. counts: of each draw, in the order of CELLS."""

    definition: str
    bound: int
    stated: float
    counts: list[list[int]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the stays and what is counted of them")
    parser.add_argument("--opendp", help="Python of an environment with OpenDP; without it, it is left out")
    parser.add_argument("--tumult", help="Python of an environment with Tumult Analytics; likewise")
    parser.add_argument("--patients", type=int, default=50_000)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--bounds", type=int, nargs="+", default=BOUNDS)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)  # what runs in the environment of a peer
    options = parser.parse_args()
    if options.part:
        wanted = Wanted(options.out, options.bounds, options.draws)
        answers = [vars_of(answer) for answer in PARTS[options.part](wanted)]
        (options.out / f"{options.part}.json").write_text(json.dumps(answers), encoding="utf-8")
        return
    options.out.mkdir(parents=True, exist_ok=True)
    exact = write_stays(options.out, options.patients)
    print(f"{options.patients:,} patients, {sum(exact):,} stays in all cells together", flush=True)
    for part, python in {"ours": sys.executable, "opendp": options.opendp, "tumult": options.tumult}.items():
        if python is not None:
            print(f"\n{part}\n{_text(_counted(part, python, options), exact)}", flush=True)


def vars_of(answer: Answer) -> dict[str, Any]:
    return {name: getattr(answer, name) for name in Answer.__slots__}


def write_stays(folder: Path, patients: int) -> list[int]:
    """Stays, cells and parameters; how many stays each cell has.

    Each hospital treats every other diagnosis group. A patient has a hospital, and a diagnosis that says how many stays
    are to be expected: 1.2 to 7. One stay in five has another diagnosis.
    """
    np, pa, pq = (import_module(name) for name in ("numpy", "pyarrow", "pyarrow.parquet"))
    generator = np.random.default_rng(5)
    weights = 1 / np.arange(2, 2 + len(HOSPITALS))
    home = generator.choice(len(HOSPITALS), patients, p=weights / weights.sum())
    half = len(DIAGNOSES) // 2
    main_half = generator.integers(0, half, patients)
    expected = 1.2 + 5.8 * main_half / (half - 1)
    stays = np.minimum(MOST_STAYS, generator.geometric(1 / expected))
    patient = np.repeat(np.arange(patients), stays)
    other = generator.integers(0, half, patient.size)
    halves = np.where(generator.random(patient.size) < 0.2, other, main_half[patient])
    hospital, diagnosis = home[patient], 2 * halves + home[patient] % 2
    order = generator.permutation(patient.size)
    columns = {
        "PATIENT": patient,
        "HOSPITAL": np.array(HOSPITALS)[hospital],
        "DIAGNOSIS": np.array(DIAGNOSES)[diagnosis],
        "SEX": np.array(["F", "M"])[patient % 2],
    }
    pq.write_table(pa.table({name: column[order] for name, column in columns.items()}), folder / STAYS)
    (folder / GEOGRAPHY).write_text("\n".join(["HOSPITAL", *HOSPITALS]) + "\n", encoding="utf-8")
    write_parameters(folder / PARAMETERS, "puredp", 5)
    cell = hospital * len(DIAGNOSES) + diagnosis
    return list(np.bincount(cell, minlength=len(CELLS)).tolist())


def write_parameters(file: Path, definition: str, bound: int) -> None:
    budget = {"puredp": EPSILON, "zcdp": RHO}[definition]
    values = {"definition": definition, "bound": bound, "budget": budget, "diagnoses": json.dumps(DIAGNOSES)}
    file.write_text(_PARAMETERS.format(**values), encoding="utf-8")


def _counted(part: str, python: str, options: argparse.Namespace) -> list[Answer]:
    """The answers of a program, which runs in its environment."""
    bounds = [str(bound) for bound in options.bounds]
    command = [python, "-m", "tests.benchmarks.peers", "--part", part, "--out", str(options.out)]
    environment = {**os.environ, "PYSPARK_PYTHON": python}
    with (options.out / f"{part}.log").open("w", encoding="utf-8") as log:
        given = ["--draws", str(options.draws), "--bounds", *bounds]
        subprocess.run([*command, *given], check=True, env=environment, stdout=log, stderr=log)
    return [Answer(**answer) for answer in json.loads((options.out / f"{part}.json").read_text(encoding="utf-8"))]


# What runs in an environment of a program.


def ours(wanted: Wanted) -> Iterator[Answer]:
    pq, folder = import_module("pyarrow.parquet"), wanted.folder
    inputs = ["--persons", str(folder / STAYS), "--geography", str(folder / GEOGRAPHY)]
    for definition in LOSSES:
        for bound in wanted.bounds:
            found, margins = [], set()
            for _ in range(wanted.draws):
                with tempfile.TemporaryDirectory(dir=folder) as name:
                    out, parameters = Path(name) / "out", Path(name) / PARAMETERS
                    write_parameters(parameters, definition, bound)
                    options = ["--parameters", str(parameters), *inputs, "--out", str(out), "--quiet"]
                    subprocess.run([sys.executable, "-m", "safetab_sql", "run", *options], check=True)
                    rows = pq.read_table(out / "stays" / "stays.parquet").to_pylist()
                counted = {(row["REGION_ID"], row["ITERATION_CODE"]): row["COUNT"] for row in rows}
                found.append([counted[cell] for cell in CELLS])
                margins |= {row["MOE95"] for row in rows}
            yield Answer(definition, bound, max(margins), found)


def opendp(wanted: Wanted) -> Iterator[Answer]:
    dp, pl = import_module("opendp.prelude"), import_module("polars")
    dp.enable_features("contrib")
    cell = pl.concat_str("HOSPITAL", "DIAGNOSIS").alias("CELL")
    stays = pl.read_parquet(wanted.folder / STAYS).select("PATIENT", cell).lazy()
    cells = pl.LazyFrame({"CELL": ["".join(cell) for cell in CELLS]})
    patient = dp.unit_of(contributions=1, identifier=pl.col("PATIENT"))
    given = {"data": stays, "privacy_unit": patient, "split_evenly_over": 1}
    by = ["CELL"]
    for definition, loss in {"puredp": dp.loss_of(epsilon=float(EPSILON)), "zcdp": dp.loss_of(rho=RHO)}.items():
        for bound in wanted.bounds:
            found, margins = [], set()
            for _ in range(wanted.draws):
                rows = dp.Context.compositor(privacy_loss=loss, **given).query()
                query = rows.truncate_per_group(bound).group_by(by).agg(dp.len(signed=True)).with_keys(cells)
                margins |= set(query.summarize(alpha=0.05)["accuracy"])
                counted = dict(query.release().collect().select(*by, "len").iter_rows())
                found.append([counted["".join(cell)] for cell in CELLS])
            yield Answer(definition, bound, max(margins), found)


def tumult(wanted: Wanted) -> Iterator[Answer]:
    tm, sql = import_module("tmlt.analytics"), import_module("pyspark.sql")
    builder = sql.SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", "2")
    spark = builder.config("spark.sql.warehouse.dir", str((wanted.folder / "spark").resolve())).getOrCreate()
    cell = import_module("pyspark.sql.functions").concat("HOSPITAL", "DIAGNOSIS").alias("CELL")
    stays = spark.read.parquet(str(wanted.folder / STAYS)).select("PATIENT", cell)  # it bounds groups of one column
    cells = tm.KeySet.from_dict({"CELL": ["".join(cell) for cell in CELLS]})
    for definition, budget in {"puredp": tm.PureDPBudget(EPSILON), "zcdp": tm.RhoZCDPBudget(RHO)}.items():
        for bound in wanted.bounds:
            query = tm.QueryBuilder("stays").enforce(tm.MaxRowsPerID(bound)).groupby(cells).count()
            found, margins = [], set()
            for _ in range(wanted.draws):
                change = tm.AddRowsWithID("PATIENT")
                session = tm.Session.from_dataframe(budget, "stays", stays, protected_change=change)
                (noise,) = session._noise_info(query, budget)
                margins.add(margin(definition, float(noise["noise_parameter"])))
                counted = {row["CELL"]: row["count"] for row in session.evaluate(query, budget).collect()}
                found.append([counted["".join(cell)] for cell in CELLS])
            yield Answer(definition, bound, max(margins), found)


def margin(definition: str, parameter: float) -> int:
    """The least m with P(|noise| <= m) >= 95 %. parameter: scale of the geometric law, sigma^2 of the Gaussian."""
    weight: Callable[[int], float] = (
        (lambda k: exp(-k / parameter)) if definition == "puredp" else (lambda k: exp(-k * k / (2 * parameter)))
    )
    whole = weight(0) + 2 * sum(weight(k) for k in range(1, 100 * MOST_STAYS))
    within = weight(0)
    for m in count():
        if within >= 0.95 * whole:
            return m
        within += 2 * weight(m + 1)
    raise AssertionError


PARTS = {"ours": ours, "opendp": opendp, "tumult": tumult}


# What is printed.


def _text(answers: Sequence[Answer], exact: Sequence[int]) -> str:
    aligned = import_module("safetab_sql.kit.text_tables").aligned
    head = ("loss", "bound", "stated", "observed", "lacking", "error with bias")
    return str(aligned([head, *(_row(answer, exact) for answer in answers)]))


def _row(answer: Answer, exact: Sequence[int]) -> tuple[str, ...]:
    errors = [(size, noisy - size) for counts in answer.counts for noisy, size in zip(counts, exact, strict=True)]
    lacking = -sum(error for size, error in errors if size) / len(answer.counts)
    return (
        *(LOSSES[answer.definition], str(answer.bound), f"±{answer.stated:.1f}".removesuffix(".0")),
        f"±{_within_95([error for size, error in errors if not size])}",
        f"{lacking / sum(exact):.1%}",
        f"±{_within_95([error for size, error in errors if size])}",
    )


def _within_95(errors: Sequence[int]) -> int:
    """The least m such that 95 % of the errors are within m."""
    sizes = sorted(map(abs, errors))
    return sizes[-(-95 * len(sizes) // 100) - 1]


if __name__ == "__main__":
    main()
