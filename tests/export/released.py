"""What a folder publishes, read from its Parquet files: what every export of it must say."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from safetab_sql.published.manifest import parameters_from_json
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import Parameters

Row = Mapping[str, Any]
GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")


def parameters(folder: Path) -> Parameters:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return parameters_from_json(manifest.get("release", manifest)["parameters"], folder)


def ladders(folder: Path) -> tuple[Ladder, ...]:
    return parameters(folder).ladders


def rows(file: Path) -> list[Row]:
    return pq.read_table(file).to_pylist()


def tables(folder: Path) -> dict[str, list[Row]]:
    """Every table, by its place without an ending."""
    return {
        file.relative_to(folder).with_suffix("").as_posix(): rows(file) for file in sorted(folder.glob("*/*.parquet"))
    }


def meanings(folder: Path, column: str) -> dict[str, str]:
    file = folder / "codes" / f"{column}.csv"
    if not file.is_file():
        return {}
    with file.open(encoding="utf-8", newline="") as stream:
        return {row["CODE"]: row["MEANING"] for row in csv.DictReader(stream)}


def labelled(folder: Path) -> dict[str, list[Row]]:
    """Every table, with the names of codes beside the codes in rows of totals and tables."""
    found = tables(folder)
    for ladder in ladders(folder):
        index = {
            tuple(row[key] for key in GROUP): row
            for row in found[f"group_index/{ladder.totals_folder or ladder.folder}"]
        }
        for own in ladder.folders:
            place, names = f"{own}/{own}", ("REGION_NAME", "ITERATION_NAME")
            names = ("LEVEL", "STATISTIC", *names) if own == ladder.totals_folder else names
            coded = [
                column for column in found[place][0] if column not in (*GROUP, "STATISTIC") and meanings(folder, column)
            ]
            found[place] = [
                {
                    **row,
                    **{name: index[tuple(row[key] for key in GROUP)][name] for name in names},
                    **{f"{column}_NAME": meanings(folder, column)[row[column]] for column in coded},
                }
                for row in found[place]
            ]
    return found
