"""`reconcile` is post-processing: it runs no statement that sees people (its imports: see pyproject.toml)."""

from pathlib import Path
from typing import Any

import pytest

from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.kit import database
from safetab_sql.kit.database import Resources
from safetab_sql.kit.sqlfiles import SqlFile, Statement, folder_files, sql_files
from tests.nations import published, sample_nation


def test_the_statements_of_reconcile_see_public_and_published_tables_alone():
    zones = {file.name: file.zone for file in folder_files("tools/reconcile")}
    assert {name: zone for name, zone in zones.items() if zone not in ("public", "published")} == {}


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The statements that `reconcile` executes with and without a geography, seen where every one is rendered."""
    folder = tmp_path_factory.mktemp("reconcile")
    published(sample_nation(200), folder)
    (folder / "person-records.txt").unlink()
    seen: set[str] = set()
    render_it = database.render

    def render(file: SqlFile, values: dict[str, Any]) -> Statement:
        seen.add(file.name)
        return render_it(file, values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "render", render)
        _reconcile_both_ways(folder)
    return seen


def _reconcile_both_ways(folder: Path) -> None:
    for name, geography in (("without", None), ("with", folder / "GRF-C.txt")):
        out, release = folder / name, folder / "out"
        whole = geography is None
        reconcile(release, out, geography=geography, code_lists=folder, integers=whole, resources=Resources(threads=1))


def test_reconcile_executes_every_statement_of_its_folder_and_none_that_sees_people(executed):
    assert {file.name for file in folder_files("tools/reconcile")} <= executed
    assert {name for name in executed if sql_files()[name].zone == "confidential"} == set()
