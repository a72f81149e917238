"""Threads and memory change how long counting takes, never what is counted."""

from pathlib import Path

import pyarrow as pa
import pytest

from safetab_sql import Resources
from safetab_sql.accounting.plan import level_plans
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.public.catalog import build_catalog
from tests.cli.nations import paths, simulate_few_states
from tests.counted import totals_and_cells


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resources") / "nation"
    simulate_few_states(folder, people=200_000)
    return folder


@pytest.fixture(scope="module")
def usual_tables(nation: Path) -> tuple[pa.Table, pa.Table]:
    return exact_tables(nation, Resources(threads=2))


def exact_tables(nation: Path, resources: Resources) -> tuple[pa.Table, pa.Table]:
    """Totals and sex-by-age cells of every group with people."""
    with checked_inputs(paths(nation), resources) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        plans = level_plans(catalog, intake.parameters)
        totals_and_cells(intake, catalog, plans)
        return (
            intake.database.table("group_totals", ["population_group_id"]),
            intake.database.table("group_cells", ["population_group_id", "statistic_id", "cell_position"]),
        )


@pytest.mark.parametrize(
    "resources",
    [Resources(threads=1), Resources(threads=3), Resources(threads=2, memory_limit="150MB")],
    ids=["one thread", "three threads", "little memory"],
)
@pytest.mark.slow
def test_exact_tables_are_the_same_whatever_the_resources(
    nation: Path, usual_tables: tuple[pa.Table, pa.Table], resources: Resources
) -> None:
    assert exact_tables(nation, resources) == usual_tables
