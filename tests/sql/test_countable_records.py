"""countable_records: the records that can be counted, each with its person."""

from hashlib import md5

import pytest

from tests.sql.packed import packed
from tests.sql.test_persons import BLOCK, BLOCK_CELLS, COLUMNS, FINEST_VALUES

KEYS = {"person_key": "", "kept_1": ""}


@pytest.fixture
def records(run_sql):
    def rows(age=17, block=BLOCK):
        cells = map(str, [age, 2, block, 1010, *[0] * 7, 2000, "ann", "may"])
        given = {
            "person_numbers": f"{' | '.join([*COLUMNS, *KEYS])}\n{' | '.join(cells)}",
            "block_geo_units": BLOCK_CELLS,
            "finest_values": FINEST_VALUES,
        }
        return run_sql("countable_records", given=given, record_keys=KEYS)

    return rows


def test_a_record_has_its_person_and_a_hash_of_all_that_is_counted_of_it(records):
    text = "\x1f".join(map(str, ["ann", 17, 2, *packed(1010), 2000, BLOCK]))
    number = int.from_bytes(md5(text.encode()).digest(), "little")
    assert records() == [("ann", "may", 7, 2, *packed(1010), 2000, number)]


@pytest.mark.parametrize("given", [{"age": 116}, {"block": 1}, {"block": "NULL"}], ids=str)
def test_what_cannot_be_counted_is_gone_before_records_are_bounded(records, given):
    assert records(**given) == []
