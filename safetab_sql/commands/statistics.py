"""`statistics`: a table of wanted statistics in, the same table with estimates and intervals out."""

from fractions import Fraction
from pathlib import Path

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Json, Machine, Replace, Share


def statistics(
    release: Path,
    *,
    wanted: Path,
    out: Path,
    level: Share = Fraction(95, 100),
    from_zero: bool = False,
    overwrite: Replace = False,
    json: Json = False,
    machine: Machine,
) -> None:
    """Compute ratios, differences, medians and counts with intervals, for a table of wanted ones.

    example: demo/release --wanted wanted.csv --out answers.csv

    release OUT: folder that `run` made, in Parquet, or `reconcile`
    wanted F: one row a statistic, CSV or Parquet: KIND (count, difference, ratio, quantile, ratio_difference), its
        group and values
    out F: file to make, .csv or .parquet: the same rows with ESTIMATE, LOW, HIGH, P_VALUE and NOTE
    level X: level of the intervals
    from_zero: cut the intervals of counts at 0
    json: print how many statistics there are, and how many have an interval, as JSON
    """
    from pyarrow import compute

    from safetab_sql.jobs.statistics import statistics
    from safetab_sql.kit.text_tables import counted

    made = statistics(
        release, wanted, out, level=level, from_zero=from_zero, overwrite=overwrite, resources=machine.resources
    )
    is_open = compute.and_(compute.is_null(made["LOW"]), compute.is_null(made["HIGH"]))
    answered = made.filter(compute.invert(is_open)).num_rows
    answer = {"out": out, "statistics": made.num_rows, "intervals": answered}
    told = f"{out}: {counted(made.num_rows, 'statistic', 'statistics')}, {answered:,} with an interval"
    print(json_text(answer) if json else told)
