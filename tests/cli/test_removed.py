"""What was taken out is refused with what to use instead, in the words of one table (settings/removed.toml)."""

import tomllib
from pathlib import Path

import pytest

from safetab_sql.cli import COMMANDS, explained_refusal, meant_parser, parser
from safetab_sql.jobs.schema import schema
from safetab_sql.settings.reading import Document
from tests.cli.command import refusal
from tests.conftest import REPOSITORY
from tests.rules.test_house import keys

TABLE = tomllib.loads((REPOSITORY / "safetab_sql/settings/removed.toml").read_text(encoding="utf-8"))
CHANGELOG = " ".join((REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", TABLE["commands"])
def test_a_command_that_was_taken_out_is_refused_with_what_to_use_instead(name):
    assert name not in COMMANDS
    *_, word = words = name.split()
    assert f"{word}: taken out: {TABLE['commands'][name]}" in refusal(*words)


@pytest.mark.parametrize("name", TABLE["options"])
def test_an_option_that_was_taken_out_is_refused_with_what_to_use_instead(name):
    *command, option = name.replace("*", "describe").split()
    of = meant_parser(parser(), command)
    assert option not in of._option_string_actions
    assert f"{option}: taken out: {TABLE['options'][name]}" in explained_refusal(of, [*command, option], "")[1]


@pytest.mark.parametrize("name", TABLE["keys"])
def test_a_key_that_was_taken_out_is_refused_with_what_to_use_instead(name):
    *table, key = name.replace("*", "T2").split(".")
    assert f"taken out: {TABLE['keys'][name]}" in str(Document(Path("p.toml"), {}).unknown_key(tuple(table), key, []))
    pattern = tuple(part for part in name.split(".") if part != "*")
    assert pattern not in keys(schema("parameters"))


@pytest.mark.parametrize("words", [words for table in TABLE.values() for words in table.values()])
def test_the_changelog_says_the_same_words(words):
    assert words in CHANGELOG
