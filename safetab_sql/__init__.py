"""Differentially private population tables with SafeTab, SQL-first on DuckDB.

A command of the command line is a function of its name here: `job(inputs, out, options...)` returns what it made. Bad
input raises `InputError`. Nothing is imported before it is asked for.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from safetab_sql.accounting.ledger_file import LedgerFile
    from safetab_sql.evaluation.evaluate import Evaluation, evaluate
    from safetab_sql.evaluation.ground_truth import ground_truth
    from safetab_sql.histograms.bottom_up import BottomUp, BottomUpInputs, bottom_up
    from safetab_sql.histograms.synthesize import SynthesisInputs, synthesize
    from safetab_sql.jobs.account import Account, account
    from safetab_sql.jobs.describe import Description, describe
    from safetab_sql.jobs.example import example
    from safetab_sql.jobs.lists import MadeLists, lists
    from safetab_sql.jobs.loss_targets import LossTarget, loss_target, loss_target_of
    from safetab_sql.jobs.moe import moe, sum_of_counts, sum_of_release
    from safetab_sql.jobs.new import NewFiles, TheirFiles, new
    from safetab_sql.jobs.plan import Plan, plan
    from safetab_sql.jobs.published_sum import PublishedSum
    from safetab_sql.jobs.quantile import PublishedQuantile
    from safetab_sql.jobs.reconcile import Reconciliation, reconcile
    from safetab_sql.jobs.release import Release, open_release
    from safetab_sql.jobs.report import ExactFolders, report
    from safetab_sql.jobs.run import run
    from safetab_sql.jobs.schema import schema
    from safetab_sql.jobs.semantics import BudgetSource, semantics
    from safetab_sql.jobs.statistics import statistics
    from safetab_sql.jobs.strategy import Strategies, strategy
    from safetab_sql.jobs.sum_ratio import PublishedRatio
    from safetab_sql.jobs.targets import Target, Wanted, targets
    from safetab_sql.jobs.validate import validate
    from safetab_sql.kit.database import Resources
    from safetab_sql.kit.errors import InputError, Problem
    from safetab_sql.public.inputs import InputPaths
    from safetab_sql.public.parameters import Parameters, load_parameters
    from safetab_sql.published.manifest import Made
    from safetab_sql.report.report import Report
    from safetab_sql.semantics.summary import Summary
    from safetab_sql.simulation.simulate import Extras, simulate

__all__ = [
    "Account",
    "BottomUp",
    "BottomUpInputs",
    "BudgetSource",
    "Description",
    "Evaluation",
    "ExactFolders",
    "Extras",
    "InputError",
    "InputPaths",
    "LedgerFile",
    "LossTarget",
    "Made",
    "MadeLists",
    "NewFiles",
    "Parameters",
    "Plan",
    "Problem",
    "PublishedQuantile",
    "PublishedRatio",
    "PublishedSum",
    "Reconciliation",
    "Release",
    "Report",
    "Resources",
    "Strategies",
    "Summary",
    "SynthesisInputs",
    "Target",
    "TheirFiles",
    "Wanted",
    "account",
    "bottom_up",
    "describe",
    "evaluate",
    "example",
    "ground_truth",
    "lists",
    "load_parameters",
    "loss_target",
    "loss_target_of",
    "moe",
    "new",
    "open_release",
    "plan",
    "reconcile",
    "report",
    "run",
    "schema",
    "semantics",
    "simulate",
    "statistics",
    "strategy",
    "sum_of_counts",
    "sum_of_release",
    "synthesize",
    "targets",
    "validate",
]

_MODULES = {
    "accounting.ledger_file": ("LedgerFile",),
    "evaluation.evaluate": ("Evaluation", "evaluate"),
    "evaluation.ground_truth": ("ground_truth",),
    "histograms.bottom_up": ("BottomUp", "BottomUpInputs", "bottom_up"),
    "histograms.synthesize": ("SynthesisInputs", "synthesize"),
    "jobs.account": ("Account", "account"),
    "jobs.describe": ("Description", "describe"),
    "jobs.example": ("example",),
    "jobs.lists": ("MadeLists", "lists"),
    "jobs.loss_targets": ("LossTarget", "loss_target", "loss_target_of"),
    "jobs.moe": ("moe", "sum_of_counts", "sum_of_release"),
    "jobs.new": ("NewFiles", "TheirFiles", "new"),
    "jobs.plan": ("Plan", "plan"),
    "jobs.published_sum": ("PublishedSum",),
    "jobs.quantile": ("PublishedQuantile",),
    "jobs.reconcile": ("Reconciliation", "reconcile"),
    "jobs.release": ("Release", "open_release"),
    "jobs.report": ("ExactFolders", "report"),
    "jobs.run": ("run",),
    "jobs.schema": ("schema",),
    "jobs.semantics": ("BudgetSource", "semantics"),
    "jobs.statistics": ("statistics",),
    "jobs.strategy": ("Strategies", "strategy"),
    "jobs.sum_ratio": ("PublishedRatio",),
    "jobs.targets": ("Target", "Wanted", "targets"),
    "jobs.validate": ("validate",),
    "kit.database": ("Resources",),
    "kit.errors": ("InputError", "Problem"),
    "public.inputs": ("InputPaths",),
    "public.parameters": ("Parameters", "load_parameters"),
    "published.manifest": ("Made",),
    "report.report": ("Report",),
    "semantics.summary": ("Summary",),
    "simulation.simulate": ("Extras", "simulate"),
}
_HOMES = {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}


class _FrontDoor(ModuleType):
    """The package: its names are looked up when they are used."""

    def __getattr__(self, name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        return getattr(import_module(_HOMES[name]), name)

    def __setattr__(self, name: str, value: object) -> None:
        """Python sets what it imports as an attribute; `run`, `report` and `semantics` stay the jobs of these names."""
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _FrontDoor
