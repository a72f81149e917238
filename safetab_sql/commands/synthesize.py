"""`synthesize`: synthetic rows from noisy histograms of groups of fields; choice of the groups; scores of the rows."""

import argparse
import sys
from fractions import Fraction
from pathlib import Path

from safetab_sql.commands.options import (
    Commands,
    add_ledger,
    add_out,
    add_person_id,
    add_resources,
    ledger_file_of,
    new_command,
    resources_of,
)
from safetab_sql.histograms.evaluation.score import marginal_scores, scores_text
from safetab_sql.histograms.evaluation.suggest_groups import groups_text, groups_toml, suggest_groups
from safetab_sql.histograms.synthesize import SynthesisInputs, synthesize
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.progress import reported_progress
from safetab_sql.kit.whole_folders import write_whole_file
from safetab_sql.public.budgets import exact_decimal

_EXACT = "The scores compare with EXACT rows: for public or synthetic data, or for the custodian alone."


def add_synthesize(commands: Commands) -> None:
    """`synthesize`: its actions."""
    summary = "make synthetic data from noisy histograms of groups of fields"
    command = new_command(commands, "synthesize", summary, "run --spec sim/wide.toml --data sim/wide.parquet --out out")
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    _add_run(actions)
    _add_suggest_groups(actions)
    _add_score(actions)


def _add_run(actions: Commands) -> None:
    summary = "count groups of fields, add noise, and draw synthetic rows from the noisy histograms"
    example = "--spec sim/wide.toml --data sim/wide.parquet --out synthetic"
    command = new_command(actions, "run", summary, example, "synthesize run")
    command.add_argument("--spec", type=Path, required=True, metavar="S", help="TOML: domains, groups and epsilon")
    command.add_argument("--data", metavar="F", help="Parquet file, glob or folder; default: the spec's private_data")
    what = "seed for the drawing of rows, which comes after all noise; default: 0"
    command.add_argument("--seed", type=int, default=0, metavar="N", help=what)
    add_person_id(command)
    add_out(command)
    add_ledger(command)
    add_resources(command)
    command.set_defaults(command=_run)


def _add_suggest_groups(actions: Commands) -> None:
    summary = "propose groups of fields from a PUBLIC sample: fields with much mutual information"
    example = "--spec sim/wide.toml --public-data public.parquet --max-bins 10000 --out groups.toml"
    command = new_command(actions, "suggest-groups", summary, example, "synthesize suggest-groups")
    what = "Parquet of people who need no protection; the spec's private_data is refused"
    command.add_argument("--public-data", required=True, metavar="F", help=what)
    what = "domains of the fields: the TOML of `synthesize run`, or the NIST challenge's JSON"
    command.add_argument("--spec", type=Path, required=True, metavar="S", help=what)
    command.add_argument("--max-bins", type=int, required=True, metavar="N", help="the most bins of one group")
    what = "minimum mutual information (bits) for two fields to share a group; default: 0.01"
    command.add_argument("--min-information", default="0.01", metavar="X", help=what)
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="TOML file to make")
    command.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    add_resources(command)
    command.set_defaults(command=_suggest_groups)


def _add_score(actions: Commands) -> None:
    summary = "score synthetic rows by their k-way marginals, against EXACT rows: public data, or for the custodian"
    example = "--data sim/wide.parquet --synthetic synthetic/synthetic.parquet --ways 2 --ways 3 --baseline"
    command = new_command(actions, "score", summary, example, "synthesize score")
    command.add_argument("--data", required=True, metavar="F", help="the exact rows: Parquet")
    what = "synthetic rows: Parquet; repeat to compare several tables"
    command.add_argument("--synthetic", action="append", required=True, metavar="G", help=what)
    what = "number of fields of a marginal; repeat for several; default: 2 and 3"
    command.add_argument("--ways", type=int, action="append", metavar="K", help=what)
    command.add_argument("--sets", type=int, default=100, metavar="N", help="random sets of fields; default: 100")
    command.add_argument(
        "--baseline", action="store_true", help="for comparison, also score independent columns without noise"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed for the choice of sets; default: 0")
    add_resources(command)
    command.set_defaults(command=_score)


def _run(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        synthesize(
            SynthesisInputs(options.spec, options.data, _seed(options), options.person_id),
            options.out,
            overwrite=options.overwrite,
            ledger_file=ledger_file_of(options),
            resources=resources_of(options),
            progress=progress,
        )
    print(options.out)


def _suggest_groups(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        found = suggest_groups(
            options.public_data,
            options.spec,
            options.max_bins,
            least_information=_information(options.min_information),
            resources=resources_of(options),
            progress=progress,
        )
    write_whole_file(options.out, groups_toml(found), overwrite=options.overwrite)
    print(groups_text(found))
    if all(len(group) == 1 for group in found.groups):
        print("no two fields share a group: raise --max-bins, or lower --min-information", file=sys.stderr)
    print(options.out)


def _score(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        scores = marginal_scores(
            options.data,
            options.synthetic,
            options.ways or [2, 3],
            options.sets,
            seed=_seed(options),
            with_baseline=options.baseline,
            resources=resources_of(options),
            progress=progress,
        )
    print(_EXACT, file=sys.stderr)
    print(scores_text(scores))


def _seed(options: argparse.Namespace) -> int:
    seed: int = options.seed
    if seed < 0:
        raise InputError([Problem("--seed", f"{seed} is negative", "choose 0 or more")])
    return seed


def _information(text: str) -> float:
    bits = exact_decimal(text)
    if bits is None or bits < Fraction(0):
        raise InputError([Problem("--min-information", f"'{text}' is not a number of bits", "say it like 0.01")])
    return float(bits)
