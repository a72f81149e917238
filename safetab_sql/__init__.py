"""Differentially private population tables with SafeTab, SQL-first on DuckDB.

`validate`, `run` and `ground_truth` do what the commands of the same names do; inputs are named by `InputPaths`.
"""

from safetab_sql.confidential.intake import InputPaths
from safetab_sql.database import Resources
from safetab_sql.errors import InputError, Problem
from safetab_sql.ground_truth import ground_truth
from safetab_sql.public.parameters import Parameters, load_parameters
from safetab_sql.run import run, validate

__all__ = [
    "InputError",
    "InputPaths",
    "Parameters",
    "Problem",
    "Resources",
    "ground_truth",
    "load_parameters",
    "run",
    "validate",
]
