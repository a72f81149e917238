"""The budgets of the levels of a release, which add up to its loss."""

from collections.abc import Sequence
from fractions import Fraction

from safetab_sql.published.release_facts import ReleasedLevel


def budgets_by_level(levels: Sequence[ReleasedLevel]) -> dict[str, Fraction]:
    """The budgets of the levels by their names, that of the kinds of one level once: they add up to the loss."""
    budgets: dict[str, Fraction] = {}
    for level in levels:
        if level.whole is None:
            budgets[level.name] = level.budget
        else:
            budgets[level.whole.name if level.ladder is None else f"{level.ladder} {level.whole.name}"] = (
                level.whole.budget
            )
    return budgets
