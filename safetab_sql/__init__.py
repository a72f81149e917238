"""Differentially private population tables with SafeTab, SQL-first on DuckDB.

`validate`, `run` and `ground_truth` do what the commands of the same names do; inputs are named by `InputPaths`.
`sum_of_release` does what `moe` does, and `sum_of_counts` does it on Arrow tables or DuckDB relations.
"""

from safetab_sql.confidential.intake import InputPaths
from safetab_sql.database import Resources
from safetab_sql.errors import InputError, Problem
from safetab_sql.ground_truth import ground_truth
from safetab_sql.ledger_file import LedgerFile
from safetab_sql.public.parameters import Parameters, load_parameters
from safetab_sql.published.sums import PublishedSum, sum_of_counts, sum_of_release
from safetab_sql.run import run, validate

__all__ = [
    "InputError",
    "InputPaths",
    "LedgerFile",
    "Parameters",
    "Problem",
    "PublishedSum",
    "Resources",
    "ground_truth",
    "load_parameters",
    "run",
    "sum_of_counts",
    "sum_of_release",
    "validate",
]
