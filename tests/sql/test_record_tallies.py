"""record_tallies: the tallies of each kept record of the persons of a bucket."""

from tests.sql.packed import packed

ONE, TWO = packed(1010), packed(1010, 2020)
RECORDS = [("ann", 1, ONE, 6), ("ann", 2, TWO, 5), ("bob", 1, ONE, 5)]
HEAD = "person_key | kept_place | geo_unit_id | finest_position | codes_1_to_4 | codes_5_to_8 | ethnicity_code"


def test_a_record_has_the_tallies_of_each_answer_and_of_its_pairs(run_sql):
    lines = [
        f"{person} | {place} | 7 | 3 | {first} | {last} | {other}" for person, place, (first, last), other in RECORDS
    ]
    codes = ["race | 1010 | [1]", "ethnicity | 5 | [4]", "ethnicity | 6 | [7]"]
    keys = " | ".join(map(str, [*TWO, 5]))
    given = {
        "bucket_records": "\n".join([HEAD, "-", *lines]),
        "several_tallies": f"codes_1_to_4 | codes_5_to_8 | tally_ids\n-\n{TWO[0]} | {TWO[1]} | [2, 3]",
        "code_tallies": "\n".join(["question_name | code | tally_ids", "-", *codes]),
        "crossed_answers": f"codes_1_to_4 | codes_5_to_8 | ethnicity_code | tally_ids\n-\n{keys} | [-9]",
    }
    found = [(person, place, tally) for person, place, _, _, tally in run_sql("record_tallies", given=given)]
    of_two = [("ann", 2, tally) for tally in (-9, 2, 3, 4)]
    assert found == [("ann", 1, 1), ("ann", 1, 7), *of_two, ("bob", 1, 1), ("bob", 1, 4)]
