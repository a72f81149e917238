"""The pages of this folder: their text is written by hand, their figures are computed."""

import re
from collections.abc import Mapping, Sequence

_BLOCK = re.compile(r"(<!-- (\w+) -->\n)(?:[^\n]+\n)*")


def filled(page: str, computed: Mapping[str, str]) -> str:
    """The page with each block below a comment `<!-- NAME -->`, which ends before an empty line, as it is computed.

    Raises: KeyError if the page lacks a block that is computed.
    """
    named = {name for _, name in _BLOCK.findall(page)}
    if lost := computed.keys() - named:
        raise KeyError(*lost)
    return _BLOCK.sub(lambda block: f"{block[1]}{computed[block[2]]}\n" if block[2] in computed else block[0], page)


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The rows below their heads; floats with four significant digits."""
    lines = [columns, ["---"] * len(columns), *([_shown(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _shown(cell: object) -> str:
    if isinstance(cell, float):
        shown = f"{cell + 0.0:.4g}"  # + 0.0: no negative zero
        return f"{int(shown):,}" if shown.isdecimal() else shown
    return str(cell)
