"""How long a run takes, and what it needs: `python -m tests.benchmarks.nation --scale 0.01`.

Simulates a nation (production's code lists where ../shared has them), reads every column once, validates, runs, and
prints seconds by stage, people a second, the ratio to the full scan, peak memory and peak scratch; --json writes the
same. The nations: `plain`; and `shuffled`, in no order, where half of the people give several race codes that hardly
anybody shares, with columns that nobody needs.
"""

import argparse
import json
import multiprocessing
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.simulation.geography import US_PEOPLE
from safetab_sql.simulation.people import MOST_RACE_CODES, distinct, example_lists, read_code_lists
from safetab_sql.simulation.simulate import simulate

PRODUCTION_LISTS = Path(__file__).parents[2].parent / "shared" / "reference" / "ddhca-2020"
# Of a shuffled nation, the share of people who give two to eight of these codes; nearly all of these answers differ.
SEVERAL_CODES, CODES_IN_USE = 0.5, 1_500
PEOPLE_A_FILE = 4_000_000


def main() -> None:
    options = _options()
    people = round(US_PEOPLE * options.scale)
    folder = options.keep or Path(tempfile.mkdtemp(prefix="safetab-sql-benchmark-"))
    nation = folder / f"{options.nation}-{people}"
    started = time.monotonic()
    is_new = not nation.exists()
    if is_new:  # in a process of its own: what is measured begins with the memory of the process that starts it
        maker = multiprocessing.get_context("spawn").Process(target=make_nation, args=(nation, people, options.nation))
        maker.start()
        maker.join()
        if maker.exitcode:
            sys.exit(f"the nation was not made: exit code {maker.exitcode}")
    figures: dict[str, object] = {
        "machine": machine(),
        "nation": options.nation,
        "people": people,
        "memory_limit": options.memory_limit,
        "threads": options.threads,
    }
    if is_new:
        figures["simulate_seconds"] = round(time.monotonic() - started, 1)
    figures["scan_seconds"] = scan_seconds(nation)
    figures |= {f"validate_{name}": value for name, value in measured(nation, "validate", options).items()}
    figures |= measured(nation, "run", options)
    figures["people_a_second"] = round(people / figures["seconds"])
    figures["ratio_to_scan"] = round(figures["seconds"] / figures["scan_seconds"], 1)
    for name, value in figures.items():
        print(f"{name:<22} {value}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if options.keep is None:
        shutil.rmtree(folder)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=0.01, help="share of the nation, default 0.01")
    parser.add_argument("--nation", choices=["plain", "shuffled"], default="plain")
    parser.add_argument("--memory-limit", default="6GB")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=Path, help="folder to keep the nation in, and to find it in next time")
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser.parse_args()


def make_nation(folder: Path, people: int, kind: str) -> None:
    """A nation of one of the kinds, in production's lists where they are at hand."""
    lists = PRODUCTION_LISTS if PRODUCTION_LISTS.is_dir() else example_lists()
    folder.parent.mkdir(parents=True, exist_ok=True)
    simulate(folder, people=people, code_lists=lists)
    if kind == "shuffled":
        for file in (folder / "persons").iterdir():
            scatter_answers(file, np.array(read_code_lists(lists).race_codes))
        persons = folder / "persons"
        sorted_ones = persons.rename(folder / "sorted")
        persons.mkdir()
        with tempfile.TemporaryDirectory(dir=folder) as spill, duckdb.connect() as connection:
            connection.execute("set memory_limit = '8GB'")
            connection.execute(f"set temp_directory = '{spill}'")
            shuffled(connection, sorted_ones, persons)
        shutil.rmtree(sorted_ones)


def scatter_answers(file: Path, codes: np.ndarray) -> None:
    """Give all people of a file any of the codes in use, all alike: one code each, or two to eight equally often."""
    people = pq.read_table(file)
    stream = np.random.default_rng(int(file.stem))
    numbers = np.where(stream.random(people.num_rows) < SEVERAL_CODES, stream.integers(2, 9, people.num_rows), 1)
    in_use = stream.permutation(codes.size)[:CODES_IN_USE]
    drawn = in_use[stream.integers(0, in_use.size, (MOST_RACE_CODES, people.num_rows))].astype(np.int16)
    drawn[np.arange(MOST_RACE_CODES)[:, np.newaxis] >= numbers] = codes.size
    for place, given in enumerate(distinct(drawn, codes.size), start=1):
        column = pa.array(codes).take(pa.array(given, mask=given == codes.size))
        people = people.set_column(people.schema.get_field_index(f"QRACE{place}"), f"QRACE{place}", column)
    pq.write_table(people, file, row_group_size=100_000, store_schema=False)


def shuffled(connection: duckdb.DuckDBPyConnection, source: Path, target: Path) -> None:
    """People in random order, with three columns more, dealt out to files of four million."""
    people = f"read_parquet('{source}/*.parquet')"
    rows = connection.execute(f"select count(*) from {people}").fetchall()[0][0]
    files, dealt = -(-rows // PEOPLE_A_FILE), target / "dealt"
    connection.execute(f"set partitioned_write_max_open_files = {files + 10}")
    connection.execute(
        f"copy (select *, uuid() as RECORD, (random() * 1000)::integer as INCOME, md5(random()::varchar) as NOTE, "
        f"floor(random() * {files})::integer as dealt from {people}) "
        f"to '{dealt}' (format parquet, partition_by (dealt))"
    )
    for number, part in enumerate(sorted(dealt.iterdir())):
        connection.execute(
            f"copy (select * exclude (dealt) from '{part}/*.parquet' order by random()) "
            f"to '{target}/{number:03}.parquet' (format parquet)"
        )
    shutil.rmtree(dealt)


def scan_seconds(nation: Path) -> float:
    """Seconds to read every column of the person files once, with all threads."""
    with duckdb.connect() as connection:
        files = str(nation / "persons" / "*.parquet")
        names = [row[0] for row in connection.execute(f"describe from '{files}'").fetchall()]
        started = time.monotonic()
        connection.execute(f"select {', '.join(f'max({name})' for name in names)} from '{files}'").fetchall()
        return round(time.monotonic() - started, 2)


def measured(nation: Path, command: str, options: argparse.Namespace) -> dict[str, object]:
    """Seconds, seconds by stage, peak memory and peak scratch of one command, run as its own process."""
    with tempfile.TemporaryDirectory(prefix="safetab-sql-benchmark-run-", dir=nation.parent) as work:
        scratch, log = Path(work) / "scratch", Path(work) / "log"
        scratch.mkdir()
        arguments = [
            *(sys.executable, "-m", "safetab_sql", command, "--quiet"),
            *("--parameters", str(nation / "parameters.toml"), "--persons", str(nation / "persons")),
            *("--geography", str(nation / "geography.parquet"), "--code-lists", str(nation / "code-lists")),
            *("--memory-limit", options.memory_limit, "--threads", str(options.threads)),
            *("--scratch", str(scratch), "--confidential-log", str(log)),
            *(("--out", str(Path(work) / "out")) if command == "run" else ()),
        ]
        started = time.monotonic()
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
        peak_scratch = [0]
        watcher = threading.Thread(target=_watch, args=(process, scratch, peak_scratch))
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - started
        watcher.join()
        if process.returncode:
            sys.exit(f"{command} failed with exit code {process.returncode}")
        return {
            "seconds": round(seconds, 1),
            "peak_memory_gib": round(usage.ru_maxrss / 2**20, 2),
            "peak_scratch_gb": round(peak_scratch[0] / 1e9, 2),
            "stages": stage_seconds(log, seconds) if command == "run" else {},
            "slowest_statements": slowest(log),
        }


def _watch(process: "subprocess.Popen[bytes]", scratch: Path, peak: list[int]) -> None:
    while process.returncode is None:
        total = 0
        for file in scratch.rglob("*"):
            try:
                total += file.stat().st_blocks * 512
            except OSError:
                continue
        peak[0] = max(peak[0], total)
        time.sleep(0.2)


def stage_seconds(log: Path, seconds: float) -> dict[str, float]:
    """Seconds between the beginnings of the stages; the last one ends with the process."""
    lines = [line.split(" ", 1) for line in log.read_text(encoding="utf-8").splitlines()]
    begun = [(datetime.fromisoformat(at), text.removeprefix("stage: ")) for at, text in lines if text[:6] == "stage:"]
    stages = {name: round((after - at).total_seconds(), 1) for (at, name), (after, _) in pairwise(begun)}
    last = (begun[-1][0] - begun[0][0]).total_seconds()
    return {**stages, begun[-1][1]: round(seconds - last, 1)}


def slowest(log: Path) -> dict[str, float]:
    """The ten statements that took longest, in seconds, over all slices; two slices run at a time."""
    found: Counter[str] = Counter()
    for name, took in re.findall(r"(\S+): [\d,]+ rows in ([\d.]+) s", log.read_text(encoding="utf-8")):
        found[name] += float(took)
    return {name: round(took, 1) for name, took in found.most_common(10)}


def machine() -> str:
    """Processor, cores and memory."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    model = re.search(r"model name\s*: (.*)", info)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model[1] if model else platform.processor()}, {os.cpu_count()} cores, {memory:.0f} GiB"


if __name__ == "__main__":
    main()
