"""The package as Python sees it: every path may be text, and one condition need not stand in a list."""

import json
from pathlib import Path

import pytest

import safetab_sql
from safetab_sql import InputError, InputPaths, LedgerFile, Resources
from safetab_sql.accounting.ledger_file import read_releases
from tests.nations import sample_nation, write_nation

USA = "REGION_TYPE = 'USA' and TABLE = 'T1' and ITERATION_CODE = '2110'"
STATES = "REGION_TYPE = 'STATE' and TABLE = 'T1' and ITERATION_CODE = '2110'"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    """The inputs of a small nation, named by Path."""
    return write_nation(sample_nation(60), tmp_path_factory.mktemp("front") / "nation")


@pytest.fixture(scope="module")
def texts(named: InputPaths) -> InputPaths:
    """The same, named by text."""
    return InputPaths(str(named.parameters), str(named.persons), str(named.geography), str(named.code_lists))


@pytest.fixture(scope="module")
def release(texts: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A release, its ledger, log and scratch folder named by text."""
    folder = str(tmp_path_factory.mktemp("front"))
    resources = Resources(threads=1, scratch=folder, confidential_log=f"{folder}/log")
    safetab_sql.run(texts, f"{folder}/out", ledger_file=LedgerFile(f"{folder}/ledger"), resources=resources)
    return f"{folder}/out"


def test_a_run_takes_text_for_every_path(release: str) -> None:
    folder = Path(release).parent
    assert sorted(path.name for path in folder.iterdir()) == ["ledger", "log", "out"]
    assert [each.state for each in read_releases(f"{folder}/ledger")] == ["released"]


def test_inputs_are_checked_and_counted_whether_named_by_text_or_path(
    texts: InputPaths, named: InputPaths, tmp_path: Path
) -> None:
    for number, inputs in enumerate((texts, named)):
        safetab_sql.validate(inputs)
        safetab_sql.evaluation.ground_truth(inputs, f"{tmp_path}/{number}")
    tables = [(tmp_path / f"{number}" / "t1.parquet").read_bytes() for number in (0, 1)]
    assert tables[0] == tables[1]


def test_a_production_directory_named_by_text_has_its_own_code_lists(named: InputPaths, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        safetab_sql.validate(InputPaths(str(tmp_path), str(named.persons), str(named.geography)))
    assert [problem.where for problem in refused.value.problems] == [f"{tmp_path}/config.json", str(tmp_path)]


def test_parameters_are_the_same_by_text_and_path(named: InputPaths) -> None:
    assert safetab_sql.load_parameters(str(named.parameters)) == safetab_sql.load_parameters(named.parameters)


@pytest.mark.parametrize("place", ["out", "out/ledger"])
def test_what_stays_with_the_custodian_is_kept_out_of_the_release_when_named_by_text(
    texts: InputPaths, tmp_path: Path, place: str
) -> None:
    kept = LedgerFile(f"{tmp_path}/{place}")
    resources = Resources(confidential_log=f"{tmp_path}/{place}")
    with pytest.raises(InputError) as refused:
        safetab_sql.run(texts, f"{tmp_path}/out", ledger_file=kept, resources=resources)
    assert [problem.what for problem in refused.value.problems] == [f"lies in --out {tmp_path}/out"] * 2


def test_one_condition_is_one_condition_and_not_its_letters(release: str) -> None:
    alone = safetab_sql.sum_of_release(release, plus=STATES, minus=USA)
    assert alone == safetab_sql.sum_of_release(Path(release), plus=[STATES], minus=(USA,))
    assert [part.predicate for part in alone.selections] == [STATES, USA]


def test_one_condition_on_tables_is_one_condition(release: str) -> None:
    import pyarrow.parquet as pq

    t1, t2 = (pq.read_table(Path(release) / name) for name in ("t1", "t2"))
    manifest = json.loads((Path(release) / "manifest.json").read_text(encoding="utf-8"))
    one = safetab_sql.sum_of_counts(t1, t2, manifest, plus=USA)
    assert one == safetab_sql.sum_of_release(release, plus=[USA])


def test_no_condition_is_still_refused(release: str) -> None:
    with pytest.raises(InputError, match="nothing is added up"):
        safetab_sql.sum_of_release(release, plus=[])


def test_an_error_says_nothing_of_files_that_nobody_meant_to_write(release: str) -> None:
    with pytest.raises(InputError) as refused:
        safetab_sql.sum_of_release(release, plus="COLOUR = 1")
    assert str(refused.value).endswith("1 problem.")
