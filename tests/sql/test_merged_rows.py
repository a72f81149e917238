"""merged_rows: how many totals the parts of the records gave for one population group in 61, and of how many."""


def test_a_group_with_people_in_several_parts_has_several_totals(run_sql):
    found = run_sql(
        "merged_rows",
        given={
            "slice_totals": """
                population_group_id:bigint | exact_count:integer
                                        61 |                   3
                                       122 |                   1
                                        61 |                   2
                                         7 |                   2
                                        61 |                   2
            """
        },
    )
    assert found == [(4, 2)]
