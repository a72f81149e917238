"""Two ways to count lead to one count: every region taken for broad, and every region taken for local."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from safetab_sql.kit import sqlfiles
from tests import oracle
from tests.nations import oracle_inputs
from tests.properties.drawn import exact, examples, nations

IS_BROAD = "* 20 <= (select"


@contextmanager
def every_region_is(broad: bool) -> Iterator[None]:
    """Makes the package read a copy of sql/ in which all regions are broad, or none is."""
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name) / "sql"
        shutil.copytree(sqlfiles.packaged_folder("sql"), folder)
        (path,) = folder.rglob("region_breadth.sql")
        text = path.read_text(encoding="utf-8")
        assert text.count(IS_BROAD) == 1
        path.write_text(text.replace(IS_BROAD, "* 0 <= (select" if broad else "* 1000000000 <= (select"), "utf-8")
        patch.setattr(sqlfiles, "packaged_folder", lambda _: folder)
        sqlfiles.sql_files.cache_clear()
        try:
            yield
        finally:
            patch.undo()
            sqlfiles.sql_files.cache_clear()


@pytest.mark.parametrize("broad", [True, False], ids=["every region broad", "every region local"])
@examples(1)
@given(nations())
@pytest.mark.each_time("every region broad")
def test_the_exact_tables_are_those_of_the_oracle_whichever_lane_counts_them(broad, nation):
    with every_region_is(broad):
        made = exact(nation)
    assert (made.t1, made.t2) == oracle.exact_tables(oracle_inputs(nation))
