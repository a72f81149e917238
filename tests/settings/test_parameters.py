"""Parameter files in TOML: what is read, exactly; what is refused, and in which words."""

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import default_code_lists
from safetab_sql.public.values import ladder_levels, tabulated_levels
from safetab_sql.published.manifest import parameters_from_json, parameters_json
from safetab_sql.settings.budgets import exact_decimal
from safetab_sql.settings.ladders import PopulationGroupLevel
from safetab_sql.settings.parameters import load_parameters
from tests.census import below_states, region_types
from tests.settings.refused import loaded, one_line_each, problems, says

CONFIGS = Path(__file__).parents[2] / "configs"

SCALARS = {
    "privacy_definition": '"zcdp"',
    "max_race_codes": "8",
    "gamma": "0.1",
    "zero_suppression_chance": "0.9999",
    "allow_negative_counts": "true",
    "run_us": "true",
    "run_pr": "false",
    "state_filter_us": '["01", "02"]',
}
COUNTY = "[levels.COUNTY-2]\nbudget = 0.159\nthresholds = [971, 4971, 19971]\n"
SCHOOL = (
    '[region_types.SCHOOL]\nid = "TABBLKST || SDELM"\nnone_id = "0699999"\nwithout = "DETAILED_ONLY"\nsuppress = true\n'
)


def toml(tables: str = COUNTY, **scalars: str | None) -> str:
    """A parameter file; scalars: TOML text of a key, or None to leave the key out."""
    lines = [f"{key} = {text}" for key, text in {**SCALARS, **scalars}.items() if text is not None]
    return "\n".join([*lines, tables])


def county(budget: str = "0.159", thresholds: str = "[971, 4971, 19971]", extra: str = "") -> str:
    return f"[levels.COUNTY-2]\nbudget = {budget}\nthresholds = {thresholds}\n{extra}"


def test_thresholds_in_margins_stay_so_in_a_manifest(tmp_path):
    read = loaded(tmp_path, toml(county(thresholds='"10 margins"')))
    assert (read.levels[0].thresholds, read.levels[0].margins) == ((), 10)
    assert parameters_from_json(parameters_json(read), read.source) == read


def test_a_file_becomes_parameters(tmp_path):
    parameters = loaded(tmp_path, toml())
    assert parameters.privacy_definition == "zcdp"
    assert parameters.levels[0].level == PopulationGroupLevel("COUNTY", "2")
    assert parameters.levels[0].thresholds == (971, 4971, 19971)
    assert parameters.geography.parts[0].where == {"TABBLKST": ("01", "02")}
    assert parameters.region_types == region_types()
    assert parameters.source == tmp_path / "parameters.toml"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ('"0.159"', Fraction(159, 1000)),
        ('"1e9"', Fraction(10**9)),
        ("1e-20", Fraction(1, 10**20)),
        ("3", Fraction(3)),
        ("1_000.5", Fraction(2001, 2)),
        ("0.1000000000000000055511151231257827", Fraction("0.1000000000000000055511151231257827")),
    ],
)
def test_a_budget_is_the_decimal_that_was_written(tmp_path, text, value):
    assert loaded(tmp_path, toml(county(text))).levels[0].budget == value


@given(st.integers(1, 10**20), st.integers(0, 20), st.booleans())
def test_every_decimal_text_is_read_exactly(digits, places, is_exponent):
    if is_exponent:
        text = f"{digits}e-{places}"
    else:
        padded = str(digits).rjust(places + 1, "0")
        text = f"{padded[: len(padded) - places]}.{padded[len(padded) - places :]}" if places else padded
    assert exact_decimal(text) == Fraction(digits, 10**places)


@given(st.one_of(st.text("0123456789+-._eE/ naif\t\n\0\u0663\u0969\uff15\u2212", max_size=60), st.floats(), st.none()))
def test_whatever_is_read_as_a_decimal_is_what_python_reads(value):
    read = exact_decimal(value)
    assert read is None or (isinstance(value, str) and read == Fraction(value))


@pytest.mark.parametrize(
    "budget",
    [
        *("inf", "-inf", "nan", "true", '"1/3"', '""', '" 1"', '"1e"', '"0x10"', '"٣"', "[1]", '"lots"'),
        *("1e400", "1e999999999", "1e-999999999", '"1e99999999999999999999"', "2e12", "-0.1", "-1", "9" * 60),
        "1979-05-27",
        "0x" + "f" * 5000,
    ],
)
def test_a_budget_that_is_no_decimal_from_zero_to_1e12_is_refused(tmp_path, budget):
    (problem,) = problems(tmp_path, toml(county(budget)))
    assert problem.where == f"{tmp_path / 'parameters.toml'} [levels.COUNTY-2]"
    assert problem.what.startswith("budget is ")
    assert "decimal" in problem.fix


@pytest.mark.parametrize("budget", ["0", "0.0", "-0.0", '"-0"', "0e5"])
def test_a_level_with_budget_zero_is_not_tabulated_and_needs_no_thresholds(tmp_path, budget):
    parameters = loaded(tmp_path, toml(COUNTY + f"[levels.USA-1]\nbudget = {budget}\n"))
    assert [level.level.name for level in parameters.levels] == ["COUNTY-2"]


@pytest.mark.parametrize(
    ("definition", "budget", "is_refused"),
    [("zcdp", "4e-24", True), ("zcdp", "6e-24", False), ("puredp", "1.4e-11", True), ("puredp", "1.5e-11", False)],
)
def test_a_budget_whose_noise_would_not_fit_the_counts_is_refused(tmp_path, definition, budget, is_refused):
    text = toml(county(budget), privacy_definition=f'"{definition}"')
    if is_refused:
        assert "1e12 persons" in problems(tmp_path, text)[0].fix
    else:
        assert loaded(tmp_path, text).levels[0].budget == Fraction(budget)


NO_BUDGET = "part US is run, but every budget of its levels is zero give at least one of its levels a budget above 0"
NO_STATE = "state_filter_us names no state list the states, or set run_us = false"
# What is said of a file, after its name; "..." stands for any words.
REFUSALS = {
    "unknown key": (toml(gama="1"), "unknown key 'gama' did you mean 'gamma'?"),
    "unlike any key": (toml(zzz="1"), "unknown key 'zzz' remove it; known keys are privacy_definition, gamma, ..."),
    "unknown level key": (
        toml(county(extra="treshold = [1, 2, 3]")),
        "[levels.COUNTY-2]: unknown key 'treshold' did you mean 'thresholds'?",
    ),
    **{
        f"missing {key}": (toml(**{key: None}), f"missing key '{key}' add a line for {key}")
        for key in SCALARS
        if key not in ("zero_suppression_chance", "state_filter_us")
    },
    **{
        f"missing {key}": (
            toml(f"[levels.COUNTY-2]\n{other}\n"),
            f"[levels.COUNTY-2]: missing key '{key}' add a line...",
        )
        for key, other in (("budget", "thresholds = [1, 2, 3]"), ("thresholds", "budget = 1"))
    },
    "every budget zero": (toml(county("0")), NO_BUDGET),
    "no level": (toml(""), NO_BUDGET),
    "no level of Puerto Rico": (toml(run_pr="true"), NO_BUDGET.replace("US", "PR")),
    "no part": (toml(run_us="false"), "neither run_us nor run_pr is true set at least one of them to true"),
    "unknown definition": (toml(privacy_definition='"zCDP"'), "privacy_definition is 'zCDP' write one of 'zcdp', ..."),
    **{
        f"gamma {text}": (toml(gamma=text), "gamma is ... write a decimal number above 0 and below 1")
        for text in ("0", "1", "0.0", "1.0", "-0.1", "1.5", "nan", "true", '"a"', "1e-999999999")
    },
    **{
        f"suppression {text}": (
            toml(zero_suppression_chance=text),
            "zero_suppression_chance is ... write a decimal number of at least 0 and below 1",
        )
        for text in ("1", "1.0", "-0.1", "inf", "false")
    },
    **{
        f"race codes {text}": (toml(max_race_codes=text), "max_race_codes is ... write an integer from 1 to 8")
        for text in ("0", "9", "-1", "8.0", '"8"', "true")
    },
    **{
        f"thresholds {text}": (
            toml(county(thresholds=text)),
            "[levels.COUNTY-2]: thresholds is ..., none below the one before it, such as [471, 971, 6971]...",
        )
        for text in (
            *("[1, 2]", "[1, 2, 3, 4]", "[3, 2, 1]", "[1.0, 2, 3]", '["1", 2, 3]', "[true, 2, 3]", "5", "[]"),
            *("[1, 2, 9223372036854775807]", '"10"', '"0 margins"', '"100 margins"', '"1.5 margins"', '["1 margin"]'),
        )
    },
    "negative flag": (toml(run_pr="0"), "run_pr is 0 write true or false, without quotes"),
    "text flag": (toml(allow_negative_counts='"true"'), "allow_negative_counts is 'true' write true or false, ..."),
    "no states": (toml(state_filter_us="[]"), NO_STATE),
    "states left out": (toml(state_filter_us=None), NO_STATE),
    "unknown state": (toml(state_filter_us='["03"]'), "state_filter_us has '03': no such value write some of 01, ..."),
    "state as a number": (toml(state_filter_us="[10]"), "state_filter_us is [10] write a list of two-digit state ..."),
    "Puerto Rico as a state": (
        toml(state_filter_us='["72"]'),
        "state_filter_us has '72', which is in part PR write some of ..., none of them in two parts",
    ),
    "state twice": (toml(state_filter_us='["01", "01"]'), "state_filter_us has '01' 2 times name each state once"),
    "states as text": (toml(state_filter_us='"01"'), "state_filter_us is '01' write a list of ..."),
    "thresholds of totals alone": (
        toml(COUNTY + "total_only = true"),
        "[levels.COUNTY-2]: total_only is true, and there are thresholds take thresholds out...",
    ),
    "an iteration twice in total_only": (
        toml(COUNTY + 'total_only = ["1010", "1010"]'),
        "[levels.COUNTY-2]: total_only is ['1010', '1010'] write true, or a list of iteration codes, each once...",
    ),
    "unknown region type": (
        toml(COUNTY + "[levels.COUNTRY-2]\nbudget = 0"),
        "[levels.COUNTRY-2]: unknown region type 'COUNTRY' did you mean COUNTY?...",
    ),
    "a level of a region type of one's own that is not declared": (
        toml(COUNTY + "[levels.DISTRICT-1]\nbudget = 0"),
        "[levels.DISTRICT-1]: unknown region type 'DISTRICT'...a region type is a table [region_types.DISTRICT]...",
    ),
    "level without a number": (
        toml(COUNTY + "[levels.TRACT]\nbudget = 0"),
        "[levels.TRACT]: unknown region type 'TRACT'...such as TRACT-1",
    ),
    **{
        f"iteration level {level}": (
            toml(COUNTY + f"[levels.TRACT-{level}]\nbudget = 0"),
            f"[levels.TRACT-{level}]: no iteration has level '{level}' name one of their levels: 1, 2",
        )
        for level in ("0", "3", "01")
    },
    "levels no table": (toml("", levels="3"), "levels is 3 make it a table"),
    "level no table": (toml(COUNTY + "[levels]\nUSA-1 = 3\n"), "[levels]: USA-1 is 3 make it a table"),
    **{
        f"region type with {more}": (toml(f"{COUNTY}[region_types.SCHOOL]\n{more}"), f"[region_types.SCHOOL]: {said}")
        for more, said in {
            "": "missing key 'id' add a line for id",
            'id = "A"\npart = "GU"': "part is 'GU' write one of 'US', 'PR'",
            "id = 7": "id is 7 write text in quotes",
        }.items()
    },
    **{
        f"region type called {name}": (
            toml(COUNTY + f'[region_types."{name}"]\nid = "TABBLKST"'),
            f"[region_types.{name}]: '{name}' is {said}",
        )
        for said, names in {
            "the name of a column of ours... choose another name...": ("GEO_UNIT_ID", "BLOCK_KEY"),
            "no name for a region type use capitals...": ("school", "1A", "A" * 33, "A/../B", "A'", ""),
        }.items()
        for name in names
    },
}


@pytest.mark.parametrize(("text", "words"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_wrong_setting_is_named_with_its_place_and_remedy(tmp_path, text, words):
    found = one_line_each(tmp_path / "parameters.toml", problems(tmp_path, text))
    assert len([each for each in found if says(each, words)]) == 1, found


def test_all_problems_of_a_file_are_reported_at_once(tmp_path):
    level = county("-1", "[3, 2, 1]", "x = 1")
    text = toml(level, gamma="2", max_race_codes="0", privacy_definition='"dp"', run_pr="true")
    found = " ".join(problem.what for problem in problems(tmp_path, text))
    wanted = ("budget", "thresholds", "'x'", "gamma", "max_race_codes", "privacy_definition", "every budget")
    assert [word for word in wanted if word not in found] == []


def test_suppression_is_off_where_the_file_does_not_mention_it(tmp_path):
    assert loaded(tmp_path, toml(zero_suppression_chance=None)).zero_suppression_chance == 0


PR_LEVEL = "[levels.PR-STATE-1]\nbudget = 1\nthresholds = [1, 1, 1]"


def test_the_states_of_both_parts_are_requested_in_order(tmp_path):
    parameters = loaded(tmp_path, toml(COUNTY + PR_LEVEL, run_pr="true", state_filter_us='["44", "02"]'))
    found = [part.where for part in parameters.geography.parts_run]
    assert found == [{"TABBLKST": ("02", "44")}, {"TABBLKST": ("72",)}]


LEVELS = "".join(
    f"[levels.{name}]\nbudget = 1\nthresholds = [1, 2, 3]\n"
    for name in ("SCHOOL-1", "PR-TRACT-1", "COUNTY-2", "PR-STATE-2", "COUNTY-1", "USA-2")
)


def test_levels_stand_in_one_order_whatever_the_file_says(tmp_path):
    parameters = loaded(tmp_path, toml(LEVELS + SCHOOL, run_pr="true"))
    names = [level.name for level in tabulated_levels(parameters)]
    assert names == ["USA-2", "COUNTY-1", "COUNTY-2", "SCHOOL-1", "PR-STATE-2", "PR-TRACT-1"]


def test_a_region_type_of_ones_own_follows_the_standard_ones(tmp_path):
    own = loaded(tmp_path, toml(COUNTY + SCHOOL)).region_types[10:]
    assert own == (below_states("SCHOOL", "TABBLKST || SDELM", "US", "0699999"),)


NO_FILES: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "a syntax error": ("p.toml", lambda file: file.write_text("run_us = true\nrun_pr = \n"), "be parsed.*line 2"),
    "5,000 digits": ("p.toml", lambda file: file.write_text(toml(county("9" * 5000))), "cannot be parsed"),
    "Latin-1": ("p.toml", lambda file: file.write_bytes(b"a = '\xff'"), "not UTF-8"),
    "too large": ("p.toml", lambda file: file.write_bytes(b"#" * (2**20 + 1)), "larger than 1 MiB"),
    "lists in lists": ("p.toml", lambda file: file.write_bytes(b"a = " + b"[" * 100_000), "nested too deeply"),
    "missing": ("p.toml", lambda _: None, "No such file"),
    "a directory without config.json": ("", lambda _: None, r"config\.json: cannot be read"),
    "a pipe, which is not waited for": ("p.toml", os.mkfifo, "not a file"),
}


@pytest.mark.parametrize(("name", "make", "what"), NO_FILES.values(), ids=NO_FILES)
def test_a_file_that_is_no_parameter_file_is_refused(tmp_path, name, make, what):
    make(tmp_path / name)
    with pytest.raises(InputError, match=what):
        load_parameters(tmp_path / name)


def test_a_byte_order_mark_is_passed_over(tmp_path):
    assert loaded(tmp_path, "\ufeff" + toml()).questions.columns[7] == "QRACE8"


@pytest.mark.parametrize(
    ("name", "levels", "total"),
    [
        ("example", 11, Fraction("4.944")),
        ("paper-zcdp", 7, Fraction("1.41")),
        ("paper-puredp", 7, Fraction("15.29")),
        ("ddhca-2020", 19, Fraction("4.944") + Fraction("2.643")),
    ],
)
def test_the_files_we_ship_hold_the_budgets_they_say(name, levels, total):
    parameters = load_parameters(CONFIGS / f"{name}.toml")
    tabulated = ladder_levels(parameters, parameters.ladders[0])
    assert (len(tabulated), sum(level.budget for level in tabulated)) == (levels, total)


@pytest.mark.parametrize(
    ("lists", "name", "has_lists"),
    [
        ("race-and-ethnicity-codes.txt", "config.json", True),
        ("race-and-ethnicity-codes.txt", "", True),
        ("race-and-ethnicity-codes.txt", "parameters.toml", False),
        ("other.txt", "", False),
    ],
)
def test_code_lists_lie_beside_a_production_config_and_no_other_file(tmp_path, lists, name, has_lists):
    (tmp_path / "config.json").touch()
    (tmp_path / lists).touch()
    assert default_code_lists(tmp_path / name) == (tmp_path if has_lists else None)
