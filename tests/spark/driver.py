"""A run on a cluster with recorded bits, which may lose its executors: `python -m tests.spark.driver`.

Prints what it did as JSON. --kill: kill all executors between the passes. --wait: wait there while that file exists.
"""

import argparse
import json
import os
import time
from dataclasses import replace
from pathlib import Path

from safetab_sql import LedgerFile, Resources, run
from safetab_sql.cluster.spark import Spark
from safetab_sql.kit.progress import SILENT
from tests.cli.nations import paths
from tests.spark.clusters import EXECUTOR, command_line, descendants, kill, running
from tests.statistics import recorded_bits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("nation", "out", "ledger", "log"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--master", required=True)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--wait", type=Path)
    options = parser.parse_args()
    done: dict[str, object] = {}

    def stage(name: str) -> None:
        if name == "counting tables":
            done["commands"] = [command_line(each).decode(errors="replace") for each in descendants(os.getpid())]
            done["killed"] = kill(running(EXECUTOR) if options.kill else [])
            while options.wait is not None and options.wait.exists():
                time.sleep(0.05)

    run(
        paths(options.nation),
        options.out,
        spark=Spark(options.master, 4),
        ledger_file=LedgerFile(options.ledger),
        resources=Resources(threads=1, confidential_log=options.log),
        progress=replace(SILENT, stage=stage),
        bits=recorded_bits("spark"),
    )
    print(json.dumps(done))


if __name__ == "__main__":
    main()
