"""The laws of residuals, noisy minus exact, and the loss that each states: of one draw, or of fitted counts."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from safetab_sql.accounting.ledger import distribution
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.laws.cumulative import Law, is_tabulable
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.published.count_laws import CountLaw, FittedLaw, chances_in_persons, draws_of


@dataclass(frozen=True, slots=True)
class Mixture:
    """The law of residuals of which so many, by `sizes`, follow each of `laws`, rounded to whole persons."""

    laws: tuple[CountLaw, ...]
    sizes: tuple[int, ...]


ResidualLaw: TypeAlias = CountLaw | Mixture


def drawn_from(law: ResidualLaw) -> tuple[Law, ...]:
    """The laws of the draws that residuals are made of."""
    return tuple(draw for each in (law.laws if isinstance(law, Mixture) else (law,)) for draw in draws_of(each))


def law_name(law: ResidualLaw) -> str:
    """What a ledger calls the law; of fitted counts, what they add up."""
    name = distribution(drawn_from(law)[0])
    return f"sums of {name}" if isinstance(law, Mixture | FittedLaw) else name


def is_listable(law: ResidualLaw) -> bool:
    """Whether `residual_chances` has a chance for each value."""
    return all(map(is_tabulable, drawn_from(law)))


def residual_chances(law: ResidualLaw) -> tuple[Int64s, Floats]:
    """Whole persons, ascending, and their chances, which add up to 1."""
    if not isinstance(law, Mixture):
        values, chances = chances_in_persons(law)
        return values, chances / chances.sum()
    found = [residual_chances(each) for each in law.laws]
    last = max(int(abs(values).max()) for values, _ in found)
    summed = np.zeros(2 * last + 1)
    for size, (values, chances) in zip(law.sizes, found, strict=True):
        summed[int(values[0]) + last : int(values[-1]) + last + 1] += size * chances
    return np.arange(-last, last + 1, dtype=np.int64), summed / sum(law.sizes)


def stated_losses(law: ResidualLaw, values: Int64s | Floats) -> Floats:
    """log(P(x) / P(x + 1)) of a law: [n] -> float64[n]; of one draw epsilon or -epsilon, or (2 x + 1) rho.

    Of fitted counts, whole persons where both chances are above 0: what one rounded count of them tells of a record.
    """
    if isinstance(law, Mixture | FittedLaw):
        known, chances = residual_chances(law)
        places = values.astype(np.int64) - known[0]
        return np.asarray(np.log(chances[places] / chances[places + 1]))
    if isinstance(law, TwoSidedGeometric):
        return np.asarray(np.clip(2.0 * values + 1, -1, 1) * float(law.epsilon), dtype=np.float64)
    return np.asarray((2.0 * values + 1) * float(law.rho), dtype=np.float64)
