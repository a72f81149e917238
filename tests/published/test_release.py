"""The one reader of a release: its folder, its manifest of any version, and the parameters that it was made with."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.public.parameters import load_parameters
from safetab_sql.published.manifest import parameters_from_json, parameters_json
from safetab_sql.published.release import open_folder
from safetab_sql.published.release_facts import release_facts
from tests.conftest import REPOSITORY
from tests.hostile.seeds import MANIFEST

CONFIGS = ("ddhca-2020", "example", "paper-puredp", "paper-zcdp")


@pytest.mark.parametrize("name", CONFIGS)
def test_a_manifest_gives_back_the_parameters_that_it_was_written_from(name: str) -> None:
    parameters = load_parameters(REPOSITORY / "configs" / f"{name}.toml")
    read = parameters_from_json(json.loads(json.dumps(parameters_json(parameters))), parameters.source)
    assert replace(read, about=parameters.about) == parameters


def test_a_folder_without_tables_has_a_problem_for_each(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(MANIFEST)
    found = open_folder(tmp_path)
    assert [problem.where for problem in found.problems] == [str(tmp_path / name) for name in ("t1", "t2")]


def test_a_reconciled_folder_is_a_release_only_where_one_will_do(tmp_path: Path) -> None:
    done = {"divisions": {"COUNTY": "STATE"}, "integers": False}
    manifest = {"reconciled": done, "date": "2026-11-21", "release": json.loads(MANIFEST)}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    reconciled = open_folder(tmp_path, or_reconciled=True).facts.reconciled
    assert reconciled is not None
    assert (reconciled.divisions, reconciled.date) == ({"COUNTY": "STATE"}, "2026-11-21")
    with pytest.raises(InputError, match=f"{tmp_path}/manifest.json: not the manifest of a release"):
        open_folder(tmp_path)


def test_a_level_is_known_by_its_ladder_and_its_name() -> None:
    facts = release_facts(json.loads(MANIFEST))
    assert facts.level_called("T2", "USA-1").name == "USA-1"
    with pytest.raises(InputError, match="group_index: names level USA-3, which the manifest does not have"):
        facts.level_called("T2", "USA-3")
