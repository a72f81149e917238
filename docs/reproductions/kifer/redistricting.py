"""The worked example of the 2020 redistricting data: powers, beliefs, and Kifer's per-attribute exercises."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from docs.reproductions.markdown import table
from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.semantics.profiles import Allocation, Measurement, allocation_profile, budget_against, load_allocation
from safetab_sql.semantics.summary import gaussian_power, sentences, summary, zcdp_power

FILE = Path(__file__).parent / "redistricting-2020.toml"


def redistricting() -> dict[str, str]:
    """What is computed of the section."""
    allocation = load_allocation(FILE)
    found = summary(allocation_profile(allocation))
    powers = [
        (
            f"{row.level:.2f}",
            f"{gaussian_power(row.level, 2.63):.4f}",
            f"{_down(row.noise.lower)} to {_up(row.noise.upper)}" if row.noise else "-",
            _up(row.bound),
        )
        for row in found.powers
    ]
    columns = ("level", "Gaussian", "discrete Gaussian, as allocated", "any 2.63-zCDP")
    beliefs = [
        (f"{row.ratio:g}", *map(_bound, (row.fixed_record, row.gaussian, row.true_record))) for row in found.beliefs
    ]
    belief_columns = ("factor", "1: fixed record", "2: true record, Gaussian", "3: true record, any prior that holds")
    return {
        "redistricting": table(columns, powers),
        "beliefs": table(belief_columns, beliefs),
        "secrets": _secrets(allocation),
        "undercount": _undercount(allocation),
        "in_words": "\n".join(f"> {sentence}\n>" for sentence in sentences(found)).removesuffix("\n>"),
    }


def _bound(chance: float | None) -> str:
    return "-" if chance is None else rounded_up(chance, 4)


def _up(chance: float) -> str:
    return f"{math.ceil(chance * 10_000) / 10_000:.4f}"


def _down(chance: float) -> str:
    return f"{math.floor(chance * 10_000) / 10_000:.4f}"


def _secrets(allocation: Allocation) -> str:
    persons = [each for each in allocation.measurements if each.name.startswith("persons/")]
    rows = [
        (
            name,
            _rho(persons, changed),
            _rho(allocation.measurements, changed),
            gaussian_power(0.05, _rho(allocation.measurements, changed)),
            _up(zcdp_power(0.05, _rho(allocation.measurements, changed))),
        )
        for name, changed in allocation.secrets.items()
    ]
    columns = ("secret", "rho, person tables", "rho, with housing units", "power at 0.05, Gaussian", "any mechanism")
    return table(columns, rows)


def _undercount(allocation: Allocation) -> str:
    """Noise in the number of people of a state (in AIAN areas, or outside) beside what the count misses in Texas."""
    (state,) = [float(each.budget) for each in allocation.measurements if each.name == "persons/State/TOTAL"]
    people, missed, share = 28_540_000, 548_000, (-0.0327, -0.0057)  # as Kifer prints them
    ends = " to ".join(f"{each:.2%} or {round(each * people, -3):,.0f}" for each in share)
    return f"""*Differential Privacy vs. Undercount.* The total of a state has rho {state:.4f}, so sigma^2 is
{1 / state:.2f}, as the source prints. In Texas a survey finds {missed:,} of {people:,} people missing, 90 % interval
{ends} (the source: -933,000 and -163,000).
That is {missed * state**0.5:,.0f} standard deviations of the noise."""


def _rho(measurements: Sequence[Measurement], changed: Iterable[str]) -> float:
    return float(budget_against(measurements, frozenset(changed)))
