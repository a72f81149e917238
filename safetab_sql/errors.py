"""What goes wrong, in two kinds: the user's input (`InputError`, exit code 2) and everything else."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the input.

    where: the file, and the key or column in it. what: what was found there. fix: what to do about it.
    examples: up to five offending values, for the custodian of the data.
    """

    where: str
    what: str
    fix: str
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The problem as the user reads it: `where: what`, then examples and the fix, indented."""
        lines = [f"{self.where}: {self.what}", *(f"    for example {example}" for example in self.examples)]
        return "\n".join([*lines, f"    {self.fix}"])


class InputError(Exception):
    """The input has problems; nothing was written."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        summary = f"{count} problem{'s' if count != 1 else ''}; nothing was written."
        super().__init__("\n".join([*map(str, self.problems), summary]))


def refuse(problems: Sequence[Problem]) -> None:
    """Raise one `InputError` that holds all `problems`; do nothing if there are none."""
    if problems:
        raise InputError(problems)
