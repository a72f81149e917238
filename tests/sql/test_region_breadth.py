"""region_breadth: which regions are broad, and which local; it decides how people are counted, never how many."""

import pytest


def breadth(run_sql, geo_units, counties):
    unit_rows = "\n".join(str(unit) for unit in range(1, geo_units + 1))
    region_rows = "\n".join(f"{county} | COUNTY | {county:05}" for county in range(1, counties + 1))
    given = {
        "geo_units": f"geo_unit_id\n{unit_rows}",
        "regions": f"region_key | region_type | region_id\n{region_rows}\n99 | USA | 1",
    }
    return dict(run_sql("region_breadth", given=given))


@pytest.mark.parametrize(("geo_units", "is_broad"), [(40, True), (39, False)], ids=["twenty a region", "fewer"])
def test_a_region_is_broad_where_there_are_twenty_geo_units_for_each_region_of_its_type(run_sql, geo_units, is_broad):
    found = breadth(run_sql, geo_units, counties=2)
    assert [found[1], found[2]] == [is_broad, is_broad]


def test_each_region_type_is_judged_on_its_own(run_sql):
    found = breadth(run_sql, 20, counties=2)
    assert [found[1], found[99]] == [False, True]
