"""Audit a parameter file of one's own: `make audit PARAMETERS=configs/ladders.toml`. For public or made-up people.

First neighbours are released with noise that hides the difference, and every byte that leaves is compared (replay);
where that finds nothing, people are left out, one at a time, and every exact count is compared (stability).
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from safetab_sql.kit.database import scratch_folder
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.parameters import load_parameters
from tests.audit.neighbours import simulated_inputs
from tests.audit.replay import Replayed, audit_replay
from tests.audit.stability import audit_stability


def violations_of(options: argparse.Namespace) -> Sequence[str]:
    """What is wrong, a sentence each. Prints what was compared."""
    inputs = InputPaths(options.file, options.persons or "", options.geography or "", options.code_lists)
    audited = Replayed(options.method, options.file, inputs, options.persons, options.people)
    replayed = audit_replay(audited, options.neighbours)
    for trial in replayed.trials:
        print(f"{trial.what}: noise hides it at a loss of {float(trial.cost):g}; stated: {float(trial.bound):g}")
    print(f"replay: {len(replayed.trials)} neighbours, {', '.join(replayed.commands)}")
    if replayed.violations or options.method != "run":
        return replayed.violations
    with scratch_folder(None) as scratch:
        if not options.persons:
            found = simulated_inputs(load_parameters(options.file), inputs, options.people, scratch)
            inputs = replace(found, parameters=options.file)
        stability = audit_stability(inputs)
    for level in stability.levels:
        print(f"{level.name}: bound {level.bound}, most changed {level.most_changed}")
    print(f"stability: {stability.people} left out, one at a time")
    return stability.violations


def main() -> int:
    """1 where an audit finds something, 2 where an input cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit", description=__doc__.partition("\n\n")[0])
    parser.add_argument("file", type=Path, help="parameters of `run`, or the specification of another method")
    parser.add_argument("--method", choices=("run", "bottom-up", "synthesize"), default="run")
    parser.add_argument("--persons", help="public records; default: made-up ones, and their places")
    parser.add_argument("--geography", help="with --persons: one row per block")
    parser.add_argument("--code-lists", help="folder of the code lists")
    parser.add_argument("--people", type=int, default=2_000, help="how many are made up")
    parser.add_argument("--neighbours", type=int, default=8, help="how many are replayed")
    try:
        violations = violations_of(parser.parse_args())
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(violations) or "no violations", file=sys.stderr)
    return int(bool(violations))


if __name__ == "__main__":
    raise SystemExit(main())
