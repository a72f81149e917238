"""sql/run.sql, a whole run of a small example as one script: `python -m tests.rules.sql_script` writes it.

The example is made here, with a seed; its files lie in sql/example. The noise is that of one run with recorded bits.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from safetab_sql.jobs.run import run
from safetab_sql.jobs.sql import display_values, is_made, run_files, run_macros
from safetab_sql.kit.database import Database, Resources
from safetab_sql.kit.sqlfiles import SqlFile, Value, literal, quoted_name, render
from safetab_sql.public.inputs import InputPaths
from tests.conftest import REPOSITORY
from tests.nations import Nation, sample_nation, write_nation
from tests.statistics import recorded_bits

PATH = REPOSITORY / "sql" / "run.sql"
EXAMPLE = REPOSITORY / "sql" / "example"
PEOPLE = 80
_HEAD = """\
-- A whole run of safetab_sql as one script, in run order. In a clone, with nothing of ours installed:
-- `duckdb < sql/run.sql`, in DuckDB 1.4 or later.
--
-- Made by `python -m tests.rules.sql_script` from the files below sql/run; a test compares the two, and runs it. The
-- example is a made-up nation of 80 people (sql/example). Values are written out: `safetab-sql sql show NAME` prints a
-- statement with your own. Python draws noise at two places; there this script holds recorded noise.
"""
_NOISE = {
    "run/5_tables": """\
-- RECORDED NOISE, FIRST TIME. For every population group, people or not, Python drew a noisy total and compared it with
-- the thresholds of its level; the groups in `stat_levels` earned a table.
""",
    "run/6_publish": """\
-- RECORDED NOISE, SECOND TIME. Python drew a noisy total of every group without a table, and every noisy cell of the
-- groups with one, people or not. A run goes on with a new connection, which holds noisy and public tables alone.
""",
}


def example_nation() -> Nation:
    """Eighty people in one state of four counties, two population group levels."""
    nation = sample_nation(600)
    inside = [person for person in nation.persons if person["TABBLKST"] == "01"][:PEOPLE]
    levels = {
        "USA-1": {"budget": 2, "thresholds": [20, 60, 150]},
        "COUNTY-2": {"budget": 4, "thresholds": [20, 60, 150]},
    }
    parameters = nation.parameters | {"run_pr": False, "state_filter_us": ["01"], "levels": levels}
    return Nation(
        inside,
        [block for block in nation.blocks if block["TABBLKST"] == "01"],
        nation.iterations,
        nation.links,
        parameters,
    )


def write_example(folder: Path) -> InputPaths:
    written = write_nation(example_nation(), folder / "text")
    (folder / "code-lists").mkdir(parents=True, exist_ok=True)
    for text in sorted((folder / "text").glob("*.txt")):
        name = {"person-records": "persons", "GRF-C": "geography"}.get(text.stem, f"code-lists/{text.stem}")
        read = f"read_csv({literal(str(text))}, delim = '|', all_varchar = true, nullstr = 'Null')"
        duckdb.sql(f"copy (from {read}) to {literal(str(folder / f'{name}.parquet'))} (format parquet)")
        text.unlink()
    written.parameters.rename(folder / "parameters.toml")
    (folder / "text").rmdir()
    return example_inputs(folder)


def example_inputs(folder: Path = EXAMPLE) -> InputPaths:
    """The example's files, as they lie in the repository."""
    files = (str(folder / "persons.parquet"), str(folder / "geography.parquet"), folder / "code-lists")
    return InputPaths(folder / "parameters.toml", *files)


@contextmanager
def _recording() -> Iterator[dict[str, pa.Table]]:
    """The tables that Python fills in a run, as they are handed over."""
    seen: dict[str, pa.Table] = {}
    hand_over = Database.hand_over

    def noticed(database: Database, name: str, table: pa.Table) -> None:
        seen[name] = table
        hand_over(database, name, table)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "hand_over", noticed)
        yield seen


def recorded_run(out: Path) -> dict[str, pa.Table]:
    """A run of the example with recorded bits; the tables that Python fills in it."""
    with _recording() as seen:
        run(example_inputs(), out, bits=recorded_bits("run.sql"), resources=Resources(threads=1))
    return seen


def script(noise: dict[str, pa.Table]) -> str:
    inputs = example_inputs()
    values = display_values(inputs.parameters, str(inputs.persons), str(inputs.geography), inputs.code_lists)
    parts, entering = [_HEAD, *(f"{text}\n" for text in run_macros(values))], dict(_NOISE)
    for file in run_files():
        if file.kind == "python":
            parts.append(entering.pop(file.folder, "") + _filled(file, noise[file.name]))
        elif file.kind != "file" and is_made(file, values):
            kind = "view" if file.kind == "view" else "table"
            create = f"create or replace {kind} {quoted_name(file.name)} as"
            parts.append(f"{file.header}\n{create}\n{render(file, values).inlined};\n")
    parts.append("from t1;\nfrom t2;\n")
    return "\n".join(parts).replace(f"{REPOSITORY.resolve()}/", "")


def _filled(file: SqlFile, table: pa.Table) -> str:
    """A table that Python fills, with the rows of the recorded run."""
    columns = ", ".join(f"{column.name} {column.type}" for column in file.columns)
    names = [column.name for column in file.columns]
    rows = [f"    ({', '.join(_literal(row[name]) for name in names)})" for row in table.to_pylist()]
    name = quoted_name(file.name)
    made = f"{file.header}\ncreate or replace table {name} ({columns});\n"
    filled = ",\n".join(rows)
    return f"{made}insert into {name} values\n{filled};\n" if rows else made


def _literal(value: Value | float) -> str:
    if value is None:
        return "null"
    return repr(value) if isinstance(value, float) else literal(value)


def main() -> None:
    """Write the example and the script."""
    write_example(EXAMPLE)
    with tempfile.TemporaryDirectory() as folder:
        PATH.write_text(script(recorded_run(Path(folder) / "out")), encoding="utf-8")


if __name__ == "__main__":
    main()
