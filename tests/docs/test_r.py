"""The page for R runs in R, but for the two ways to read Parquet, whose packages distributions lack."""

import os
import re
import shutil
import subprocess

import duckdb
import pytest

from safetab_sql import example, statistics
from tests.cli.test_readme import few_people
from tests.conftest import REPOSITORY

PAGES = REPOSITORY / "docs" / "how-to"
PAGE = (PAGES / "r.md").read_text(encoding="utf-8")
NEEDS_PACKAGES = ("duckdb::", "arrow::")


def fenced(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed (Debian: apt-get install r-base-core)")
def test_what_the_page_does_with_csv_runs_in_r_and_says_what_the_tables_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with few_people(tmp_path):
        example("demo")
    (statements,) = re.findall('duckdb -c "([^"]*)"', PAGE)
    duckdb.execute(statements)
    (wanted, *_) = fenced((PAGES / "analyst.md").read_text(encoding="utf-8"), "text")
    (tmp_path / "wanted.csv").write_text(wanted, encoding="utf-8")
    statistics("demo/release", "wanted.csv", out="answers.csv")
    blocks = [block for block in fenced(PAGE, "r") if not any(package in block for package in NEEDS_PACKAGES)]
    assert len(blocks) == len(fenced(PAGE, "r")) - len(NEEDS_PACKAGES)
    (tmp_path / "page.R").write_text("\n".join(["pdf(NULL)", "options(warn = 2)", *blocks]), encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["Rscript", "page.R"], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    older = "REGION_TYPE = 'USA' and ITERATION_CODE = '6004' and try_cast(AGESTART as integer) >= 65"
    total = duckdb.sql(f"select sum(COUNT) from 'demo/release/t2/t2.parquet' where {older}").fetchall()[0][0]
    assert f"65 and over: {total} ±" in done.stdout
