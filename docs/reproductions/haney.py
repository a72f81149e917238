"""Tables 1, 2 and 4 of Haney and others, ours beside theirs: haney.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil
from pathlib import Path

from docs.reproductions.markdown import table
from safetab_sql.accounting.accountants import (
    GroupCalls,
    formula_totals,
    geometric_rdp,
    loss_distribution_total,
    merged,
)
from safetab_sql.accounting.conversions import PRECISE, decimal_above, rdp_to_approximate_dp
from safetab_sql.accounting.plan import level_calls
from safetab_sql.accounting.statement import group_calls
from safetab_sql.laws.noise import margin_of_error
from safetab_sql.semantics.targets import exact_level_budget, level_budget, paper_level_budget
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.parameters import load_parameters
from tests.plans import ledger_at

ROOT = Path(__file__).parents[2]
DELTA = Fraction(1, 10**10)
GAMMA, STABILITY = Fraction("0.1"), 9


@dataclass(frozen=True, slots=True)
class Printed:
    """A row of the paper's Table 1, which is that of Table 4 too, as printed."""

    level: str
    name: str
    moe: int
    epsilon: tuple[str, str]
    rho: tuple[str, str]


PRINTED = (
    Printed("nation, detailed", "USA-2", 6, ("3.84", "4.27"), ("0.481", "0.534")),
    Printed("state, detailed", "STATE-2", 6, ("3.84", "4.27"), ("0.481", "0.534")),
    Printed("county, detailed", "COUNTY-2", 11, ("2.24", "2.49"), ("0.143", "0.159")),
    Printed("AIANNH, detailed", "AIANNH-2", 11, ("2.24", "2.49"), ("0.143", "0.159")),
    Printed("nation, regional", "USA-1", 50, ("0.531", "0.59"), ("0.007", "0.008")),
    Printed("state, regional", "STATE-1", 50, ("0.531", "0.59"), ("0.007", "0.008")),
    Printed("county, regional", "COUNTY-1", 50, ("0.531", "0.59"), ("0.007", "0.008")),
)


def reproduced(row: Printed, definition: PrivacyDefinition) -> tuple[str, str]:
    """Stage 2 and total of one level by `--rule paper`, with the digits that the paper prints."""
    total = paper_level_budget(definition, row.moe, STABILITY, GAMMA)
    stage_2 = (1 - GAMMA) * total
    if definition == "zcdp":
        return f"{float(stage_2):.3f}", f"{float(total):.3f}"
    return f"{float(stage_2):.3g}", f"{float(total):.3g}"


def paper_calls(definition: PrivacyDefinition) -> tuple[GroupCalls, ...]:
    """The calls of the paper's setting, from our parameter file."""
    parameters = load_parameters(ROOT / "configs" / f"paper-{definition}.toml")
    entries = ledger_at(parameters, STABILITY)
    return group_calls(entries)["us"]


def both_stages_epsilon(calls: Sequence[GroupCalls]) -> float:
    """The exact RDP bound if every group took both stages, on the paper's orders."""
    alphas = [Fraction(hundredths, 100) for hundredths in range(101, 1001)]

    def tau(alpha: Fraction) -> Fraction:
        stages = ((call.groups, (call.budgets.stage_1, call.budgets.stage_2)) for call in merged(calls))
        return sum(
            (groups * sum((geometric_rdp(one, alpha) for one in pair), Fraction(0)) for groups, pair in stages),
            Fraction(0),
        )

    return min(rdp_to_approximate_dp(tau(alpha), alpha, DELTA) for alpha in alphas)


def paper_rho(moe: int) -> Fraction:
    """The rho of a call whose discrete Gaussian noise has margin `moe` >= 1 (persons): 1.92 / moe^2. Source: eq. 37."""
    return Fraction("1.92") / moe**2


def paper_epsilon(moe: int) -> Fraction:
    """The epsilon of a call whose geometric noise has margin `moe` >= 0 (persons): log(20) / (moe + 1), rounded up.

    Source: paper eq. 38. Its margin, eq. 36, is one person short of the quantile.
    """
    with localcontext(PRECISE):
        return Fraction(decimal_above(Decimal(20).ln(), Decimal(20).ln())) / (moe + 1)


def blocks() -> dict[str, str]:
    """What is computed of the page."""
    return {"puredp": _budgets("puredp"), "zcdp": _budgets("zcdp"), "losses": _losses()}


def _budgets(definition: PrivacyDefinition) -> str:
    """Tables 1 and 4 of one mechanism."""
    formula = paper_rho if definition == "zcdp" else paper_epsilon
    rows = []
    for row in PRINTED:
        theirs = row.rho if definition == "zcdp" else row.epsilon
        total = paper_level_budget(definition, row.moe, STABILITY, GAMMA)
        rows.append(
            (
                row.level,
                str(row.moe),
                " / ".join(theirs),
                " / ".join(reproduced(row, definition)),
                f"{float(level_budget(formula(row.moe), STABILITY, GAMMA)):.4g}",
                str(margin_of_error(level_calls(definition, total, STABILITY, GAMMA).stage_2.law)),
                f"{float(exact_level_budget(definition, row.moe, STABILITY, GAMMA)):.4g}",
            )
        )
    head = (
        *("population group level", "MOE target", "paper: stage 2 / total", "ours: stage 2 / total"),
        *("formula, unrounded", "exact MOE95 of the paper's budget", "budget for an exact MOE95"),
    )
    return table(head, rows)


def _losses() -> str:
    """Table 2, and the rows that it lacks."""
    geometric, gaussian = paper_calls("puredp"), paper_calls("zcdp")
    pure, best_rdp, _, printed_rdp, *_ = formula_totals("puredp", geometric, DELTA)
    best, on_grid, closed = formula_totals("zcdp", gaussian, DELTA)
    composed = [
        loss_distribution_total("puredp", geometric, DELTA, [pure, best_rdp]),
        loss_distribution_total("zcdp", gaussian, DELTA, [best]),
    ]
    rows = [
        ("geometric, pure DP (delta 0)", "15.3", _shown(pure.epsilon), "upper bound"),
        ("geometric, RDP as printed (eqs. 17, 39, 40)", "13.2", _shown(printed_rdp.epsilon), printed_rdp.caveat),
        ("geometric, RDP, exact divergence", "", _shown(best_rdp.epsilon), "upper bound"),
        (
            "geometric, RDP, exact divergence, had all groups both stages",
            "",
            _shown(both_stages_epsilon(geometric)),
            "not an upper bound: groups with a total alone cost more",
        ),
        ("geometric, privacy loss distribution", "", _shown(composed[0].epsilon), "upper bound"),
        ("discrete Gaussian, zCDP, analytical (eq. 8)", "12.8", _shown(closed.epsilon), "upper bound"),
        ("discrete Gaussian, zCDP, paper's orders (eq. 7)", "12.2", _shown(on_grid.epsilon), "upper bound"),
        ("discrete Gaussian, zCDP, best order (eq. 7)", "", _shown(best.epsilon), "upper bound"),
        ("discrete Gaussian, privacy loss distribution", "", _shown(composed[1].epsilon), "upper bound"),
    ]
    head = ("analysis", "paper", "ours", "what ours is")
    return table(head, rows)


def _shown(epsilon: float | None) -> str:
    """Two decimals, rounded up as bounds are; what is a whole hundredth but for its last bit stays one."""
    if epsilon is None:
        raise ValueError("install the accounting extra to write this page")
    return f"{ceil(epsilon * 100 * (1 - 1e-14)) / 100:.2f}"
