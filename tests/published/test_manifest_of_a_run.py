"""What the manifest of a release says, and that nothing in OUT is a function of person records."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from safetab_sql.jobs.run import run
from safetab_sql.jobs.schema import schema
from safetab_sql.mechanisms.bits import system_bits
from tests import oracle
from tests.nations import oracle_inputs, published, sample_nation, tables, write_nation
from tests.published.conftest import manifest
from tests.statistics import recorded_bits


def said_of(file: Path) -> dict[str, str]:
    """The key-value metadata of a Parquet file."""
    metadata = pq.ParquetFile(file).metadata.metadata
    return {key.decode(): value.decode() for key, value in metadata.items()}


def test_a_run_with_the_bits_of_the_system_is_releasable(tmp_path):
    assert published(sample_nation(60), tmp_path / "nation", bits=system_bits).manifest["releasable"] is True


def test_nothing_in_the_manifest_depends_on_the_people(nation, release, tmp_path):
    """Other people in the same blocks, twice as many, from a file of another name.

    All is equal but the date, and the digests of the tables, which are functions of what the tables publish.
    """
    inputs = write_nation(replace(nation, persons=nation.persons[::-1] * 2), tmp_path)
    persons = inputs.persons.rename(tmp_path / "others.txt")
    run(replace(inputs, persons=persons), tmp_path / "out", bits=recorded_bits("other"))
    made, wanted = manifest(tmp_path / "out"), manifest(release())
    assert [file["file"] for file in made["files"]] == [file["file"] for file in wanted["files"]]
    assert {**made, "date": None, "files": None} == {**wanted, "date": None, "files": None}


@pytest.mark.parametrize("file", ["manifest.json", "t1/t1.parquet", "t2/t2.parquet"])
def test_no_file_names_the_person_file_or_its_digest(release, file):
    persons = release().parent / "person-records.txt"
    content = (release() / file).read_bytes()
    digests = [getattr(hashlib, name)(persons.read_bytes()).hexdigest() for name in ("sha256", "md5", "sha1")]
    assert not [word for word in (persons.name, persons.stem, *digests) if word.encode() in content]


CODE_LISTS = {f"codes/{column}.csv" for column in ("ITERATION_CODE", "REGION_TYPE", "SEX", "STATISTIC")}


def test_a_release_holds_the_tables_and_what_describes_them_and_nothing_else(release):
    files = {str(path.relative_to(release())) for path in release().rglob("*") if path.is_file()}
    tables = {"group_index/t1.parquet", "suppressed/t1.parquet", "t1/t1.parquet", "t2/t2.parquet"}
    assert files == {*tables, *CODE_LISTS, "csv-metadata.json", "manifest.json"}


def test_the_manifest_holds_the_digest_of_every_other_file(release):
    digests = {file["file"]: file["sha256"] for file in manifest(release())["files"]}
    others = [path for path in release().rglob("*") if path.is_file() and path.name != "manifest.json"]
    assert digests == {
        path.relative_to(release()).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in others
    }


def test_every_parquet_file_holds_the_digest_of_the_manifest_it_was_made_with(release):
    """As docs/reference/files.md says how to compute it."""
    core = {key: value for key, value in manifest(release()).items() if key not in ("files", "releasable", "accounted")}
    text = json.dumps(core, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    held = {said_of(path)["manifest_sha256"] for path in release().rglob("*.parquet")}
    assert held == {hashlib.sha256(text.encode()).hexdigest()}


def test_the_manifest_is_as_its_schema_says(release):
    found = Draft202012Validator(schema("manifest")).iter_errors(manifest(release()))
    assert [f"{error.json_path}: {error.message}" for error in found] == []


def test_a_table_that_stands_alone_says_what_was_counted_what_it_cost_and_which_noise_it_has(release):
    said, ledger = said_of(release() / "t2" / "t2.parquet"), manifest(release())["ledger"]
    assert (said["unit"], said["description"][:38]) == ("persons", "The published tables of the ladder. On")
    assert said["privacy_loss"] == f"rho {ledger['totals']['one_person']['decimal']} (zcdp): {ledger['neighbours']}"
    wanted = [(level["level"], call["sigma2"]["decimal"]) for level in ledger["levels"] for call in level["calls"]]
    assert [(noise["level"], noise["sigma2"]) for noise in json.loads(said["noise"])] == wanted


def test_every_column_of_a_published_table_is_described(release):
    schemas = [pq.read_schema(path) for path in release().rglob("*.parquet")]
    assert [
        field.name for schema in schemas for field in schema if not (field.metadata or {}).get(b"description")
    ] == []
    said = json.loads(said_of(release() / "t2" / "t2.parquet")["columns"])
    assert (said["AGEEND"], said["SEX"]) == ("last AGE of the range; * for all", "1 male, 2 female; * for both")
    assert said["AGE_END"] == "last AGE of the row, a whole number; NULL for all"


def test_the_ledger_states_the_stability_that_the_oracle_computes(nation, release):
    inputs = oracle_inputs(nation)
    wanted = {f"{kind}-{level}": oracle.stability(inputs, kind, level) for kind, level in inputs.levels}
    assert tables(release(), "t1", "t2").stabilities == wanted
