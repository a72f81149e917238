"""`statistics` of tables of one's own: each published row is found again, and `moe` gives the same margins."""

from pathlib import Path

import pytest
from pyarrow import parquet

from safetab_sql.jobs.moe import sum_of_release
from safetab_sql.jobs.statistics import statistics
from safetab_sql.kit.errors import InputError
from tests.golden.test_other_shapes import EXAMPLES
from tests.jobs.test_statistics import asked
from tests.oracle import Row

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent")
GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
HEAD = ("KIND", "TABLE", *GROUP, "SEX", "AGE_FROM", "AGE_TO", "OUTCOME", "OTHER_TABLE", "OTHER_SEX", "OTHER_OUTCOME")
ALL = ("ALL", "all", "04")


def rows(release: Path, name: str) -> list[Row]:
    return parquet.read_table(release / name).to_pylist()


def answers(release: Path, tmp_path: Path, *lines: tuple[str, ...], head: tuple[str, ...] = HEAD) -> list[Row]:
    wanted = asked(tmp_path / "wanted.csv", *lines, head=head)
    return statistics(release, wanted, tmp_path / "out.parquet", overwrite=True).to_pylist()


def as_wanted(row: Row, table: str) -> tuple[str, ...]:
    return ("count", table, *(row[name] for name in GROUP), *(row.get(name, "") for name in HEAD[5:9]))


def test_every_published_row_is_a_count_with_its_interval(hospitals, tmp_path):
    published = [(name, row) for name in ("OUTCOMES", "SEX") for row in rows(hospitals, name.lower())]
    found = answers(hospitals, tmp_path, *(as_wanted(row, name) for name, row in published))
    assert len({row["STATISTIC"] for _, row in published}) == 4
    assert [(row["ESTIMATE"], row["LOW"], row["HIGH"]) for row in found] == [
        (row["COUNT"], row["LOW95"], row["HIGH95"]) for _, row in published
    ]


def test_ladders_share_no_noise_and_rows_of_one_that_cross_share_their_cells(hospitals, tmp_path):
    women = ("difference", "OUTCOMES", *ALL, "F", "", "", "")
    found = answers(hospitals, tmp_path, (*women, "SEX", "F"), (*women, "", "", "died"))
    group = "REGION_TYPE = 'ALL' and ITERATION_CODE = '04'"
    own = f"{group} and TABLE = 'OUTCOMES' and AGE_FROM = '*'"
    others = (f"{group} and TABLE = 'SEX' and SEX = 'F'", f"{own} and OUTCOME = 'died' and SEX = '*'")
    sums = [sum_of_release(hospitals, plus=f"{own} and SEX = 'F' and OUTCOME = '*'", minus=other) for other in others]
    assert [(row["ESTIMATE"], row["HIGH"] - row["ESTIMATE"]) for row in found] == [
        (each.estimate, each.moe95) for each in sums
    ]
    assert [row["P_VALUE"] for row in found] == pytest.approx([each.p_value for each in sums])


def test_quantiles_are_of_the_attribute_of_whole_numbers(hospitals, tmp_path):
    coarse = next(row for row in rows(hospitals, "outcomes") if row["STATISTIC"] == "outcome")
    ages, undivided, young = answers(
        hospitals,
        tmp_path,
        ("quantile", "OUTCOMES", *ALL),
        ("quantile", "OUTCOMES", *(coarse[name] for name in GROUP)),
        ("quantile", "OUTCOMES", *ALL, "", "1", "39"),
    )
    assert 0 <= ages["LOW"] <= ages["ESTIMATE"] <= ages["HIGH"] <= 111
    assert (undivided["LOW"], undivided["NOTE"][:39]) == (None, "the table of the group does not divide ")
    assert 1 <= young["LOW"] <= young["HIGH"] <= 40


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (("count", "DEATHS", *ALL), "TABLE: 1 value cannot be used; row 1: 'DEATHS'.*the release has OUTCOMES, SEX"),
        (("count", "", *ALL), "TABLE: 1 value cannot be used; row 1: nothing"),
        (("count", "SEX", *ALL, "", "18"), "AGE_FROM: .* TABLE SEX has no column AGE_FROM"),
        (("count", "SEX", *ALL, "male"), "SEX: .* write one of F, M, X, or"),
        (("count", "OUTCOMES", *ALL, "", "65", "18"), "AGE_FROM: .* row 1: '65' to '18'.*write whole numbers from 0"),
        (("quantile", "SEX", *ALL), "ATTRIBUTE: 1 value cannot be used; row 1: nothing.*: AGE"),
        (("count", "SEX", "HOSPITAL", "H1", "04"), "SEX has no region type 'HOSPITAL'"),
    ],
)
def test_what_the_ladder_has_not_is_refused(hospitals, tmp_path, line, problem):
    with pytest.raises(InputError, match=f"(?s){problem}"):
        answers(hospitals, tmp_path, line)
