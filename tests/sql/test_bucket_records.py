"""bucket_records: the kept records of some of the persons who count once in a group."""

HEAD = "person_key | kept_place | geo_unit_id | finest_position | codes_1_to_4 | codes_5_to_8 | ethnicity_code"
ROWS = [f"{name} | {place} | 7 | 0 | 1 | 0 | 5" for name in ("ann", "bob", "cas", "dan", "eve") for place in (1, 2)]


def test_every_record_is_in_one_bucket_and_a_person_in_one(run_sql):
    given = {"kept_records": "\n".join([HEAD, "-", *ROWS])}
    buckets = [run_sql("bucket_records", given=given, bucket=number, buckets=3) for number in range(3)]
    assert sorted(row[:2] for rows in buckets for row in rows) == sorted(
        (name, place) for name in ("ann", "bob", "cas", "dan", "eve") for place in (1, 2)
    )
    persons = [{row[0] for row in rows} for rows in buckets]
    assert sum(map(len, persons)) == 5
