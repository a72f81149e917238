"""scattered_people: people who are far from their neighbours in the files, by where they live."""

import pytest

GEO_UNITS = "geo_unit_id\n" + "\n".join(map(str, range(1, 11)))


@pytest.fixture
def buckets(run_sql):
    """The bucket of the people of each geo unit, of ten."""

    def rows(number, *geo_units):
        header = "geo_unit_id | finest_position | codes_1_to_4 | codes_5_to_8 | ethnicity_code\n"
        persons = header + "\n".join(f"{unit} | 3 | 4 | 5 | 6" for unit in geo_units)
        made = run_sql("scattered_people", given={"persons": persons, "geo_units": GEO_UNITS}, buckets=number)
        assert {row[1:5] for row in made} == {(3, 4, 5, 6)}
        return {row[0]: row[5] for row in made}

    return rows


def test_buckets_have_as_many_geo_units_or_one_more_and_whoever_has_none_is_in_the_first(buckets):
    assert list(buckets(5, *range(1, 11)).values()) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert list(buckets(3, *range(1, 11)).values()) == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert buckets(5, "NULL") == {None: 0}
