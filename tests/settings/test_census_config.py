"""Production's config.json gives the same parameters, and the same refusals in its own words."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql.public.values import tabulated_levels
from safetab_sql.settings.parameters import load_parameters
from tests.hostile.seeds import CENSUS_CONFIG
from tests.settings.refused import loaded, one_line_each, problems, refusal, says

CONFIG = "config.json"
ROOT = Path(__file__).parents[2]
SHARED = ROOT / ".." / "shared"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared folder with production's files is absent")


def config(**changes: object) -> dict[str, object]:
    """A config.json that is right, with changes; a value of None leaves the key out."""
    whole = {**json.loads(CENSUS_CONFIG), "state_filter_us": ["01"], **changes}
    return {key: value for key, value in whole.items() if value is not None}


@needs_shared
def test_the_production_config_equals_our_toml_of_it():
    ours = load_parameters(ROOT / "configs" / "ddhca-2020.toml")
    assert load_parameters(SHARED / "reference" / "ddhca-2020") == ours


@needs_shared
def test_an_equal_file_with_one_other_budget_is_not_equal(tmp_path):
    text = (SHARED / "reference" / "ddhca-2020" / "config.json").read_text()
    ours = load_parameters(ROOT / "configs" / "ddhca-2020.toml")
    assert loaded(tmp_path, text.replace("0.159", "0.1590000000000000000001", 1), CONFIG) != ours


@needs_shared
@pytest.mark.parametrize(
    ("case", "levels", "states"),
    [("toy", 9, ("01", "02", "11")), ("us_small", 11, ("01", "02", "11", "40")), ("pr_dev", 8, ("72",))],
)
def test_the_oracles_configs_are_read_as_they_are(case, levels, states):
    parameters = load_parameters(SHARED / "oracle" / case / "params" / "config.json")
    requested = sorted(state for part in parameters.geography.parts_run for state in part.where["TABBLKST"])
    assert (len(tabulated_levels(parameters)), tuple(requested)) == (levels, states)


@pytest.mark.parametrize("literal", ["0.1", "1e-1", '"0.1"', "0.10000"])
def test_a_budget_is_the_decimal_that_was_written(tmp_path, literal):
    text = json.dumps(config(privacy_budget_p_level_2_county="X")).replace('"X"', literal)
    levels = {level.level.name: level for level in loaded(tmp_path, text, CONFIG).levels}
    assert levels["COUNTY-2"].budget == Fraction(1, 10)


def test_a_part_that_is_not_run_needs_no_budgets(tmp_path):
    without: dict[str, object] = {key: None for key in config() if "_pr_" in key}
    without["thresholds_p"] = {key: value for key, value in thresholds().items() if "PR-" not in key}
    assert len(loaded(tmp_path, json.dumps(config(**without)), CONFIG).levels) == 12


def thresholds(**changes: object) -> dict[str, object]:
    return {**config()["thresholds_p"], **changes}


COUNTY = "privacy_budget_p_level_2_county"
GAMMA = "privacy_budget_p_stage_1_fraction"
# What is said of a file, after its name; "..." stands for any words.
REFUSALS: dict[str, tuple[dict[str, object], str]] = {
    "bad budget": ({COUNTY: "x"}, f"(COUNTY, 2): {COUNTY} is 'x' write a decimal such as 0.159..."),
    "missing budget": ({COUNTY: None}, f"(COUNTY, 2): missing key '{COUNTY}' add a line for {COUNTY}"),
    "missing thresholds": ({"thresholds_p": {}}, "(USA, 1): missing key 'thresholds_p \"(USA, 1)\"' add a line..."),
    "bad thresholds": (
        {"thresholds_p": thresholds(**{"(USA, 1)": [3, 2, 1]})},
        '(USA, 1): thresholds_p "(USA, 1)" is [3, 2, 1] write one integer for each statistic, none below...',
    ),
    "misspelt thresholds": (
        {"thresholds_p": thresholds(**{"(USA,1)": [1, 2, 3]})},
        "unknown key 'thresholds_p \"(USA,1)\"' did you mean 'thresholds_p \"(USA, 1)\"'?",
    ),
    "misspelt thresholds of a household table": (
        {
            **{key: None for key in config() if "_p_l" in key or key == "thresholds_p"},
            "thresholds_h_t3": {"(USA,1)": [1]},
        },
        "unknown key 'thresholds_h_t3 \"(USA,1)\"' did you mean 'thresholds_h_t3 \"(USA, 1)\"'?",
    ),
    "unknown region type": (
        {"privacy_budget_p_level_2_countyy": 1},
        "(COUNTYY, 2): unknown region type 'COUNTYY' did you mean COUNTY?...",
    ),
    "unknown iteration level": (
        {"privacy_budget_p_level_3_usa": 1},
        "(USA, 3): no iteration has level '3' name one of their levels: 1, 2",
    ),
    "bad gamma": ({GAMMA: 1}, f"{GAMMA} is 1 write a decimal number above 0 and below 1"),
    "missing gamma": ({GAMMA: None}, f"missing key '{GAMMA}' add a line for {GAMMA}"),
    "unknown definition": ({"privacy_defn": "dp"}, "privacy_defn is 'dp' write one of 'zcdp', 'puredp'"),
    "our name of a key": ({"gamma": 0.1}, "unknown key 'gamma' remove it; known keys are max_race_codes..."),
    "our table": ({"levels": {}}, "unknown key 'levels' remove it; known keys are max_race_codes..."),
    "misspelt key": ({"privacy_def": "zcdp"}, "unknown key 'privacy_def' did you mean 'privacy_defn'?"),
}


@pytest.mark.parametrize(("changes", "words"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_wrong_setting_is_named_as_production_names_it(tmp_path, changes, words):
    found = one_line_each(tmp_path / "config.json", problems(tmp_path, json.dumps(config(**changes)), CONFIG))
    assert len([each for each in found if says(each, words)]) == 1, found


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400", "1e999999999", "true", "null", "-1"])
def test_a_budget_that_is_no_decimal_is_refused(tmp_path, value):
    text = json.dumps(config(privacy_budget_p_level_2_county="X")).replace('"X"', value)
    assert "privacy_budget_p_level_2_county is" in problems(tmp_path, text, CONFIG)[0].what


@pytest.mark.parametrize(("key", "value"), [("max_race_codes", "8"), ("(USA, 1)", "[1, 2, 3]")])
def test_a_key_that_stands_twice_is_refused(tmp_path, key, value):
    once = f'"{key}": {value}'
    (problem,) = problems(tmp_path, json.dumps(config()).replace(once, f"{once}, {once}"), CONFIG)
    assert problem.what == f"key '{key}' stands twice"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n"run_us": true,\n}', "config.json, line 3: not JSON"),
        ("[1]", "the file is no JSON object"),
        ('{"thresholds_p": 3}', "thresholds_p is no JSON object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"max_race_codes": ' + "9" * 5000 + "}", "cannot be parsed"),
    ],
    ids=["syntax", "list", "thresholds", "deep", "long integer"],
)
def test_a_malformed_file_is_refused_with_its_place(tmp_path, text, message):
    assert message in refusal(tmp_path, text, CONFIG)
