"""parameters.toml of a synthetic nation: the budgets and thresholds of the 2020 production run."""

from collections.abc import Sequence

from safetab_sql.settings.about import simulated_toml
from safetab_sql.settings.census import census_ladder
from safetab_sql.settings.ladders import LevelParameters
from safetab_sql.settings.parameters import census

TITLE = "A simulated nation"


def parameters_toml(state_codes: Sequence[str], *, puerto_rico: bool) -> str:
    """The text of parameters.toml for a nation of these states (two-digit codes, without Puerto Rico).

    Source: configs/census-2020.toml, whose numbers these are.
    """
    states = ", ".join(f'"{code}"' for code in state_codes)
    head = f"""\
{simulated_toml(TITLE)}\
privacy_definition = "zcdp"        # "zcdp": budgets are rho; "puredp": budgets are epsilon
max_race_codes = 8
gamma = 0.1                        # fraction of each level's budget that stage 1 spends
zero_suppression_chance = 0.9999   # 0 turns suppression off
allow_negative_counts = true
run_us = true
run_pr = {str(puerto_rico).lower()}
state_filter_us = [{states}]
"""
    levels = {level.level.name: level for level in census_ladder().levels}
    region_types = [kind.name for kind in census().region_types if kind.part == "US" or puerto_rico]
    return head + "".join(_level(levels[f"{name}-{number}"]) for name in region_types for number in (1, 2))


def _level(level: LevelParameters) -> str:
    """One [levels.*] table. Budgets are rho of the whole level; 0 means that it is not tabulated."""
    thresholds = ", ".join(map(str, level.thresholds))
    return f"\n[levels.{level.level.name}]\nbudget = {float(level.budget)}\nthresholds = [{thresholds}]\n"
