"""kept_records: the records that are counted of persons who have more."""

import pytest

# Person and geo unit; the hash falls as the number of the geo unit rises.
RECORDS = [("ann", 1), ("ann", 2), ("ann", 3), ("bob", 1), ("ann", 1)]
DAYS = ["2", "NULL", "1", "3", "9"]


@pytest.fixture
def kept(run_sql):
    def units(most, order, reverse=False):
        """Person, place and geo unit of each kept record."""
        rows = [
            f"{person} | {day} | {unit} | 0 | 1 | 0 | 5 | {10 - unit}"
            for (person, unit), day in zip(RECORDS, DAYS, strict=True)
        ]
        codes = "codes_1_to_4 | codes_5_to_8 | ethnicity_code"
        head = f"person_key | kept_1 | geo_unit_id | finest_position | {codes} | record_hash"
        lines = rows[::-1] if reverse else rows
        given = {"countable_records": "\n".join([head, *lines]), "bounded_persons": "person_key\nann"}
        found = run_sql("kept_records", given=given, keep_order=order, most_records=most)
        assert {records for _, _, records, *_ in found} == {4}
        return [(person, place, unit) for person, place, _, unit, *_ in found]

    return units


@pytest.mark.parametrize("reverse", [False, True])
def test_without_an_order_records_are_kept_by_hash_and_by_no_place_in_a_file(kept, reverse):
    assert kept(3, {}, reverse) == [("ann", 1, 3), ("ann", 2, 2), ("ann", 3, 1)]


@pytest.mark.parametrize(("direction", "wanted"), [("asc", [3, 1, 1, 2]), ("desc", [1, 1, 3, 2])])
def test_the_order_comes_first_and_missing_values_last(kept, direction, wanted):
    assert [unit for _, _, unit in kept(9, {"kept_1": direction})] == wanted
