"""diversity: how many race codes people give, which are in use, and where."""

from pathlib import Path

import duckdb
import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.simulation.answers import Diversity
from safetab_sql.simulation.simulate import simulate
from tests.simulation.conftest import FEWEST_PEOPLE

RACES = ", ".join(f"QRACE{place}" for place in range(1, 9))
DIVERSE = Diversity(several_codes=0.34, codes_in_use=20, spread=1.0)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory):
    """The only value that a query finds in a diverse nation of 50,000 people."""
    folder = tmp_path_factory.mktemp("diverse") / "nation"
    simulate(folder, people=50_000, diversity=DIVERSE)
    with duckdb.connect() as connection:
        connection.execute(f"create view persons as select * from '{folder}/persons/*.parquet'")
        yield lambda query: connection.execute(query).fetchall()[0][0]


@pytest.mark.slow
def test_a_third_of_the_people_give_several_codes(ask):
    """Beyond six standard deviations of a share of 50,000; codes that are drawn twice make it 1.5 points smaller."""
    assert abs(ask("select avg((QRACE2 is not null)::int) from persons") - 0.325) < 0.02


def test_only_the_codes_in_use_are_given(ask):
    assert ask(f"select count(distinct code) from (select unnest([{RACES}]) as code from persons)") == 20


def test_the_codes_are_given_alike(ask):
    codes = f"select unnest([{RACES}]) as code from persons"
    counts = f"select count(*) as people from ({codes}) where code is not null group by code"
    assert ask(f"select max(people) / min(people) from ({counts})") < 1.2


def test_members_of_a_household_answer_apart(ask):
    shares = "select avg((QRACE1 = before)::int) from (select *, lag(QRACE1) over () as before from persons)"
    assert ask(f"{shares} where not HOUSEHOLDER") < 0.15


@pytest.mark.parametrize(
    ("diversity", "named"),
    [
        (Diversity(several_codes=1.5), "several_codes: 1.5 is not a share"),
        (Diversity(spread=-0.1), "spread: -0.1 is not a share"),
        (Diversity(codes_in_use=2), "codes_in_use: 2 race codes"),
        (Diversity(codes_in_use=100_000), "codes_in_use: 100,000 race codes"),
    ],
    ids=["several", "spread", "few codes", "many codes"],
)
def test_a_diversity_that_cannot_be_is_refused(tmp_path: Path, diversity: Diversity, named: str):
    with pytest.raises(InputError, match=named):
        simulate(tmp_path / "nation", people=FEWEST_PEOPLE, diversity=diversity)
    assert not (tmp_path / "nation").exists()
