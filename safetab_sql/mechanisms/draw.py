"""Exact draws of a noise law: inversion of its distribution function with lazily drawn bits, or rejection.

A draw is the k with F(k - 1) <= u < F(k) for a uniform real number u in [0, 1). Only as many leading bits of u are
drawn as decide k: mostly 16; 64 if a boundary F(k) begins with the same 16 bits; then 64 more at a time while the bits
of u and of a boundary agree to the last one. So draws follow the law exactly, by proved integer bounds of F.

Technique: cumulative-table inversion as for lattice cryptography (Knuth and Yao 1976; Peikert 2010; Ducas and
Nguyen 2012).

Of a law too wide for a table of F, draws are made by rejection, one at a time: no table, no approximation. Source:
Canonne, Kamath, Steinke 2020, "The discrete Gaussian for differential privacy", Algorithms 1 to 3.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate, chain, repeat
from math import isqrt

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.exceedance import Distribution, Exceedance, ExceedanceCount, distribution_bounds
from safetab_sql.laws.exponential import exp_minus
from safetab_sql.laws.noise import DiscreteGaussian, Law, decided_value, is_tabulable
from safetab_sql.mechanisms.bits import BitSource, random_bytes

_BLOCK = 2**16  # draws at a time: bounds memory, and keeps a block and its words in the processor's cache
_UNDECIDED = np.iinfo(np.int64).min  # not a value of any law: `draw` refuses wider ones
_TABLES_KEPT = 64  # a level needs three, and its empty groups about one for each power of two


def add_noise(exact_counts: Int64s, law: Law, bits: BitSource) -> Int64s:
    """`exact_counts` plus one independent draw of `law` each. int64[n] -> int64[n], persons."""
    if exact_counts.dtype != np.int64:
        raise TypeError(f"exact counts are int64, not {exact_counts.dtype}")
    return exact_counts + draw(law, exact_counts.size, bits).reshape(exact_counts.shape)


def draw(law: Distribution, size: int, bits: BitSource, *, word_bits: int = 64) -> Int64s:
    """`size` independent draws of `law`: int64[size], persons.

    word_bits: bits that the table resolves, a multiple of 8 up to 64; with fewer bits a test refines draws often. The
    law of the draws is always the same. Laws too wide to tabulate are drawn by rejection, about a hundred times slower.
    """
    if not size:
        return np.empty(0, dtype=np.int64)
    if not isinstance(law, Exceedance | ExceedanceCount):
        if law.reach(128) >= 2**62:  # draws beyond that reach have a probability below 2^-127
            raise ValueError(f"{law}: noise too wide for 64-bit counts")
        if not is_tabulable(law):
            return draw_by_rejection(law, size, bits)
    table = _table(law, word_bits)
    draws = np.empty(size, dtype=np.int64)
    for start in range(0, size, _BLOCK):
        _fill(draws[start : start + _BLOCK], table, law, bits)
    return draws


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The table that inverts F for words of `word_bits` bits: by `guide` and their leading bits, then by the bounds.

    A word in [lower[i], last_unclear[i]] may lie on either side of F(first + i); a greater word is above it, a lesser
    word below. guide: the value of all words that begin with these bits, or _UNDECIDED.
    """

    word_bits: int
    guide: Int64s
    first: int
    lower: npt.NDArray[np.uint64]
    last_unclear: npt.NDArray[np.uint64]


@lru_cache(maxsize=_TABLES_KEPT)
def _table(law: Distribution, word_bits: int) -> _Table:
    """The table of `law`; it depends on nothing else, holds no random bit, and is never written to."""
    if word_bits not in range(8, 65, 8):
        raise ValueError(f"word_bits: {word_bits} is not a multiple of 8 from 8 to 64")
    bounds = distribution_bounds(law, word_bits)
    lower = np.array(bounds.lower, dtype=np.uint64)
    # upper >= 1, for F > 0; and upper - 1 fits 64 bits where upper is 2^64. Where both bounds are equal, no
    # word is unclear, and upper - 1 is indeed below lower.
    last_unclear = np.array([upper - 1 for upper in bounds.upper], dtype=np.uint64)
    # Words that begin alike have one value if the first and the last of them have the same last boundary at
    # or below them, and the first is clear of it.
    guide_bits = min(16, word_bits)
    shift = np.uint64(word_bits - guide_bits)
    first_words = np.arange(2**guide_bits, dtype=np.uint64) << shift
    last_words = first_words | ((np.uint64(1) << shift) - np.uint64(1))
    entries = _last_boundary(lower, first_words)
    decided = (entries == _last_boundary(lower, last_words)) & (first_words > last_unclear[entries])
    guide = np.where(decided, bounds.first + 1 + entries, _UNDECIDED)
    for array in (guide, lower, last_unclear):
        array.flags.writeable = False
    return _Table(word_bits, guide, bounds.first, lower, last_unclear)


def _last_boundary(lower: npt.NDArray[np.uint64], words: npt.NDArray[np.uint64]) -> Int64s:
    """For each word, the last i with lower[i] <= word; there is one, for lower[0] is 0."""
    return np.searchsorted(lower, words, side="right") - 1


def _fill(block: Int64s, table: _Table, law: Distribution, bits: BitSource) -> None:
    guide_bytes = min(16, table.word_bits) // 8
    leading = np.frombuffer(random_bytes(bits, guide_bytes * block.size), dtype=f"<u{guide_bytes}")
    np.take(table.guide, leading, out=block, mode="clip")
    undecided = np.flatnonzero(block == _UNDECIDED)
    if undecided.size:
        # Words of `word_bits` bits: the leading ones, followed by new ones. Octets come least significant first.
        octets = np.zeros((undecided.size, 8), dtype=np.uint8)
        new_bytes = table.word_bits // 8 - guide_bytes
        new = np.frombuffer(random_bytes(bits, new_bytes * undecided.size), dtype=np.uint8)
        octets[:, :new_bytes] = new.reshape(undecided.size, new_bytes)
        octets[:, new_bytes : new_bytes + guide_bytes] = leading[undecided].view(np.uint8).reshape(undecided.size, -1)
        words = octets.view("<u8").reshape(undecided.size)
        entries = _last_boundary(table.lower, words)
        block[undecided] = table.first + 1 + entries
        for position in np.flatnonzero(words <= table.last_unclear[entries]):  # words that coincide with a boundary
            word = int(words[position])
            block[undecided[position]] = _refined(partial(_value, law), word, table.word_bits, bits)


def _value(law: Distribution, word: int, precision: int) -> int | None:
    return decided_value(distribution_bounds(law, precision), word)


def _refined(decided: Callable[[int, int], int | None], word: int, precision: int, bits: BitSource) -> int:
    """The value of `word`, which has `precision` bits, extended by 64 bits at a time until they decide it."""
    while True:
        precision += 64
        word = word << 64 | int.from_bytes(random_bytes(bits, 8), "little")
        value = decided(word, precision)
        if value is not None:
            return value


def draw_by_rejection(law: Law, size: int, bits: BitSource) -> Int64s:
    """`size` independent draws of `law`: int64[size], persons. Raises OverflowError beyond 64 bits."""
    one = partial(_gaussian, law) if isinstance(law, DiscreteGaussian) else partial(_geometric, law.epsilon)
    return np.array([one(bits) for _ in range(size)], dtype=np.int64)


def _gaussian(law: DiscreteGaussian, bits: BitSource) -> int:
    """One draw: P(k) proportional to e^(-k^2 / (2 sigma2)). Source: Canonne and others, Algorithm 3."""
    sigma2 = 1 / (2 * law.rho)
    # Any integer t > 0 is right; floor(sigma) + 1 accepts more than 2 in 5. floor(sqrt(x)) = isqrt(floor(x)).
    scale = isqrt(sigma2.numerator // sigma2.denominator) + 1
    while True:
        candidate = _geometric(Fraction(1, scale), bits)
        if _bernoulli_exp((abs(candidate) - sigma2 / scale) ** 2 / (2 * sigma2), bits):
            return candidate


def _geometric(epsilon: Fraction, bits: BitSource) -> int:
    """One draw: P(k) proportional to e^(-epsilon |k|). Source: Canonne and others, Algorithm 2; s / t = epsilon."""
    while True:
        # P(remainder) proportional to e^(-remainder / t) below t, and P(whole) to e^-whole: so their sum, remainder + t
        # * whole, is geometric with ratio e^(-1 / t), and its quotient by s, with ratio e^(-s / t).
        remainder = _uniform(epsilon.denominator, bits)
        if not _bernoulli_exp(Fraction(remainder, epsilon.denominator), bits):
            continue
        whole = 0
        while _bernoulli_exp(Fraction(1), bits):
            whole += 1
        magnitude = (remainder + epsilon.denominator * whole) // epsilon.numerator
        negative = _uniform(2, bits) == 1
        if not (negative and magnitude == 0):  # otherwise 0 would be drawn twice as often
            return -magnitude if negative else magnitude


def _bernoulli_exp(exponent: Fraction, bits: BitSource) -> bool:
    """True with probability e^-exponent; exponent >= 0. Source: Canonne and others, Algorithm 1."""
    whole = exponent.numerator // exponent.denominator
    return all(_bernoulli_exp_fraction(part, bits) for part in chain(repeat(Fraction(1), whole), [exponent - whole]))


def _bernoulli_exp_fraction(exponent: Fraction, bits: BitSource) -> bool:
    """True with probability e^-exponent; 0 <= exponent <= 1."""
    # The first `trial` to fail exceeds k with probability x^k / k!. It is odd with probability
    # (1 - x) + (x^2 / 2! - x^3 / 3!) + ... = e^-x.
    trial = 1
    while _uniform(exponent.denominator * trial, bits) < exponent.numerator:
        trial += 1
    return trial % 2 == 1


def _uniform(limit: int, bits: BitSource) -> int:
    """A uniform integer in 0 .. limit - 1; limit >= 1."""
    width = (limit - 1).bit_length()
    octets = -(-width // 8)
    while True:
        value = int.from_bytes(random_bytes(bits, octets), "little") >> (8 * octets - width)
        if value < limit:
            return value


# An exact private choice: the exponential mechanism on whole scores. A uniform u falls among the cumulative chances,
# which are known between whole bounds; more bits of u and narrower bounds are taken until they decide.


def exponential_choice(scores: Int64s, epsilon: Fraction, bits: BitSource) -> int:
    """A place in `scores`; P(place) is proportional to exp(epsilon * scores[place] / 2). scores: int64[n], n >= 1.

    If one record changes every score by at most 1, the choice has epsilon pure DP, and epsilon^2 / 8 zCDP.
    Source: mechanisms.md section 8; McSherry and Talwar 2007; for zCDP, Durfee and Rogers 2019 (the range of its loss
    is epsilon wide) with Cesar and Rogers 2021 (what has such a range is epsilon^2 / 8 zCDP).
    """
    gaps = [int(gap) for gap in scores.max() - scores]
    return _refined(partial(_place, gaps, epsilon), 0, 0, bits)


def chance_bounds(gaps: Sequence[int], epsilon: Fraction, precision: int) -> tuple[list[int], list[int]]:
    """Bounds of exp(-epsilon * gap / 2) * 2^precision for each gap: how far a score is below the highest one."""
    lower, upper = {0: 1 << precision}, {0: 1 << precision}
    for gap in set(gaps) - {0}:
        exponent = epsilon * gap / 2
        # e^-x 2^p < 1 where x >= 7/10 p > p ln 2: no need to compute it.
        is_tiny = exponent * 10 >= 7 * precision
        lower[gap], upper[gap] = (0, 1) if is_tiny else exp_minus(exponent, precision)
    return [lower[gap] for gap in gaps], [upper[gap] for gap in gaps]


def _place(gaps: Sequence[int], epsilon: Fraction, word: int, precision: int) -> int | None:
    """The place in which every u in [word, word + 1) / 2^precision falls; None if the bounds do not decide it.

    The chance of the first i places together is A / (A + B), where A sums their weights, B the other weights.
    It is at least lower(A) / (lower(A) + upper(B)), and at most upper(A) / (upper(A) + lower(B)).
    """
    lower, upper = ([0, *accumulate(one)] for one in chance_bounds(gaps, epsilon, precision))
    least = [(low << precision) // (low + upper[-1] - high) for low, high in zip(lower, upper, strict=True)]
    place = bisect_right(least, word) - 1  # so word + 1 <= least[place + 1]
    most = -(-(upper[place] << precision) // (upper[place] + lower[-1] - lower[place]))
    return place if word >= most else None
