"""Places and numbers that several commands must refuse, or take, in one way."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.compared import find_releases
from safetab_sql.evaluation.epl import table_counts
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.whole_folders import check_new_folder, write_whole_file
from safetab_sql.release.facts import release_facts
from tests.cli.command import call


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A folder that looks like a release."""
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.mark.parametrize("place", ["truth", "t1/truth"])
def test_no_folder_is_made_in_a_release(release, place):
    (release / "t1").mkdir()
    problems = check_new_folder(release / place, (), overwrite=False)
    assert [problem.what for problem in problems] == [
        f"lies in {release.resolve()}, which was made whole and is given away whole"
    ]


def test_no_file_is_written_into_a_release(release):
    with pytest.raises(InputError, match="given away whole"):
        write_whole_file(release / "report.html", "exact", overwrite=False)
    assert [path.name for path in release.iterdir()] == ["manifest.json"]


def test_a_file_in_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="make it first"):
        write_whole_file(tmp_path / "none" / "report.html", "exact", overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_a_release_is_not_evaluated_twice_at_once(tmp_path):
    with pytest.raises(InputError, match="is named twice, and would count twice"):
        find_releases([tmp_path, tmp_path / "." / "x" / ".."], tmp_path, tmp_path)


def test_the_noisy_column_is_not_its_own_truth(tmp_path):
    pq.write_table(pa.table({"count": [1, 2]}), tmp_path / "counts.parquet")
    with pytest.raises(InputError, match="--noisy and --exact are both count"):
        table_counts(tmp_path / "counts.parquet", "count", "count")


def test_codes_stored_as_text_are_no_counts(tmp_path):
    pq.write_table(pa.table({"count": [1, 2], "region": ["01", "02"]}), tmp_path / "counts.parquet")
    with pytest.raises(InputError, match="stored as string"):
        table_counts(tmp_path / "counts.parquet", "count", "region")


def test_the_manifest_of_another_command_is_called_that():
    with pytest.raises(InputError, match="no command of safetab-sql made it"):
        release_facts({"ledger": {}})


def test_the_figures_of_a_report_are_not_put_in_its_place(release, tmp_path):
    page = tmp_path / "page.html"
    done = call("report", str(release), "--out", str(page), "--figures", str(page))
    assert (done.code, page.exists()) == (2, False)


def test_the_folder_of_a_release_stands_for_its_manifest(release):
    done = call("semantics", "--manifest", str(release))
    assert str(release / "manifest.json") in done.stderr
