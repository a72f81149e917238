"""The statements of sql/cluster: what is found and counted in parts of the records, and whether a part is the same."""

FINDINGS = """
    part | check_name             | check_number | records | examples
       2 | persons_code_unknown   |            0 |       3 | [d, e, f]
       1 | persons_code_unknown   |            0 |       9 | [a, b, c]
       2 | persons_value_unlisted |            1 |       1 | [x]
       1 | persons_value_unlisted |            2 |       5 | [b]
"""
COLUMNS = ["AGE_number", "SEX_number", "block_key", *(f"code_{place}" for place in range(1, 9)), "ethnicity_code"]
FIRST, SECOND = ("34", "1", "10030004000005", "1010"), ("NULL", "2", "10030004000005", "2010")


def test_rows_of_parts_add_up_the_first_examples_stay_and_another_attribute_stands_apart(run_sql):
    assert run_sql("merged_findings", given={"part_findings": FINDINGS}) == [
        ("persons_code_unknown", 0, 12, ["a", "b", "c", "d", "e"]),
        *(("persons_value_unlisted", 1, 1, ["x"]), ("persons_value_unlisted", 2, 5, ["b"])),
    ]


def test_a_group_with_people_in_several_parts_has_several_totals(run_sql):
    totals = "population_group_id:bigint | exact_count:integer\n61 | 3\n122 | 1\n61 | 2\n7 | 2\n61 | 2"
    assert run_sql("merged_rows", given={"slice_totals": totals}) == [(4, 2)]


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
