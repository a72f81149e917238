"""A region type may have any name that the parameters accept: no table, column or word of SQL is in its way."""

import re
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.sqlfiles import folder_files, sql_files
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import checked_public_inputs
from safetab_sql.settings.parameters import load_parameters
from tests.census import region_types
from tests.nations import sample_nation, write_nation

STANDARD = {kind.name for kind in region_types()}
REFUSED = {"GEO_UNIT_ID", "BLOCK_KEY"}
NAME = re.compile(r"[A-Z][A-Z0-9_-]{0,31}")
# Region types are columns in the catalog alone; further on they are values.
CATALOG = [sql_files()["geography_areas"], *folder_files("run/2_catalog")]
WORDS = {word.upper() for file in CATALOG for word in [file.name, *(column.name for column in file.columns)]}
KEYWORDS = duckdb.sql("select keyword_name from duckdb_keywords() where keyword_category = 'reserved'").fetchall()
NAMES = sorted(filter(NAME.fullmatch, (WORDS | {row[0].upper() for row in KEYWORDS}) - STANDARD - REFUSED))


@pytest.fixture(scope="module")
def nation(tmp_path_factory) -> Path:
    """A nation in files, whose parameters tabulate nothing but what a test adds."""
    folder = tmp_path_factory.mktemp("names") / "nation"
    write_nation(sample_nation(20), folder)
    text = (folder / "parameters.toml").read_text(encoding="utf-8")
    (folder / "parameters.toml").write_text(text[: text.index("[levels.")].replace("run_pr = true", "run_pr = false"))
    return folder


def own(names: Sequence[str]) -> str:
    return "".join(
        f'[region_types.{name}]\nid = "TABBLKST || TABBLKCOU"\nwithout = "DETAILED_ONLY"\nsuppress = true\n'
        f"[levels.{name}-1]\nbudget = 1\nthresholds = [1, 2, 3]\n"
        for name in names
    )


def regions(nation: Path, names: Sequence[str]) -> dict[str, int]:
    """The number of regions of each region type, and under '' the number of all geo units times their regions."""
    path = nation / "own.toml"
    path.write_text((nation / "parameters.toml").read_text(encoding="utf-8") + own(names), encoding="utf-8")
    with checked_public_inputs(path, nation / "GRF-C.txt", nation, Resources(threads=1)) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        found = {level.level.region_type: level.regions for level in catalog}
        return {**found, "": intake.database.rows("geo_unit_regions")}


@pytest.mark.slow
def test_no_word_of_our_statements_or_of_sql_is_in_the_way(nation):
    assert regions(nation, NAMES) == {**dict.fromkeys(NAMES, 6), "": 6 * len(NAMES)}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_column_beside_which_regions_stand_is_refused_by_name(nation, name):
    path = nation / "own.toml"
    path.write_text((nation / "parameters.toml").read_text(encoding="utf-8") + own([name]), encoding="utf-8")
    with pytest.raises(InputError, match=f"'{name}' is the name of a column of ours"):
        load_parameters(path)
