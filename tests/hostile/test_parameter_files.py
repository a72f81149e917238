"""Hostile parameter files, manifests, ledgers, command lines and fuzz: a message that harms no terminal."""

import json
import os
import time
from pathlib import Path

import pytest

from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.kit.errors import InputError, Problem, printable
from safetab_sql.release.folder import read_manifest, release_facts
from safetab_sql.settings.parameters import load_parameters
from tests.cli.command import Result, call
from tests.hostile.fuzz import fuzz
from tests.hostile.seeds import CENSUS_CONFIG, LEDGER, MANIFEST

PATIENCE = 10.0  # seconds, on a busy machine; without their bounds, these took minutes or never ended


def refusal(folder: Path, content: bytes, name: str = "parameters.toml") -> str:
    """What is said of the file, within a page and within seconds."""
    path = folder / name
    path.write_bytes(content)
    start = time.monotonic()
    with pytest.raises(InputError) as refused:
        load_parameters(path)
    assert time.monotonic() - start < PATIENCE
    said = str(refused.value)
    assert (len(said) < 300_000, said.replace("\n", "").isprintable()) == (True, True)
    return said


def config(**changes: object) -> bytes:
    return json.dumps({**json.loads(CENSUS_CONFIG), **changes}).encode()


HOSTILE_TOML = {
    "a key of 8,000 parts": (b"a." * 8_000 + b"a = 1", "more than 20 dots in a line"),
    "a key of 500,000 parts": (b"a." * 500_000 + b"a = 1", "more than 20 dots"),
    "dots behind a quoted #": (b'"#".' + b"a." * 8_000 + b"a = 1", "more than 20 dots"),
    "a table of 500,000 parts": (b"[" + b"a." * 500_000 + b"a]", "more than 20 dots"),
    "5,000 keys of 20 parts": (b"\n".join(b"k%d." % n + b"a." * 18 + b"a=1" for n in range(5_000)), "unknown key"),
    "a million lines": (b"\n" * 10**6, "missing key"),
    "a million lines of text": (b"# x\n" * 10**6, "larger than 1 MiB"),
    "20,000 unknown keys": (b"\n".join(b"gamma%d=1" % n for n in range(20_000)), "20008 problems"),
    "20,000 levels": (b"[levels]\n" + b"\n".join(b"USA%d-1={}" % n for n in range(20_000)), "at most 1,000 settings"),
    "20,000 region types": (b"[region_types]\n" + b"\n".join(b"A%d={}" % n for n in range(20_000)), "at most 1,000"),
    "lists in lists": (b"gamma = " + b"[" * 200 + b"]" * 200, "gamma is [["),
    "lists in lists without end": (b"gamma = " + b"[" * 400_000, "nested too deeply"),
    "an integer of a million digits": (b"gamma = " + b"9" * 1_000_000, "cannot be parsed"),
    "a hexadecimal integer of a million digits": (b"gamma = 0x" + b"f" * 1_000_000, "an enormous integer"),
    "an exponent": (b"gamma = 1e999999999", "gamma is '1e999999999'"),
    "negative zero": (b"gamma = -0.0", "gamma is '-0.0'"),
    "not a number": (b"gamma = nan", "gamma is 'nan'"),
    "UTF-16": ("gamma = 1".encode("utf-16"), "not UTF-8"),
    "UTF-16 without a mark": ("gamma = 1".encode("utf-16-le"), "cannot be parsed"),
    "NUL": (b"gamma = 1\0", "cannot be parsed"),
    "NUL in a text": (b'privacy_definition = "zcdp\\u0000"', "privacy_definition is 'zcdp\\x00'"),
    "an escape sequence": (b'"\\u001B[2J" = 1', "unknown key '\\x1b[2J'"),
    "other letters that look alike": ("gаmma = 1".encode(), "cannot be parsed"),
    "a quoted key of letters that look alike": ('"gаmma" = 1'.encode(), "unknown key 'gаmma'"),
}


@pytest.mark.parametrize(("content", "what"), HOSTILE_TOML.values(), ids=HOSTILE_TOML)
@pytest.mark.slow
def test_a_hostile_toml_file_is_refused_soon_and_in_a_page(tmp_path, content, what):
    assert what in refusal(tmp_path, content).replace("60007", "60,000")


HOSTILE_JSON = {
    "9,000 unknown keys": (config(**{f"privacy{n}": 1 for n in range(9_000)}), "unknown key 'privacy0'"),
    "20,000 levels": (config(**{f"privacy_budget_p_level_1_a{n}": 1 for n in range(20_000)}), "at most 1,000 settings"),
    "20,000 states": (config(state_filter_us=["01"] * 60_000), "write a list of two-digit state codes"),
    "lists in lists": (config(max_race_codes=0).replace(b": 0,", b": " + b"[" * 900 + b"]" * 900 + b",", 1), ""),
    "an integer of 5,000 digits": (config(max_race_codes=0).replace(b": 0,", b": " + b"9" * 5_000 + b",", 1), "cannot"),
    "not a number": (config(zero_suppression_chance=float("nan")), "zero_suppression_chance is 'NaN'"),
    "infinity": (config(zero_suppression_chance=float("inf")), "is 'Infinity'"),
    "an exponent": (CENSUS_CONFIG.replace(b"0.9999", b"1e-999999999"), "is '1e-999999999'"),
    "a lone surrogate": (config(privacy_defn="\ud800"), "privacy_defn is '\\ud800'"),
    "a key twice": (CENSUS_CONFIG.replace(b"{", b'{"run_us": false, ', 1), "key 'run_us' stands twice"),
    "a key twice, escaped": (CENSUS_CONFIG.replace(b"{", b'{"run_\\u0075s": false, ', 1), "key 'run_us' stands twice"),
    "an escape sequence": (config(**{"\x1b[2J": 1}), "unknown key '\\x1b[2J'"),
}


@pytest.mark.parametrize(("content", "what"), HOSTILE_JSON.values(), ids=HOSTILE_JSON)
def test_a_hostile_config_json_is_refused_soon_and_in_a_page(tmp_path, content, what):
    assert what in refusal(tmp_path, content, "config.json")


@pytest.mark.parametrize("change", [lambda text: text.replace(b"\n", b"\r\n"), lambda text: b"\xef\xbb\xbf" + text])
def test_line_ends_and_marks_of_other_systems_change_nothing(tmp_path, change):
    for name, content in (("config.json", CENSUS_CONFIG), ("other.json", change(CENSUS_CONFIG))):
        (tmp_path / name).write_bytes(content)
    assert load_parameters(tmp_path / "config.json") == load_parameters(tmp_path / "other.json")


def facts(folder: Path, content: bytes) -> object:
    (folder / "manifest.json").write_bytes(content)
    return release_facts(read_manifest(folder / "manifest.json"))


@pytest.mark.parametrize("budget", ["1e999999999", "1e-999999999", "nan", "-1", "1/0", "9" * 400, "0.1"])
def test_a_budget_that_no_manifest_states_is_refused_at_once(tmp_path, budget):
    with pytest.raises(InputError, match="not the manifest of a release"):
        facts(tmp_path, MANIFEST.replace(b"1/1000", budget.encode()))


NO_MANIFESTS = {
    "lists in lists": (lambda file: file.write_bytes(b"[" * 100_000), "cannot be read"),
    "a list": (lambda file: file.write_text("[]"), "an object is wanted"),
    "an object of something else": (lambda file: file.write_text("{}"), "no command of safetab-sql made it"),
    "a pipe, which is not waited for": (os.mkfifo, "not a file"),
    "without end, and not on the disk": (lambda file: file.touch() or os.truncate(file, 2**40), "larger than any"),
}


@pytest.mark.parametrize(("make", "what"), NO_MANIFESTS.values(), ids=NO_MANIFESTS)
def test_what_is_no_manifest_is_refused_at_once(tmp_path, make, what):
    make(tmp_path / "manifest.json")
    with pytest.raises(InputError, match=what):
        release_facts(read_manifest(tmp_path / "manifest.json"))


ONE = b'"one_record": "1.5"'
HOSTILE_LINES = {
    "a limit without end": (b'"limit": "9.5"', b'"limit": "1e999999999"', "limit is not of the form"),
    "a limit of a record that steers a terminal": (b'"record": null', b'"record": "\\u001b[2J"', "record is not"),
    "a key twice": (ONE, ONE + b', "one_record": "0"', "line 2: is not JSON"),
    "a name that steers a terminal": (b'"out": "release"', b'"out": "\\u001b[2J"', "out is not of the form"),
    "a name that turns the direction of writing": (b'"out": "release"', b'"out": "\\u202e"', "out is not of the form"),
    "a loss without end": (ONE, b'"one_record": "1e999999999"', "parts is not of the form"),
    "a loss below 0": (ONE, b'"one_record": "-1.5"', "parts is not of the form"),
    "a loss by nothing": (ONE, b'"one_record": "1/0"', "parts is not of the form"),
}


@pytest.mark.parametrize(("old", "new", "what"), HOSTILE_LINES.values(), ids=HOSTILE_LINES)
def test_a_hostile_line_of_a_ledger_is_refused(tmp_path, old, new, what):
    (tmp_path / "ledger").write_bytes(LEDGER.replace(old, new, 1))
    with pytest.raises(InputError, match=what):
        read_ledger(tmp_path / "ledger")


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


def test_each_path_of_several_is_looked_at():
    refused = call("report", "release", "--out", "report.html", "--earlier", "release", LONG)
    assert (refused.code, f"{LONG}: a name of more than 200 bytes" in refused.stderr) == (2, True), refused.stderr


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


STEERING = ("\x1b[2J", "\x1b]0;owned\x07", "\u202e", "\u2066", "\r", "\n", "\b", "\x00", "\x9b31m", "\u200b", "\udcff")


@pytest.mark.parametrize("letters", STEERING, ids=ascii)
def test_no_part_of_a_problem_reaches_the_terminal_unescaped(letters):
    hostile = f"before{letters}after"
    said = str(InputError([Problem(hostile, hostile, hostile, (hostile,))]))
    assert said.count("\n") == 3  # after what is wrong, the example, and the fix
    assert said.replace("\n", "").isprintable()
    assert said.count("before") == said.count("after") == 4


def test_what_can_be_printed_is_printed_and_what_has_no_end_is_cut_and_counted():
    text = "Curaçao, Ελλάδα, ‘quoted’, 'it''s', {{ 7 }}, <b>"
    assert printable(text) == text
    assert len(str(Problem("file", "x" * 10**6, "fix"))) < 3_000
    said = str(InputError([Problem("file", f"problem {number}", "fix") for number in range(5_000)]))
    assert (said.count("problem "), "... and 4,900 more" in said) == (100, True)
    assert said.endswith("5000 problems.")


@pytest.mark.parametrize("letters", ["\x1b[2J", "\u202e", "\n"], ids=ascii)
@pytest.mark.parametrize(
    "command",
    [
        *(("moe", "{}", "--sum", "true"), ("moe", "release", "--sum", "true", "--{}")),
        ("account", "--parameters", "{}"),
        ("targets", "--privacy-definition", "zcdp", "--moe", "{}=6", "--out", "wanted.toml"),
        *(("validate", "--parameters", "{}", "--persons", "{}", "--geography", "{}", "--code-lists", "{}"), ("{}",)),
    ],
    ids=lambda command: command[0],
)
def test_no_command_echoes_what_steers_a_terminal(command, letters, tmp_path):
    refused = call(*(word.replace("{}", f"{tmp_path}/x{letters}y") for word in command))
    assert refused.code == 2
    assert letters not in refused.stderr.replace("\n", "" if letters != "\n" else "\n").replace("\n    ", "") or (
        letters == "\n" and "\\n" in refused.stderr
    )


CASES = {
    **{"toml": 12, "config.json": 8, "ledger": 25, "manifest": 25, "options": 15, "predicate": 8},
    **{"text table": 8, "region type": 2},
}


@pytest.mark.parametrize(("reader", "cases"), CASES.items(), ids=CASES)
def test_a_spoilt_input_is_read_or_refused_and_nothing_else(reader, cases):
    tally = fuzz(cases, seed=5, only=reader)
    assert tally.findings == []
    assert tally.outcomes[reader, "refused"] > 0
