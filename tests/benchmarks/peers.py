"""A run beside what one would pick instead, alternately, on one made-up nation: `python -m tests.benchmarks.peers`.

Exact tables by plain SQL in DuckDB, written in half an hour and in an hour: T1 must be that of `ground-truth`, and T2
rows of its T2. Noisy T1 of the counties by OpenDP and Tumult, where the interpreter `--peers` finds them
(`pip install "opendp[polars]"`, `pip install tmlt.analytics`). Medians of processor and wall seconds, and MiB.
"""

import argparse
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median

import duckdb

from safetab_sql.simulation.geography import US_PEOPLE
from tests.benchmarks.nation import machine, make_nation
from tests.benchmarks.peer_scripts.plain import run_scripts

SCRIPTS = Path(__file__).parent / "peer_scripts"
PEERS_READ = ("peer_people", "peer_counties", "peer_iterations", "peer_codes", "peer_memberships")
LONG = 60  # wall seconds: what takes longer runs once
_REAP_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER: what a contestant leaves running is counted, too


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=0.001, help="share of the nation, default 0.001")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", default=sys.executable, help="a Python that can import what is compared with")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(_REAP_ORPHANS, 1)
    with tempfile.TemporaryDirectory(prefix="safetab-sql-peers-") as scratch:
        folder, nation = Path(scratch), Path(scratch) / "nation"
        # in a process of its own: what is measured begins with the memory of the process that starts it
        prepared = "import sys; from tests.benchmarks.peers import prepare; prepare(*sys.argv[1:])"
        subprocess.run([sys.executable, "-c", prepared, str(nation), str(options.scale)], check=True)
        print(f"{machine()}; {round(US_PEOPLE * options.scale):,} people")
        for commands in (tables(nation, folder), counties(nation, folder, options.peers)):
            found: dict[str, list[tuple[float, ...]]] = {name: [] for name in commands}
            for number in range(options.rounds):
                for name, command in commands.items():
                    if number and found[name][-1][1] > LONG:
                        continue
                    found[name].append(measured([each.format(number=number) for each in command], folder))
            report(found)
        compare(nation, folder)


def prepare(nation: str, scale: str) -> None:
    """Make the nation, and beside it what OpenDP and Tumult read."""
    make_nation(Path(nation), round(US_PEOPLE * float(scale)), "plain")
    run_scripts(Path(nation), ["lists", "people", "peers"], {name: f"{nation}/../{name}" for name in PEERS_READ})


def ours(command: str, nation: Path, parameters: Path, out: str) -> list[str]:
    inputs = (*("--parameters", str(parameters), "--persons", str(nation / "persons")),)
    places = ("--geography", str(nation / "geography.parquet"), "--code-lists", str(nation / "code-lists"))
    return [sys.executable, "-m", "safetab_sql", command, "--quiet", *inputs, *places, "--out", out]


def tables(nation: Path, folder: Path) -> dict[str, list[str]]:
    """T1 and T2 of the nation, by contestant."""
    plain = [sys.executable, str(SCRIPTS / "plain.py"), str(nation)]
    return {
        "run": ours("run", nation, nation / "parameters.toml", f"{folder}/run-{{number}}"),
        "plain SQL, half an hour": [*plain, f"{folder}/half_hour", "lists", "people", "half_hour"],
        "plain SQL, an hour": [*plain, f"{folder}/hour", "lists", "hour"],
    }


def counties(nation: Path, folder: Path, peers: str) -> dict[str, list[str]]:
    """Noisy totals of counties, by contestant that is installed."""
    found = {"run, counties": ours("run", nation, SCRIPTS / "counties.toml", f"{folder}/counties-{{number}}")}
    for name, module in {"OpenDP": "opendp", "Tumult": "tmlt"}.items():
        if subprocess.run([peers, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            print(f"{name}: not installed for {peers}")
            continue
        script = SCRIPTS / f"with_{name.lower()}.py"
        found[name] = [peers, str(script), str(folder), f"{folder}/{name}-{{number}}"]
    return found


def measured(command: list[str], folder: Path) -> tuple[float, ...]:
    """Processor seconds and wall seconds of a command with all that it starts, and MiB of the largest process."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with (folder / "said").open("w") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    if status:
        sys.exit(f"{' '.join(command)} failed: {(folder / 'said').read_text()}")
    with suppress(ChildProcessError):
        while os.wait3(0):
            pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, seconds, usage.ru_maxrss / 1024


def report(found: dict[str, list[tuple[float, ...]]]) -> None:
    """A line for each contestant; ratios are of the first one, ours, over it."""
    medians = {name: tuple(map(median, zip(*rounds, strict=True))) for name, rounds in found.items()}
    own = next(iter(medians.values()))
    print(f"\n{'':<26}{'CPU s':>8}{'wall s':>8}{'MiB':>8}   ours over it: CPU, wall, MiB")
    for name, figures in medians.items():
        ratios = "".join(f"{of / it:>8.2f}" for of, it in zip(own, figures, strict=True))
        print(f"{name:<26}{figures[0]:>8.2f}{figures[1]:>8.2f}{figures[2]:>8.0f} {ratios}")


def compare(nation: Path, folder: Path) -> None:
    """Refuse plain tables that are not the exact ones."""
    truth = folder / "truth"
    subprocess.run(ours("ground-truth", nation, nation / "parameters.toml", str(truth)), check=True)
    t1 = f"select REGION_TYPE, REGION_ID, ITERATION_CODE, COUNT from '{truth}/t1.parquet' where COUNT > 0"
    t2 = f"select REGION_TYPE, REGION_ID, ITERATION_CODE, SEX, AGESTART, COUNT from '{truth}/t2.parquet'"
    for name in ("half_hour", "hour"):
        one, two = (f"read_parquet('{folder}/{name}.{table}')" for table in ("t1", "t2"))
        one = f"select region_type, region_id, iteration_code, n::bigint from {one}"
        two = f"select region_type, region_id, iteration_code, sex, first::varchar, n::bigint from {two}"
        for here, there in ((one, t1), (t1, one), (two, t2)):
            wrong = duckdb.sql(f"select count(*) from (({here}) except ({there}))").fetchall()[0][0]
            if wrong:
                sys.exit(f"{name}: {wrong} rows are not as ground-truth's")
    print("plain tables equal ground-truth's")


if __name__ == "__main__":
    main()
