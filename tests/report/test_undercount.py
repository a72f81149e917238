"""The section that sets the noise beside people whom a census misses."""

from dataclasses import replace

import pytest

from safetab_sql.report.published_sections import undercount_section
from safetab_sql.report.release import Reported, read_release
from safetab_sql.settings.unit import Unit


@pytest.fixture(scope="module")
def read(release) -> Reported:
    return read_release(release, None)


def test_a_level_is_outweighed_from_a_hundred_times_its_margin_where_one_percent_is_missed(read) -> None:
    kind = replace(read.kinds[0], level="STATE-2", median_cell_moe95=11.0)
    tables = replace(read.tables[0], kinds=(kind, kind))
    (row,) = undercount_section(replace(read, tables=(tables,))).tables[0].rows
    assert row == ("STATE-2", "±11", "1,100", "220")


def test_every_level_that_was_published_has_a_row(read) -> None:
    assert {row[0] for row in undercount_section(read).tables[0].rows} == {kind.level for kind in read.kinds}


def test_errors_of_the_census_of_2020_stand_beside_counts_of_persons_alone(read) -> None:
    parameters = replace(read.facts.parameters, unit=Unit("household", "households"))
    households = replace(read, facts=replace(read.facts, parameters=parameters))
    assert len(undercount_section(read).tables) == 2
    assert len(undercount_section(households).tables) == 1


def test_the_report_says_what_imputed_records_cost(report) -> None:
    assert "one person in k rows loses up to k^2 times as much" in report.html.replace("\n", " ")
    assert "Noise beside undercount" in report.html
