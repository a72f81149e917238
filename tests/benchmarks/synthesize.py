"""How long synthetic data takes and how good it is: `python -m tests.benchmarks.synthesize --rows 800000`.

Simulates the wide table and runs `synthesize run` on it at epsilon 8, 1 and 0.3, three times: along a tree, with groups
of fields, and with every field alone. Prints seconds, peak memory and the k-marginal scores of each. --json writes the
same.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from safetab_sql.evaluation.score import marginal_scores, scores_text
from tests.benchmarks.nation import machine
from tests.benchmarks.wide import SPEC, write_wide

# What is known of how the fields are made.
GROUPS = (
    ("METRO", "URBAN", "FARM"),
    ("NUMPREC", "NCHILD"),
    ("OWNERSHP", "RENT", "VALUEH"),
    ("PHONE", "VEHICLES"),
    ("AGE", "SEX", "RELATE", "MARST"),
    ("RACE", "HISPAN"),
    ("BPL", "NATIVITY", "CITIZEN", "MTONGUE"),
    ("EDUC", "HIGRADE", "READS"),
    ("EMPSTAT", "LABFORCE", "CLASSWKR", "WKSWORK"),
    ("OCC", "IND"),
    ("MIGRATE", "MIGPLAC"),
    ("TRANWORK", "TRANTIME"),
)
EPSILONS = ("8", "1", "0.3")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=800_000)
    parser.add_argument("--sets", type=int, default=100, help="random sets of fields a score; 0 for no scores")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    figures: dict[str, object] = {"machine": machine(), "rows": options.rows}
    with tempfile.TemporaryDirectory(prefix="safetab-sql-benchmark-") as name:
        folder = Path(name)
        data = write_wide(folder / "nation", options.rows)
        releases = {}
        for epsilon in EPSILONS:
            for kind, spec in specs(folder, epsilon).items():
                release = folder / f"{kind} {epsilon}"
                figures[f"{kind}, epsilon {epsilon}"] = measured(spec, data, release)
                releases[release] = release / "synthetic.parquet"
        for label, value in figures.items():
            print(f"{label:<24} {value}")
        if options.sets:
            started = time.monotonic()
            scores = marginal_scores(data, list(releases.values()), [2, 3], options.sets)
            print(scores_text(scores).replace(f"{folder}/", "").replace("/synthetic.parquet", ""))
            print(f"scored in {time.monotonic() - started:.0f} s")
            figures["scores"] = [{"of": one.name, "ways": one.ways, "score": one.score} for one in scores]
        if options.json:
            options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def specs(folder: Path, epsilon: str) -> dict[str, Path]:
    """The simulated specification at this epsilon: along a tree, with groups of fields, with every field alone."""
    text = SPEC.read_text(encoding="utf-8").replace("epsilon = 8 ", f"epsilon = {epsilon} ")
    groups = "\n".join(f"[[groups]]\nfields = {json.dumps(group)}" for group in GROUPS)
    found = {"tree": text, "grouped": f"cut = 1\n{text}\n{groups}\n", "alone": f"cut = 1\n{text}"}
    for kind, content in found.items():
        (folder / f"{kind}.toml").write_text(content, encoding="utf-8")
    return {kind: folder / f"{kind}.toml" for kind in found}


def measured(spec: Path, data: Path, out: Path) -> dict[str, object]:
    """Seconds and peak memory of one run, in a process of its own, and the rows it made."""
    arguments = [sys.executable, "-m", "safetab_sql", "synthesize", "run", "--quiet"]
    started, before = time.monotonic(), os.times()
    process = subprocess.Popen(
        [*arguments, "--spec", str(spec), "--data", str(data), "--out", str(out)], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"synthesize run failed with exit code {process.returncode}")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {
        "seconds": round(time.monotonic() - started, 1),
        "cpu_seconds": round(cpu, 1),
        "peak_memory_gib": round(usage.ru_maxrss / 2**20, 2),
        "rows": json.loads((out / "manifest.json").read_text(encoding="utf-8"))["rows"],
    }


if __name__ == "__main__":
    main()
