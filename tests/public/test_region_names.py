"""The public file of the names of regions: what it may hold, and where its names stand in a release."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.readers import region_names_table
from tests.nations import sample_nation, write_nation
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
    "a region with two names": ({**GOOD, "REGION_ID": ["01", "01"]}, ["1 region(s) stand more than once: STATE 01"]),
    "a region without a name": ({**GOOD, "NAME": ["Alabama", None]}, ["a row without type, id or name"]),
}


@pytest.mark.parametrize(("columns", "whats"), BAD.values(), ids=BAD)
def test_names_that_cannot_be_used_are_refused(tmp_path: Path, columns: dict[str, object], whats: list[str]) -> None:
    assert problems(tmp_path, {name: column for name, column in columns.items() if column is not None}) == whats


def test_the_names_that_a_run_is_given_stand_in_the_index_and_their_digest_in_the_manifest(tmp_path: Path) -> None:
    inputs = write_nation(sample_nation(60), tmp_path)
    names = tmp_path / "names.csv"
    names.write_text('REGION_TYPE,REGION_ID,NAME\nUSA,1,"Nation, whole"\nCOUNTY,99999,Nowhere\n', encoding="utf-8")
    made = run(
        replace(inputs, region_names=names),
        tmp_path / "out",
        resources=Resources(threads=1),
        bits=recorded_bits("nation"),
    )
    index = pq.read_table(made.out / "group_index", columns=["REGION_TYPE", "REGION_NAME"]).to_pylist()
    named = {(row["REGION_TYPE"] == "USA", row["REGION_NAME"]) for row in index}
    assert named == {(True, "Nation, whole"), (False, None)}
    assert made.manifest["public_inputs"]["region_names"][0]["file"] == "names.csv"
