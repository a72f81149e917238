"""`safetab-sql semantics`: the printed check values, its forms, and what it refuses."""

import json

import pytest

from tests.cli.command import call


def test_the_table_and_the_sentences_are_printed():
    done = call("semantics", "--rho", "2.63", "--level", "0.05", "--level", "0.5")
    assert done.code == 0
    assert [line.split() for line in done.stdout.splitlines()[3:6]] == [
        ["wrongly", "accused", "Gaussian", "noise", "any", "mechanism", "(bound)"],
        ["0.05", "0.7417", "0.9467"],
        ["0.5", "0.9891", "0.9973"],
    ]
    assert "at most 94.7 %" in " ".join(done.stdout.split())


def test_pure_dp_is_explained_too():
    found = json.loads(call("semantics", "--epsilon", "1", "--json").stdout)
    assert found["powers"][1]["bound"] == pytest.approx(0.05 * 2.718281828)
    assert found["powers"][1]["gaussian"] is None


REFUSED = {
    "nothing": ([], "nothing to explain"),
    "two": (["--rho", "1", "--epsilon", "1"], "--rho and --epsilon together"),
    "no number": (["--rho", "much"], "'much' is not a budget"),
    "zero": (["--epsilon", "0"], "'0' is not a budget"),
    "too large": (["--rho", "1000"], "'1000' is not a budget"),
    "no level": (["--rho", "1", "--level", "0", "--level", "x", "--level", "0.1"], "2 problems"),
    "no manifest": (["--manifest", "none.json"], "cannot be read"),
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_explained_is_refused_with_the_reason(options, message):
    done = call("semantics", *options)
    assert (done.code, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize("content", ["[]", "null", "{}", '{"ledger": {"privacy_definition": "other"}}', '"text"'])
def test_a_file_that_is_no_manifest_is_refused(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    done = call("semantics", "--manifest", tmp_path / "manifest.json")
    assert done.code == 2
    assert "not the manifest of a release" in done.stderr
