"""Check a run against EXACT counts, on public or synthetic data only.

example: stability INPUTS
"""

import sys
from typing import TYPE_CHECKING

from safetab_sql.commands.answers import exact_answer, members
from safetab_sql.commands.audit_epl import epl
from safetab_sql.commands.options import PUBLIC_ONLY, Inputs, Json, LoggedMachine

if TYPE_CHECKING:
    from safetab_sql.evaluation.audit_stability import StabilityAudit
    from safetab_sql.settings.unit import Unit


def stability(*, inputs: Inputs, people: int = 20, json: Json = False, machine: LoggedMachine) -> None:
    """Leave people out, one at a time, and compare every EXACT count, of public or synthetic data only.

    example: INPUTS

    people N: how many people to leave out: half those in the most groups of a level, half spread over the rest
    """
    from safetab_sql.evaluation.audit_stability import audit_stability
    from safetab_sql.settings.parameters import load_parameters

    with machine.progress() as progress:
        audit = audit_stability(inputs.paths(), people, resources=machine.resources, progress=progress)
    print(f"The audit compares EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    print(exact_answer(members(audit) if json else _text(audit, load_parameters(inputs.records.parameters).unit)))
    if audit.violations:
        print("\n".join(audit.violations), file=sys.stderr)
        raise SystemExit(1)


def _text(audit: "StabilityAudit", unit: "Unit") -> str:
    """One line for each level, and the verdict."""
    from safetab_sql.kit.text_tables import aligned

    rows = [(level.name, str(level.stability), str(level.most_changed)) for level in audit.levels]
    table = aligned([("level", "stability", "most groups changed"), *rows])
    people = f"{audit.people} {unit.one if audit.people == 1 else unit.people} left out, one at a time"
    verdict = f"{len(audit.violations)} violations" if audit.violations else "no level changed more than it may"
    return f"{table}\n{people}: {verdict}"


ACTIONS = (stability, epl)
