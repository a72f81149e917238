"""The page for R runs in R, but for what reads Parquet, whose packages distributions lack."""

import re
import shutil

import pytest

from safetab_sql import example, sum_of_release
from safetab_sql.jobs.export import export
from tests.cli.test_readme import few_people
from tests.docs.test_safetab_r import FILE, in_r, pytestmark

PAGE = (FILE.parent / "r.md").read_text(encoding="utf-8")
GROUP = "REGION_TYPE = 'USA' and ITERATION_CODE = '6004'"
OLDER = f"TABLE = 'T2' and {GROUP} and AGESTART in ('65', '75', '85')"

__all__ = ["pytestmark"]


@pytest.mark.slow
def test_the_page_runs_in_r_and_says_what_moe_says(tmp_path):
    with few_people(tmp_path):
        example("demo")
        export("demo/release", "csv", format="csv")
        shutil.copy(FILE, "safetab.R")
        blocks = [
            block
            for block in re.findall(r"^```r\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
            if "duckdb::" not in block
        ]
        assert len(blocks) == 7
        done = in_r(tmp_path, "\n".join(["pdf(NULL)", *blocks]))
        found = sum_of_release("demo/release", plus=OLDER, of=f"TABLE = 'T1' and {GROUP}")
        women, men = (f"{OLDER} and SEX = '{sex}'" for sex in "21")
        difference = sum_of_release("demo/release", plus=women, minus=men)
    assert done.returncode == 0, done.stderr
    answers = [
        [float(number) for number in line.split()[1:]] for line in re.findall(r"^1 +[-\d].*", done.stdout, re.MULTILINE)
    ]
    ratio = found.ratio
    assert [found.estimate, found.low, found.high] in answers
    assert pytest.approx([ratio.estimate, ratio.low, ratio.high], abs=1e-6) in answers
    assert (
        pytest.approx([difference.estimate, difference.low, difference.high, difference.p_value], rel=1e-5) in answers
    )
