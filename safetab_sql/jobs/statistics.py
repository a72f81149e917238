"""`statistics` and `moe`: counts, sums, ratios, differences and quantiles of published counts, with intervals."""

from collections.abc import Sequence
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
from safetab_sql.statistics.names import Paths, opened_releases
from safetab_sql.statistics.sums import PublishedSum, published_sum, wanted_rows
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


def sum_of_release(
    out: Paths,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    of: str | Sequence[str] = (),
    level: Fraction = LEVEL,
) -> PublishedSum:
    """The sum over the rows of `out` that each predicate matches: rows of `plus` less rows of `minus`.

    of: with these, also the ratio of the sum to the rows that they match; nothing may be subtracted then.
    out: a folder that `run` or `reconcile` made, or several: then conditions name one by RELEASE (its position, '1',
    '2', ...), RELEASE_TITLE or RELEASE_DAY. Raises: InputError where `out` is no release with margins of error, with
    every problem of the predicates, and where one of them matches no row.
    """
    return published_sum(opened_releases(out), wanted_rows(plus, minus, of), level)


moe = sum_of_release  # the job of the command `moe`
