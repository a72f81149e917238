"""`audit`: checks of a run against exact counts, on public or synthetic data only."""

import argparse
import sys

from safetab_sql.commands.answers import exact_answer, members
from safetab_sql.commands.audit_epl import add_epl
from safetab_sql.commands.options import (
    INPUT_EXAMPLE,
    PUBLIC_ONLY,
    Commands,
    add_inputs,
    add_json,
    add_resources,
    inputs_of,
    new_command,
    resources_of,
)
from safetab_sql.evaluation.audit_stability import StabilityAudit, audit_stability
from safetab_sql.kit.progress import reported_progress
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.parameters import load_parameters
from safetab_sql.public.unit import Unit


def add_audit(commands: Commands) -> None:
    """`audit`: audits of exact counts."""
    summary = "check a run against EXACT counts, on public or synthetic data only"
    command = new_command(commands, "audit", summary, f"stability {INPUT_EXAMPLE}")
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    _add_stability(actions)
    add_epl(actions)


def _add_stability(actions: Commands) -> None:
    """`audit stability`: leave people out, one at a time."""
    summary = "leave people out, one at a time, and compare every EXACT count, of public or synthetic data only"
    command = new_command(actions, "stability", summary, INPUT_EXAMPLE, "audit stability")
    add_inputs(command)
    what = (
        "how many people to leave out: half those in the most groups of a level, half spread over the rest; default: 20"
    )
    command.add_argument("--people", type=int, default=20, metavar="N", help=what)
    add_json(command)
    add_resources(command)
    command.set_defaults(command=_stability)


def _stability(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        audit = audit_stability(inputs_of(options), options.people, resources=resources_of(options), progress=progress)
    print(f"The audit compares EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    unit = load_parameters(options.parameters).unit
    print(exact_answer(members(audit) if options.json else _text(audit, unit)))
    if audit.violations:
        print("\n".join(audit.violations), file=sys.stderr)
        raise SystemExit(1)


def _text(audit: StabilityAudit, unit: Unit) -> str:
    """One line for each level, and the verdict."""
    rows = [(level.name, str(level.stability), str(level.most_changed)) for level in audit.levels]
    table = aligned([("level", "stability", "most groups changed"), *rows])
    people = f"{audit.people} {unit.one if audit.people == 1 else unit.people} left out, one at a time"
    verdict = f"{len(audit.violations)} violations" if audit.violations else "no level changed more than it may"
    return f"{table}\n{people}: {verdict}"
