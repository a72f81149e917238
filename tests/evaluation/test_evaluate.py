"""`evaluate`: releases of a tiny nation beside its exact tables, and error reports written out by hand."""

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import dataset

from safetab_sql.evaluation import compared
from safetab_sql.evaluation.compared import region_stretches
from safetab_sql.evaluation.evaluate import CONTENTS, TABLES, Evaluation, evaluate
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths
from safetab_sql.release.folder import manifest_digest
from tests.cli.command import call
from tests.conftest import REPOSITORY
from tests.nations import sample_nation, write_nation
from tests.statistics import recorded_bits

ONE_THREAD = Resources(threads=1)
RUNS = 2


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    return write_nation(sample_nation().with_half_of_the_levels(), tmp_path_factory.mktemp("evaluated") / "nation")


@pytest.fixture(scope="module")
def truth(inputs: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("evaluated") / "truth"
    ground_truth(inputs, out, resources=ONE_THREAD)
    return out


@pytest.fixture(scope="module")
def dense_truth(inputs: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("evaluated") / "dense"
    ground_truth(inputs, out, dense=True, resources=ONE_THREAD)
    return out


@pytest.fixture(scope="module")
def releases(inputs: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("evaluated")
    outs = [folder / f"release-{number}" for number in range(1, RUNS + 1)]
    for out in outs:
        run(inputs, out, bits=recorded_bits(out.name), resources=ONE_THREAD)
    return outs


def evaluated(releases: Sequence[Path], truth: Path, inputs: InputPaths, out: Path) -> Evaluation:
    return evaluate(releases, out, ground_truth=truth, code_lists=inputs.code_lists, resources=ONE_THREAD)


@pytest.fixture(scope="module")
def evaluation(releases: list[Path], truth: Path, inputs: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("evaluated") / "evaluation"
    evaluated(releases, truth, inputs, out)
    return out


def rows(path: Path) -> list[dict[str, object]]:
    return pq.read_table(path).to_pylist()


def errors_by_hand(release: Path, truth: Path) -> dict[tuple[object, ...], tuple[int, int, int]]:
    """Measured counts, total absolute and total squared error by group: in loops, without SQL."""
    cell, group = ("AGESTART", "AGEEND", "SEX"), ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")

    def counts(path: Path, keys: Sequence[str]) -> dict[tuple[object, ...], int]:
        return {tuple(row[key] for key in keys): row["COUNT"] for row in rows(path)}

    exact = counts(truth / "t1.parquet", group) | counts(truth / "t2.parquet", (*group, *cell))
    cells = {key: n for key, n in counts(release / "t2" / "t2.parquet", (*group, *cell)).items() if key[3] != "*"}
    with_table = {key[:3] for key in cells}
    totals = {key: n for key, n in counts(release / "t1" / "t1.parquet", group).items() if key not in with_table}
    found: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for key, noisy in [*cells.items(), *totals.items()]:
        found[key[:3]].append(noisy - exact.get(key, 0))
    return {key: (len(errors), sum(map(abs, errors)), sum(e * e for e in errors)) for key, errors in found.items()}


def test_the_error_report_is_what_loops_over_the_tables_give(evaluation, releases, truth):
    reported = {number: {} for number in range(1, RUNS + 1)}
    for row in rows(evaluation / "errors.parquet"):
        key = (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"])
        names = ("MEASURED_COUNTS", "TOTAL_ABSOLUTE_ERROR", "TOTAL_SQUARED_ERROR")
        reported[row["RUN"]][key] = tuple(row[name] for name in names)
    assert reported == {number: errors_by_hand(out, truth) for number, out in enumerate(releases, start=1)}


def test_a_group_has_its_exact_size_and_the_flags_of_its_iteration(evaluation, truth):
    sizes = {
        (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]): row["COUNT"]
        for row in rows(truth / "t1.parquet")
    }
    found = rows(evaluation / "errors.parquet")
    keys = [(row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]) for row in found]
    assert [row["POPULATION_GROUP_SIZE"] for row in found] == [sizes.get(key, 0) for key in keys]
    assert {row["ITERATION_CODE"] for row in found if row["DETAILED_ONLY"]} == {"2130", "2230"}
    assert {row["ITERATION_CODE"] for row in found if row["COARSE_ONLY"]} == {"2220"}


@pytest.mark.slow
def test_the_share_suppressed_is_that_of_groups_without_a_published_count(evaluation, dense_truth):
    """Each time: tests/sql/test_evaluate.py has the groups by what became of them."""
    tabulated = len(rows(dense_truth / "t1.parquet"))
    published = len(rows(evaluation / "errors.parquet"))
    by_level = rows(evaluation / "by_level.parquet")
    assert sum(row["population_groups"] for row in by_level) == tabulated
    suppressed = sum(row["share_suppressed"] * row["population_groups"] * RUNS for row in by_level)
    assert suppressed == pytest.approx(tabulated * RUNS - published)


@pytest.mark.parametrize("name", ["by_level", "by_size", "by_statistic"])
def test_free_counts_are_covered_as_often_as_the_laws_of_their_noise_say(evaluation, name):
    """One of 1,000 intervals misses honest noise; on recorded bits none does."""
    assert {row["is_as_expected"] for row in rows(evaluation / f"{name}.parquet")} <= {True, None}


def test_small_counts_are_covered_as_often_as_the_rules_of_publication_say(evaluation):
    small = [row for row in rows(evaluation / "by_level.parquet") if row["small_counts"]]
    counts = sum(row["small_counts"] for row in small)
    covered = sum(row["small_coverage"] * row["small_counts"] for row in small)
    expected = sum(row["small_expected_coverage"] * row["small_counts"] for row in small)
    assert counts > 50
    assert abs(covered - expected) < 5 * 0.5 * counts**0.5  # five standard deviations at the most


def test_honest_releases_pass_the_audit_of_their_losses(evaluation):
    found = rows(evaluation / "epl.parquet")
    assert {row["passes"] for row in found} == {True}
    assert {row["distribution"] for row in found} == {"discrete gaussian"}


def test_the_folder_holds_what_is_described_and_nobody_else_may_read_it(evaluation):
    assert {file.name for file in evaluation.iterdir()} == set(CONTENTS)
    assert {file.stat().st_mode & 0o777 for file in evaluation.iterdir()} == {0o600}
    manifest = json.loads((evaluation / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["confidential"], manifest["runs"]) == (True, RUNS)


@pytest.mark.parametrize("name", ["epl", "epl_curve", "quality"])  # those of the others stand in heads of statements
def test_the_columns_are_those_that_the_reference_describes(evaluation, name):
    page = (REPOSITORY / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
    described = page.split(f"\n### {name}.parquet\n")[1].split("\n### ")[0]
    found = pq.read_schema(evaluation / f"{name}.parquet").names
    assert [column for column in found if f"`{column}`" not in described] == []


def changed_manifest(folder: Path, to: Path, old: str, new: str) -> Path:
    """A copy of a folder whose manifest says something else. old: a pattern."""
    shutil.copytree(folder, to)
    text, places = re.subn(old, new, (to / "manifest.json").read_text(encoding="utf-8"))
    assert places
    (to / "manifest.json").write_text(text, encoding="utf-8")
    return to


@pytest.mark.slow
def test_exact_tables_without_zeros_give_the_evaluation_that_those_with_zeros_give(
    evaluation, releases, truth, dense_truth, inputs, tmp_path, monkeypatch
):
    """The latter is made of a few regions at a time."""
    monkeypatch.setattr(compared, "_REGIONS_A_SLICE", 5 * RUNS)
    assert len(rows(truth / "regions.parquet")) > 10
    evaluated(releases, dense_truth, inputs, tmp_path / "out")
    for name in (*TABLES, "errors"):
        found, wanted = rows(evaluation / f"{name}.parquet"), rows(tmp_path / "out" / f"{name}.parquet")
        assert [*map(list, found)] == [*map(list, wanted)]
        assert [*map(pytest.approx, found)] == wanted
    sparse, dense = (pq.read_table(folder / "t1.parquet").to_pylist() for folder in (truth, dense_truth))
    assert min(row["COUNT"] for row in sparse) > min(row["COUNT"] for row in dense) == 0


def test_every_region_is_in_one_stretch_whether_it_is_known_or_not(tmp_path):
    regions = [("COUNTY", "01003"), ("COUNTY", "44007"), ("STATE", "01"), ("STATE", "44"), ("USA", "1")]
    names = {"REGION_TYPE": [kind for kind, _ in regions], "REGION_ID": [region for _, region in regions]}
    pq.write_table(pa.table(names), tmp_path / "regions.parquet")
    others = [("COUNTY", "01001"), ("COUNTY", "99"), ("AIANNH", "0009"), ("ZONE", "1"), ("STATE", "02")]
    rows = pa.table({name: [each[place] for each in regions + others] for place, name in enumerate(names)})
    stretches = [rows.filter(stretch) for stretch in region_stretches(tmp_path / "regions.parquet", 2)]
    found = sorted(row for each in stretches for row in zip(*each.to_pydict().values(), strict=True))
    assert found == sorted(regions + others)
    assert [each.num_rows for each in stretches] == [5, 3, 2]


FILE = r'([^"]*"file": "[^"]*",\s*"sha256": ")\w*'
OF_OTHERS = {  # a pattern in the manifest of the exact tables, what stands there instead, and what the refusal says
    "states": ('"02"', '"04"', "other parts, region types or levels"),
    "records": ('"where": {},', '"where": {"QSEX": ["2"]},', r"its unit.where is .*QSEX.*; of .* it is "),
    "no digests": ('"public_inputs"', '"inputs_that_are_public"', "holds no exact tables: 'public_inputs'"),
    "geography": (rf'(?<="geography": \[){FILE}', rf"\g<1>{'0' * 64}", "another geography"),
    "no cells": (
        r'(?<="table_floors": \{)(\s*"[^"]*": )\d+',
        rf"\g<1>{10**9}",
        "a total alone: they have so few people",
    ),
}


@pytest.mark.parametrize(("old", "new", "said"), OF_OTHERS.values(), ids=OF_OTHERS)
def test_exact_tables_of_others_are_refused(releases, truth, inputs, tmp_path, old, new, said):
    other = changed_manifest(truth, tmp_path / "truth", old, new)
    with pytest.raises(InputError, match=said):
        evaluated(releases, other, inputs, tmp_path / "out")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"allow_negative_counts": true', '"allow_negative_counts": false', "its parameters differ from"),
        (OF_OTHERS["geography"][0], OF_OTHERS["geography"][1], f"another geography than .*: SHA-256 {'0' * 64}, not "),
        (r'(t1\.parquet",\s*"sha256": ")\w*', rf"\g<1>{'0' * 64}", r"t1\.parquet: has another SHA-256"),
    ],
)
def test_releases_of_others_are_not_evaluated_together(releases, truth, inputs, tmp_path, old, new, said):
    other = changed_manifest(releases[0], tmp_path / "other", old, new)
    with pytest.raises(InputError, match=said):
        evaluated([*releases, other], truth, inputs, tmp_path / "out")


def test_a_release_with_a_group_that_the_exact_tables_lack_is_refused(releases, truth, inputs, tmp_path):
    shortened = Path(shutil.copytree(truth, tmp_path / "truth"))
    regions = pq.read_table(truth / "regions.parquet")
    others = regions.filter([kind != "USA" for kind in regions["REGION_TYPE"].to_pylist()])
    pq.write_table(others, shortened / "regions.parquet")
    with pytest.raises(InputError, match="of population groups that"):
        evaluated(releases, shortened, inputs, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_code_lists_of_another_release_are_refused_wherever_releases_are_measured(releases, truth, inputs, tmp_path):
    lists = Path(shutil.copytree(inputs.code_lists, tmp_path / "lists"))
    changed = next(lists.glob("race-characteristic-iterations.*"))
    changed.write_bytes(changed.read_bytes() + b"\n")
    for command in (("evaluate", "--out-dirs", *releases, "--out", tmp_path / "out"), ("epl", *releases)):
        done = call(*command, "--ground-truth", truth, "--code-lists", lists)
        assert done.code == 2
        assert f"{changed}: is not the race_iterations of this release: its digest differs" in done.stderr
        assert done.stderr.count("its digest differs") == len(releases)
    assert not (tmp_path / "out").exists()


def test_releases_are_audited_level_by_level_on_the_command_line(releases, truth, inputs):
    result = call("epl", *releases, "--ground-truth", truth, "--code-lists", inputs.code_lists)
    levels = [line.split()[0] for line in result.stdout.splitlines() if " stage 2 " in line]
    assert result.code == 0
    assert set(levels) <= set(sample_nation().parameters["levels"])
    assert len(levels) > 1


@pytest.fixture(scope="module")
def reconciled(releases: list[Path], inputs: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release reconciled to fractions."""
    out = tmp_path_factory.mktemp("reconciled") / "out"
    reconcile(releases[0], out, geography=inputs.geography, resources=ONE_THREAD)
    return out


@pytest.mark.parametrize("whole", [False, True], ids=["fractions", "whole numbers"])
@pytest.mark.each_time("whole")
@pytest.mark.slow
def test_reconciled_counts_have_margins_of_their_own(releases, truth, dense_truth, inputs, tmp_path, whole):
    folder = tmp_path / "reconciled"
    reconcile(releases[0], folder, geography=inputs.geography, integers=whole, resources=ONE_THREAD)
    found = evaluated([folder], truth, inputs, tmp_path / "out")
    assert (found.manifest["reconciled"], found.manifest["release_manifests"]) == (True, [manifest_digest(folder)])
    by_hand = errors_by_hand(folder, dense_truth)
    levels = found.tables["by_level"].to_pylist()
    assert all(row["expected_coverage"] == pytest.approx(0.95) for row in levels if row["counts"])
    assert {row["coverage_upper"] for row in levels if row["counts"]} == {1.0}
    absolute = {
        (row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]): row["TOTAL_ABSOLUTE_ERROR"]
        for row in found.errors.to_pylist()
    }
    assert absolute.keys() == by_hand.keys()
    assert all(abs(absolute[group] - by_hand[group][1]) <= by_hand[group][0] / 2 for group in absolute)


def test_the_noise_of_a_reconciled_folder_is_audited_as_that_of_its_release(reconciled, releases, truth, inputs):
    """Its NOISY_COUNT is what the noise left, so the audit has the power that it has for the release."""
    options = ("--ground-truth", truth, "--code-lists", inputs.code_lists, "--json")
    found = call("epl", reconciled, *options)
    of_release = call("epl", releases[0], *options)
    drawn, expected = (
        [(audit["noise"], audit["residuals"], audit["epl"]) for audit in json.loads(each.stdout)["audits"]]
        for each in (found, of_release)
    )
    assert (found.code, [audit for audit in drawn if audit[0] != "reconciled"]) == (0, expected)
    assert ("NOISY_COUNT is audited" in found.stderr, "NOISY_COUNT" in of_release.stderr) == (True, False)


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, InputPaths]:
    """A reconciled release with noise of several persons, so that reconciled counts show their law; and the truth."""
    folder = tmp_path_factory.mktemp("wide")
    levels = {name: {"budget": 0.08, "thresholds": [20, 60, 150]} for name in sample_nation().parameters["levels"]}
    inputs = write_nation(sample_nation(1200).with_parameters(levels=levels), folder / "nation")
    ground_truth(inputs, folder / "truth", dense=True, resources=ONE_THREAD)
    run(inputs, folder / "release", bits=recorded_bits("wide"), resources=ONE_THREAD)
    reconcile(folder / "release", folder / "reconciled", geography=inputs.geography, resources=ONE_THREAD)
    return folder / "reconciled", folder / "truth", inputs


def of_reconciled(folder: Path, truth: Path, inputs: InputPaths) -> tuple[int, dict[str, list[bool]]]:
    """Exit code of the audit of a reconciled folder; which audits of drawn and of reconciled counts pass."""
    found = call("epl", folder, "--ground-truth", truth, "--code-lists", inputs.code_lists, "--json")
    verdicts: dict[str, list[bool]] = {"drawn": [], "reconciled": []}
    for audit in json.loads(found.stdout)["audits"]:
        verdicts["reconciled" if audit["noise"] == "reconciled" else "drawn"].append(audit["passes"])
    return found.code, verdicts


@pytest.mark.slow
@pytest.mark.planted("post-processing-that-peeks")
def test_a_reconciliation_that_moves_counts_towards_the_truth_is_noticed(wide, monkeypatch):
    """By half of each error. Margins and what the noise left stay: coverage and the drawn counts show nothing."""
    folder, truth, inputs = wide
    keys = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
    exact = {
        tuple(row[key] for key in (*keys, "AGESTART", "AGEEND", "SEX") if key in row): row["COUNT"]
        for name in ("t1", "t2")
        for row in rows(truth / f"{name}.parquet")
    }
    right = compared.released_table

    def peeking(path: Path) -> dataset.Dataset:
        table = right(path).to_table()
        named = [key for key in (*keys, "AGESTART", "AGEEND", "SEX") if key in table.column_names]
        true = [exact[tuple(row[key] for key in named)] for row in table.select(named).to_pylist()]
        moved = [(count + value) / 2 for count, value in zip(table["COUNT"].to_pylist(), true, strict=True)]
        place = table.schema.get_field_index("COUNT")
        return dataset.dataset(table.set_column(place, "COUNT", pa.array(moved, pa.float64())))

    monkeypatch.setattr(compared, "released_table", peeking)
    code, verdicts = of_reconciled(folder, truth, inputs)
    assert (code, set(verdicts["drawn"]), False in verdicts["reconciled"]) == (1, {True}, True)


def test_a_release_and_a_reconciled_one_are_not_evaluated_together(reconciled, releases, truth, inputs, tmp_path):
    with pytest.raises(InputError, match="its parameters differ from"):
        evaluated([reconciled, releases[0]], truth, inputs, tmp_path / "out")
