"""Differentially private population tables with SafeTab, SQL-first on DuckDB.

`validate`, `run` and `ground_truth` do what the commands of the same names do; inputs are named by `InputPaths`.
`sum_of_release` does what `moe` does, and `sum_of_counts` does it on Arrow tables or DuckDB relations.
"""

from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.moe import PublishedSum, sum_of_counts, sum_of_release
from safetab_sql.jobs.validate import validate
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.parameters import Parameters, load_parameters
from safetab_sql.run import run

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
