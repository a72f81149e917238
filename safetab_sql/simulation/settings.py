"""parameters.toml of a synthetic nation: the budgets and thresholds of the 2020 production run."""

from collections.abc import Sequence

from safetab_sql.settings.about import simulated_toml

TITLE = "A simulated nation"
US_REGION_TYPES = ("USA", "STATE", "COUNTY", "TRACT", "PLACE", "AIANNH")
PR_REGION_TYPES = ("PR-STATE", "PR-COUNTY", "PR-TRACT", "PR-PLACE")
NATION_OR_STATE = ("USA", "STATE", "PR-STATE")


def parameters_toml(state_codes: Sequence[str], *, puerto_rico: bool) -> str:
    """The text of parameters.toml for a nation of these states (two-digit codes, without Puerto Rico).

    Source: config.json of the 2020 Detailed DHC-A, whose numbers these are.
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
    region_types = US_REGION_TYPES + (PR_REGION_TYPES if puerto_rico else ())
    return head + "".join(_level(region_type, level) for region_type in region_types for level in (1, 2))


def _level(region_type: str, iteration_level: int) -> str:
    """One [levels.*] table. Budgets are rho of the whole level; 0 means that it is not tabulated."""
    coarse = region_type in NATION_OR_STATE
    if iteration_level == 1:
        budget, thresholds = "0.0" if region_type == "AIANNH" else "0.008", "4971, 19971, 149971"
    else:
        budget, thresholds = ("2.134", "471, 971, 6971") if coarse else ("0.159", "971, 4971, 19971")
    return f"\n[levels.{region_type}-{iteration_level}]\nbudget = {budget}\nthresholds = [{thresholds}]\n"
