"""`evaluate`: how far the noisy counts of releases are from the exact counts, for public or synthetic data."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from safetab_sql.accounting.plan import level_name
from safetab_sql.commands.answers import exact_answer
from safetab_sql.commands.options import (
    INPUT_EXAMPLE,
    PUBLIC_ONLY,
    Commands,
    add_json,
    add_out,
    add_parameters,
    add_person_id,
    add_resources,
    add_totals_are_public,
    inputs_of,
    misplaced,
    new_command,
    resources_of,
)
from safetab_sql.evaluation.evaluate import Evaluation, evaluate
from safetab_sql.evaluation.quality import quality_text
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import Progress, reported_progress
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.ladders import Ladder
from safetab_sql.public.parameters import Parameters
from safetab_sql.published.manifest import parameters_from_json

_EXACT = f"was made from EXACT counts, and holds some: {PUBLIC_ONLY}"
_NOTHING = "-"


def add_evaluate(commands: Commands) -> None:
    """`evaluate`: of releases that exist, or of runs that it makes itself."""
    summary = "compare releases with EXACT counts, of public or synthetic data only"
    command = new_command(commands, "evaluate", summary, f"--runs 20 {INPUT_EXAMPLE} --out evaluation")
    what = "releases, or `reconcile` folders, of the same people and parameters; needs --ground-truth and --code-lists"
    command.add_argument("--out-dirs", type=Path, nargs="+", metavar="OUT", help=what)
    command.add_argument(
        "--ground-truth", type=Path, metavar="DIR", help="folder that `ground-truth` made of the same people"
    )
    what = "instead of --out-dirs: count --persons once, and add noise to these counts in N runs"
    command.add_argument("--runs", type=int, metavar="N", help=what)
    add_parameters(command, is_required=False)
    command.add_argument("--persons", metavar="F", help="with --runs: as in `run`")
    command.add_argument("--geography", metavar="F", help="with --runs: as in `run`")
    add_person_id(command)
    command.add_argument("--totals", metavar="F", help="with --runs: as in `run`")
    add_totals_are_public(command)
    add_out(command)
    add_json(command, "print the tables by_level, by_statistic and quality as JSON")
    add_resources(command)
    command.set_defaults(command=_evaluate)


def _evaluate(options: argparse.Namespace) -> None:
    refuse(_option_problems(options))
    with reported_progress(is_quiet=options.quiet) as progress:
        found = _evaluation(options, progress)
    print(f"{options.out} {_EXACT}", file=sys.stderr)
    if options.json:
        tables = {name: found.tables[name] for name in ("by_level", "by_statistic", "quality")}
        print(exact_answer({"out": options.out, **tables}))
        return
    print(exact_answer(evaluation_text(found)))
    print(options.out)


def _option_problems(options: argparse.Namespace) -> list[Problem]:
    """Options that are missing, or that do not go together."""
    if (options.runs is None) == (options.out_dirs is None):
        fix = "name releases with --out-dirs, or say how many to make with --runs"
        return [Problem("evaluate", "needs either --out-dirs or --runs", fix)]
    wanted = ("ground_truth",) if options.runs is None else ("parameters", "persons", "geography")
    missing = [f"--{name.replace('_', '-')}" for name in wanted if getattr(options, name) is None]
    kind = "--out-dirs" if options.runs is None else "--runs"
    problems = [Problem(kind, f"needs {name}", "see `safetab-sql evaluate --help`") for name in missing]
    if options.runs is None:
        of_runs = ("parameters", "persons", "geography", "person_id", "totals", "totals_are_public", "confidential_log")
        return problems + misplaced(options, "--runs", *of_runs)
    return problems + misplaced(options, "--out-dirs", "ground_truth")


def _evaluation(options: argparse.Namespace, progress: Progress) -> Evaluation:
    return evaluate(
        options.out_dirs if options.runs is None else inputs_of(options),
        options.out,
        runs=options.runs or 0,
        ground_truth=options.ground_truth,
        code_lists=options.code_lists,
        overwrite=options.overwrite,
        resources=resources_of(options),
        progress=progress,
    )


def evaluation_text(found: Evaluation) -> str:
    """The summaries for people to read."""
    quality = found.tables["quality"]
    parameters = parameters_from_json(found.manifest["parameters"], found.out)
    return "\n\n".join(
        [
            f"Margins of error ({parameters.unit.many}), and their coverage; 99.9 % of honest runs lie in the range",
            _margins(found.tables["by_statistic"]),
            *(text for ladder in parameters.ladders for text in _ladder(found.tables["by_level"], parameters, ladder)),
            "Small counts, which suppression or clipping may have changed, so that their coverage differs",
            _small(found.tables["by_level"]),
            *(["Checks of quality: strange patterns", quality_text(quality)] if quality.num_rows else []),
        ]
    )


def _margins(table: pa.Table) -> str:
    head = ("level", "statistic", "counts", "MOE95", "observed", "covered", "expected", "range", "")
    rows = [
        (
            row["population_group_level"],
            row["statistic"],
            f"{row['counts']:,}",
            f"±{row['stated_moe95']:,.0f}",
            f"±{row['observed_moe95']:,}",
            *_covered(row),
        )
        for row in table.to_pylist()
    ]
    return aligned([head, *rows])


def _ladder(table: pa.Table, parameters: Parameters, ladder: Ladder) -> tuple[str, str]:
    """What became of the groups of each level of a ladder."""
    names = {level_name(parameters, ladder, level) for level in ladder.levels}
    rows = [row for row in table.to_pylist() if row["population_group_level"] in names]
    title = "Population groups of each level, all runs together"
    return title, _levels(rows, [statistic.name for statistic in ladder.statistics])


def _levels(levels: Sequence[Mapping[str, Any]], statistics: Sequence[str]) -> str:
    head = (
        *("level", "groups", "suppressed", "total", *statistics, "error/size"),
        *("counts", "covered", "expected", "range", ""),
    )
    rows = [
        (
            row["population_group_level"],
            f"{row['population_groups']:,}",
            _percent(row["share_suppressed"]),
            _percent(row["share_total_only"] + row["share_stat_level_0"]),
            *(_percent(row[f"share_stat_level_{number}"]) for number, _ in enumerate(statistics, start=1)),
            _percent(row["relative_error"]),
            f"{row['counts']:,}",
            *_covered(row),
        )
        for row in levels
    ]
    return aligned([head, *rows])


def _covered(row: Mapping[str, object]) -> tuple[str, ...]:
    """The coverage, the expected coverage, the range of honest runs, and a verdict."""
    if not row["counts"]:
        return (_NOTHING,) * 3 + ("",)
    lower, upper = _percent(row["coverage_lower"]), _percent(row["coverage_upper"])
    verdict = "" if row["is_as_expected"] else "NOT as expected"
    return _percent(row["coverage"]), _percent(row["expected_coverage"]), f"{lower} to {upper}", verdict


def _small(table: pa.Table) -> str:
    head = ("level", "counts", "covered", "expected")
    rows = [
        (
            row["population_group_level"],
            f"{row['small_counts']:,}",
            _percent(row["small_coverage"]),
            _percent(row["small_expected_coverage"]),
        )
        for row in table.to_pylist()
        if row["small_counts"]
    ]
    return aligned([head, *rows]) if rows else "none"


def _percent(share: object) -> str:
    return f"{share:.2%}" if isinstance(share, float) else _NOTHING
