"""JSON-stat and px, read back by pyjstat and pyaxis: every number under its labels, and no number more."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from safetab_sql.jobs.export import export
from safetab_sql.settings.ladders import attributes_of
from tests.export.conftest import ONE
from tests.export.released import meanings, parameters, tables
from tests.export.released_cubes import Cell, cubes

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # pandas is imported where it is needed


def json_stat(file: Path) -> Iterator[Mapping[str, object]]:
    from pyjstat import pyjstat

    table = pyjstat.Dataset.read(file.read_text(encoding="utf-8")).write("dataframe").rename(columns={"value": "DATA"})
    yield from table.to_dict("records")


def px(file: Path) -> Iterator[Mapping[str, object]]:
    from pyaxis import pyaxis

    for row in pyaxis.parse(str(file), encoding="utf-8")["DATA"].to_dict("records"):
        yield {**row, "DATA": None if row["DATA"] == '".."' else float(row["DATA"])}


READERS = {"json-stat": (json_stat, "json"), "px": (px, "px")}


def numbers(rows: Iterable[Mapping[str, object]], dimensions: Sequence[str]) -> dict[Cell, float]:
    """The numbers that are known, by labels; of attributes that the cube does not have, nothing."""
    found = {}
    for row in rows:
        cell = (row["GROUP"], *(row.get(name, "") for name in dimensions), str(row["MEASURE"]).partition(":")[0])
        if row["DATA"] is not None and row["DATA"] == row["DATA"]:
            assert cell not in found
            found[cell] = float(row["DATA"])
    return found


def with_dimensions(
    cube: dict[Cell, object], dimensions: Sequence[str], kept: Mapping[str, object]
) -> dict[Cell, float]:
    """The numbers of a cube that are known, with nothing in place of the labels of dimensions that are not kept."""
    places = [place for place, name in enumerate(dimensions, start=1) if name not in kept]
    return {
        tuple("" if place in places else label for place, label in enumerate(cell)): float(value)
        for cell, value in cube.items()
        if value is not None
    }


@pytest.mark.parametrize("format_", READERS)
def test_every_count_margin_flag_and_label_is_that_of_the_release(format_: str, folder: Path, tmp_path: Path) -> None:
    read, ending = READERS[format_]
    export(folder, tmp_path / "out", format=format_, resources=ONE)
    wanted, settings, seen = cubes(folder), parameters(folder), set()
    for ladder in settings.ladders:
        dimensions = [attribute.name for attribute in attributes_of(ladder, settings.attributes)]
        for number, statistic in enumerate([ladder.total_name, *(each.name for each in ladder.statistics)]):
            name = re.sub(r"[^\w-]+", "_", f"{ladder.folder}_{number}_{statistic}")
            file, cube = tmp_path / "out" / f"{name}.{ending}", wanted.get(f"{ladder.name} {statistic}")
            assert file.exists() == (cube is not None)
            if cube is not None:
                rows = list(read(file))
                assert numbers(rows, dimensions) == with_dimensions(cube, dimensions, rows[0])
                seen.add(f"{ladder.name} {statistic}")
    assert seen == wanted.keys()


@pytest.mark.parametrize("format_", READERS)
def test_bounds_of_suppressed_groups_are_those_of_the_release(format_: str, nation: Path, tmp_path: Path) -> None:
    read, ending = READERS[format_]
    export(nation, tmp_path / "out", format=format_, resources=ONE)
    names = meanings(nation, "ITERATION_CODE")
    assert numbers(read(tmp_path / "out" / f"suppressed_t2.{ending}"), []) == {
        (f"{row['REGION_TYPE']}: {names[row['ITERATION_CODE']]}, {row['ITERATION_CODE']}", measure): row[measure]
        for row in tables(nation)["suppressed/t1"]
        for measure in ("SUPPRESSED_UP_TO", "HIGH95")
    }
