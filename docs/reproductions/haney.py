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
from safetab_sql.accounting.conversions import decimal_above, precise, rdp_to_approximate_dp
from safetab_sql.accounting.ledger import group_calls
from safetab_sql.accounting.plan import level_calls
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.semantics.targets import (
    exact_level_budget,
    level_budget,
    paper_level_budget,
)
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
    with localcontext(precise()):
        return Fraction(decimal_above(Decimal(20).ln(), Decimal(20).ln())) / (moe + 1)


def page() -> str:
    """The whole page."""
    return "\n\n".join([_HEAD, _budgets("puredp"), _budgets("zcdp"), _BUDGETS, _losses()]) + "\n"


def _budgets(definition: PrivacyDefinition) -> str:
    """Tables 1 and 4 of one mechanism."""
    unit, noise = ("rho", "Discrete Gaussian") if definition == "zcdp" else ("epsilon", "Geometric")
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
    return f"### {noise} ({unit})\n\n{table(head, rows)}"


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
    analytical, experimental = (
        f"{100 - 100 * float(one.epsilon or 0) / float(best_rdp.epsilon or 1):.0f} %" for one in (closed, on_grid)
    )
    other = _shown(formula_totals("puredp", geometric, 10 * DELTA)[3].epsilon)
    notes = _LOSSES.format(analytical=analytical, experimental=experimental, other=other)
    return f"## Table 2: the loss of the whole run in (epsilon, 1e-10)\n\n{table(head, rows)}\n\n{notes}"


def _shown(epsilon: float | None) -> str:
    """Two decimals, rounded up as bounds are; what is a whole hundredth but for its last bit stays one."""
    if epsilon is None:
        raise ValueError("install the accounting extra to write this page")
    return f"{ceil(epsilon * 100 * (1 - 1e-14)) / 100:.2f}"


_HEAD = """\
# Tables 1, 2 and 4 of the paper, ours beside theirs

S. Haney, W. Sexton, A. Machanavajjhala, M. Hay, G. Miklau: *Differentially Private Algorithms for 2020 Census Detailed
DHC Race & Ethnicity*.

Written by `make reproductions`; a test compares. The budgets are those of
[paper-puredp.toml](../../configs/paper-puredp.toml) and [paper-zcdp.toml](../../configs/paper-zcdp.toml), which
`safetab-sql targets --rule paper` writes; the losses are those that `safetab-sql account` prints for them. Setting:
gamma 0.1, stability 9 at every level, delta 1e-10.

## Tables 1 and 4: budgets for target margins of error"""

_BUDGETS = """\
Ours are the paper's, digit for digit. How they come about, and what to know of them:

- **Stage 2 gets 1 - gamma.** Appendix F prints that a group's budget is 1 / gamma times that of the stage-2 call. That
  would make the total of (county, detailed) 22.4 and not 2.49. The tables' numbers are 1 / (1 - gamma) times the
  call, as Algorithm 2 has it, and so are ours.
- **Rounding.** The tables follow if the budget of one call is rounded to the nearest: epsilon to three decimals, rho to
  four. But not from the constants as printed. Eq. 38's log(20) = 2.9957 would round to 0.428 and 0.250 where the tables
  have 0.427 and 0.249; every constant above 2.9855 and below 2.9925, such as 2.99, gives all three. Eq. 37's 1.92
  would round to 0.0533 where the tables have 0.0534; 1.96^2 / 2 = 1.9208 gives all three, and so does 1.92 if rho is
  rounded *up*, as a margin that must hold asks for. `--rule paper` uses 2.99 and 1.9208.
- **Geometric margins are one person short.** Eq. 36 rounds the margin down; the smallest whole margin with a 95 %
  chance is that number rounded up. The noise of the paper's budgets has exact margins of 7, 12 and 51 persons, not 6,
  11 and 50. The last column has what the targets take.
- **Gaussian margins are kept, and would cost less.** Noise on whole numbers is within 6 persons about as often as
  continuous noise within 6.5, which floor(1.96 sigma) leaves unused. The last column is the smallest budget of four
  digits; with it the seven levels cost rho 1.215 instead of 1.41, and the geometric ones epsilon 16.12 instead of
  15.29."""

_LOSSES = """\
- **The RDP row.** The paper prints 13.2. Its formulas, as printed, give 13.55 on its own orders, and they are no bound:
  eq. 17 integrates over the reals a noise that lives on the integers. The exact divergence, with the worse kind of
  group at every level as eq. 39 says, gives 14.17; if all groups took both stages it would give 12.91. None of them is
  13.2, and nothing was adjusted to get there. Eq. 17 at delta 1e-9 would give {other}, which
  rounds to it: chance, or a slip.
- **Rounding.** Ours are rounded up, as upper bounds are; the paper rounds to the nearest.
- **What the paper concludes from the row.** It prints an improvement of 3 % (analytical: 12.8 of 13.2) and 7 %
  (experimental: 12.2 of 13.2). Beside the exact divergence the advantage at these margins is {analytical} and
  {experimental}. But the two columns of Table 1 do not have the same margins (see above).
- **Privacy loss distribution.** The composition of the very mechanisms, with pessimistic rounding (the `dp-accounting`
  package). A Gaussian of the same rho, 1.41, would have 11.68."""
