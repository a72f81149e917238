"""The report says of stage 1 what the release did with it, and shows intervals, percentages and what they gain."""

from dataclasses import replace
from fractions import Fraction

import pyarrow.parquet as pq
import pytest

from safetab_sql.accounting.plan import WholeLevel
from safetab_sql.report.privacy_sections import privacy_section
from safetab_sql.report.published_sections import detail_section, intervals_sections
from safetab_sql.report.release import read_release
from tests.manifests import with_levels

ENDS = ("count", "low95", "high95")


@pytest.mark.parametrize(("is_published", "said"), [(False, "is never published"), (True, "are published too")])
def test_the_report_says_whether_stage_1_is_published(release, is_published, said):
    read = read_release(release)
    facts = replace(read.facts, parameters=replace(read.facts.parameters, publish_stage_1=is_published))
    (paragraph,) = detail_section(replace(read, facts=facts)).paragraphs
    assert said in paragraph


def test_asymmetric_intervals_percentages_and_gains_are_shown(release):
    read = read_release(release)
    ends = {"least": (22, 0, 30), "most": (45, 30, 56)}
    named = {f"{end}_{name}": value for end, own in ends.items() for name, value in zip(ENDS, own, strict=True)}
    found = replace(
        read.tables[0],
        intervals=[{"region_type": "COUNTY", "totals": 30, "one_sided": 4, **named}],
        gains=[{"region_type": "USA", "statistic": "age4", "totals": 3, "one_stage": 40, "both_stages": 30}],
    )
    (section,) = intervals_sections(replace(read, tables=(found,)))
    sided, shares, gains = section.tables
    assert sided.rows == (("COUNTY", 30, 4, "22: from 0 to 30", "45: from 30 to 56"),)
    assert shares.columns[:4] == ("Group", "Region", "Total", "SEX female")
    assert all(float(low[:-2]) <= float(share[:-2]) <= float(high[:-2]) for *_, share, low, high in shares.rows)
    assert gains.rows == (("USA", "sex by 4 ages", 3, "40.0", "30.0", "25 %"),)


def test_the_women_of_the_largest_groups_are_added_up_from_cells(release):
    (section,) = intervals_sections(read_release(release))
    (_, _, total, share, *_), *_ = section.tables[-1].rows
    cells = [row for row in pq.read_table(release / "t2").to_pylist() if row["AGESTART"] != "*"]
    groups = {(row["REGION_TYPE"], row["ITERATION_CODE"]) for row in cells if row["REGION_TYPE"] == "USA"}
    own = [[row for row in cells if (row["REGION_TYPE"], row["ITERATION_CODE"]) == group] for group in groups]
    sums = {sum(row["COUNT"] for row in rows): rows for rows in own}
    assert total == f"{max(sums):,}"
    women = sum(row["COUNT"] for row in sums[max(sums)] if row["SEX"] == "2")
    assert share == f"{100 * women / max(sums):.2f} %"


def test_a_release_with_shares_says_whose_loss_they_raise(release):
    read = read_release(release)
    ninths = [Fraction(each, 9) for each in (9, 9, 3)]
    whole = WholeLevel("COUNTY-2", Fraction(1), (), (), *[ninths[0], ninths[1], ninths[2]])
    shared = [replace(level, whole=whole) for level in read.facts.levels]
    with_shares, without = (
        " ".join(privacy_section(replace(read, facts=with_levels(read.facts, levels))).paragraphs)
        for levels in (shared, read.facts.levels)
    )
    assert "these rho: COUNTY-2 1 of 1 (with equal shares 0.333334). The lines" in with_shares
    assert "equal shares" not in without
