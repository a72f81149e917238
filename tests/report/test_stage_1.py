"""The report says of stage 1 what the release did with it, and shows intervals, percentages and what they gain."""

from dataclasses import replace
from fractions import Fraction

import pytest

from safetab_sql.accounting.plan import WholeLevel
from safetab_sql.published.release import open_folder
from safetab_sql.report.detail_sections import stage_1_sentence
from safetab_sql.report.intervals_section import intervals_section
from safetab_sql.report.names import Names
from safetab_sql.report.privacy_sections import share_paragraphs
from safetab_sql.settings.unit import Unit

ENDS = ("count", "low95", "high95")


@pytest.mark.parametrize(("is_published", "said"), [(False, "is never published"), (True, "are published too")])
def test_the_report_says_whether_stage_1_is_published(release, is_published, said):
    parameters = open_folder(release).facts.parameters
    assert said in stage_1_sentence(replace(parameters, publish_stage_1=is_published))


def test_asymmetric_intervals_percentages_and_gains_are_shown(release):
    facts = open_folder(release).facts
    ends = {"least": (22, 0, 30), "most": (45, 30, 56)}
    named = {f"{end}_{name}": value for end, own in ends.items() for name, value in zip(ENDS, own, strict=True)}
    share = {"region_type": "USA", "region_id": "1", "iteration_code": "6005", "cells": 8, "females": 5_000}
    found = {
        "reported_intervals": [{"region_type": "COUNTY", "totals": 30, "one_sided": 4, **named}],
        "reported_shares": [{**share, "people": 10_000, "level_name": "USA-1"}],
        "stage_1_gains": [{"region_type": "USA", "statistic": "age4", "totals": 3, "one_stage": 40, "both_stages": 30}],
    }
    sided, shares, gains = intervals_section(facts, found, Names()).tables
    assert sided.rows == (("COUNTY", 30, 4, "22: from 0 to 30", "45: from 30 to 56"),)
    assert shares.rows[0][:4] == ("6005", "United States", "10,000", "50.00 %")
    assert shares.rows[0][4] < "50" < shares.rows[0][5]
    assert gains.rows == (("USA", "8 cells", 3, "40.0", "30.0", "25 %"),)


def test_a_release_with_shares_says_whose_loss_they_raise(release):
    facts = open_folder(release).facts
    ninths = [Fraction(each, 9) for each in (9, 9, 3)]
    whole = WholeLevel("COUNTY-2", Fraction(1), (), (), *[ninths[0], ninths[1], ninths[2]])
    (said,) = share_paragraphs([replace(facts.levels[0], whole=whole)], "rho", Unit())
    assert "COUNTY-2 1 of 1 (with equal shares 0.333334)" in said
    assert share_paragraphs(facts.levels, "rho", Unit()) == []
