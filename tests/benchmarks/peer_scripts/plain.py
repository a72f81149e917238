"""Plain SQL in DuckDB: `python plain.py NATION OUT SCRIPT...` runs scripts, and writes their tables t1 and t2."""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import duckdb


def run_scripts(nation: Path, scripts: Sequence[str], written: dict[str, str]) -> None:
    """Run them on a nation, and write some of their tables, each to a file."""
    with duckdb.connect() as connection:
        connection.execute("set preserve_insertion_order = false")
        files = {"persons": "persons/*.parquet", "geography": "geography.parquet", "lists": "code-lists"}
        for name, place in files.items():
            connection.execute(f"set variable {name} = '{nation}/{place}'")
        levels = tomllib.loads((nation / "parameters.toml").read_text(encoding="utf-8"))["levels"]
        connection.execute("create table levels (region_type varchar, level tinyint, thresholds integer[])")
        rows = [(*key.rsplit("-", 1), level["thresholds"]) for key, level in levels.items() if level["budget"]]
        connection.executemany("insert into levels values (?, ?, ?)", rows)
        for script in scripts:
            connection.execute((Path(__file__).parent / f"plain_{script}.sql").read_text(encoding="utf-8"))
        for table, file in written.items():
            connection.execute(f"copy {table} to '{file}' (format parquet)")


if __name__ == "__main__":
    named = {
        f"(from {table} inner join iterations using (iteration))": f"{sys.argv[2]}.{table}" for table in ("t1", "t2")
    }
    run_scripts(Path(sys.argv[1]), sys.argv[3:], named)
