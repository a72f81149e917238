"""merged_findings: what the checks found in all parts of the records together."""


def test_rows_of_parts_add_up_and_the_first_examples_stay(run_sql):
    found = run_sql(
        "merged_findings",
        given={
            "part_findings": """
                part | check_name          | check_number | records | examples
                       2 | persons_code_unknown |               0 |              3 | [d, e, f]
                       1 | persons_code_unknown |               0 |              9 | [a, b, c]
                       2 | persons_value_unlisted |             1 |              1 | [x]
            """
        },
    )
    assert found == [
        ("persons_code_unknown", 0, 12, ["a", "b", "c", "d", "e"]),
        ("persons_value_unlisted", 1, 1, ["x"]),
    ]


def test_the_same_check_of_another_attribute_stands_apart(run_sql):
    found = run_sql(
        "merged_findings",
        given={
            "part_findings": """
                part | check_name             | check_number | records | examples
                       1 | persons_value_unlisted |                0 |              2 | [a]
                       1 | persons_value_unlisted |                1 |              5 | [b]
            """
        },
    )
    assert found == [("persons_value_unlisted", 0, 2, ["a"]), ("persons_value_unlisted", 1, 5, ["b"])]
