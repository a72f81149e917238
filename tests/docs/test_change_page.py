"""docs/how-to/change.md: its commands make five years of hospitals and their change; its Python works."""

import re
import shutil

import pytest

from tests.cli.test_readme import commands, in_this_process
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "how-to" / "change.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_page_goes_from_records_to_the_drawings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(REPOSITORY / "configs", tmp_path / "configs")
    for name, text in zip(("wanted.csv", "ranks.csv"), blocks("text"), strict=True):
        (tmp_path / name).write_text(text)
    (tmp_path / "stays.toml").write_text(blocks("toml")[0])
    for command in commands(PAGE):
        code, output = in_this_process(command.line, tmp_path)
        assert code == command.code, output
    assert not (tmp_path / "2025").exists()
    assert {"change-outcomes.svg", "change-sex.png"} <= {path.name for path in (tmp_path / "figures").iterdir()}
    exec(compile(blocks("python")[0], "page", "exec"), {})
