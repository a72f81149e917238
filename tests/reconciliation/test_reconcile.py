"""`reconcile` on releases of a small nation: what stands in the new folder, and what is refused."""

import hashlib
import json
import shutil
from collections import defaultdict
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.schema import schema
from safetab_sql.jobs.statistics import sum_of_release
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.published.file_notes import manifest_core_digest
from tests.oracle import Row
from tests.published.conftest import Release, group, manifest, rows

NESTED = {"STATE": "USA", "COUNTY": "STATE", "TRACT": "COUNTY", "PR-COUNTY": "PR-STATE", "PR-TRACT": "PR-COUNTY"}
DIGITS = {"USA": 0, "STATE": 2, "COUNTY": 5, "PR-STATE": 2, "PR-COUNTY": 5}
KEPT = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "AGESTART", "AGEEND", "SEX")


@pytest.fixture(scope="module")
def reconciled(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The release with some parameters changed, and the folder that `reconcile` makes of it, once."""
    made: dict[str, Path] = {}

    def run(*, with_geography: bool = False, integers: bool = False, **changes: Any) -> tuple[Path, Path]:
        out = release(**changes)
        key = f"{out} {with_geography} {integers}"
        if key not in made:
            made[key] = tmp_path_factory.mktemp("reconciled") / "out"
            geography = out.parent / "GRF-C.txt" if with_geography else None
            reconcile(out, made[key], geography=geography, integers=integers, resources=Resources(threads=1))
        return out, made[key]

    return run


def keys(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in KEPT)


def gaps(out: Path, divisions: dict[str, str] = NESTED, *, tabled: bool = False) -> list[float]:
    """Each total less those of its parts, where every region that is a part of it has one.

    tabled: below the state, only of those with tables, as where totals were suppressed.
    """
    with_table = {group(row) for row in rows(out, "t2")}

    def is_evidence(key: Any) -> bool:
        return not tabled or key in with_table or key[0].endswith(("USA", "STATE"))

    totals = {group(row): row["COUNT"] for row in rows(out, "t1")}
    parts: dict[Any, list[float]] = defaultdict(list)
    regions: dict[Any, set[str]] = defaultdict(set)
    for (kind, region, iteration), count in totals.items():
        if kind in divisions:
            regions[kind, "1" if divisions[kind] == "USA" else region[: DIGITS[divisions[kind]]]].add(region)
        if kind in divisions and is_evidence((kind, region, iteration)):
            parent = "1" if divisions[kind] == "USA" else region[: DIGITS[divisions[kind]]]
            parts[kind, parent, iteration].append(count)
    return [
        totals[divisions[kind], parent, iteration] - sum(counts)
        for (kind, parent, iteration), counts in parts.items()
        if (own := (divisions[kind], parent, iteration)) in totals
        and is_evidence(own)
        and len(counts) == len(regions[kind, parent])
    ]


@pytest.mark.parametrize("table", ["t1", "t2"])
def test_every_row_of_the_release_is_there_in_its_order_with_the_count_it_had(reconciled: Any, table: str) -> None:
    out, target = reconciled()
    released = [(keys(row), row["COUNT"]) for row in rows(out, table)]
    assert [(keys(row), row["NOISY_COUNT"]) for row in rows(target, table)] == released


def test_without_the_geography_region_types_with_suppressed_totals_stay_as_released(reconciled: Any) -> None:
    out, target = reconciled()
    released = [row for row in rows(out, "t1") if row["REGION_TYPE"] not in ("USA", "STATE")]
    names = ("COUNT", "VARIANCE", "MOE95")
    found = {group(row): [row[name] for name in names] for row in rows(target, "t1")}
    assert [found[group(row)] for row in released] == [[row[name] for name in names] for row in released]


def test_with_the_geography_regions_add_up_where_all_their_parts_were_published(reconciled: Any) -> None:
    _, target = reconciled(with_geography=True)
    changed = {row["REGION_TYPE"] for row in rows(target, "t1") if row["COUNT"] != row["NOISY_COUNT"]}
    assert (max(map(abs, gaps(target, tabled=True))) < 1e-8, {"COUNTY", "TRACT"} <= changed) == (True, True)


@pytest.mark.parametrize(("definition", "deviations"), [("zcdp", 1.9599640), ("puredp", 2.1183216)])
@pytest.mark.each_time("puredp")
@pytest.mark.slow
def test_the_margin_is_so_many_standard_deviations_and_half_a_person(reconciled, definition, deviations):
    _, target = reconciled(privacy_definition=definition, zero_suppression_chance=0)
    nation_rows = [row for row in rows(target, "t1") if row["REGION_TYPE"] == "USA"]
    expected = [max(1, deviations * sqrt(row["VARIANCE"]) + 0.5) for row in nation_rows]
    assert [row["MOE95"] for row in nation_rows] == pytest.approx([ceil(100 * one) / 100 for one in expected])


def test_whole_numbers_add_up(reconciled: Any) -> None:
    _, target = reconciled(with_geography=True, integers=True)
    counts = [row["COUNT"] for table in ("t1", "t2") for row in rows(target, table)]
    assert (set(gaps(target, tabled=True)), {type(count) for count in counts}) == ({0}, {int})


def test_the_release_stays_as_it_was(reconciled: Any) -> None:
    out, _ = reconciled()
    stated = {each["file"]: each["sha256"] for each in manifest(out)["files"]}
    files = [path for path in out.rglob("*.*") if path.name != "manifest.json"]
    found = {path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert found == stated


def test_the_manifest_holds_that_of_the_release_and_says_what_was_done(reconciled: Any) -> None:
    out, target = reconciled(with_geography=True)
    found = manifest(target)
    assert (found["release"], found["reconciled"]["divisions"]) == (manifest(out), NESTED)
    assert [error.message for error in Draft202012Validator(schema("manifest")).iter_errors(found)] == []


def test_reconciled_files_describe_themselves_and_name_the_manifest_of_their_release(reconciled: Any) -> None:
    out, target = reconciled(with_geography=True)
    said = pq.ParquetFile(target / "t2" / "t2.parquet").metadata.metadata
    assert said[b"release_manifest_sha256"].decode() == manifest_core_digest(manifest(out))
    assert pq.read_schema(target / "t1" / "t1.parquet").field("NOISY_COUNT").metadata[b"description"]
    digests = {file["file"]: file["sha256"] for file in manifest(target)["files"]}
    assert digests["t1/t1.parquet"] == hashlib.sha256((target / "t1" / "t1.parquet").read_bytes()).hexdigest()


@pytest.mark.parametrize("integers", [False, True])
@pytest.mark.each_time("False")
def test_what_stands_beside_the_tables_of_a_release_stands_beside_the_reconciled_ones(reconciled, integers):
    """The index of groups and the code lists as they were, and metadata with the columns of the new tables."""
    out, target = reconciled(with_geography=not integers, integers=integers)
    beside = [path.relative_to(out) for path in out.rglob("*") if path.parent.name in ("codes", "group_index")]
    assert [path for path in beside if (target / path).read_bytes() != (out / path).read_bytes()] == []
    metadata = json.loads((target / "csv-metadata.json").read_text(encoding="utf-8"))
    found = {table["url"]: [each["name"] for each in table["tableSchema"]["columns"]] for table in metadata["tables"]}
    tables = [path.relative_to(target).as_posix() for path in target.rglob("*.parquet")]
    names = {table: pq.read_schema(target / table).names for table in tables}
    assert {table: found[table] for table in tables} == names
    assert found.keys() - tables == {path.as_posix() for path in beside if path.suffix == ".csv"}


def test_a_release_without_code_lists_is_reconciled_without_them(release: Release, tmp_path: Path) -> None:
    older = shutil.copytree(release(), tmp_path / "older", ignore=shutil.ignore_patterns("codes"))
    said = manifest(older)
    said["files"] = [file for file in said["files"] if not file["file"].startswith("codes/")]
    (older / "manifest.json").write_text(json.dumps(said), encoding="utf-8")
    reconcile(older, tmp_path / "reconciled", resources=Resources(threads=1))
    assert {path.name for path in (tmp_path / "reconciled").iterdir()} == {"group_index", "manifest.json", "t1", "t2"}


def test_code_lists_that_the_manifest_does_not_name_are_not_passed_on(release: Release, tmp_path: Path) -> None:
    other = shutil.copytree(release(), tmp_path / "other")
    (other / "codes" / "SEX.csv").write_text("code,name\n1,Martian\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"SEX.csv: has another SHA-256 .* than the manifest says"):
        reconcile(other, tmp_path / "reconciled", resources=Resources(threads=1))


def test_a_sum_of_reconciled_counts_has_a_bound_as_if_all_errors_went_the_same_way(reconciled: Any) -> None:
    _, target = reconciled()
    states = [row for row in rows(target, "t1") if row["REGION_TYPE"] == "STATE" and row["ITERATION_CODE"] == "1110"]
    found = sum_of_release(target, plus=["TABLE = 'T1' and REGION_TYPE = 'STATE' and ITERATION_CODE = '1110'"])
    deviation = sum((row["MOE95"] - 0.5) / 1.959964 for row in states)
    assert (found.estimate, found.variance) == (
        pytest.approx(sum(row["COUNT"] for row in states)), pytest.approx(deviation**2),
    )  # fmt: skip
    assert deviation >= sum(sqrt(row["VARIANCE"]) for row in states)
    assert (found.method, found.moe95) == ("bound", ceil(max(1, 1.959964 * deviation + 0.5)))
    assert any("as if all errors went the same way" in caveat for caveat in found.caveats)


def test_a_reconciled_folder_is_no_release_to_reconcile_again(reconciled: Any, tmp_path: Path) -> None:
    _, target = reconciled()
    with pytest.raises(InputError, match="not the manifest of a release"):
        reconcile(target, tmp_path / "again")


@pytest.mark.slow
def test_counts_cut_off_at_0_are_refused(release: Release, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="too large on average"):
        reconcile(release(allow_negative_counts=False), tmp_path / "reconciled")


def test_another_geography_is_refused(release: Release, tmp_path: Path) -> None:
    other = tmp_path / "GRF-C.txt"
    other.write_text((release().parent / "GRF-C.txt").read_text() + "01|009|000100|1000|99999|9999\n")
    with pytest.raises(InputError, match="not the geography of this release"):
        reconcile(release(), tmp_path / "reconciled", geography=other)


def test_the_release_itself_is_never_overwritten(release: Release) -> None:
    with pytest.raises(InputError, match="is the release itself"):
        reconcile(release(), release(), overwrite=True)


def test_other_code_lists_are_refused(release: Release, tmp_path: Path) -> None:
    for path in release().parent.glob("*.txt"):
        (tmp_path / path.name).write_text(path.read_text().replace("1000", "1001"))
    with pytest.raises(InputError, match="not the code_iterations of this release"):
        reconcile(release(), tmp_path / "reconciled", code_lists=tmp_path)


@pytest.mark.slow
def test_totals_above_those_of_iterations_that_hold_their_people_are_counted(release: Release, tmp_path: Path) -> None:
    done = reconcile(release(), tmp_path / "reconciled", code_lists=release().parent)
    counts = {group(row): row["COUNT"] for row in rows(release(), "t1")}
    # what the lists of sample_nation prove of the alone iterations of states
    pairs = [("2210", "2110"), ("2210", "1110"), ("2230", "2130")]
    states = [
        (counts["STATE", state, narrow], counts["STATE", state, wide])
        for state in ("01", "02")
        for narrow, wide in pairs
    ]
    found = [each for each in done.orders or () if (each["region_type"], each["narrow_kind"]) == ("STATE", "alone")]
    broken = sum(narrow > wide for narrow, wide in states)
    assert [sum(each[name] for each in found) for name in ("compared", "noisy_broken")] == [len(states), broken]
