"""Two synthetic nations, made once: one with several row groups, one as small as can be."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from safetab_sql.simulation.simulate import simulate

PEOPLE = 250_000
FEWEST_PEOPLE = 1_000


@pytest.fixture(scope="session")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulation") / "nation"
    simulate(folder, people=PEOPLE, seed=3)
    return folder


@pytest.fixture(scope="session")
def smallest_nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulation") / "smallest"
    simulate(folder, people=FEWEST_PEOPLE)
    return folder


def _asker(folder: Path) -> Callable[[str], object]:
    con = duckdb.connect()
    con.execute(f"create view persons as select * from '{folder}/persons/*.parquet'")
    con.execute(f"create view blocks as select * from '{folder}/geography.parquet'")
    for name in ("race-characteristic-iterations", "ethnicity-characteristic-iterations"):
        con.execute(f'create view "{name}" as {_read_text(folder, name)}')
    con.execute(f"create view links as {_read_text(folder, 'race-and-ethnicity-code-to-iteration')}")

    def answer(query: str) -> object:
        """The only value of the only row of `query`."""
        (row,) = con.execute(query).fetchall()
        (value,) = row
        return value

    return answer


def _read_text(folder: Path, name: str) -> str:
    return f"select * from read_csv('{folder}/code-lists/{name}.txt', delim='|', all_varchar=true, quote='')"


@pytest.fixture(scope="session")
def ask(nation: Path) -> Callable[[str], object]:
    """The value of a query over persons, blocks, links and the iterations of the larger nation."""
    return _asker(nation)


@pytest.fixture(scope="session", params=["nation", pytest.param("smallest_nation", marks=pytest.mark.slow)])
def ask_any(request: pytest.FixtureRequest) -> Callable[[str], object]:
    """The same for both nations, one after the other; the smaller one is left to the soak."""
    return _asker(request.getfixturevalue(request.param))
