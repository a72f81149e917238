"""`semantics`: what a budget means for one record, in tables, figures and sentences."""

import argparse
from dataclasses import asdict
from pathlib import Path
from textwrap import fill

from safetab_sql.accounting.conversions import exact_json, rounded_up
from safetab_sql.accounting.loss import loss_json, said_loss
from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Commands, add_json, add_parameters, new_command
from safetab_sql.jobs.semantics import BudgetSource, semantics
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.budgets import UNITS
from safetab_sql.report.semantics_section import tables
from safetab_sql.semantics.plain_words import sentences
from safetab_sql.semantics.profiles import ADDED
from safetab_sql.semantics.summary import BudgetRow, Summary

_COLUMNS = 110  # of the terminal, for sentences


def add_semantics(commands: Commands) -> None:
    """`semantics`: powers, beliefs, budgets by level and by attribute."""
    summary_line = "say what a budget means for whom it protects: tests, beliefs, and what protects each attribute"
    command = new_command(commands, "semantics", summary_line, "--rho 2.63")
    command.add_argument("--manifest", type=Path, metavar="F", help="manifest.json of a release, or its folder")
    add_parameters(command, is_required=False)
    command.add_argument(
        "--allocation",
        type=Path,
        metavar="F",
        help="budget shares by level and query, such as configs/redistricting-2020.toml",
    )
    command.add_argument("--rho", metavar="R", help="a budget of zero-concentrated differential privacy")
    command.add_argument("--epsilon", metavar="E", help="a budget of pure differential privacy")
    command.add_argument(
        "--level",
        action="append",
        default=[],
        metavar="X",
        help="level of a test: chance of a wrong accusation; repeat for several; default: 0.01 0.05 0.10",
    )
    add_json(command, "as JSON, with every digit and both bounds")
    command.add_argument("--figures", type=Path, metavar="DIR", help="folder to make, with the figures as SVG")
    command.add_argument("--overwrite", action="store_true", help="replace the folder of --figures if it exists")
    command.set_defaults(command=_semantics)


def _semantics(options: argparse.Namespace) -> None:
    source = BudgetSource(
        options.manifest, options.parameters, options.code_lists, options.allocation, options.rho, options.epsilon
    )
    found = semantics(source, options.figures, levels=options.level, overwrite=options.overwrite)
    print(json_text(summary_json(found)) if options.json else summary_text(found))


def summary_text(found: Summary) -> str:
    """The summary for people to read: tables, then sentences."""
    unit = UNITS[found.profile.definition]
    head = f"{found.profile.title}: {unit} {rounded_up(found.profile.budget)} of {found.profile.compared}"
    record = found.profile.unit
    parts = [head, *([] if record.is_person else [fill(said_loss(record, found.profile.loss), _COLUMNS)])]
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
        "neighbours": profile.compared,
        "budget": exact_json(profile.budget),
        **(loss_json(profile.loss) if profile.neighbours == ADDED else {}),
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
