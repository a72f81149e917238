"""The statements of sql/run/3_kept and sql/run/3_people: which records count, as a few small numbers each."""

from hashlib import md5

import pytest


def packed(*codes: int) -> tuple[int, int]:
    """Up to eight race codes as table `persons` holds them: two numbers of four codes, 16 bits each; 0 none."""
    all_codes = [*codes, *[0] * (8 - len(codes))]
    first, last = (sum(code << 16 * (3 - place) for place, code in enumerate(all_codes[at : at + 4])) for at in (0, 4))
    return first, last


def test_whoever_has_more_records_than_the_bound_is_a_row(run_sql):
    given = {"person_numbers": "person_key\nann\nbob\nann\nann\nbob\neve"}
    assert run_sql("bounded_persons", given=given, most_records=2) == [("ann",)]
    assert run_sql("bounded_persons", given=given, most_records=0) == [("ann",), ("bob",), ("eve",)]


# Person, day and geo unit; the hash falls as the number of the geo unit rises.
RECORDS = [("ann", "2", 1), ("ann", "NULL", 2), ("ann", "1", 3), ("bob", "3", 1), ("ann", "9", 1)]


@pytest.fixture
def kept(run_sql):
    def units(most, order, reverse=False):
        """Person, place and geo unit of each kept record."""
        lines = [f"{person} | {day} | {unit} | 0 | 1 | 0 | 5 | {10 - unit}" for person, day, unit in RECORDS]
        codes = "codes_1_to_4 | codes_5_to_8 | ethnicity_code"
        head = f"person_key | kept_1 | geo_unit_id | finest_position | {codes} | record_hash"
        records = "\n".join([head, *(lines[::-1] if reverse else lines)])
        given = {"countable_records": records, "bounded_persons": "person_key\nann"}
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


def test_only_what_exceeds_the_bound_is_cut_and_the_most_frequent_ids_are_named(run_sql):
    nobody = "person_key | kept_place | records"
    rows = f"{nobody}\nann | 1 | 7\nann | 2 | 7\nbob | 1 | 5\neve | 1 | 6"
    found = run_sql("records_cut", given={"kept_records": rows}, most_records=5)
    assert found == [(2, 3, ["ann has 7", "eve has 6"])]
    assert run_sql("records_cut", given={"kept_records": nobody}, most_records=5) == [(0, 0, None)]


COLUMNS = ["AGE_number", "SEX_number", "block_key", *(f"code_{place}" for place in range(1, 9)), "ethnicity_code"]
BLOCK = 10030004000005
CATALOG = {
    "block_geo_units": f"block_key | geo_unit_id\n{BLOCK} | 7\n440070001011000 | 8",
    "finest_values": "SEX_number | AGE_number | finest_position\n1 | 17 | 0\n1 | 18 | 1\n2 | 17 | 2\n2 | 18 | 3",
}
KEYS = {"person_key": "", "kept_1": ""}


@pytest.fixture
def persons(run_sql):
    def rows(age=17, sex=1, block=BLOCK, races=(1010,)):
        cells = map(str, [age, sex, block, *races, *[0] * (8 - len(races)), 2000])
        return run_sql("persons", given={"person_numbers": f"{' | '.join(COLUMNS)}\n{' | '.join(cells)}", **CATALOG})

    return rows


@pytest.mark.parametrize("block", [20030004000005, 10030004000006, "NULL"])
def test_a_person_outside_the_requested_blocks_has_no_geo_unit(persons, block):
    assert [row[:2] for row in persons(block=block)] == [(None, 0)]


@pytest.mark.parametrize(("sex", "age"), [(1, 116), (1, -1), (1, "NULL"), (3, 17), ("NULL", 17), (1, 2_147_483_647)])
def test_a_person_without_an_age_or_sex_of_the_catalog_has_no_geo_unit(persons, sex, age):
    assert [row[:2] for row in persons(sex=sex, age=age)] == [(None, None)]


@pytest.mark.parametrize(
    "races",
    [(1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008), (1001,), (1, 20), (65535,) * 8],
    ids=["eight", "one", "leading zeros", "the largest"],
)
def test_each_of_eight_race_codes_has_its_own_16_bits(persons, races):
    assert [row[2:4] for row in persons(races=races)] == [packed(*races)]


@pytest.fixture
def records(run_sql):
    def rows(age=17, block=BLOCK):
        cells = map(str, [age, 2, block, 1010, *[0] * 7, 2000, "ann", "may"])
        text = f"{' | '.join([*COLUMNS, *KEYS])}\n{' | '.join(cells)}"
        return run_sql("countable_records", given={"person_numbers": text, **CATALOG}, record_keys=KEYS)

    return rows


def test_a_record_has_its_person_and_a_hash_of_all_that_is_counted_of_it(records):
    text = "\x1f".join(map(str, ["ann", 17, 2, *packed(1010), 2000, BLOCK]))
    number = int.from_bytes(md5(text.encode()).digest(), "little")
    assert records() == [("ann", "may", 7, 2, *packed(1010), 2000, number)]


@pytest.mark.parametrize("given", [{"age": 116}, {"block": 1}, {"block": "NULL"}], ids=str)
def test_what_cannot_be_counted_is_gone_before_records_are_bounded(records, given):
    assert records(**given) == []


ALL = (1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008)


@pytest.mark.parametrize(
    ("unit", "codes", "other", "left_out"),
    [
        *((1, ALL[:held], 50, 0) for held in (1, 2, 4, 8)),
        *(("NULL", ALL[:4], 50, 1), (1, (), 50, 1), (1, ALL[:4], 0, 1)),
        *((1, [code if number != gap else 0 for number, code in enumerate(ALL, 1)], 50, 1) for gap in range(2, 8)),
    ],
)
def test_whoever_lacks_a_geo_unit_or_an_answer_or_has_a_gap_before_a_code_is_left_out(
    run_sql, unit, codes, other, left_out
):
    head = "geo_unit_id | finest_position | codes_1_to_4 | codes_5_to_8 | ethnicity_code"
    person = " | ".join(map(str, (unit, 0, *packed(*codes), other)))
    assert run_sql("people_left_out", given={"persons": f"{head}\n{person}"}) == [(left_out,)]
