"""Options that no command could do anything with are refused at once."""

import os
from pathlib import Path

import pytest

from tests.cli.command import Result, call

LONG = "a" * 300


def validated(**changes: str | Path) -> Result:
    options = {"parameters": "p.toml", "persons": "persons", "geography": "geography", "code-lists": "lists", **changes}
    return call("validate", *(word for name, value in options.items() for word in (f"--{name}", value)), "--quiet")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


IMPOSSIBLE = {
    "a name too long": (LONG, "a name of more than 200 bytes"),
    "a path too long": ("/".join(["d"] * 2_000), "a path of more than 3,500 bytes"),
    "not UTF-8": (os.fsdecode(b"bad\xff"), "not a path in UTF-8"),
    "NUL": ("a\0b", "not a path in UTF-8"),
}


@pytest.mark.parametrize("option", ["parameters", "persons", "geography", "code-lists", "scratch", "confidential-log"])
@pytest.mark.parametrize(("path", "what"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_path_that_no_file_can_have_is_refused(option, path, what):
    refused = validated(**{option: path})
    assert (refused.code, refused.stdout, what in refused.stderr) == (2, "", True), refused.stderr


@pytest.mark.parametrize("option", ["parameters", "persons", "code-lists", "scratch"])
def test_links_in_a_circle_are_refused(option, tmp_path):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    refused = validated(**{option: tmp_path / "circle" / "x"})
    assert (refused.code, "links that lead in a circle" in refused.stderr) == (2, True)


def test_a_pattern_that_is_none_is_refused():
    refused = validated(persons="/tmp/a**b")
    assert (refused.code, "/tmp/a**b: cannot be looked for" in refused.stderr) == (2, True)


NUMBERS = {
    "a million threads": (("--threads", "1000000"), "at most 1,024"),
    "threads past 64 bits": (("--threads", "9" * 20), "out of range"),
    "memory past 64 bits": (("--memory-limit", "9" * 12 + "TB"), "is not a size"),
    "endless memory": (("--memory-limit", "9" * 500 + "GB"), "is not a size"),
    "memory in other digits": (("--memory-limit", "８GB"), "is not a size"),
}


@pytest.mark.parametrize(("options", "what"), NUMBERS.values(), ids=NUMBERS)
def test_resources_that_no_machine_has_are_refused_before_they_are_taken(options, what):
    # The inputs stand nowhere: they are refused with --threads or --memory-limit, or after them.
    refused = validated(**{options[0].removeprefix("--"): options[1]})
    assert (refused.code, what in refused.stderr) == (2, True), refused.stderr
