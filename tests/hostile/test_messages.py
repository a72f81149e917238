"""What is echoed of hostile names and values cannot steer a terminal, and is not endless."""

import pytest

from safetab_sql.kit.errors import InputError, Problem, printable
from tests.cli.command import call

STEERING = ("\x1b[2J", "\x1b]0;owned\x07", "\u202e", "\u2066", "\r", "\n", "\b", "\x00", "\x9b31m", "\u200b", "\udcff")


@pytest.mark.parametrize("letters", STEERING, ids=ascii)
def test_no_part_of_a_problem_reaches_the_terminal_unescaped(letters):
    hostile = f"before{letters}after"
    said = str(InputError([Problem(hostile, hostile, hostile, (hostile,))]))
    assert said.count("\n") == 3  # after what is wrong, the example, and the fix
    assert said.replace("\n", "").isprintable()
    assert said.count("before") == said.count("after") == 4


def test_what_can_be_printed_is_printed_as_it_is():
    text = "Curaçao, Ελλάδα, ‘quoted’, 'it''s', {{ 7 }}, <b>"
    assert printable(text) == text


def test_a_value_without_end_is_cut():
    assert len(str(Problem("file", "x" * 10**6, "fix"))) < 3_000


def test_of_many_problems_a_hundred_are_shown_and_all_are_counted():
    said = str(InputError([Problem("file", f"problem {number}", "fix") for number in range(5_000)]))
    assert (said.count("problem "), "... and 4,900 more" in said) == (100, True)
    assert said.endswith("5000 problems.")


@pytest.mark.parametrize("letters", ["\x1b[2J", "\u202e", "\n"], ids=ascii)
@pytest.mark.parametrize(
    "command",
    [
        ("moe", "{}", "--sum", "true"),
        ("moe", "release", "--sum", "true", "--{}"),
        ("account", "--parameters", "{}"),
        ("targets", "--privacy-definition", "zcdp", "--moe", "{}=6", "--out", "wanted.toml"),
        ("validate", "--parameters", "{}", "--persons", "{}", "--geography", "{}", "--code-lists", "{}"),
        ("{}",),
    ],
    ids=lambda command: command[0],
)
def test_no_command_echoes_what_steers_a_terminal(command, letters, tmp_path):
    refused = call(*(word.replace("{}", f"{tmp_path}/x{letters}y") for word in command))
    assert refused.code == 2
    assert letters not in refused.stderr.replace("\n", "" if letters != "\n" else "\n").replace("\n    ", "") or (
        letters == "\n" and "\\n" in refused.stderr
    )
