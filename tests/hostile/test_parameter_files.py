"""Parameter files of somebody who means harm: refused soon, with a message of a page."""

import json
import time
from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.settings.parameters import load_parameters
from tests.hostile.seeds import CENSUS_CONFIG

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
    "30,000 unknown keys": (config(**{f"privacy{n}": 1 for n in range(30_000)}), "unknown key 'privacy0'"),
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
