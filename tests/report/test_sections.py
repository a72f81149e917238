"""The sections of the report: what was published, at which level, with which interval, what was left out; its head."""

import shutil
from dataclasses import replace

import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.published.manifest import parameters_from_json
from safetab_sql.published.states import US_STATES
from safetab_sql.report import published_sections
from safetab_sql.report.report import _where, release_report
from safetab_sql.report.sections import percent_text
from safetab_sql.settings.unit import Unit
from tests.manifests import with_levels
from tests.report.conftest import HOSTILE, rewrite
from tests.report.test_page import Elements

ENDS = ("count", "low95", "high95")


@pytest.mark.parametrize(("is_published", "said"), [(False, "is never published"), (True, "are published too")])
def test_the_report_says_whether_stage_1_is_published(reported, is_published, said):
    facts = replace(reported.facts, parameters=replace(reported.facts.parameters, publish_stage_1=is_published))
    (paragraph,) = published_sections.detail_section(replace(reported, facts=facts)).paragraphs
    assert said in paragraph


def test_asymmetric_intervals_and_gains_are_shown(reported):
    ends = {"least": (22, 0, 30), "most": (45, 30, 56)}
    named = {f"{end}_{name}": value for end, own in ends.items() for name, value in zip(ENDS, own, strict=True)}
    found = replace(
        reported.tables[0],
        intervals=[{"region_type": "COUNTY", "totals": 30, "one_sided": 4, **named}],
        gains=[{"region_type": "USA", "statistic": "age4", "totals": 3, "one_stage": 40, "both_stages": 30}],
    )
    (section,) = published_sections.intervals_sections(replace(reported, tables=(found,)))
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
    (paragraph,) = published_sections.suppression_section(found).paragraphs
    assert paragraph.startswith("No total was suppressed")
    assert said in paragraph
    assert ("usable" in paragraph) == bool(words)


# --- the noise beside people whom a census misses ---


def test_a_level_is_outweighed_from_a_hundred_times_its_margin_where_one_percent_is_missed(reported) -> None:
    kind = {**reported.kinds[0], "level": "STATE-2", "median_cell_moe95": 11.0}
    tables = replace(reported.tables[0], kinds=(kind, kind))
    (row,) = published_sections.undercount_section(replace(reported, tables=(tables,))).tables[0].rows
    assert row == ("STATE-2", "±11", "1,100", "220")


def test_errors_of_the_census_of_2020_stand_beside_counts_of_persons_alone(reported) -> None:
    parameters = replace(reported.facts.parameters, unit=Unit("household", "households"))
    households = replace(reported, facts=replace(reported.facts, parameters=parameters))
    assert len(published_sections.undercount_section(reported).tables) == 2
    assert len(published_sections.undercount_section(households).tables) == 1


def test_the_report_says_what_imputed_records_cost(report) -> None:
    assert "one person in k rows loses up to k^2 times as much" in report.html.replace("\n", " ")
    assert "Noise beside undercount" in report.html


# --- numbers as text ---


SHARES = {0.9156: "91.56 %", 0.5: "50 %", 1: "100 %", 0: "0 %", 0.99999: "99.99 %", 0.00001: "1e-03 %", 1.5: "150 %"}


@pytest.mark.parametrize(("value", "text"), [*SHARES.items(), (None, None)])
def test_a_share_is_shown_in_per_cent_and_never_as_all_or_nothing_that_it_is_not(value, text):
    assert percent_text(value) == text


# --- the head: who released what, when, for which places, and whether anybody in it exists ---


TEXTS = {"title": "Islands", "publisher": "Office", "contact": "Desk", "note": "For training"}
ABOUT = {**{name: f"{text} {HOSTILE}" for name, text in TEXTS.items()}, "is_simulated": True}
SIMULATED = "Simulated people: none of them exist."


@pytest.fixture(scope="module")
def head(release, tmp_path_factory):
    """Text of the report on the release with a changed manifest."""

    def texts(change) -> list[str]:
        folder = shutil.copytree(release, tmp_path_factory.mktemp("about") / "release")
        rewrite(folder, change)
        return Elements(release_report(folder).html).texts

    return texts


def test_title_publisher_contact_and_note_are_shown_letter_by_letter_the_day_and_that_people_are_simulated(head):
    def change(manifest):
        manifest.update(about=ABOUT, date="2026-11-21")
        manifest["parameters"]["parts"]["US"]["TABBLKST"] = ["02", "01"]

    told = head(change)
    assert [name for name in TEXTS if ABOUT[name] not in told] == []
    assert [text for text in told if text.startswith(SIMULATED)] != []
    assert "for Alabama and Alaska on 2026-11-21" in next(text for text in told if text.startswith("Released"))


@pytest.mark.parametrize("about", ["Islands", {"title": 3}, [1]])
def test_an_about_that_is_no_text_is_refused(head, about):
    with pytest.raises(InputError, match="about"):
        head(lambda manifest: manifest.update(about=about))


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (US_STATES, " for the United States"),
        (("02", "01"), " for Alabama and Alaska"),
        (US_STATES[:7], " for 7 states of the United States"),
    ],
)
def test_few_states_are_named_many_counted_and_all_are_the_united_states(release, reported, states, words):
    said = reported.facts.run.parameters
    parameters = {**said, "parts": {**said["parts"], "US": {"TABBLKST": list(states)}}}
    facts = replace(reported.facts, parameters=parameters_from_json(parameters, release))
    assert _where(replace(reported, facts=facts)) == words


def test_a_release_of_own_region_types_alone_names_no_country(reported):
    own = tuple(replace(level, name="SCHOOL-1") for level in reported.facts.levels)
    assert _where(replace(reported, facts=with_levels(reported.facts, own))) == ""
