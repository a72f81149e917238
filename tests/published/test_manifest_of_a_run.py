"""What the manifest of a release says, that nothing in OUT is a function of person records, and how it is read."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from safetab_sql.accounting.conversions import members_of
from safetab_sql.jobs.run import run
from safetab_sql.jobs.schema import schema
from safetab_sql.kit.errors import InputError
from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.published.manifest import parameters_from_json, parameters_json
from safetab_sql.release.folder import open_folder, release_facts
from safetab_sql.settings.parameters import load_parameters
from tests import oracle
from tests.conftest import REPOSITORY
from tests.hostile.seeds import MANIFEST
from tests.nations import oracle_inputs, tables, write_nation
from tests.published.conftest import manifest


def said_of(file: Path) -> dict[str, str]:
    """The key-value metadata of a Parquet file."""
    metadata = pq.ParquetFile(file).metadata.metadata
    return {key.decode(): value.decode() for key, value in metadata.items()}


def test_nothing_in_the_manifest_depends_on_the_people_and_with_the_bits_of_the_system_it_is_releasable(
    nation, release, tmp_path
):
    """Other people in the same blocks, twice as many, from a file of another name.

    All is equal but the date, the digests of the tables, which are functions of what these publish, and the bits.
    """
    inputs = write_nation(replace(nation, persons=nation.persons[::-1] * 2), tmp_path)
    persons = inputs.persons.rename(tmp_path / "others.txt")
    run(replace(inputs, persons=persons), tmp_path / "out", bits=system_bits)
    made, wanted = manifest(tmp_path / "out"), manifest(release())
    assert [file["file"] for file in made["files"]] == [file["file"] for file in wanted["files"]]
    assert (made["releasable"], wanted["releasable"]) == (True, False)
    others = dict.fromkeys(("date", "files", "releasable"))
    assert {**made, **others} == {**wanted, **others}


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


# --- the one reader of a release: its folder, its manifest, and the parameters that it was made with ---


CONFIGS = ("ddhca-2020", "example", "paper-puredp", "paper-zcdp")


@pytest.mark.parametrize("name", CONFIGS)
def test_a_manifest_gives_back_the_parameters_that_it_was_written_from(name):
    parameters = load_parameters(REPOSITORY / "configs" / f"{name}.toml")
    read = parameters_from_json(json.loads(json.dumps(parameters_json(parameters))), parameters.source)
    assert replace(read, about=parameters.about) == parameters


def test_a_reconciled_folder_is_a_release_only_where_one_will_do(tmp_path):
    done = {
        **dict.fromkeys(("method", "privacy", "moe95", "survived_suppression"), ""),
        **dict.fromkeys(("stage_1", "integers", "rows_are_independent"), False),
        **{"divisions": {"COUNTY": "STATE"}, "nested_iterations": 0, "public_inputs": {}},
    }
    ran = json.loads(MANIFEST)
    made = {"command": "reconcile", "about": {}, "software": {}, "date": "2026-11-22", "files": []}
    manifest = {**made, "reconciled": done, "release": ran}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    facts = open_folder(tmp_path, or_reconciled=True).facts
    assert facts.reconciled is not None
    assert (facts.reconciled.divisions, facts.made_on, facts.day) == ({"COUNTY": "STATE"}, "2026-11-22", ran["date"])
    with pytest.raises(InputError, match=f"{tmp_path}/manifest.json: not the manifest of a release"):
        open_folder(tmp_path)


def test_a_level_is_known_by_its_ladder_and_its_name():
    facts = release_facts(json.loads(MANIFEST))
    assert facts.level_called("T2", "USA-1").name == "USA-1"
    with pytest.raises(InputError, match="group_index: names level USA-3, which the manifest does not have"):
        facts.level_called("T2", "USA-3")


def places(value: object, place: str = "") -> Iterator[str]:
    """Each place of a manifest with its value, but for the parameters, which have tests of their own."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        if key != "parameters":
            yield from places(each, f"{place}.{key}" if place else str(key))
    if not inside and value != {}:
        yield f"{place} = {json.dumps(value)}"


def test_a_whole_manifest_has_the_members_and_values_that_it_always_had():
    """A changed line is a changed form of manifests: it stands in the changelog."""
    golden = Path(__file__).with_name("whole_manifest.txt").read_text(encoding="utf-8")
    assert "".join(f"{line}\n" for line in places(json.loads(MANIFEST))) == golden


def refusal(manifest: dict[str, object]) -> str:
    with pytest.raises(InputError) as refused:
        release_facts(manifest, Path("out/manifest.json"))
    return "\n".join(map(str, refused.value.problems))


def test_a_manifest_of_an_older_version_is_refused_with_its_version_and_a_cure():
    """Before there was a second version, no manifest said which command made it."""
    older = {key: value for key, value in json.loads(MANIFEST).items() if key != "command"}
    said = refusal(older)
    assert "out/manifest.json: not the manifest of a release as this version writes it" in said
    assert "which command of safetab-sql '0.1.0' made it" in said
    assert "read it with that version, or make the release anew" in said


SEVEN = {"exact": "7", "decimal": "7"}
WRONG = [  # a place in a manifest, what stands there, and what the refusal says
    ("ledger.levels.1.stability", "many", "ledger.levels.1.stability is 'many'"),
    ("parameters.ladders.0.levels.0.budget", "1/0", "release: ladders: levels: budget: '1/0' is not of its type"),
    ("parameters.ladders.0.levels.0.level", "USA-9", "USA-1 has .* in its ledger, nothing in its parameters"),
    ("ledger.levels.0.level", "USA-9", "itself: USA-9 has .* in its ledger, nothing in its parameters"),
    ("ledger.levels", [], "USA-1 has nothing in its ledger, budget 1, thresholds .* in its parameters"),
    ("parameters.ladders.0.levels.0.budget", SEVEN, "USA-1 has budget .* in its ledger, budget 7, thresholds"),
    ("ledger.levels.0.thresholds", [1], r"USA-1 has .* thresholds \(1,\) in its ledger"),
    ("parameters.privacy_definition", "puredp", "has zcdp in its ledger, puredp in its parameters"),
]


@pytest.mark.parametrize(("place", "value", "said"), WRONG)
def test_a_member_that_is_none_or_that_another_one_contradicts_is_named(place, value, said):
    manifest, (*above, key) = json.loads(MANIFEST), place.split(".")
    reduce(lambda at, name: at[int(name) if name.isdecimal() else name], above, manifest)[key] = value
    assert re.search(said, refusal(manifest))


def test_a_manifest_that_is_read_and_written_is_the_same():
    manifest = json.loads(MANIFEST)
    assert json.loads(json.dumps(members_of(release_facts(manifest).manifest))) == manifest
