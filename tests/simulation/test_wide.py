"""The wide table of a simulated nation: its fields, its people, and which fields hang together."""

import tomllib
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.histograms.synthesize import SynthesisInputs
from safetab_sql.simulation.simulate import Extras, simulate
from safetab_sql.simulation.wide import SPEC
from tests.cli.command import call
from tests.histograms.synthesis import synthesized

PEOPLE = 3_000
FIELDS = list(tomllib.loads(SPEC.read_text(encoding="utf-8"))["domains"])


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wide") / "nation"
    assert call("simulate", "--people", str(PEOPLE), "--wide", "--seed", "4", "--out", folder).code == 0
    return folder


@pytest.fixture
def ask(nation: Path):
    def value(query: str) -> object:
        tables = {"wide": nation / "wide.parquet", "persons": nation / "persons" / "*.parquet"}
        for name, path in tables.items():
            query = query.replace(f"${name}", f"'{path}'")
        ((found,),) = duckdb.sql(query).fetchall()
        return found

    return value


def test_there_are_forty_fields_or_more() -> None:
    assert len(FIELDS) >= 40


def test_its_people_are_those_of_the_person_records(ask) -> None:
    wide = "select AGE::int as age, SEX as sex, STATEFIP as state, count(*) from $wide group by all"
    persons = "select QAGE::int, QSEX, TABBLKST, count(*) from $persons group by all"
    assert ask(f"select count(*) from ({wide} except {persons})") == 0
    assert ask("select count(*) from $wide") == PEOPLE


def test_fields_are_numbers_text_and_booleans(nation: Path) -> None:
    schema = pq.read_schema(nation / "wide.parquet")
    assert (schema.names, {field.type for field in schema}) == (FIELDS, {pa.int16(), pa.string(), pa.bool_()})


@pytest.mark.slow
def test_every_value_is_in_its_domain(nation: Path) -> None:
    """A value outside would be refused: no domain counts others."""
    inputs = SynthesisInputs(nation / "wide.toml", nation / "wide.parquet")
    assert synthesized(inputs).rows.schema == pq.read_schema(nation / "wide.parquet")


def test_members_of_a_household_share_its_fields(ask) -> None:
    """The householder comes first, and the number of people is the household's, up to eight."""
    assert ask("select count(*) from $wide where RELATE = 0 and NUMPREC = 1") > 0
    assert ask("select sum(1 / NUMPREC) - count(*) filter (where RELATE = 0) from $wide where NUMPREC < 8") < 1e-6


@pytest.mark.parametrize(
    "impossible",
    [
        "AGE < 14 and EMPSTAT > 0",
        "EMPSTAT <> 1 and WKSWORK > 0",
        "OWNERSHP = 1 and RENT > 0",
        "NATIVITY = 2 and BPL < 5",
        "AGE < 15 and MARST > 0",
        "AGE <= 6 and READS",
        "HIGRADE < 3 and EDUC > 0",
    ],
)
def test_what_cannot_be_does_not_occur(ask, impossible: str) -> None:
    assert ask(f"select count(*) from $wide where {impossible}") == 0


@pytest.mark.slow
def test_the_same_seed_makes_the_same_table(nation: Path, tmp_path: Path) -> None:
    simulate(tmp_path / "again", people=PEOPLE, seed=4, extras=Extras(wide=True))
    again, first = ((folder / "wide.parquet").read_bytes() for folder in (tmp_path / "again", nation))
    assert again == first


@pytest.mark.slow
def test_the_nation_itself_is_the_same_with_and_without_it(nation: Path, tmp_path: Path) -> None:
    simulate(tmp_path / "plain", people=PEOPLE, seed=4)
    plain, wide = ((folder / "persons" / "06.parquet").read_bytes() for folder in (tmp_path / "plain", nation))
    assert (plain == wide, (tmp_path / "plain" / "wide.parquet").exists()) == (True, False)
