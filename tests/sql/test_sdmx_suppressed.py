"""sdmx_suppressed: bounds of groups without a row as observations."""

SUPPRESSED = """
    REGION_TYPE | ITERATION_CODE | SUPPRESSED_UP_TO | HIGH95
         COUNTY |       A x B    |               21 |     30
"""


def test_a_bound_is_an_observation(run_sql):
    assert run_sql("sdmx_suppressed", given={"suppressed": SUPPRESSED}, dataflow="A:S(1.0.0)") == [
        ("dataflow", "A:S(1.0.0)", "I", "COUNTY", "A$20x$20B", 21, 30)
    ]
