"""`semantics`: what a budget means for one person, in tables, figures and sentences."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from textwrap import fill

from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.accounting.ledger import Ledger, exact_json, ledger_json
from safetab_sql.accounting.plan import level_plans
from safetab_sql.commands.options import Commands, add_parameters, misplaced, new_command
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.figures import write_figures
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.text_tables import aligned
from safetab_sql.kit.whole_folders import whole_folder
from safetab_sql.public.budgets import exact_decimal
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import checked_public_inputs
from safetab_sql.public.parameters import default_code_lists
from safetab_sql.published.manifest import parameters_json
from safetab_sql.published.release import read_manifest
from safetab_sql.published.release_facts import taken_apart, understood
from safetab_sql.report.semantics_section import FIGURES, charts, tables
from safetab_sql.semantics.allocation import load_allocation
from safetab_sql.semantics.plain_words import sentences
from safetab_sql.semantics.profiles import Profile, allocation_profile, budget_profile, manifest_profile
from safetab_sql.semantics.summary import LEVELS, BudgetRow, Summary, summary

_LARGEST = 200  # rho or epsilon; e^epsilon and its squares have to fit into a float
_SOURCES = ("manifest", "parameters", "allocation", "rho", "epsilon")
_COLUMNS = 110  # of the terminal, for sentences
_DELTA = Fraction(1, 10**10)  # of the ledger's totals, of which nothing is shown here


def add_semantics(commands: Commands) -> None:
    """`semantics`: powers, beliefs, budgets by level and by attribute."""
    summary_line = "say what a budget means for one person: tests, beliefs, and what protects each attribute"
    command = new_command(commands, "semantics", summary_line, "--rho 2.63")
    command.add_argument("--manifest", type=Path, metavar="F", help="manifest.json of a release, or its folder")
    add_parameters(command, is_required=False)
    command.add_argument(
        "--allocation",
        type=Path,
        metavar="F",
        help="budget shares by level and query, as configs/redistricting-2020.toml",
    )
    command.add_argument("--rho", metavar="R", help="a budget of zero-concentrated differential privacy")
    command.add_argument("--epsilon", metavar="E", help="a budget of pure differential privacy")
    command.add_argument(
        "--level",
        action="append",
        default=[],
        metavar="X",
        help="chance of a wrong accusation, again for more; default: 0.01 0.05 0.10",
    )
    command.add_argument("--json", action="store_true", help="as JSON, with every digit and both bounds")
    command.add_argument("--figures", type=Path, metavar="DIR", help="folder to make, with the figures as SVG")
    command.add_argument("--overwrite", action="store_true", help="replace the folder of --figures if it exists")
    command.set_defaults(command=_semantics)


def _semantics(options: argparse.Namespace) -> None:
    named = [name for name in _SOURCES if getattr(options, name)]
    if len(named) != 1:
        fix = f"give one of {', '.join(f'--{name}' for name in _SOURCES)}"
        what = f"--{' and --'.join(named)} together" if named else "nothing to explain"
        raise InputError([Problem("semantics", what, fix)])
    problems = [] if options.parameters else misplaced(options, "--parameters", "code_lists")
    problems += [] if options.figures else misplaced(options, "--figures", "overwrite")
    refuse(problems)
    levels = _levels(options.level)
    found = summary(_profile(options), levels)
    if options.figures is not None:
        drawn = {chart.name: chart.figure for chart in charts(found)}
        with whole_folder(options.figures, [f"{name}.svg" for name in FIGURES], overwrite=options.overwrite) as folder:
            write_figures(folder, drawn, ("svg",))
    print(json.dumps(summary_json(found), indent=2) if options.json else summary_text(found))


def _profile(options: argparse.Namespace) -> Profile:
    if options.rho is not None:
        return budget_profile("zcdp", _budget("--rho", options.rho))
    if options.epsilon is not None:
        return budget_profile("puredp", _budget("--epsilon", options.epsilon))
    if options.allocation is not None:
        return allocation_profile(load_allocation(options.allocation))
    if options.parameters is not None:
        return _parameters_profile(options.parameters, options.code_lists)
    return _manifest_profile(options.manifest)


def _parameters_profile(path: Path, code_lists: Path | None) -> Profile:
    """The profile of a run with the parameters at `path`: without code lists anywhere, with our example lists."""
    lists = code_lists or default_code_lists(path) or packaged_folder("configs") / "example-lists"
    with checked_public_inputs(path, None, lists, Resources()) as intake:
        plans = level_plans(build_catalog(intake.database, intake.parameters), intake.parameters)
        entries = Ledger(intake.parameters.privacy_definition, plans)
        kinds = parameters_json(intake.parameters)
    return manifest_profile({"ledger": ledger_json(entries, delta=_DELTA, totals={}), "parameters": kinds}, path.name)


def _manifest_profile(path: Path) -> Profile:
    path = path / "manifest.json" if path.is_dir() else path
    manifest, _ = taken_apart(read_manifest(path), path)  # reconciling costs nothing: it means what its release means
    with understood(path):
        return manifest_profile(manifest, path.absolute().parent.name)


def _budget(option: str, text: str) -> Fraction:
    budget = exact_decimal(text)
    if budget is None or not 0 < budget <= _LARGEST:
        raise InputError([Problem(option, f"'{text}' is not a budget", f"say a decimal above 0, at most {_LARGEST}")])
    return budget


def _levels(given: Sequence[str]) -> tuple[float, ...]:
    """The levels asked for. Raises: InputError with every one that is no chance."""
    found = {text: exact_decimal(text) for text in given}
    refuse(
        [
            Problem(f"--level {text}", "not a chance between 0 and 1", "say it like 0.05")
            for text, level in found.items()
            if level is None or not Fraction(1, 10**6) <= level <= 1 - Fraction(1, 10**6)
        ]
    )
    return tuple(float(level) for level in found.values() if level is not None) or LEVELS


def summary_text(found: Summary) -> str:
    """The summary for people to read: tables, then sentences."""
    unit = "rho" if found.profile.definition == "zcdp" else "epsilon"
    head = f"{found.profile.title}: {unit} {rounded_up(found.profile.budget)} of {found.profile.neighbours}"
    parts = [head]
    for table in tables(found):
        rows = [table.columns, *([str(cell) for cell in row] for row in table.rows)]
        parts.append(f"{table.caption}\n{aligned(rows)}")
    return "\n\n".join([*parts, *(fill(sentence, _COLUMNS) for sentence in sentences(found))])


def summary_json(found: Summary) -> dict[str, object]:
    """The summary as JSON: budgets exact, chances as floats; every key with `bound` or `upper` is an upper bound."""
    profile = found.profile
    return {
        "title": profile.title,
        "privacy_definition": profile.definition,
        "neighbours": profile.neighbours,
        "budget": exact_json(profile.budget),
        "budget_of_one_record_changed": exact_json(profile.changed),
        "powers": [asdict(row) for row in found.powers],
        "beliefs": [asdict(row) for row in found.beliefs],
        "levels": [_budget_json(row) for row in found.levels],
        "secrets": [_budget_json(row) for row in found.secrets],
        "epsilon_delta": [asdict(row) for row in found.deltas],
        "in_words": list(sentences(found)),
    }


def _budget_json(row: BudgetRow) -> dict[str, object]:
    return {**asdict(row), "budget": exact_json(row.budget)}
