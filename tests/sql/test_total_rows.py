"""total_rows: the published totals that pick tables, as they stand in a release."""

from safetab_sql.public.published_totals import totals_values
from safetab_sql.public.sources import find_source, stored_types
from tests.sql.parameters import parameters

TEXT = """
    REGION_ID | REGION_TYPE | ITERATION_CODE | COUNT
    ----------+-------------+----------------+------
           01 |       STATE |           0101 |   -12
           02 |       STATE |           0101 |   1.5
"""


def test_totals_are_read_as_they_were_published(run_sql, write_parquet):
    source = find_source(write_parquet(TEXT))
    types = stored_types(source, source.files)
    values = totals_values("totals", [str(file) for file in source.files], types, parameters("STATE-1"))
    assert run_sql("total_rows", **values) == [
        ("01", "STATE", "0101", -12, "-12"),
        ("02", "STATE", "0101", None, "1.5"),
    ]
