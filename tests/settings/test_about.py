"""What a release says of itself in words: from the parameters to the manifest, unchanged, or refused."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.histograms.public.bottom_up_spec import load_bottom_up_spec
from safetab_sql.histograms.public.synthesis_spec import load_synthesis_spec
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.settings.about import ABOUT_KEYS, About
from safetab_sql.settings.census import census_document
from safetab_sql.settings.parameters import load_parameters
from tests.nations import published, sample_nation, write_nation

SAID = {
    "title": "Groupes détaillés, 2020 – île de “Ruritanie”",
    "publisher": "مرکز آمار می\u200cداند",
    "contact": "statistics@example.org",
    "note": "x" * 2_000,
    "is_simulated": True,
}
PARAMETERS = """
privacy_definition = "zcdp"
max_race_codes = 8
gamma = 0.1
allow_negative_counts = true
run_us = true
run_pr = false
state_filter_us = ["01"]
levels.USA-1 = { budget = 1, thresholds = [1, 2, 3] }
"""
BOTTOM_UP = 'epsilon = 1\npublish_cells = true\ndomains.SEX = { values = ["1", "2"] }\n'
SYNTHESIS = 'epsilon = 1\ndomains.SEX = { values = ["1", "2"] }\n'
READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "parameters": (PARAMETERS, load_parameters),
    "bottom-up": (BOTTOM_UP, lambda path: load_bottom_up_spec(path).said),
    "synthesize": (SYNTHESIS, lambda path: load_synthesis_spec(path).said),
}
EVERY_FILE = pytest.mark.parametrize(("text", "load"), READERS.values(), ids=READERS)


def written(folder: Path, text: str, **said: object) -> Path:
    path = folder / "file.toml"
    path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in said.items()) + text, encoding="utf-8")
    return path


def shared(found: About) -> dict[str, object]:
    """What is said in every kind of file."""
    return {name: value for name, value in asdict(found).items() if name in SAID}


@EVERY_FILE
def test_a_file_says_of_the_release_what_stands_in_it(tmp_path: Path, text: str, load: Callable[[Path], Any]) -> None:
    assert shared(load(written(tmp_path, text, **SAID)).about) == SAID


@EVERY_FILE
def test_a_file_need_not_say_anything(tmp_path: Path, text: str, load: Callable[[Path], Any]) -> None:
    assert shared(load(written(tmp_path, text)).about) == {**dict.fromkeys(SAID), "is_simulated": False}


WRONG: dict[str, tuple[dict[str, object], str]] = {
    "a long title": ({"title": "x" * 201}, "title has 201 characters"),
    "a long note": ({"note": "x" * 2_001}, "note has 2,001 characters"),
    "a line break": ({"publisher": "a\nb"}, "publisher holds a control character, U+000A, in place 2"),
    "a terminal's command": ({"contact": "\x1b[2J"}, "contact holds a control character, U+001B, in place 1"),
    "text that turns its direction": ({"note": "a\u202eb"}, "note holds a control character, U+202E"),
    "a number": ({"title": 2020}, "title"),
    "nothing": ({"title": " "}, "title"),
    "a word for true": ({"is_simulated": "yes"}, "write true or false, without quotes"),
    "a misspelt key": ({"titel": "x"}, "did you mean 'title'?"),
}


@EVERY_FILE
@pytest.mark.parametrize(("said", "words"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_said_is_refused(
    tmp_path: Path, text: str, load: Callable[[Path], Any], said: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError) as refused:
        load(written(tmp_path, text, **said))
    assert (len(refused.value.problems), words in str(refused.value)) == (1, True), refused.value


def test_a_production_config_says_nothing() -> None:
    _, problems = census_document(Path("config.json"), '{"title": "x"}')
    assert [problem.what for problem in problems] == ["unknown key 'title'"]


def about(folder: Path) -> object:
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["about"]


@pytest.mark.slow
def test_words_about_a_release_go_to_its_manifest_and_to_that_of_the_reconciled_one(tmp_path: Path) -> None:
    out = tmp_path / "nation" / "out"
    published(sample_nation(60).with_parameters(**SAID), tmp_path / "nation")
    reconcile(out, tmp_path / "reconciled", geography=tmp_path / "nation" / "GRF-C.txt")
    ground_truth(write_nation(sample_nation(60).with_parameters(**SAID), tmp_path / "again"), tmp_path / "truth")
    assert [about(out), about(tmp_path / "reconciled"), about(tmp_path / "truth")] == [SAID] * 3


@pytest.mark.parametrize("name", ["example.toml", "ddhca-2020.toml", "paper-zcdp.toml"])
def test_files_to_copy_from_do_not_say_that_people_are_simulated(name: str) -> None:
    """Whoever copies one for people of their own would publish a falsehood."""
    assert load_parameters(packaged_folder("configs") / name).about == About()


def test_the_example_names_every_key() -> None:
    text = (packaged_folder("configs") / "example.toml").read_text(encoding="utf-8")
    assert [key for key in ABOUT_KEYS if f"{key} = " not in text] == []
