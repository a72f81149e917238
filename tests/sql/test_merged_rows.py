"""merged_rows: how many totals the parts of the records gave, and of how many population groups."""


def test_a_group_with_people_in_several_parts_has_several_totals(run_sql):
    found = run_sql(
        "merged_rows",
        given={
            "slice_totals": """
                population_group_id:bigint | exact_count:integer
                ---------------------------+--------------------
                                         7 |                   3
                                         9 |                   1
                                         7 |                   2
                                         7 |                   2
            """
        },
    )
    assert found == [(4, 2)]
