"""The columns that readers of a release need of its tables, and tables that it may lack, without rows."""

from collections.abc import Sequence

import pyarrow as pa

_COUNTS = ("COUNT", "VARIANCE", "MOE95", "LOW95", "HIGH95")
TOTALS = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", *_COUNTS)
MEASURED = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE", "STAGE_1", "STAGE_1_VARIANCE", "LOW95", "HIGH95")

INDEXED = ("REGION_TYPE", "ITERATION_CODE", "LADDER", "LEVEL", "IS_TOTAL_ONLY")  # of the index of groups


def empty_table(columns: Sequence[str]) -> pa.Table:
    """A table of counts or of measurements without rows."""
    kinds = {"VARIANCE": pa.float64(), "MOE95": pa.float64(), "STAGE_1_VARIANCE": pa.float64()}
    texts = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE")
    return pa.schema(
        [(name, pa.string() if name in texts else kinds.get(name, pa.int64())) for name in columns]
    ).empty_table()
