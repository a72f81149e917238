"""The statements of sql/run/1_inputs and sql/run/2_catalog one after another, on whole code lists."""

from collections import Counter

import pytest

from safetab_sql.kit.database import Resources, open_database
from safetab_sql.kit.sqlfiles import folder_files, packaged_folder
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.readers import GIVEN_NAMES, geography_values, no_region_names
from safetab_sql.public.sources import find_code_lists, find_source, stored_types
from safetab_sql.public.values import parameter_values
from tests.census import list_files
from tests.conftest import SHARED
from tests.sql.parameters import parameters

EXAMPLE_LISTS = packaged_folder("configs") / "example-lists"
LISTS_2020 = SHARED / "reference" / "ddhca-2020"
LEVELS = ("USA-1", "USA-2", "STATE-2", "COUNTY-1", "COUNTY-2", "PLACE-2", "AIANNH-2", "PR-STATE-1", "PR-TRACT-2")
GEOGRAPHY = """
    TABBLKST | TABBLKCOU | TABTRACTCE | TABBLK | PLACEFP | AIANNHCE
          01 |       003 |     000400 |   0005 |   00124 |     0050
          44 |       007 |     000101 |   1000 |   99999 |     9999
          44 |       009 |     000101 |   1000 |   59000 |     0050
          72 |       001 |     956300 |   1001 |   00128 |     9999
          72 |       001 |     956400 |   1001 |   99999 |     9999
"""


@pytest.fixture
def catalog(tmp_path, write_parquet):
    """Makes the catalog of a run with the code lists in a folder; returns catalog and database."""
    geography = find_source(write_parquet(GEOGRAPHY, "geography.parquet"))
    settings = parameters(*LEVELS)

    def make(folder):
        lists = find_code_lists(folder, list_files())
        public_inputs = [file for file in folder_files("run/1_inputs") if file.zone == "public"]
        readable = [*geography.files, *(file for source in lists.values() for file in source.files)]
        with open_database(tmp_path, readable, [], Resources(threads=1)) as database:
            read_lists(database, lists, lists, tmp_path, settings)
            types = stored_types(geography, geography.files)
            paths = [str(file) for file in geography.files]
            database.set_values({**parameter_values(settings), **geography_values("g", paths, types, settings)})
            database.hand_over(GIVEN_NAMES, no_region_names())
            for file in [file for file in public_inputs if database.has_values(file)]:
                database.create(file)
            made = build_catalog(database, settings)
            tables = {name: database.table(name).to_pylist() for name in ("level_regions", "level_iterations")}
        return made, tables

    return make


@pytest.fixture
def group_ids(catalog):
    """The ids of all population groups of the example, each as often as it is given out."""
    _, tables = catalog(EXAMPLE_LISTS)
    return Counter(
        region["first_population_group_id"] + iteration["iteration_position"]
        for region in tables["level_regions"]
        for iteration in tables["level_iterations"]
        if region["level_id"] == iteration["level_id"]
    )


def test_population_groups_are_numbered_without_gaps_and_no_two_share_a_number(group_ids):
    assert sorted(group_ids.elements()) == list(range(group_ids.total()))


@pytest.mark.parametrize(
    "folder",
    [
        EXAMPLE_LISTS,
        pytest.param(
            LISTS_2020,
            marks=pytest.mark.skipif(not LISTS_2020.is_dir(), reason="the 2020 lists lie in ../shared, not here"),
        ),
    ],
    ids=["example", "2020"],
)
def test_every_level_has_stability_nine_with_one_race_and_one_ethnicity_iteration_a_code(catalog, folder):
    made, _ = catalog(folder)
    assert {(level.stability, level.is_exact) for level in made.levels} == {(9, True)}
