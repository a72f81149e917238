"""`safetab-sql semantics`: the printed check values, its forms, and what it refuses."""

import json
from math import e

import pytest

from docs.reproductions.kifer.redistricting import FILE
from tests.cli.command import call
from tests.conftest import REPOSITORY


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


def test_an_approximate_guarantee_has_the_power_of_kairouz_and_no_belief():
    found = json.loads(call("semantics", "--epsilon", "1", "--delta", "0.01", "--json").stdout)
    assert [row["bound"] for row in found["powers"]] == pytest.approx([a * e + 0.01 for a in (0.01, 0.05, 0.1)])
    assert (found["delta"]["exact"], found["beliefs"], found["epsilon_delta"]) == ("1/100", [], [])
    assert found["privacy_definition"] == "approximate"
    shown = call("semantics", "--epsilon", "1", "--delta", "0.01").stdout
    assert ("epsilon = 1, delta = 0.01" in shown, "belief" in shown) == (True, False)


def test_a_renyi_guarantee_has_the_largest_power_of_its_order_and_two_beliefs(tmp_path):
    found = json.loads(call("semantics", "--epsilon", "0.5", "--order", "3", "--json", "--level", "0.05").stdout)
    ((power,), beliefs) = found["powers"], found["beliefs"]
    q, level = power["bound"], 0.05
    exceeds = q**3 / level**2 + (1 - q) ** 3 / (1 - level) ** 2, level**3 / q**2 + (1 - level) ** 3 / (1 - q) ** 2
    assert max(exceeds) == pytest.approx(e ** (0.5 * 2), rel=1e-6)
    assert (found["privacy_definition"], found["order"]["exact"]) == ("renyi", "3")
    hundred = next(row for row in beliefs if row["ratio"] == 100)
    assert hundred["fixed_record"] == pytest.approx(100**-3 * e ** (0.5 * 2))
    assert hundred["true_record"] == pytest.approx(100**-2 * e ** (0.5 * 2))
    done = call("semantics", "--epsilon", "0.5", "--order", "3", "--figures", tmp_path / "figures")
    assert (done.code, "100 times" in done.stdout) == (0, True)
    assert sorted(each.name for each in (tmp_path / "figures").iterdir()) == [
        "privacy-beliefs.svg",
        "privacy-power.svg",
    ]


@pytest.mark.slow
def test_an_allocation_is_explained_as_the_page_does():
    done = call("semantics", "--allocation", FILE)
    assert "2020 Census redistricting data, production settings: rho 2.63 of one record changed" in done.stdout
    assert "block within tract 0.925958 0.3882 0.5150" in " ".join(done.stdout.split())


REFUSED = {
    "nothing": ([], "nothing to explain"),
    "two": (["--rho", "1", "--epsilon", "1"], "--rho and --epsilon together"),
    "no number": (["--rho", "much"], "'much' is not a budget"),
    "zero": (["--epsilon", "0"], "'0' is not a budget"),
    "too large": (["--rho", "1000"], "'1000' is not a budget"),
    "no level": (["--rho", "1", "--level", "0", "--level", "x", "--level", "0.1"], "2 problems"),
    "delta without epsilon": (["--rho", "1", "--delta", "0.1"], "--delta: has no effect here"),
    "two kinds": (["--epsilon", "1", "--delta", "0.1", "--order", "2"], "--order: stands beside --delta"),
    "no delta": (["--epsilon", "1", "--delta", "2"], "'2' is no delta"),
    "no order": (["--epsilon", "1", "--order", "1"], "'1' is no order"),
    "no allocation": (["--allocation", REPOSITORY / "configs" / "sums.toml"], "missing key 'title'"),
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
