"""region_parents: which regions divide which, read from the geography."""

import pytest

REGIONS = """
    region_key | region_type | region_id
             1 |      COUNTY |     01001
             2 |      COUNTY |     01003
             3 |      COUNTY |     02001
             4 |       STATE |        01
             5 |       STATE |        02
             6 |         USA |         1
"""
NESTED = {1: {1, 4, 6}, 2: {2, 4, 6}, 3: {3, 5, 6}}  # cell -> the regions it lies in


def _cells(regions_of_cells):
    rows = [f"{cell} | {region}" for cell, regions in regions_of_cells.items() for region in sorted(regions)]
    return "\n".join(["geo_unit_id | region_key", *rows])


@pytest.fixture
def parents(run_sql):
    """Region key -> parent, for the regions above and further ones, and the regions that each cell lies in."""

    def run(regions_of_cells, more_regions=""):
        given = {"regions": REGIONS + more_regions, "geo_unit_regions": _cells(regions_of_cells)}
        return {key: parent for key, _, parent in run_sql("region_parents", given=given)}

    return run


def test_regions_divide_what_holds_them_whole_without_a_gap_and_none_both_ways(parents):
    assert parents(NESTED) == {1: 4, 2: 4, 3: 5, 4: 6, 5: 6, 6: None}
    places = {1: {1, 4, 6, 7}, 2: {2, 4, 6}, 3: {3, 5, 6, 8}}
    found = parents(places, "7 | PLACE | 0100100\n8 | PLACE | 0200100")
    assert (found[7], found[8]) == (None, None)
    areas = {1: {1, 4, 6, 7}, 2: {2, 4, 6, 8}, 3: {3, 5, 6, 8}}
    found = parents(areas, "7 | AREA | A\n8 | AREA | B")
    assert (found[7], found[8]) == (6, 6)
    districts = {1: {1, 4, 6, 7}, 2: {2, 4, 6, 8}, 3: {3, 5, 6, 9}, 4: {1, 4, 6, 8}}
    found = parents(districts, "7 | DISTRICT | A\n8 | DISTRICT | B\n9 | DISTRICT | C")
    assert [found[key] for key in (1, 2, 3, 7, 8, 9)] == [4, 4, 5, 4, 4, 5]
    doubled = {cell: {*regions, cell + 6} for cell, regions in NESTED.items()}
    found = parents(doubled, "7 | DOUBLE | A\n8 | DOUBLE | B\n9 | DOUBLE | C")
    assert [found[key] for key in (1, 2, 3, 7, 8, 9)] == [7, 8, 9, 4, 4, 5]
