"""Releases of one small nation, made once a session each, and their rows as dicts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.nations import Nation, published, sample_nation
from tests.oracle import Row

Release = Callable[..., Path]


def rows(out: Path, table: str) -> list[Row]:
    """The rows of t1 or t2 in the order of the file."""
    return pq.read_table(out / table).to_pylist()


def manifest(out: Path) -> dict[str, Any]:
    return json.loads((out / "manifest.json").read_text())


def group(row: Row) -> tuple[str, str, str]:
    return row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]


def cell(row: Row) -> tuple[str, ...]:
    return *group(row), row["AGESTART"], row["AGEEND"], row["SEX"]


def cells_of_groups(out: Path) -> dict[tuple[str, str, str], list[Row]]:
    """The cells of each group with a table, marginals left out."""
    cells: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows(out, "t2"):
        if row["AGESTART"] != "*":
            cells.setdefault(group(row), []).append(row)
    return cells


@pytest.fixture(scope="session")
def nation() -> Nation:
    return sample_nation(617)


@pytest.fixture(scope="session")
def release(nation: Nation, tmp_path_factory: pytest.TempPathFactory) -> Release:
    """OUT of a run of `nation` with recorded bits, and with changed parameters where some are named."""
    made: dict[str, Path] = {}

    def out(**asked: Any) -> Path:
        changes = {name: value for name, value in asked.items() if nation.parameters.get(name) != value}
        key = json.dumps(changes, sort_keys=True)
        if key not in made:
            made[key] = tmp_path_factory.mktemp("release") / "nation"
            published(nation.with_parameters(**changes), made[key])
        return made[key] / "out"

    return out
