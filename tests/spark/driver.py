"""A run on a cluster with recorded bits, whose executors or workers are killed: `python -m tests.spark.driver`.

Prints what it did as JSON. --between: kill so between the passes. --random N: kill so many, at random moments.
"""

import argparse
import json
import os
import random
import threading
import time
from dataclasses import replace
from pathlib import Path

from safetab_sql import InputPaths, LedgerFile, Resources, run
from safetab_sql.cluster.spark import Spark, SparkTable
from safetab_sql.kit.progress import SILENT
from tests.cli.nations import paths
from tests.spark.clusters import EXECUTOR, WORKER, command_line, descendants, kill, running
from tests.statistics import recorded_bits


def main() -> None:
    options = _options()
    killed: list[int] = []
    seen: dict[str, list[str]] = {"commands": []}
    stop = threading.Event()

    def stage(name: str) -> None:
        if name.startswith("counting population groups") and options.random:
            threading.Thread(target=_kill_at_random, args=(options.random, killed, stop), daemon=True).start()
        if name == "counting tables":
            seen["commands"] = [command_line(each).decode(errors="replace") for each in descendants(os.getpid())]
            if options.between:
                killed.append(kill(running(EXECUTOR if options.between == "executors" else WORKER)))
            options.pause()

    inputs: InputPaths = paths(options.nation)
    if options.persons is not None:
        inputs = replace(inputs, persons=options.persons)
    if options.table is not None:
        inputs = replace(inputs, persons=SparkTable(options.table))
    run(
        inputs,
        options.out,
        spark=Spark(options.master, options.parts if options.table is None else None),
        ledger_file=LedgerFile(options.ledger),
        resources=Resources(threads=1, confidential_log=options.log),
        progress=replace(SILENT, stage=stage),
        bits=recorded_bits("spark"),
    )
    stop.set()
    print(json.dumps({"killed": sum(killed), **seen}))


def _kill_at_random(number: int, killed: list[int], stop: threading.Event) -> None:
    chance = random.Random()
    while sum(killed) < number and not stop.is_set():
        time.sleep(chance.uniform(0.2, 2.5))
        kind = chance.choice([EXECUTOR, WORKER])
        if those := running(kind):
            killed.append(kill([chance.choice(those)]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("nation", "out", "ledger", "log"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--persons", type=Path)
    parser.add_argument("--table", help="that Spark reads, in place of files; --parts is then of no effect")
    parser.add_argument("--master", required=True)
    parser.add_argument("--parts", type=int, required=True)
    parser.add_argument("--between", choices=["executors", "workers"])
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--wait", type=Path, help="wait between the passes, as long as this file is there")
    options = parser.parse_args()

    def pause() -> None:
        while options.wait is not None and options.wait.exists():
            time.sleep(0.05)

    options.pause = pause
    return options


if __name__ == "__main__":
    main()
