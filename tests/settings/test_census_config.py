"""Production's config.json gives the same parameters, and the same refusals in its own words."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.settings.parameters import Parameters, load_parameters, tabulated_levels
from tests.census import level_names

ROOT = Path(__file__).parents[2]
SHARED = ROOT / ".." / "shared"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared folder with production's files is absent")
NAMES = level_names()


def requested_states(parameters: Parameters) -> tuple[str, ...]:
    return tuple(sorted(state for part in parameters.geography.parts_run for state in part.where["TABBLKST"]))


def config(**changes: object) -> dict[str, object]:
    """A config.json that is right, with changes; a value of None leaves the key out."""
    budgets = {f"privacy_budget_p_level_{level}_{name.lower().replace('-', '_')}": 0.008 for name, level in NAMES}
    whole: dict[str, object] = {
        "max_race_codes": 8,
        **budgets,
        "privacy_budget_p_stage_1_fraction": 0.1,
        "thresholds_p": {f"({name}, {level})": [1, 2, 3] for name, level in NAMES},
        "zero_suppression_chance": 0.9999,
        "allow_negative_counts": True,
        "run_us": True,
        "run_pr": False,
        "reader": "csv",
        "state_filter_us": ["01"],
        "privacy_defn": "zcdp",
        **changes,
    }
    return {key: value for key, value in whole.items() if value is not None}


def loaded(folder: Path, text: str) -> Parameters:
    (folder / "config.json").write_text(text)
    return load_parameters(folder)


def problems(folder: Path, text: str) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as refusal:
        loaded(folder, text)
    return refusal.value.problems


@needs_shared
def test_the_production_config_equals_our_toml_of_it():
    ours = load_parameters(ROOT / "configs" / "ddhca-2020.toml")
    assert load_parameters(SHARED / "reference" / "ddhca-2020") == ours


@needs_shared
def test_an_equal_file_with_one_other_budget_is_not_equal(tmp_path):
    text = (SHARED / "reference" / "ddhca-2020" / "config.json").read_text()
    ours = load_parameters(ROOT / "configs" / "ddhca-2020.toml")
    assert loaded(tmp_path, text.replace("0.159", "0.1590000000000000000001", 1)) != ours


@needs_shared
@pytest.mark.parametrize(
    ("case", "levels", "states"),
    [("toy", 9, ("01", "02", "11")), ("us_small", 11, ("01", "02", "11", "40")), ("pr_dev", 8, ("72",))],
)
def test_the_oracles_configs_are_read_as_they_are(case, levels, states):
    parameters = load_parameters(SHARED / "oracle" / case / "params" / "config.json")
    assert (len(tabulated_levels(parameters)), requested_states(parameters)) == (levels, states)


@pytest.mark.parametrize("literal", ["0.1", "1e-1", '"0.1"', "0.10000"])
def test_a_budget_is_the_decimal_that_was_written(tmp_path, literal):
    text = json.dumps(config(privacy_budget_p_level_2_county="X")).replace('"X"', literal)
    levels = {level.level.name: level for level in loaded(tmp_path, text).levels}
    assert levels["COUNTY-2"].budget == Fraction(1, 10)


def test_the_reader_key_may_be_absent(tmp_path):
    assert loaded(tmp_path, json.dumps(config(reader=None))).questions.codes_read == 8


def test_a_part_that_is_not_run_needs_no_budgets(tmp_path):
    without: dict[str, object] = {key: None for key in config() if "_pr_" in key}
    without["thresholds_p"] = {key: value for key, value in thresholds().items() if "PR-" not in key}
    assert len(loaded(tmp_path, json.dumps(config(**without))).levels) == 12


def thresholds(**changes: object) -> dict[str, object]:
    return {**config()["thresholds_p"], **changes}


REFUSALS: dict[str, tuple[dict[str, object], str, str, str]] = {
    "bad budget": (
        {"privacy_budget_p_level_2_county": "x"},
        " (COUNTY, 2)",
        "privacy_budget_p_level_2_county is 'x'",
        "decimal",
    ),
    "missing budget": (
        {"privacy_budget_p_level_2_county": None},
        " (COUNTY, 2)",
        "missing key 'privacy_budget_p_level_2_county'",
        "add a line",
    ),
    "missing thresholds": (
        {"thresholds_p": {}},
        " (USA, 1)",
        "missing key 'thresholds_p \"(USA, 1)\"'",
        "add",
    ),
    "bad thresholds": (
        {"thresholds_p": thresholds(**{"(USA, 1)": [3, 2, 1]})},
        " (USA, 1)",
        'thresholds_p "(USA, 1)" is [3, 2, 1]',
        "none below the one before it",
    ),
    "misspelt thresholds": (
        {"thresholds_p": thresholds(**{"(USA,1)": [1, 2, 3]})},
        "",
        "unknown key 'thresholds_p \"(USA,1)\"'",
        "did you mean 'thresholds_p \"(USA, 1)\"'?",
    ),
    "unknown region type": (
        {"privacy_budget_p_level_2_countyy": 1},
        " (COUNTYY, 2)",
        "unknown region type 'COUNTYY'",
        "COUNTY",
    ),
    "unknown iteration level": (
        {"privacy_budget_p_level_3_usa": 1},
        " (USA, 3)",
        "iteration level '3'",
        "use 1 or 2",
    ),
    "bad gamma": (
        {"privacy_budget_p_stage_1_fraction": 1},
        "",
        "privacy_budget_p_stage_1_fraction is 1",
        "below 1",
    ),
    "missing gamma": (
        {"privacy_budget_p_stage_1_fraction": None},
        "",
        "missing key 'privacy_budget_p_stage_1_fraction'",
        "add",
    ),
    "unknown definition": ({"privacy_defn": "dp"}, "", "privacy_defn is 'dp'", "zcdp"),
    "our name of a key": ({"gamma": 0.1}, "", "unknown key 'gamma'", ""),
    "our table": ({"levels": {}}, "", "unknown key 'levels'", ""),
    "misspelt key": (
        {"privacy_def": "zcdp"},
        "",
        "unknown key 'privacy_def'",
        "did you mean 'privacy_defn'?",
    ),
}


@pytest.mark.parametrize(("changes", "place", "what", "fix"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_wrong_setting_is_named_as_production_names_it(tmp_path, changes, place, what, fix):
    found = [
        problem
        for problem in problems(tmp_path, json.dumps(config(**changes)))
        if problem.where == f"{tmp_path / 'config.json'}{place}" and what in problem.what
    ]
    assert [fix in problem.fix for problem in found] == [True]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400", "1e999999999", "true", "null", "-1"])
def test_a_budget_that_is_no_decimal_is_refused(tmp_path, value):
    text = json.dumps(config(privacy_budget_p_level_2_county="X")).replace('"X"', value)
    assert "privacy_budget_p_level_2_county is" in problems(tmp_path, text)[0].what


def test_a_key_that_stands_twice_is_refused(tmp_path):
    text = json.dumps(config()).replace('"max_race_codes": 8', '"max_race_codes": 8, "max_race_codes": 2')
    (problem,) = problems(tmp_path, text)
    assert problem.what == "key 'max_race_codes' stands twice"


def test_thresholds_that_stand_twice_are_refused(tmp_path):
    text = json.dumps(config()).replace('"(USA, 1)": [1', '"(USA, 1)": [1, 2, 3], "(USA, 1)": [1')
    (problem,) = problems(tmp_path, text)
    assert problem.what == "key '(USA, 1)' stands twice"


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
    with pytest.raises(InputError) as refusal:
        loaded(tmp_path, text)
    assert message in str(refusal.value)
