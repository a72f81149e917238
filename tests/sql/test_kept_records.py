"""kept_records: the records that are counted of the persons whose records are not all counted as they are."""

from hashlib import md5

import pytest

RECORDS = [("ann", "a"), ("ann", "b"), ("ann", "c"), ("bob", "a"), ("ann", "a")]
DAYS = ["2", "NULL", "1", "3", "9"]


@pytest.fixture
def kept(run_sql):
    def texts(most, order, reverse=False):
        """Person, place and text of each kept record."""
        rows = [
            f"{person} | {day} | 7 | 0 | 1 | 0 | 5 | {text}" for (person, text), day in zip(RECORDS, DAYS, strict=True)
        ]
        codes = "codes_1_to_4 | codes_5_to_8 | ethnicity_code"
        head = f"person_key | kept_1 | geo_unit_id | finest_position | {codes} | used_text"
        lines = rows[::-1] if reverse else rows
        rows = [line.replace("| 7 |", f"| {ord(line[-1]) - 96} |") for line in lines]
        given = {
            "countable_records": "\n".join([head, "-", *rows]),
            "bounded_persons": "person_key\n-\nann",
        }
        found = run_sql("kept_records", given=given, keep_order=order, most_records=most)
        assert {records for _, _, records, *_ in found} == {4}
        return [(person, place, "abc"[unit - 1]) for person, place, _, unit, *_ in found]

    return texts


def by_hash(*texts):
    return sorted(texts, key=lambda text: int.from_bytes(md5(f"ann\x1f{text}".encode()).digest(), "little"))


@pytest.mark.parametrize("reverse", [False, True])
def test_without_an_order_records_are_kept_by_hash_and_by_no_place_in_a_file(kept, reverse):
    wanted = by_hash("a", "a", "b", "c")
    assert kept(3, {}, reverse) == [("ann", place, text) for place, text in enumerate(wanted[:3], start=1)]


@pytest.mark.parametrize(("direction", "wanted"), [("asc", "caab"), ("desc", "aacb")])
def test_the_order_comes_first_and_missing_values_last(kept, direction, wanted):
    assert [text for _, _, text in kept(9, {"kept_1": direction})] == list(wanted)
