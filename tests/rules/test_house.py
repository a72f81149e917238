"""How large the house is: lines of every room, options, keys. What comes names what goes (CONTRIBUTING.md).

A budget may be lowered in any commit.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from safetab_sql.cli import COMMANDS, parser
from safetab_sql.jobs.schema import SCHEMAS, schema
from tests.conftest import REPOSITORY
from tests.rules.package import modules

# Lines of Python in safetab_sql, by room; `top` is what lies in no room.
ROOMS = {
    "top": 535,
    "kit": 1_755,
    "settings": 3_215,
    "public": 2_955,
    "laws": 620,
    "accounting": 1_885,
    "confidential": 585,
    "mechanisms": 560,
    "published": 1_925,
    "cluster": 765,
    "export": 765,
    "release": 465,
    "statistics": 2_970,
    "reconciliation": 1_115,
    "histograms": 4_205,
    "semantics": 1_130,
    "evaluation": 1_785,
    "report": 3_110,
    "simulation": 1_105,
    "jobs": 2_700,
    "commands": 1_475,
}
WHOLE_PACKAGE = 35_590

# Lines beside it, by where they stand: the folder, the endings of file names, and what is generated and does not count.
BESIDE = {
    "hand-written SQL": (9_200, "sql", (".sql",), ("sql/run.sql",)),
    "JavaScript": (2_600, "safetab_sql", (".js",), ()),
    "words and templates": (2_400, "safetab_sql", (".toml", ".jinja", ".html", ".css"), ()),
    "tests": (42_000, "tests", (".py", ".sql"), ()),
    "docs": (9_000, "docs", (".md", ".py", ".R", ".ipynb"), ()),
}
MOST_COMMANDS, MOST_OPTIONS, MOST_KEYS = 23, 80, 194  # `delta`, `place.null` and `place.other` came last


def lines(file: Path) -> int:
    """How many lines a file has."""
    return file.read_text(encoding="utf-8").count("\n")


def files(folder: str, endings: tuple[str, ...], generated: tuple[str, ...]) -> Iterator[Path]:
    """The files of a folder that count."""
    for path in sorted((REPOSITORY / folder).rglob("*")):
        name = path.relative_to(REPOSITORY)
        if name.suffix in endings and name.as_posix() not in generated and "_build" not in name.parts:
            yield path


def rooms() -> Mapping[str, int]:
    """Lines of Python, by room."""
    found = dict.fromkeys(ROOMS, 0)
    for module in modules():
        own = module.path.relative_to(REPOSITORY).parts
        room = own[1] if len(own) > 2 else "top"
        found[room] = found.get(room, 0) + lines(module.path)
    return found


def options(of: argparse.ArgumentParser) -> set[str]:
    """The options of every command and action, but for help, version and the completion of shells."""
    found = {name for action in of._actions for name in action.option_strings if name.startswith("--")}
    below = [action for action in of._actions if isinstance(action, argparse._SubParsersAction)]
    inner = {name for action in below for each in action.choices.values() for name in options(each)}
    return (found | inner) - {"--help", "--version", "--print-completion"}


def keys(of: Any, table: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """The keys of files that users write, each with the tables that it stands in."""
    if isinstance(of, list):
        return {key for each in of for key in keys(each, table)}
    if not isinstance(of, dict):
        return set()
    found = {(*table, name) for name in of.get("properties", ())}
    for name in ("properties", "$defs"):
        for key, each in of.get(name, {}).items():
            found |= keys(each, (*table, key) if name == "properties" else (key,))
    for name in ("items", "additionalProperties", "anyOf"):
        found |= keys(of.get(name), table)
    return found | {key for each in of.get("patternProperties", {}).values() for key in keys(each, table)}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_keeps_to_its_lines(room: str) -> None:
    assert rooms()[room] <= ROOMS[room]


def test_every_room_has_a_budget() -> None:
    assert rooms().keys() == ROOMS.keys()


def test_the_package_keeps_to_its_lines() -> None:
    assert sum(rooms().values()) <= WHOLE_PACKAGE


@pytest.mark.parametrize("what", BESIDE)
def test_what_stands_beside_the_package_keeps_to_its_lines(what: str) -> None:
    most, *where = BESIDE[what]
    assert sum(map(lines, files(*where))) <= most


def test_there_are_no_more_commands_than_the_product_has() -> None:
    assert len(COMMANDS) <= MOST_COMMANDS


def test_there_are_no_more_options_than_the_product_has() -> None:
    assert len(options(parser())) <= MOST_OPTIONS


def test_there_are_no_more_keys_than_the_product_has() -> None:
    written = [name for name in SCHEMAS if not name.endswith("manifest")]
    assert sum(len(keys(schema(name))) for name in written) <= MOST_KEYS


def test_a_file_without_a_budget_is_counted_nowhere_else() -> None:
    """A folder that holds code has a budget: what moves from one place to another is counted there."""
    counted = {"safetab_sql", *(folder for _, folder, *_ in BESIDE.values())}
    code = {path.relative_to(REPOSITORY).parts[0] for path in REPOSITORY.glob("[!.]*/**/*.py")}
    assert code <= counted


if __name__ == "__main__":
    left = {room: most - rooms()[room] for room, most in ROOMS.items()}
    left |= {what: most - sum(map(lines, files(*where))) for what, (most, *where) in BESIDE.items()}
    print("\n".join(f"{lines_left:6} lines left of {what}" for what, lines_left in left.items()))
