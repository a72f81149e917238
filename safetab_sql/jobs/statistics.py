"""`statistics`: counts, ratios, differences of both and quantiles with intervals, many in one call."""

from fractions import Fraction
from functools import partial
from io import BytesIO
from pathlib import Path

import pyarrow as pa
from pyarrow import csv, parquet

from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.whole_folders import write_whole_file
from safetab_sql.statistics.evaluator import LEVEL, Adjust
from safetab_sql.statistics.names import Paths
from safetab_sql.statistics.wanted_statistics import statistics_of


def statistics(
    release: Paths,
    wanted: str | Path,
    out: str | Path,
    *,
    adjust: Adjust | None = None,
    level: Fraction = LEVEL,
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> pa.Table:
    """The wanted statistics with ESTIMATE, LOW, HIGH, P_VALUE and NOTE, written to `out`, CSV or Parquet by its suffix.

    release: a folder, or several, which columns of `wanted` name. wanted: CSV or Parquet, one row a statistic.
    adjust: how P_ADJUSTED, LOW_ADJUSTED and HIGH_ADJUSTED allow for the number of comparisons. level: of the intervals.
    Raises: InputError with every problem of the inputs.
    """
    writers = {".csv": csv.write_csv, ".parquet": partial(parquet.write_table, compression="zstd")}
    place, stream = Path(out), BytesIO()
    if place.suffix not in writers:
        raise InputError([Problem(f"--out {out}", "is neither .csv nor .parquet", "end its name with one of them")])
    table = statistics_of(release, wanted, adjust=adjust, level=level, resources=resources)
    writers[place.suffix](table, stream)
    write_whole_file(place, stream.getvalue(), overwrite=overwrite)
    return table
