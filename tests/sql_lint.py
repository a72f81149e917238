"""Lints every statement and macro of sql/ as it runs, its values written out: `python -m tests.sql_lint`.

sqlfluff cannot read templates with bound values; the settings are in pyproject.toml. Line numbers are those of the
statement as `safetab-sql sql show` prints it, below its header.
"""

import sys
from collections.abc import Iterator, Mapping

from sqlfluff.core import FluffConfig, Linter

from safetab_sql.jobs.sql import display_values
from safetab_sql.kit.sqlfiles import SqlFile, macro_files, render, sql_files
from tests.conftest import REPOSITORY

# What sqlfluff may say of a statement: (statement, rule) -> why it stays.
ACCEPTED: Mapping[tuple[str, str], str] = {
    ("delimited_text", "AM04"): "only the file knows its columns",
    ("area_regions", "RF03"): "the expression of a region type, in the words of its author",
    ("geography_rows", "CV03"): "a loop over columns cannot tell which is the last",
    ("geography_rows", "RF03"): "the condition of a part; its columns are those of one table",
    ("group_index", "RF04"): "LEVEL is the word of parameters and manifests",
    ("each_once", "PRS"): "sqlfluff knows no lambda of two values",
    ("geography_names", "LT09"): "where no region type has a name, one column is left",
    ("iteration_rows", "LT01"): "the type of a map; sqlfluff takes it for a value",
    ("persons_place_contradicted", "AL04"): "how many places there are",
    ("regions", "LT02"): "sqlfluff wants the columns of an unpivot under its `on`",
    ("geo_unit_regions", "LT02"): "the same",
}


def complaints(linter: Linter, file: SqlFile, values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """What sqlfluff says of one statement: rule and text."""
    linted = linter.lint_string(render(file, values).inlined + "\n", fname=file.name)
    for found in linted.get_violations():
        place = f"sql/{file.folder}/{file.name}.sql:{found.line_no}:{found.line_pos}"
        yield found.rule_code(), f"{place}: {found.rule_code()} {found.desc()}"


def main() -> int:
    """Print what sqlfluff says and nobody has accepted, and what was accepted and is gone; 1 if there is any."""
    linter = Linter(config=FluffConfig.from_path(str(REPOSITORY)))
    values = display_values()
    lines: list[str] = []
    seen: set[tuple[str, str]] = set()
    files = [*sql_files().values(), *macro_files().values()]
    for file in files:
        for rule, text in complaints(linter, file, values):
            seen.add((file.name, rule))
            if (file.name, rule) not in ACCEPTED:
                lines.append(text)
    lines += [f"tests/sql_lint.py: {name} has no more {rule} to accept" for name, rule in ACCEPTED.keys() - seen]
    print("\n".join(lines) if lines else f"{len(files)} files, nothing to complain about")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
