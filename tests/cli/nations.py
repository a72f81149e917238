"""Small nations on disk, and ways to spoil a copy of one."""

import json
import re
import shutil
from pathlib import Path

import duckdb
import pytest

from safetab_sql.public.inputs import InputPaths
from safetab_sql.simulation.geography import state_people
from safetab_sql.simulation.simulate import simulate

STATES = ("01", "02", "06", "56")  # three small ones, and one with an eighth of all people
PERSONS = "persons/persons.parquet"
GEOGRAPHY = "geography.parquet"
CODES = "code-lists/race-and-ethnicity-codes.txt"
RACES = "code-lists/race-characteristic-iterations.txt"
ETHNICITIES = "code-lists/ethnicity-characteristic-iterations.txt"
MAPPING = "code-lists/race-and-ethnicity-code-to-iteration.txt"
# A specification of `synthesize` for the person records.
ROWS = """title = "Made-up rows"
is_simulated = true
epsilon = 8

domains.TABBLKST = { values = ["01", "02", "06", "56"] }
domains.QSEX = { values = ["1", "2"] }
domains.QAGE = { minimum = 0, maximum = 115 }
"""


def simulate_few_states(out: str | Path, *, people: int) -> InputPaths:
    """Four states of a simulated nation of `people`: a command does a fraction of the work, and all kinds of it."""
    sizes = {code: size for code, size in state_people(people).items() if code in STATES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("safetab_sql.simulation.simulate.state_people", lambda _: sizes)
        made = simulate(out, people=people)
    request_few_states(Path(out) / "parameters.toml")
    return made


def request_few_states(parameters: Path) -> None:
    text = parameters.read_text(encoding="utf-8")
    few = re.sub(r"(?<=state_filter_us = )\[[^\]]*\]", json.dumps(STATES), text)
    parameters.write_text(few, encoding="utf-8")


def paths(nation: Path) -> InputPaths:
    return InputPaths(
        nation / "parameters.toml", nation / "persons", nation / "geography.parquet", nation / "code-lists"
    )


def copied(nation: Path, to: Path) -> Path:
    """A nation of the same people, to be changed."""
    shutil.copytree(nation, to)
    return to


def keep_levels(nation: Path, *levels: str) -> None:
    """Give a budget to no other population group levels than these."""
    parameters = nation / "parameters.toml"
    head, *tables = parameters.read_text(encoding="utf-8").split("\n[levels.")
    kept = [table for table in tables if table.split("]")[0] in levels]
    parameters.write_text("\n[levels.".join([head, *kept]), encoding="utf-8")


def rewrite(file: Path, query: str) -> None:
    """Replace a Parquet file by the rows of `query`, which reads it as `rows`."""
    changed = file.with_name("changed.parquet")
    with duckdb.connect() as connection:
        connection.execute("set preserve_insertion_order = true")
        connection.execute(f"create table rows as select *, row_number() over () as number from '{file}'")
        connection.execute(f"copy ({query}) to '{changed}' (format parquet)")
    changed.replace(file)


def replace_in_first_row(file: Path, **expressions: str) -> None:
    """Set columns of the first row of a Parquet file to SQL expressions."""
    replaced = ", ".join(
        f"case when number = 1 then {expression} else {column} end as {column}"
        for column, expression in expressions.items()
    )
    rewrite(file, f"select * exclude (number) replace ({replaced}) from rows order by number")


def replace_text(file: Path, old: str, new: str) -> None:
    """Replace the first `old` in a text file, which must be there."""
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file} has no {old!r}"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def append_line(file: Path, line: str) -> None:
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"{line}\n")


def as_text(parquet: str, target: Path) -> None:
    """Write Parquet as production's pipe-delimited text, NULL as Null."""
    with duckdb.connect() as connection:
        connection.execute(
            f"copy (select columns(*)::varchar from '{parquet}') to '{target}' "
            "(format csv, delimiter '|', header true, quote '', escape '', nullstr 'Null')"
        )
