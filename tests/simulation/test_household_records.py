"""simulate --households: a record of each household, which the household tables of the 2020 Census count."""

from pathlib import Path

import duckdb
import pytest

from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.public.inputs import InputPaths
from safetab_sql.simulation.simulate import Extras, simulate, write_households
from tests.statistics import recorded_bits

TINY = Resources(threads=1)


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("households") / "nation"
    simulate(folder, people=20_000, extras=Extras(households=True))
    return folder


def test_there_is_a_household_for_every_householder_with_the_codes_of_that_person(nation: Path) -> None:
    columns = "TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK, QRACE1, QSPAN"
    difference = f"""
        select {columns} from '{nation}/persons/*.parquet' where HOUSEHOLDER
        except all select {columns} from '{nation}/households/*.parquet'
    """
    assert duckdb.sql(difference).fetchall() == []
    kinds = f"select distinct HOUSEHOLD_TYPE, TEN from '{nation}/households/*.parquet'"
    assert {row[0] for row in duckdb.sql(kinds).fetchall()} == {1, 2, 3, 4, 5}
    assert {row[1] for row in duckdb.sql(kinds).fetchall()} == {1, 2, 3, 4}


def test_the_same_seed_makes_the_same_households(nation: Path, tmp_path: Path) -> None:
    write_households(tmp_path / "again", nation / "persons", seed=0)
    first = sorted(nation.glob("households/*.parquet"))[0]
    assert (tmp_path / "again" / first.name).read_bytes() == first.read_bytes()


@pytest.mark.slow
def test_a_release_of_the_people_picks_the_tables_of_their_households(nation: Path, tmp_path: Path) -> None:
    lists, geography = nation / "code-lists", nation / "geography.parquet"
    people = InputPaths(nation / "parameters.toml", nation / "persons", geography, lists)
    run(people, tmp_path / "people", resources=TINY, bits=recorded_bits("people"))
    of_households = InputPaths(
        nation / "households.toml", nation / "households", geography, lists, totals=tmp_path / "people"
    )
    made = run(of_households, tmp_path / "out", resources=TINY)
    assert made.manifest["releasable"] is False  # its totals were made with recorded bits
    groups = "REGION_TYPE, REGION_ID, ITERATION_CODE"
    tables = {name: f"'{tmp_path}/out/{name}/{name}.parquet'" for name in ("t3", "t4")}
    for table in tables.values():
        missing = f"select distinct {groups} from {table} except select {groups} from '{tmp_path}/people/t1/t1.parquet'"
        assert duckdb.sql(missing).fetchall() == []
    totals = "where T3_DATA_CELL = '0' and REGION_TYPE = 'USA'"
    assert duckdb.sql(f"select count(*) > 0 from {tables['t3']} {totals}").fetchall() == [(True,)]
