"""The package and the oracle, which share no line, agree on any nation, whichever lane counts it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.confidential import counts
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit import sqlfiles
from safetab_sql.kit.database import Resources
from safetab_sql.public.catalog import build_catalog
from tests import oracle
from tests.nations import Nation, oracle_inputs, write_nation
from tests.properties.drawn import exact, examples, nations, published

IS_BROAD = "* 20 <= (select"


def _stabilities(nation: Nation) -> dict[str, int]:
    with TemporaryDirectory() as folder:
        inputs = write_nation(nation, Path(folder))
        with checked_inputs(inputs, Resources(threads=1)) as intake:
            catalog = build_catalog(intake.database, intake.parameters)
        return {level.level.name: level.stability for level in catalog}


@examples(1)
@given(nations())
@pytest.mark.slow  # below it is shown in buckets and of small slices
def test_the_exact_tables_of_any_nation_are_those_of_the_oracle(nation):
    made = exact(nation)
    assert (made.t1, made.t2) == oracle.exact_tables(oracle_inputs(nation))


@examples(1)
@given(nations())
def test_the_exact_tables_are_those_of_the_oracle_where_people_wait_in_buckets(nation):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "PEOPLE_A_SLICE", 2)
        patch.setattr(counts, "are_scattered", lambda *_: True)
        made = exact(nation)
    assert (made.t1, made.t2) == oracle.exact_tables(oracle_inputs(nation))


@pytest.mark.parametrize(
    ("people", "here", "units", "repeated", "expected"),
    [(2**20, 450, 4 * 450, 3 * 450 - 2, True), (2**20, 450, 4 * 450, 4, False), (2**20, 5, 20, 15, False)],
    ids=["runs of one state", "sorted by place", "five places"],
)
def test_people_are_scattered_where_many_places_come_again(people, here, units, repeated, expected):
    assert counts.are_scattered(people, here, units, repeated) == expected


@examples(1)
@given(nations(), st.sampled_from([0, 0.5, 0.9999]))
def test_a_run_without_noise_publishes_the_statistics_that_exact_totals_earn(nation, chance):
    made = published(nation.with_parameters(zero_suppression_chance=chance))
    wanted = oracle.noiseless_tables(oracle_inputs(nation), is_suppressing=chance > 0)
    assert (made.t1, made.t2) == wanted


@examples(4)
@given(nations())
@pytest.mark.slow
def test_the_stability_of_every_level_is_the_most_groups_that_anybody_imaginable_is_in(nation):
    """Not only the people that a nation happens to have: the oracle tries every answer."""
    inputs = oracle_inputs(nation)
    wanted = {f"{kind}-{level}": oracle.stability(inputs, kind, level) for kind, level in inputs.levels}
    assert _stabilities(nation) == wanted


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
@pytest.mark.parametrize("people", [1, 3], ids=["one person a slice", "three people a slice"])
@examples(1)
@given(nations())
@pytest.mark.each_time("three people a slice-every region broad")
def test_the_exact_tables_are_those_of_the_oracle_however_small_the_slices_and_in_either_lane(broad, people, nation):
    with every_region_is(broad), pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "PEOPLE_A_SLICE", people)
        made = exact(nation)
    assert (made.t1, made.t2) == oracle.exact_tables(oracle_inputs(nation))
