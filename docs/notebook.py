"""Runs the notebook docs/how-to/notebook.ipynb, without Jupyter, and writes what its cells return into it.

`python -m docs.notebook`, in an empty folder: the release is made there. Its noise is new each time, so no check
compares it.
"""

import ast
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent / "how-to" / "notebook.ipynb"

Json = dict[str, Any]


def code_cells() -> list[str]:
    """The Python of each cell, in order."""
    return ["".join(cell["source"]) for cell in _notebook()["cells"] if cell["cell_type"] == "code"]


def results() -> list[Json]:
    """What the notebook keeps of each cell that returns something, by type."""
    cells = [cell for cell in _notebook()["cells"] if cell["cell_type"] == "code"]
    return [output["data"] for cell in cells for output in cell["outputs"]]


def outcome(source: str, names: dict[str, object]) -> object:
    """What a cell returns: its last expression, if it ends with one. names: the variables of all cells so far."""
    *before, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        before, last = [*before, last], ast.Expr(ast.Constant(None))
    exec(compile(ast.Module(before, []), "cell", "exec"), names)  # noqa: S102  (our own cells)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307


def shown(result: object) -> Json:
    """A result as a notebook keeps it: as text, and as HTML where it has any."""
    text = str(result) if hasattr(result, "_repr_pretty_") else repr(result)
    found: Json = {"text/plain": text.rstrip().splitlines(keepends=True)}
    if hasattr(result, "_repr_html_"):
        found["text/html"] = result._repr_html_().splitlines(keepends=True)
    return found


def executed() -> Json:
    """The notebook with what its cells return now."""
    notebook, names, number = _notebook(), dict[str, object](), 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        result = outcome("".join(cell["source"]), names)
        kept = {"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": shown(result)}
        cell |= {"execution_count": number, "outputs": [] if result is None else [kept]}
    return notebook


def _notebook() -> Json:
    found: Json = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    written = json.dumps(executed(), indent=1, ensure_ascii=False).replace(f"{Path.cwd()}/", "")  # names no machine
    NOTEBOOK.write_text(written + "\n", encoding="utf-8")
