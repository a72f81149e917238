"""geography_names: the names that the geography gives to regions."""

from safetab_sql.settings.geography import RegionType

ROWS = """
    AREA:varchar | DISTRICT:varchar | NAME:varchar | part_name
    -------------+------------------+--------------+----------
    a1           | d1               | Hills        | all
    a2           | d1               |              | all
    a3           | d2               | Coast        | all
    a4           | none             | nowhere      | all
    a5           | d3               |              | all
    a6           | d4               | Elsewhere    |
"""
DISTRICT = RegionType("DISTRICT", "DISTRICT", "all", none_id="none", region_name="NAME")


def names(run_sql, *kinds, rows=ROWS):
    return run_sql("geography_names", given={"geography_rows": rows}, named_region_types=list(kinds))


def test_a_region_has_the_name_of_its_places_and_none_where_no_place_says_one(run_sql):
    found = names(run_sql, DISTRICT, RegionType("COUNTRY", "'all'", "all", region_name="'Norland'"))
    assert found == [
        ("COUNTRY", "all", "Norland", "Norland"),
        ("DISTRICT", "d1", "Hills", "Hills"),
        ("DISTRICT", "d2", "Coast", "Coast"),
    ]


def test_where_places_of_a_region_say_two_names_both_are_there(run_sql):
    assert names(run_sql, DISTRICT, rows=ROWS.replace("d2 ", "d1 ")) == [("DISTRICT", "d1", "Coast", "Hills")]


def test_without_a_region_type_that_has_names_there_are_none(run_sql):
    assert names(run_sql) == []
