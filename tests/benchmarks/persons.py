"""What the bound of a person costs: stays of patients, counted as records, with the bound, and as persons.

    python -m tests.benchmarks.persons [--stays N] [--most-records K] [--sorted]

A quarter as many patients as stays, with 1 to 36 stays each, in the places of a simulated nation. Processor seconds are
of the whole command, of all its threads; memory is the peak of the process. Exit code 1 if the bound takes more than
1.5 times the processor time of the records.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

GOAL = 1.5  # of the processor time of the same rows as records
_STAYS = """
with patients as (
    select range as patient, least(36, 1 + floor(-3.2 * ln(1 - (hash(range) % 1000003) / 1000003))) as stays
    from range($patients)
),
homes as (select *, row_number() over () - 1 as home from read_parquet($persons)),
numbered as (select patient, unnest(range(cast(stays as bigint))) as stay from patients)
select homes.* exclude (home), numbered.patient as PATIENT, hash(numbered.patient, numbered.stay) % 365 as DAY
from numbered
inner join homes
    on homes.home = hash(numbered.patient, case when numbered.stay % 3 = 0 then numbered.stay else 0 end) % $homes
"""
UNITS = {
    "as records": 'one = "stay"\nmany = "stays"\nrecords_of_a_person = 36\n',
    "at most {k} records": 'person = "PATIENT"\nmost_records = {k}\n',
    "at most {k}, the last ones": 'person = "PATIENT"\nmost_records = {k}\nkeep = {{ order = ["DAY desc"] }}\n',
}


def write_stays(folder: Path, example: Path, stays: int, order: str) -> int:
    """Parquet of the stays; how many there are."""
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    persons = str(example / "persons" / "*.parquet")
    ((homes,),) = connection.execute("select count(*) from read_parquet($persons)", {"persons": persons}).fetchall()
    values = {"patients": stays // 4, "persons": persons, "homes": homes, "target": str(folder / "stays.parquet")}
    connection.execute(f"copy ({_STAYS} order by {order}) to $target (format parquet)", values)
    ((rows,),) = connection.execute(
        "select count(*) from read_parquet($target)", {"target": values["target"]}
    ).fetchall()
    return int(rows)


def _simulated(nation: Path, people: int) -> list[str]:
    return ["simulate", "--people", str(people), "--quiet", "--out", str(nation)]


def seconds_of(command: list[str]) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak GiB of a command. Raises: SystemExit where it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20


def main() -> int:
    """Print the figures; exit code 1 if the goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stays", type=int, default=20_000_000)
    parser.add_argument("--most-records", type=int, default=5)
    parser.add_argument("--sorted", action="store_true", help="by patient; otherwise in no order")
    parser.add_argument("--scratch", type=Path, help="where to work; default: the system's")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.scratch) as name:
        folder = Path(name)
        subprocess.run(
            [sys.executable, "-m", "safetab_sql", *_simulated(folder / "nation", options.stays // 4)], check=True
        )
        nation = folder / "nation"
        order = "PATIENT, DAY" if options.sorted else "hash(PATIENT, DAY, QAGE)"
        with multiprocessing.get_context("spawn").Pool(1) as other:  # a child's peak is at least what its parent holds
            rows = other.apply(write_stays, (folder, nation, options.stays, order))
        print(f"{rows:,} stays of {options.stays // 4:,} patients", flush=True)
        times: list[float] = []
        for title, unit in UNITS.items():
            k = options.most_records
            parameters = folder / "parameters.toml"
            text = (nation / "parameters.toml").read_text(encoding="utf-8")
            parameters.write_text(f"{text}\n[unit]\n{unit.format(k=k)}", encoding="utf-8")
            out = folder / title.format(k=k).replace(" ", "-")
            inputs = {
                "--parameters": parameters,
                "--persons": folder / "stays.parquet",
                "--geography": nation / "geography.parquet",
                "--code-lists": nation / "code-lists",
                "--out": out,
            }
            options_of = [str(each) for pair in inputs.items() for each in pair]
            seconds, processor, gib = seconds_of([sys.executable, "-m", "safetab_sql", "run", *options_of, "--quiet"])
            times.append(processor)
            ratio = f"{processor / times[0]:.2f} times the records"
            print(f"{title.format(k=k)}: {seconds:.1f} s, {processor:.1f} s of processor ({ratio}), {gib:.2f} GiB")
    return 0 if times[1] <= GOAL * times[0] else 1


if __name__ == "__main__":
    raise SystemExit(main())
