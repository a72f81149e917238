"""What a budget buys along a tree, in words, before anything is counted."""

from collections.abc import Sequence
from math import comb, log, sqrt

from safetab_sql.accounting.charges import exact_text
from safetab_sql.histograms.public.domains import Domain, size
from safetab_sql.histograms.public.tree_plan import TreePlan
from safetab_sql.kit.text_tables import aligned
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.quantiles import margin_of_error, variance
from safetab_sql.settings.budgets import UNITS

_MEAN_NOISE = 0.8  # mean absolute noise in standard deviations


def tree_plan_text(plan: TreePlan, domains: Sequence[Domain]) -> str:
    """The plan as a text table of the fields, and sentences about the pairs."""
    unit = UNITS[plan.budget.definition]
    rows = [("field", "values", unit, "MOE95 of a count", "rows misplaced")]
    for domain, part in zip(domains, plan.fields, strict=True):
        law = plan.budget.law(part)
        wrong = min(1.0, _misplaced(law, size(domain), plan.rows))
        rows.append(
            (domain.name, f"{size(domain):,}", f"{float(part):.4g}", f"± {margin_of_error(law):,}", f"≤ {wrong:.1%}")
        )
    head = f"{plan.rows:,} rows, {unit} {exact_text(plan.budget.amount)}"
    return "\n".join([head, aligned(rows), *_pairs(plan, len(domains), unit)])


def _pairs(plan: TreePlan, fields: int, unit: str) -> list[str]:
    """What the pairs cost, and how well they are chosen."""
    if not plan.most_pairs:
        return [
            "No pair of fields gets a table: the budget is too small for so few rows. All of it goes to the fields, "
            "which are drawn independently."
        ]
    law = plan.budget.law(plan.tables / plan.most_pairs)
    cells = plan.rows / (_MEAN_NOISE * sqrt(variance(law)))
    lines = [
        f"Pairs of fields: at most {plan.most_pairs}, which share {unit} {float(plan.tables):.4g}. A count in such "
        f"a table is within ± {margin_of_error(law):,}, so a table has at most about {max(4, int(cells)):,} cells."
    ]
    if plan.choice:
        missed = 2 * log(comb(fields, 2)) / float(plan.choice_epsilon)
        lines.append(
            f"They are chosen with {unit} {float(plan.choice * plan.most_pairs):.4g}: a chosen pair tells of at most "
            f"about {missed / plan.rows:.1%} of the rows less than the best one."
        )
    return lines


def _misplaced(law: Law, values: int, rows: int) -> float:
    """The part of the rows that noise puts on a wrong value, before counts are smoothed."""
    return values * _MEAN_NOISE * sqrt(variance(law)) / (2 * rows)
