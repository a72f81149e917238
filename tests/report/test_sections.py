"""The sections of the report: what was published, under which level, with which interval, and what was left out."""

from dataclasses import replace

import pytest

from safetab_sql.report.published_sections import (
    detail_section,
    intervals_sections,
    suppression_section,
    undercount_section,
)
from safetab_sql.report.sections import percent_text
from safetab_sql.settings.unit import Unit

ENDS = ("count", "low95", "high95")


@pytest.mark.parametrize(("is_published", "said"), [(False, "is never published"), (True, "are published too")])
def test_the_report_says_whether_stage_1_is_published(reported, is_published, said):
    facts = replace(reported.facts, parameters=replace(reported.facts.parameters, publish_stage_1=is_published))
    (paragraph,) = detail_section(replace(reported, facts=facts)).paragraphs
    assert said in paragraph


def test_asymmetric_intervals_and_gains_are_shown(reported):
    ends = {"least": (22, 0, 30), "most": (45, 30, 56)}
    named = {f"{end}_{name}": value for end, own in ends.items() for name, value in zip(ENDS, own, strict=True)}
    found = replace(
        reported.tables[0],
        intervals=[{"region_type": "COUNTY", "totals": 30, "one_sided": 4, **named}],
        gains=[{"region_type": "USA", "statistic": "age4", "totals": 3, "one_stage": 40, "both_stages": 30}],
    )
    (section,) = intervals_sections(replace(reported, tables=(found,)))
    sided, gains = section.tables
    assert sided.rows == (("COUNTY", 30, 4, "22: from 0 to 30", "45: from 30 to 56"),)
    assert gains.rows == (("USA", "sex by 4 ages", 3, "40.0", "30.0", "25 %"),)


@pytest.mark.parametrize(
    ("words", "said"), [((), "small."), (("age", "sex"), "has records without a usable age or sex.")]
)
def test_where_no_total_is_suppressed_the_records_that_no_count_has_are_said(reported, monkeypatch, words, said):
    parameters = replace(reported.facts.parameters, unit=Unit(leave_out=words))
    monkeypatch.setattr(type(reported), "levels", ())
    found = replace(reported, facts=replace(reported.facts, parameters=parameters))
    (paragraph,) = suppression_section(found).paragraphs
    assert paragraph.startswith("No total was suppressed")
    assert said in paragraph
    assert ("usable" in paragraph) == bool(words)


# --- the noise beside people whom a census misses ---


def test_a_level_is_outweighed_from_a_hundred_times_its_margin_where_one_percent_is_missed(reported) -> None:
    kind = {**reported.kinds[0], "level": "STATE-2", "median_cell_moe95": 11.0}
    tables = replace(reported.tables[0], kinds=(kind, kind))
    (row,) = undercount_section(replace(reported, tables=(tables,))).tables[0].rows
    assert row == ("STATE-2", "±11", "1,100", "220")


def test_errors_of_the_census_of_2020_stand_beside_counts_of_persons_alone(reported) -> None:
    parameters = replace(reported.facts.parameters, unit=Unit("household", "households"))
    households = replace(reported, facts=replace(reported.facts, parameters=parameters))
    assert len(undercount_section(reported).tables) == 2
    assert len(undercount_section(households).tables) == 1


def test_the_report_says_what_imputed_records_cost(report) -> None:
    assert "one person in k rows loses up to k^2 times as much" in report.html.replace("\n", " ")
    assert "Noise beside undercount" in report.html


# --- numbers as text ---


SHARES = {0.9156: "91.56 %", 0.5: "50 %", 1: "100 %", 0: "0 %", 0.99999: "99.99 %", 0.00001: "1e-03 %", 1.5: "150 %"}


@pytest.mark.parametrize(("value", "text"), [*SHARES.items(), (None, None)])
def test_a_share_is_shown_in_per_cent_and_never_as_all_or_nothing_that_it_is_not(value, text):
    assert percent_text(value) == text
