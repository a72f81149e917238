"""The text of a parameter file that is laid over another one, and gives levels other budgets."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from safetab_sql.accounting.charges import exact_text
from safetab_sql.accounting.plan import level_name
from safetab_sql.settings.ladder_checks import LADDERS_KEY
from safetab_sql.settings.ladders import Ladder, LevelParameters
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.settings.reading import BASE, read_toml


@dataclass(frozen=True, slots=True)
class LevelBudget:
    """The new budget of a level, and a comment on it. thresholds: to be said too, if any."""

    budget: Fraction
    comment: str
    thresholds: tuple[int, ...] | None = None


def overlay_lines(file: Path, budgets: Mapping[str, LevelBudget]) -> list[str]:
    """The lines that are laid over a parameter file. budgets: by the names of levels, as in a ledger.

    A list is replaced as a whole, so every level of a ladder stands there again.
    """
    base = f"{BASE} = {json.dumps(file.name, ensure_ascii=False)}"
    if LADDERS_KEY not in read_toml(file).tables:
        return [base, *(line for name, one in budgets.items() for line in level_lines(name, one))]
    parameters = load_parameters(file)
    named = {
        ladder: {level_name(parameters, ladder, level): level for level in ladder.levels}
        for ladder in parameters.ladders
    }
    changed = [ladder for ladder, levels in named.items() if budgets.keys() & levels.keys()]
    return [base, *(line for ladder in changed for line in _ladder_lines(ladder, named[ladder], budgets))]


def level_lines(name: str, one: LevelBudget) -> list[str]:
    """The lines of a level in a file without ladders."""
    lines = ["", f"[levels.{name}]", f"budget = {exact_text(one.budget)}  # {one.comment}"]
    if one.thresholds is None:
        return lines
    return [*lines, f"thresholds = {list(one.thresholds)}" if one.thresholds else "total_only = true"]


def _ladder_lines(
    ladder: Ladder, levels: Mapping[str, LevelParameters], budgets: Mapping[str, LevelBudget]
) -> list[str]:
    lines = []
    for name, level in levels.items():
        one = budgets.get(name, LevelBudget(level.budget, "as it was"))
        said = [f'each = ["{level.level.name}"]', f"budget = {exact_text(one.budget)}"]
        said += [f"thresholds = {list(level.thresholds)}"] if level.thresholds else []
        said += [f"shares = {{ {_shares(level)} }}"] if level.shares else []
        said += ["total_only = true"] if level.is_total_only else []
        said += [f"total_only = {json.dumps(level.total_only, ensure_ascii=False)}"] if level.total_only else []
        lines.append(f"    {{ {', '.join(said)} }},  # {one.comment}")
    return ["", f"[{LADDERS_KEY}.{ladder.name}]", "levels = [", *lines, "]"]


def _shares(level: LevelParameters) -> str:
    return ", ".join(f"{kind} = {exact_text(share)}" for kind, share in level.shares)
