"""coded_records: every record as its codes, with the hash by which the records of a person are kept."""

from hashlib import md5

DOMAINS = [{"name": "code_1"}, {"name": "code_2"}]


def test_a_record_has_its_person_and_a_hash_of_all_that_is_counted_of_it(run_sql):
    given = {"table_codes": "person_key | kept_1 | code_1 | code_2 | weight\n-\nann | may | 3 | 0 | 7"}
    number = int.from_bytes(md5(b"ann\x1f3\x1f0\x1f7").digest(), "little")
    keys = {"person_key": "", "kept_1": ""}
    found = run_sql("coded_records", given=given, record_keys=keys, coded_domains=DOMAINS)
    assert found == [("ann", "may", 3, 0, 7, number)]
