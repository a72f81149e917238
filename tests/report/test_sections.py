"""The sections of the report: what was published, under which level, with which interval, and what was left out."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths
from safetab_sql.report.published_sections import detail_section, intervals_sections, undercount_section
from safetab_sql.report.release import Reported
from safetab_sql.report.sections import percent_text
from safetab_sql.settings.unit import Unit
from tests.cli.command import call
from tests.conftest import REPOSITORY
from tests.statistics import recorded_bits

ENDS = ("count", "low95", "high95")


@pytest.fixture(scope="module")
def read(reported) -> Reported:
    return reported


@pytest.mark.parametrize(("is_published", "said"), [(False, "is never published"), (True, "are published too")])
def test_the_report_says_whether_stage_1_is_published(read, is_published, said):
    facts = replace(read.facts, parameters=replace(read.facts.parameters, publish_stage_1=is_published))
    (paragraph,) = detail_section(replace(read, facts=facts)).paragraphs
    assert said in paragraph


def test_asymmetric_intervals_and_gains_are_shown(read):
    ends = {"least": (22, 0, 30), "most": (45, 30, 56)}
    named = {f"{end}_{name}": value for end, own in ends.items() for name, value in zip(ENDS, own, strict=True)}
    found = replace(
        read.tables[0],
        intervals=[{"region_type": "COUNTY", "totals": 30, "one_sided": 4, **named}],
        gains=[{"region_type": "USA", "statistic": "age4", "totals": 3, "one_stage": 40, "both_stages": 30}],
    )
    (section,) = intervals_sections(replace(read, tables=(found,)))
    sided, gains = section.tables
    assert sided.rows == (("COUNTY", 30, 4, "22: from 0 to 30", "45: from 30 to 56"),)
    assert gains.rows == (("USA", "sex by 4 ages", 3, "40.0", "30.0", "25 %"),)


# --- the noise beside people whom a census misses ---


def test_a_level_is_outweighed_from_a_hundred_times_its_margin_where_one_percent_is_missed(read) -> None:
    kind = {**read.kinds[0], "level": "STATE-2", "median_cell_moe95": 11.0}
    tables = replace(read.tables[0], kinds=(kind, kind))
    (row,) = undercount_section(replace(read, tables=(tables,))).tables[0].rows
    assert row == ("STATE-2", "±11", "1,100", "220")


def test_errors_of_the_census_of_2020_stand_beside_counts_of_persons_alone(read) -> None:
    parameters = replace(read.facts.parameters, unit=Unit("household", "households"))
    households = replace(read, facts=replace(read.facts, parameters=parameters))
    assert len(undercount_section(read).tables) == 2
    assert len(undercount_section(households).tables) == 1


def test_the_report_says_what_imputed_records_cost(report) -> None:
    assert "one person in k rows loses up to k^2 times as much" in report.html.replace("\n", " ")
    assert "Noise beside undercount" in report.html


# --- levels of equal noise ---


NORLAND = REPOSITORY / "configs" / "norland"
PEOPLE, REGION = "[levels.MUNICIPALITY-people]", "[levels.MUNICIPALITY-region]"
RULES = "\nbudget = 0.2\nthresholds = [100, 1000, 10000]\n"


@pytest.fixture(scope="module")
def norland(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release in which people and regions have the same noise in each municipality."""
    folder = tmp_path_factory.mktemp("levels")
    shutil.copytree(NORLAND / "code-lists", folder / "code-lists")
    text = (NORLAND / "parameters.toml").read_text(encoding="utf-8")
    assert f"{REGION}{RULES}" in text
    (folder / "parameters.toml").write_text(text.replace(REGION, f"{PEOPLE}{RULES}\n{REGION}"), encoding="utf-8")
    made = folder / "made"
    call("simulate", "--parameters", folder / "parameters.toml", "--people", "3000", "--out", made, "--seed", "1")
    files = (str(made / "persons.parquet"), str(made / "geography.parquet"), made / "code-lists")
    inputs = InputPaths(made / "parameters.toml", *files)
    run(inputs, folder / "out", bits=recorded_bits("levels"), resources=Resources(threads=1))
    return folder / "out"


# --- numbers as text ---


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.9156, "91.56 %"),
        (0.5, "50 %"),
        (1, "100 %"),
        (0, "0 %"),
        (0.99999, "99.99 %"),
        (0.00001, "1e-03 %"),
        (1.5, "150 %"),
        (None, None),
    ],
)
def test_a_share_is_shown_in_per_cent_and_never_as_all_or_nothing_that_it_is_not(value, text):
    assert percent_text(value) == text
