"""Totals that pick tables: whose release they are of, and whether what is made with them may be published."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.confidential.totals import public_totals
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL
from safetab_sql.published.file_notes import are_releasable
from safetab_sql.settings.parameters import Parameters, load_parameters


@pytest.fixture(scope="module")
def parameters() -> Parameters:
    return load_parameters(packaged_folder("configs") / "dhcb-2020.toml")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return make_release(tmp_path / "release", said="true", is_releasable=True)


def make_release(folder: Path, *, said: str, is_releasable: bool) -> Path:
    (folder / "t1").mkdir(parents=True)
    file = folder / "t1" / "t1.parquet"
    pq.write_table(pa.table({"COUNT": [3]}).replace_schema_metadata({"releasable": said}), file)
    manifest = {"releasable": is_releasable, "files": [{"file": "t1/t1.parquet", "sha256": sha256_of(file)}]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def releasable(given: Path, parameters: Parameters, *, are_public: bool = False) -> bool:
    totals = public_totals(given, parameters, {}, NOTHING_CONFIDENTIAL, are_public=are_public)
    assert totals is not None
    return are_releasable(totals)


def test_totals_of_a_release_are_as_releasable_as_the_release(release, parameters):
    assert releasable(release, parameters)
    assert releasable(release / "t1" / "t1.parquet", parameters, are_public=True)
    other = make_release(release.parent / "other", said="false", is_releasable=False)
    assert not releasable(other, parameters)


def test_totals_moved_away_from_their_release_need_a_word_and_are_not_releasable(release, parameters, tmp_path):
    moved = tmp_path / "moved.parquet"
    shutil.copy(release / "t1" / "t1.parquet", moved)
    with pytest.raises(InputError, match="no manifest beside it says of which release it is") as refused:
        releasable(moved, parameters)
    assert "say --totals-are-public: the run is then not releasable" in str(refused.value)
    assert not releasable(moved, parameters, are_public=True)


def test_a_manifest_that_was_edited_or_put_beside_other_totals_makes_nothing_releasable(release, parameters, tmp_path):
    edited = make_release(tmp_path / "edited", said="false", is_releasable=True)
    assert not releasable(edited, parameters)
    shutil.copy(edited / "t1" / "t1.parquet", release / "t1" / "t1.parquet")
    with pytest.raises(InputError, match="has another SHA-256 than"):
        releasable(release, parameters, are_public=True)


def test_reconciled_totals_are_as_releasable_as_the_release_before(release, parameters):
    said = json.loads((release / "manifest.json").read_text())
    for before in (True, False):
        said |= {"release": {"releasable": before}}
        (release / "manifest.json").write_text(json.dumps(said))
        assert releasable(release, parameters) is before


def test_the_word_for_totals_needs_totals(parameters):
    others = replace(parameters, ladders=())
    with pytest.raises(InputError, match="--totals-are-public: has no effect without --totals"):
        public_totals(None, others, {}, NOTHING_CONFIDENTIAL, are_public=True)
