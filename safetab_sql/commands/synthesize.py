"""`synthesize`: synthetic rows from noisy histograms of groups of fields; choice of the groups; scores of the rows."""

import argparse
import sys
from fractions import Fraction
from pathlib import Path

from safetab_sql.commands.answers import exact_answer, json_text, members
from safetab_sql.commands.options import (
    Commands,
    add_json,
    add_ledger,
    add_out,
    add_person_id,
    add_resources,
    ledger_file_of,
    new_command,
    resources_of,
)
from safetab_sql.histograms.evaluation.challenge import challenge_scores, challenge_text
from safetab_sql.histograms.evaluation.score import marginal_scores, scores_text
from safetab_sql.histograms.evaluation.suggest_groups import groups_text, groups_toml, suggest_groups
from safetab_sql.histograms.evaluation.suggest_pairs import pairs_text, pairs_toml, suggest_pairs
from safetab_sql.histograms.public.domains import size
from safetab_sql.histograms.public.synthesis_spec import load_synthesis_spec
from safetab_sql.histograms.public.tree_plan import ROWS_SHARE, tree_plan
from safetab_sql.histograms.published.tree_plan_text import tree_plan_text
from safetab_sql.histograms.synthesize import SynthesisInputs, synthesize
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import reported_progress
from safetab_sql.kit.whole_folders import write_whole_file
from safetab_sql.settings.decimals import exact_decimal

_PRICE = (
    "Rows look like records and hold noise all the same: use them for a first look, and published counts with margins "
    "for numbers that matter."
)
_EXACT = "The scores compare with EXACT rows: for public or synthetic data, or for the custodian alone."


def add_synthesize(commands: Commands) -> None:
    """`synthesize`: its actions."""
    summary = "make synthetic data from noisy tables of pairs of fields, or of groups of fields"
    command = new_command(commands, "synthesize", summary, "run --spec sim/wide.toml --data sim/wide.parquet --out out")
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    _add_run(actions)
    _add_plan(actions)
    _add_suggest_pairs(actions)
    _add_suggest_groups(actions)
    _add_score(actions)


def _add_run(actions: Commands) -> None:
    summary = "count fields and pairs (or groups) of fields, add noise, and draw synthetic rows from the noisy counts"
    example = "--spec sim/wide.toml --data sim/wide.parquet --out synthetic"
    command = new_command(actions, "run", summary, example, "synthesize run")
    what = "TOML: domains, budget, and pairs or groups of fields; or the NIST challenge's JSON"
    command.add_argument("--spec", type=Path, required=True, metavar="S", help=what)
    what = "pure DP budget of the whole release, in place of the budget of the spec"
    command.add_argument("--epsilon", metavar="X", help=what)
    command.add_argument("--data", metavar="F", help="Parquet file, glob or folder; default: the spec's private_data")
    what = "of the rows: parquet, or csv with commas; default: parquet"
    command.add_argument("--format", choices=["parquet", "csv"], default="parquet", help=what)
    what = "seed for the drawing of rows, which comes after all noise; default: 0"
    command.add_argument("--seed", type=int, default=0, metavar="N", help=what)
    add_person_id(command)
    add_out(command)
    add_ledger(command)
    add_json(command, "print the folder, the ledger and the number of rows as JSON")
    add_resources(command)
    command.set_defaults(command=_run)


def _add_plan(actions: Commands) -> None:
    summary = "say what a budget buys: noise of each field, number of pairs; reads no data"
    command = new_command(actions, "plan", summary, "--spec sim/wide.toml --rows 5000", "synthesize plan")
    what = "TOML or the NIST challenge's JSON, as of `synthesize run`"
    command.add_argument("--spec", type=Path, required=True, metavar="S", help=what)
    what = "pure DP budget of the whole release, in place of the budget of the spec"
    command.add_argument("--epsilon", metavar="X", help=what)
    what = "about how many records there are, as the public may know; default: the spec's rows"
    command.add_argument("--rows", type=int, metavar="N", help=what)
    add_json(command)
    command.set_defaults(command=_plan)


def _add_suggest_pairs(actions: Commands) -> None:
    summary = "propose pairs of fields from a PUBLIC sample: a tree of the pairs that share most information"
    example = "--spec sim/wide.toml --public-data public.parquet --out pairs.toml"
    command = new_command(actions, "suggest-pairs", summary, example, "synthesize suggest-pairs")
    _add_public_sample(command)
    what = "minimum mutual information (bits) of a pair; default: 0.01"
    command.add_argument("--min-information", default="0.01", metavar="X", help=what)
    _add_made_file(command)
    command.set_defaults(command=_suggest_pairs)


def _add_public_sample(command: argparse.ArgumentParser) -> None:
    what = "Parquet of people who need no protection; the spec's private_data is refused"
    command.add_argument("--public-data", required=True, metavar="F", help=what)
    what = "domains of the fields: the TOML of `synthesize run`, or the NIST challenge's JSON"
    command.add_argument("--spec", type=Path, required=True, metavar="S", help=what)


def _add_made_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="TOML file to make")
    command.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    add_json(command)
    add_resources(command)


def _add_suggest_groups(actions: Commands) -> None:
    summary = "propose groups of fields from a PUBLIC sample: fields with much mutual information"
    example = "--spec sim/wide.toml --public-data public.parquet --max-bins 10000 --out groups.toml"
    command = new_command(actions, "suggest-groups", summary, example, "synthesize suggest-groups")
    _add_public_sample(command)
    command.add_argument("--max-bins", type=int, required=True, metavar="N", help="the most bins of one group")
    what = "minimum mutual information (bits) for two fields to share a group; default: 0.01"
    command.add_argument("--min-information", default="0.01", metavar="X", help=what)
    _add_made_file(command)
    command.set_defaults(command=_suggest_groups)


def _add_score(actions: Commands) -> None:
    summary = "score synthetic rows by their k-way marginals, against EXACT rows: public data, or for the custodian"
    example = "--data sim/wide.parquet --synthetic synthetic/synthetic.parquet --ways 2 --ways 3 --baseline"
    command = new_command(actions, "score", summary, example, "synthesize score")
    command.add_argument("--data", required=True, metavar="F", help="the exact rows: Parquet, or text")
    what = "synthetic rows: Parquet, or text; repeat to compare several tables"
    command.add_argument("--synthetic", action="append", required=True, metavar="G", help=what)
    what = "number of fields of a marginal; repeat for several; default: 2 and 3"
    command.add_argument("--ways", type=int, action="append", metavar="K", help=what)
    command.add_argument("--sets", type=int, default=100, metavar="N", help="random sets of fields; default: 100")
    command.add_argument(
        "--baseline", action="store_true", help="for comparison, also score independent columns without noise"
    )
    what = "the NIST challenge's JSON: its three scores instead, of 100 marginals, 300 rules, and income by city"
    command.add_argument("--challenge", type=Path, metavar="S", help=what)
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed for the choice of sets; default: 0")
    add_json(command)
    add_resources(command)
    command.set_defaults(command=_score)


def _run(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        made = synthesize(
            SynthesisInputs(options.spec, options.data, _seed(options), options.person_id, options.epsilon),
            options.out,
            format=options.format,
            overwrite=options.overwrite,
            ledger_file=ledger_file_of(options),
            resources=resources_of(options),
            progress=progress,
        )
    if options.json:
        print(json_text({"out": options.out, **{name: made.manifest[name] for name in ("ledger", "rows")}}))
        return
    print(_PRICE)
    print(options.out)


def _plan(options: argparse.Namespace) -> None:
    spec = load_synthesis_spec(options.spec, options.epsilon)
    rows: int = options.rows or spec.rows or 0
    problems = []
    if spec.groups:
        fix = "take out [[groups]], groups_file and cut, or ask `synthesize run`"
        problems.append(Problem(str(options.spec), "has groups or a cut: a plan is of rows along a tree", fix))
    if rows < 1:
        problems.append(Problem("--rows", f"{options.rows} is no number of records", "say about how many there are"))
    refuse(problems)
    sizes = [size(domain) for domain in spec.domains]
    counted_rows = Fraction(0) if spec.rows else spec.budget.amount * ROWS_SHARE
    plan = tree_plan(spec.budget, sizes, rows, counted_rows=counted_rows, named_pairs=len(spec.pairs))
    if options.json:
        fields = dict(zip([domain.name for domain in spec.domains], plan.fields, strict=True))
        print(json_text({**members(plan, without="fields"), "fields": fields}))
        return
    print(tree_plan_text(plan, spec.domains))


def _suggest_pairs(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        found = suggest_pairs(
            options.public_data,
            options.spec,
            least_information=_information(options.min_information),
            resources=resources_of(options),
            progress=progress,
        )
    write_whole_file(options.out, pairs_toml(found), overwrite=options.overwrite)
    if options.json:
        print(json_text({"out": options.out, "pairs": found.pairs, "information": found.information}))
        return
    print(pairs_text(found))
    if not found.pairs:
        print("no pair shares so much information: lower --min-information", file=sys.stderr)
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
    if options.json:
        print(json_text({"out": options.out, "groups": found.groups, "bins": found.bins}))
        return
    print(groups_text(found))
    if all(len(group) == 1 for group in found.groups):
        print("no two fields share a group: raise --max-bins, or lower --min-information", file=sys.stderr)
    print(options.out)


def _score(options: argparse.Namespace) -> None:
    if options.challenge is not None:
        _challenge(options)
        return
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
    shown = [{"name": one.name, "ways": one.ways, "score": one.score, "half_width": one.half_width} for one in scores]
    print(exact_answer({"scores": shown} if options.json else scores_text(scores)))


def _challenge(options: argparse.Namespace) -> None:
    what, fix = "has no effect here: the challenge says how many fields", "leave it out"
    refuse([Problem("--ways", what, fix)] if options.ways else [])
    with reported_progress(is_quiet=options.quiet) as progress:
        scores = challenge_scores(
            options.data,
            options.synthetic,
            options.challenge,
            seed=_seed(options),
            with_baseline=options.baseline,
            resources=resources_of(options),
            progress=progress,
        )
    print(_EXACT, file=sys.stderr)
    print(exact_answer({"scores": scores} if options.json else challenge_text(scores)))


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
