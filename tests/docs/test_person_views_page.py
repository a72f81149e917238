"""docs/how-to/person-views.md: its files and its Python make a release."""

import re

from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "how-to" / "person-views.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]


def test_the_example_of_the_page_makes_a_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.toml").write_text(block("toml"))
    exec(compile(block("python"), "page", "exec"), {})
    assert (tmp_path / "patients" / "manifest.json").is_file()
