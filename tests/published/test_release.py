"""The one reader of a release: its folder, its manifest, and the parameters that it was made with."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from safetab_sql.accounting.written import members_of
from safetab_sql.kit.errors import InputError
from safetab_sql.published.manifest import parameters_from_json, parameters_json
from safetab_sql.release.folder import open_folder, release_facts
from safetab_sql.settings.parameters import load_parameters
from tests.conftest import REPOSITORY
from tests.hostile.seeds import MANIFEST

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


def test_a_member_deep_in_a_manifest_is_named_by_its_place():
    manifest = json.loads(MANIFEST)
    manifest["ledger"]["levels"][1]["stability"] = "many"
    assert "ledger.levels.1.stability is 'many'" in refusal(manifest)


def test_a_manifest_that_is_read_and_written_is_the_same():
    manifest = json.loads(MANIFEST)
    assert json.loads(json.dumps(members_of(release_facts(manifest).manifest))) == manifest
