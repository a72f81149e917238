"""A folder that is no release says which command made it, and what takes it."""

import json
from pathlib import Path

import pytest

from tests.cli.command import call

READERS = {
    "semantics": ("semantics", "--manifest"),
    "moe": ("moe", "--sum", "true"),
    "report": ("report", "--out", "report.html"),
    "reconcile": ("reconcile", "--out", "reconciled"),
}
TAKEN_BY = {
    "bottom-up run": "`semantics --epsilon`",
    "synthesize run": "`synthesize score`",
    "bottom-up curve": "`report --curve`",
    "evaluate": "`report --evaluation`",
    "ground-truth": "`evaluate --ground-truth`",
}


@pytest.mark.parametrize("maker", TAKEN_BY)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.each_time("moe-evaluate", "report", "reconcile-bottom-up curve", "semantics-synthesize")
def test_a_folder_of_another_command_is_refused_by_its_name_and_its_maker(maker, reader, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("made").mkdir()
    Path("made/manifest.json").write_text(json.dumps({"command": maker}), encoding="utf-8")
    refused = call(*READERS[reader], "made")
    assert (refused.code, list(tmp_path.iterdir())) == (2, [tmp_path / "made"])
    said = f"made/manifest.json: not the manifest of a release: `safetab-sql {maker}` made"
    assert (said in refused.stderr, TAKEN_BY[maker] in refused.stderr) == (True, True), refused.stderr


@pytest.mark.parametrize("reader", READERS)
def test_a_folder_that_is_not_there_is_named_in_plain_words(reader, tmp_path):
    refused = call(*READERS[reader], tmp_path / "releas")
    assert (refused.code, "Errno" in refused.stderr) == (2, False)
    assert "releas" in refused.stderr
    assert "cannot be read: No such file or directory" in refused.stderr
