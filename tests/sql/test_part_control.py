"""part_control: control numbers of a part of the records, which tell whether it is the same when it is read again."""

COLUMNS = ["AGE_number", "SEX_number", "block_key", *(f"code_{place}" for place in range(1, 9)), "ethnicity_code"]
FIRST, SECOND = ("34", "1", "10030004000005", "1010"), ("NULL", "2", "10030004000005", "2010")


def control(run_sql, *people):
    rows = [" | ".join([*person, *["0"] * 7, "2000"]) for person in people]
    return run_sql("part_control", given={"person_numbers": "\n".join([" | ".join(COLUMNS), *rows])})


def test_every_value_matters_and_no_order_of_records(run_sql):
    found = control(run_sql, FIRST, SECOND)
    assert found == control(run_sql, SECOND, FIRST)
    assert found[0][0] == 2
    other = ("35", *SECOND[1:])
    swapped = [(SECOND[0], *FIRST[1:]), (FIRST[0], *SECOND[1:])]
    people = [(FIRST, SECOND), (FIRST, other), swapped, (FIRST, FIRST), (FIRST,), ()]
    assert len({tuple(control(run_sql, *each)) for each in people}) == len(people)
    assert control(run_sql) == [(0, "0")]
