"""Tables in Markdown, for the page of worked examples."""

from collections.abc import Sequence


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """The rows below their heads; floats with four significant digits."""
    lines = [columns, ["---"] * len(columns), *([_shown(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _shown(cell: object) -> str:
    if isinstance(cell, float):
        shown = f"{cell + 0.0:.4g}"  # + 0.0: no negative zero
        return f"{int(shown):,}" if shown.isdecimal() else shown
    return str(cell)
