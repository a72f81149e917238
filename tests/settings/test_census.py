"""configs/census-2020.toml: a file like any other, a base for others, and what the short form stands for."""

from pathlib import Path

import pytest

from safetab_sql.public.columns import ANSWER, code_of
from safetab_sql.public.readers import list_kinds, person_columns
from safetab_sql.public.values import parameter_values
from tests import oracle
from tests.census import region_types
from tests.settings.refused import loaded, refusal

SHORT = """
privacy_definition = "zcdp"
gamma = 0.1
zero_suppression_chance = 0.9999
allow_negative_counts = true
max_race_codes = 3
run_us = true
run_pr = false
state_filter_us = ["02", "01"]
[attributes]
AGE.unknown = [99]
SEX.groups.sex = { 1 = ["M", "m"], 2 = ["F"] }
[region_types.SCHOOL]
id = "SDELM"
suppress = true
[levels.COUNTY-2]
budget = 0.159
thresholds = [971, 4971, 19971]
[levels.SCHOOL-1]
budget = 1
total_only = true
"""
GENERAL = """
base = "census-2020.toml"
run = ["US"]
parts.US.where.TABBLKST = ["01", "02"]
questions.race.at_most = 3
region_types.SCHOOL = { part = "US", id = "SDELM", suppress = true }
[attributes]
AGE.unknown = [99]
SEX.groups.sex = { 1 = ["M", "m"], 2 = ["F"] }
[ladders.T2]
levels = [
    { each = ["COUNTY-2"], budget = 0.159, thresholds = [971, 4971, 19971] },
    { each = ["SCHOOL-1"], budget = 1, total_only = true },
]
"""
OWN = """
privacy_definition = "zcdp"
place = { key = { STATE = 2 }, values = { STATE = ["01", "02", "03"] } }
parts = { A = { where = { STATE = ["01"] } }, B = { where = { STATE = ["02"] } } }
region_types = { ALL = { part = "A", id = "'all'" } }
run = ["A"]
questions.group = { column = "GROUP", iterations = "groups" }
lists = { codes = "codes", members = "members", code = "C", digits = 3, levels = ["x"], untabulated = ["y"] }
attributes.SEX.groups.sex = { men = ["M"], women = ["F", "f"] }
ladders.S = { choose = "always", statistics = [{ name = "sex", cells = { SEX = "sex" } }], levels = [
    { each = ["ALL-x"], budget = 1 } ] }
"""


def test_the_short_form_says_what_a_file_over_the_census_says(tmp_path: Path) -> None:
    assert loaded(tmp_path, SHORT) == loaded(tmp_path, GENERAL)


FIVE_YEARS = """
attributes.AGE.groups.five = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85]
[ladders.T2]
statistics = [
    { name = "age4", cells = { SEX = "sex", AGE = "age4" } },
    { name = "age9", cells = { SEX = "sex", AGE = "age9" } },
    { name = "five", cells = { SEX = "sex", AGE = "five" } }]
"""


def test_other_statistics_lie_over_the_short_form_as_over_the_general_one(tmp_path: Path) -> None:
    """A file of a few lines, whose base is in the short form: the levels stay its own."""
    made = []
    for text in (SHORT, GENERAL):
        (tmp_path / "base.toml").write_text(text, encoding="utf-8")
        made.append(loaded(tmp_path, f'base = "base.toml"\n{FIVE_YEARS}'))
    short, general = made
    assert short == general
    assert [statistic.name for statistic in short.ladders[0].statistics] == ["age4", "age9", "five"]
    assert short.levels == loaded(tmp_path, SHORT).levels


BESIDE_LEVELS = {
    "levels of its own": ("levels = [{ each = ['COUNTY-2'], budget = 1 }]", "ladders and levels stand in one file"),
    "an unknown key": ("statistcs = []", "unknown key 'statistcs' did you mean 'statistics'?"),
    "another number of thresholds": (
        'statistics = [{ name = "age4", cells = { AGE = "age4" } }]',
        "[levels.COUNTY-2]: thresholds is [971, 4971, 19971] write one integer",
    ),
}
LEAST = {
    "no whole number": ("suppress_below = 0", "suppress_below is 0 write a whole number from 1 to 1,000,000"),
    "a table below it": (
        "suppress_below = 972",
        "groups get a table from 971 on, below suppress_below = 972 raise the first threshold to 972",
    ),
}


def test_a_least_count_is_kept_where_every_table_is_above_it(tmp_path: Path) -> None:
    assert loaded(tmp_path, f"suppress_below = 971\n{SHORT}").suppress_below == 971


def test_a_file_of_the_same_folder_goes_before_the_census(tmp_path: Path) -> None:
    (tmp_path / "census-2020.toml").write_text(OWN, encoding="utf-8")
    assert [ladder.name for ladder in loaded(tmp_path, 'base = "census-2020.toml"').ladders] == ["S"]


def test_the_region_types_are_those_of_the_oracle() -> None:
    of_oracle = {name: (kind.part, kind.is_sub_state) for name, kind in oracle.REGION_TYPES.items()}
    assert {kind.name: (kind.part, kind.suppress) for kind in region_types()} == of_oracle


def test_lists_of_ones_own_may_have_codes_of_digits_and_levels_that_are_never_tabulated(tmp_path: Path) -> None:
    own = loaded(tmp_path, OWN)
    assert list_kinds("codes_list", own).keys() == {"C", "CODE_NAME"}
    assert person_columns(own)["GROUP"] == code_of(3)
    assert person_columns(loaded(tmp_path, OWN.replace(", digits = 3", "")))["GROUP"] == ANSWER
    of_values = OWN.replace('iterations = "groups"', 'level = "x", values = ["01", "02"]').replace("lists =", "#")
    assert person_columns(loaded(tmp_path, of_values))["GROUP"] == code_of(2)
    values = parameter_values(own)
    assert (values["known_levels"], values["untabulated_levels"]) == (["x", "y"], ["y"])


def test_an_attribute_has_the_values_of_its_first_grouping(tmp_path: Path) -> None:
    assert loaded(tmp_path, OWN).attributes[0].values == ("M", "F", "f")


WRONG = {
    "a place of no part": ("values = { STATE", 'null = "99", values = { STATE', "null or other stands beside [parts]"),
    "a number that means no place": ("values = { STATE", "null = 99, values = { STATE", "null is 99"),
    "a value of no place": ('["02"]', '["04"]', "STATE has '04': no such value"),
    "a value of two parts": ('["02"]', '["01"]', "STATE has '01', which is in part A"),
    "a part of other columns": ('B = { where = { STATE = ["02"]', 'B = { where = { TOWN = ["02"]', "where names TOWN"),
    "values of no column of the key": ("values = { STATE", "values = { TOWN", "name columns of place.key"),
    "a level that no list has": ("ALL-x", "ALL-y", "no iteration has level 'y' name one of their levels: x"),
    "codes of five digits": ("digits = 3", "digits = 5", "digits is 5 write how many digits every code has, 1 to 4"),
    "the census beside a geography": ('run = ["A"]', "run_us = true", "place and run_us stand in one file"),
}


REFUSED = {
    **{name: (f"{SHORT}\n[ladders.T2]\n{line}", said) for name, (line, said) in BESIDE_LEVELS.items()},
    **{name: (f"{line}\n{SHORT}", said) for name, (line, said) in LEAST.items()},
    **{name: (OWN.replace(given, wrong, 1), said) for name, (given, wrong, said) in WRONG.items()},
}


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_said(text: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(tmp_path, text)
