"""The public file of the names of regions: what it may hold, and where its names stand in a release."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.readers import region_names_table
from tests.nations import Nation, sample_nation, write_nation
from tests.statistics import recorded_bits

GOOD = {"REGION_TYPE": ["STATE", "STATE"], "REGION_ID": ["01", "02"], "NAME": ["Alabama", "Alaska"]}


def problems(folder: Path, columns: dict[str, list[object]]) -> list[str]:
    pq.write_table(pa.table(columns), folder / "names.parquet")
    with pytest.raises(InputError) as refused:
        region_names_table("names.parquet", [folder / "names.parquet"])
    return [problem.what for problem in refused.value.problems]


BAD = {
    "a missing column": ({**GOOD, "NAME": None}, ["has no column NAME"]),
    "ids that lost their zeros": ({**GOOD, "REGION_ID": [1, 2]}, ["REGION_ID is stored as int64"]),
    "a region with two names": ({**GOOD, "REGION_ID": ["01", "01"]}, ["1 code(s) stand more than once: STATE 01"]),
    "a region without a name": ({**GOOD, "NAME": ["Alabama", None]}, ["a row without REGION_TYPE, REGION_ID or name"]),
}


@pytest.mark.parametrize(("columns", "whats"), BAD.values(), ids=BAD)
def test_names_that_cannot_be_used_are_refused(tmp_path, columns, whats):
    assert problems(tmp_path, {name: column for name, column in columns.items() if column is not None}) == whats


def named(name: str) -> Nation:
    """A nation whose geography has names of counties in the column COUNTY_NAME, and the parameters say so."""
    nation = sample_nation(60).with_parameters(region_types={"USA": {"name": name}, "COUNTY": {"name": "COUNTY_NAME"}})
    return replace(nation, blocks=[{**row, "COUNTY_NAME": f"County {row['TABBLKCOU']}"} for row in nation.blocks])


def released(inputs: InputPaths, out: Path) -> set[tuple[str, str | None]]:
    run(inputs, out, resources=Resources(threads=1), bits=recorded_bits("nation"))
    index = pq.read_table(out / "group_index", columns=["REGION_TYPE", "REGION_ID", "REGION_NAME"]).to_pylist()
    assert {row["REGION_NAME"] for row in index if row["REGION_TYPE"] == "STATE"} == {None}
    return {(row["REGION_TYPE"], row["REGION_NAME"]) for row in index if row["REGION_TYPE"] in ("USA", "COUNTY")}


def test_names_of_the_geography_stand_in_the_index_and_in_the_codes_and_a_file_stands_over_them(tmp_path):
    inputs = write_nation(named("'Norland'"), tmp_path)
    names = tmp_path / "names.csv"
    names.write_text('REGION_TYPE,REGION_ID,NAME\nUSA,1,"Nation, whole"\nCOUNTY,99999,Nowhere\n', encoding="utf-8")
    counties = {("COUNTY", f"County {row['TABBLKCOU']}") for row in named("").blocks}
    assert released(inputs, tmp_path / "a") == {("USA", "Norland"), *counties}
    over = replace(inputs, region_names=names)
    assert released(over, tmp_path / "b") == {("USA", "Nation, whole"), *counties}
    manifest = json.loads((tmp_path / "b" / "manifest.json").read_text())
    assert manifest["public_inputs"]["region_names"][0]["file"] == "names.csv"
    with (tmp_path / "b" / "codes" / "REGION_ID.csv").open(encoding="utf-8", newline="") as stream:
        listed = {(row["REGION_TYPE"], row["CODE"]): row["MEANING"] for row in csv.DictReader(stream)}
    assert (listed["USA", "1"], listed["COUNTY", "01001"]) == ("Nation, whole", "County 001")
    assert {name for (kind, _), name in listed.items() if kind == "STATE"} == {""}


def test_a_region_with_two_names_is_refused_with_both(tmp_path):
    inputs = write_nation(named("'Place ' || PLACEFP"), tmp_path)
    with pytest.raises(InputError) as refused:
        run(inputs, tmp_path / "out", resources=Resources(threads=1))
    (problem,) = refused.value.problems
    assert (problem.what, problem.examples) == (
        "1 region(s) to whose places the geography gives different names",
        ("region_type=USA, region_id=1, region_name=Place 00100, other_name=Place 99999",),
    )


def test_a_name_that_the_geography_does_not_hold_is_refused_with_the_columns_that_it_has(tmp_path):
    nation = named("PAIS")
    blocks = [{**row, "país": "Norland"} for row in nation.blocks]
    inputs = write_nation(replace(nation, blocks=blocks), tmp_path)
    with pytest.raises(InputError) as refused:
        run(inputs, tmp_path / "out", resources=Resources(threads=1))
    (problem,) = refused.value.problems
    assert problem.what.startswith("missing column PAIS; found TABBLKST, ")
    assert problem.fix.startswith("rename país to PAIS: capitals, accents and spaces make a difference; or write")
