"""Random bits with which a command publishes the noisy counts that one wants, of any people.

Noise is what is wanted less what was counted, and the bits are those that draw it. So releases of people who differ
have the same counts, and whatever else differs between them is no noise. How bits become noise is written down here a
second time, from mechanisms.md: a command that draws anything else, or in another order, is noticed.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from safetab_sql.accounting.statement import standard_deviation
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.laws.exceedance import Distribution, Exceedance, ExceedanceCount, distribution_bounds, tail_bounds
from safetab_sql.laws.exponential import exp_minus
from safetab_sql.laws.noise import DiscreteGaussian, Law, is_tabulable

Counts = tuple[Int64s, Int64s]  # sorted ids of groups or cells, and a count of each: int64[n] both
_MECHANISMS = "safetab_sql.mechanisms.bits"  # the only module that reads random bits for noise
_REST = np.uint64(48)  # bits of a word that are drawn where its leading 16 leave a value undecided
_TOGETHER = 2**16  # draws
_LARGEST_LOG2_BLOCK = 40  # of groups without people among which those that are kept are sampled
_LIKELY = 2**24  # a chance of so many in 2^64 has words that surely mean it
_MOST_DEVIATIONS = 3
_LIFTED = 3  # empty groups or cells, of those sampled together, that noise is made to lift


class Counted(Protocol):
    """One extract as a command counts it."""

    def counts(self, of: Any, /) -> Counts:
        """The groups, or cells, that hold records. of: which, as draws of the command say."""


@dataclass(frozen=True, slots=True)
class Draws:
    """One call that draws noise on counts. name: of the level or histogram whose stated loss pays for it.

    of: what is counted. ids, noisy: int64[n], groups or cells, sorted, and the noisy count that is wanted of each.
    of_people: noise is drawn on ids that hold records (True), or hold none (False), in the extract; None: on all.
    """

    name: str
    law: Law
    of: Any
    ids: Int64s
    noisy: Int64s
    of_people: bool | None = None

    def bits(self, counted: Counted) -> bytes:
        """What the call reads, of one extract, so that the wanted counts come of it."""
        known = counted.counts(self.of)
        noise = self.noisy - counts_at(known, self.ids)
        return noise_bits(self.law, noise if self.of_people is None else noise[_is_in(known, self.ids, self.of_people)])

    def cost(self, one: Counted, other: Counted) -> Fraction:
        """The loss, in rho or epsilon, of telling two extracts apart by these counts.

        Noise on empty groups alone costs nothing: noise of the same law on groups with people hides the difference.
        """
        if not self.ids.size or self.of_people is False:
            return Fraction(0)
        counts = [_between(each.counts(self.of), self.ids[0], self.ids[-1] + 1) for each in (one, other)]
        ids = np.intersect1d(union(counts), self.ids, assume_unique=True)
        return law_cost(self.law, counts_at(counts[0], ids) - counts_at(counts[1], ids))


@dataclass(frozen=True, slots=True)
class Sampled:
    """One call that samples which empty groups, or cells, from `first` to before `end` noise lifts above a bound.

    ids, noisy: those that are wanted where they are empty. above: as of `exceeding_bits`. Others as of `Draws`.
    """

    name: str
    law: Law
    of: Any
    above: int | None
    first: int
    end: int
    ids: Int64s
    noisy: Int64s

    def bits(self, counted: Counted) -> bytes:
        """As of `Draws`."""
        known = _between(counted.counts(self.of), self.first, self.end)
        is_empty = _is_in(known, self.ids, False)
        ids = self.ids[is_empty]
        ranks = ids - self.first - np.searchsorted(known[0], ids)
        return exceeding_bits(
            self.law, self.above, self.end - self.first - known[0].size, (ranks, self.noisy[is_empty])
        )

    def cost(self, _: Counted, __: Counted) -> Fraction:
        """None, as of `Draws` on empty groups."""
        return Fraction(0)


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice by the exponential mechanism. scores: of an extract. place: of what is chosen; their number: none."""

    name: str
    epsilon: Fraction
    is_pure: bool
    scores: Callable[[Any], Int64s]
    place: int

    def bits(self, counted: Counted) -> bytes:
        """As of `Draws`."""
        return choice_bits(np.append(self.scores(counted), 0), self.epsilon, self.place)

    def cost(self, one: Counted, other: Counted) -> Fraction:
        """As of `Draws`."""
        loss = self.epsilon * int(np.abs(self.scores(one) - self.scores(other)).max(initial=0))
        return loss if self.is_pure else loss**2 / 8


Step = Draws | Sampled | Choice


@dataclass(frozen=True, slots=True)
class Noise:
    """All that a command draws, in its order, such that every extract gets the same noisy counts."""

    steps: tuple[Step, ...]

    def bits(self, counted: Any) -> bytes:
        """What the command reads, of one extract."""
        return b"".join(step.bits(counted) for step in self.steps)

    def costs(self, one: Any, other: Any) -> Mapping[str, Fraction]:
        """The loss, in rho or epsilon, of telling two extracts apart, by level or histogram."""
        found: dict[str, Fraction] = defaultdict(Fraction)
        for step in self.steps:
            found[step.name] += step.cost(one, other)
        return found


def _between(counts: Counts, first: int, end: int) -> Counts:
    here = slice(*np.searchsorted(counts[0], [first, end]))
    return counts[0][here], counts[1][here]


def _is_in(known: Counts, ids: Int64s, wanted: bool) -> npt.NDArray[np.bool_]:
    return np.asarray(np.isin(ids, known[0]) == wanted)


def law_cost(law: Law, changes: Int64s) -> Fraction:
    """What hiding `changes` of counts under `law` costs: epsilon times their sum, or rho times the sum of squares."""
    if isinstance(law, DiscreteGaussian):
        return law.rho * int((changes**2).sum())
    return law.epsilon * int(np.abs(changes).sum())


def some_noise(law: Law, size: int, random: Generator) -> Int64s:
    """Noise of about the width of `law`: which, is arbitrary. int64[size]."""
    width = min(standard_deviation(law), 1e9)
    most = _MOST_DEVIATIONS * width
    return np.rint(np.clip(random.normal(0, width, size), -most, most)).astype(np.int64)


@lru_cache(maxsize=64)
def _bounds(law: Distribution) -> tuple[int, npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """First value, and for each value the first word of 64 bits that surely means it, and the last one."""
    bounds = distribution_bounds(law, 64)
    most = 2**64 - 1
    return (
        bounds.first + 1,
        np.array([min(each, most) for each in bounds.upper[:-1]], dtype=np.uint64),
        np.array([max(each, 1) - 1 for each in bounds.lower[1:]], dtype=np.uint64),
    )


def noise_bits(law: Distribution, noise: Sequence[int] | Int64s) -> bytes:
    """What one call for as many draws of `law` reads to draw `noise`: the leading 16 bits of each, then the rest.

    Raises: InputError where no 64 bits mean a value, whose chance is then below 2^-60.
    """
    wanted = np.asarray(noise, dtype=np.int64)
    if not wanted.size:
        return b""
    if not isinstance(law, Exceedance | ExceedanceCount) and not is_tabulable(law):
        return b"".join(bits for each in wanted.tolist() for bits in _unrejected_bits(law, each))
    first_value, firsts, lasts = _bounds(law)
    made = []
    for start in range(0, wanted.size, _TOGETHER):
        places = wanted[start : start + _TOGETHER] - first_value
        is_known = (places >= 0) & (places < firsts.size)
        places = np.where(is_known, places, 0)
        low, high = firsts[places], lasts[places]
        if not (is_known & (low <= high)).all():
            what = f"noise as large as is needed hardly ever comes of {law}"
            fix = "lower the budget: the software draws it exactly, but replays it not"
            raise InputError([Problem("audit replay", what, fix)])
        words = low + (high - low) // np.uint64(2)
        leading = words >> _REST
        least = leading << _REST
        is_clear = (low <= least) & (least | (np.uint64(2**48) - np.uint64(1)) <= high)
        rest = words[~is_clear].astype("<u8").view(np.uint8).reshape(-1, 8)[:, :6]
        made += [leading.astype("<u2").tobytes(), rest.tobytes()]
    return b"".join(made)


def _unrejected_bits(law: Law, noise: int) -> Iterator[bytes]:
    """What one draw of a law too wide for a table reads, where nothing is rejected.

    Source: Canonne, Kamath, Steinke 2020, Algorithms 1 to 3; mechanisms.md section 2.3.
    """
    if isinstance(law, DiscreteGaussian):
        sigma2 = 1 / (2 * law.rho)
        scale = isqrt(int(sigma2)) + 1
        yield from _geometric_bits(Fraction(1, scale), noise)
        yield from _success_bits((abs(noise) - sigma2 / scale) ** 2 / (2 * sigma2))
    else:
        yield from _geometric_bits(law.epsilon, noise)


def _geometric_bits(epsilon: Fraction, noise: int) -> Iterator[bytes]:
    whole, rest = divmod(abs(noise) * epsilon.numerator, epsilon.denominator)
    yield _uniform_bits(epsilon.denominator, rest)
    yield from _success_bits(Fraction(rest, epsilon.denominator))
    for _ in range(whole):
        yield from _success_bits(Fraction(1))
    yield _uniform_bits(2, 1)  # no further one
    yield _uniform_bits(2, int(noise < 0))


def _success_bits(exponent: Fraction) -> Iterator[bytes]:
    """What a trial reads that succeeds with probability e^-exponent, and does."""
    for _ in range(int(exponent)):
        yield _uniform_bits(2, 0) + _uniform_bits(3, 1)
    rest = (exponent % 1).denominator
    yield _uniform_bits(rest, rest - 1)


def _uniform_bits(limit: int, value: int) -> bytes:
    width = (limit - 1).bit_length()
    octets = -(-width // 8)
    return (value << (8 * octets - width)).to_bytes(octets, "little")


def exceeding_bits(law: Law, above: int | None, groups: int, kept: Counts) -> bytes:
    """What a sample of `groups` empty groups whose noise is kept reads, so that places and noise are `kept`.

    above: noise is kept above it; None: all noise that is not 0.
    """
    places, noise = kept
    least, tails = (0, 2) if above is None else (above, 1)
    made, start = list[bytes](), 0
    upper = tails * tail_bounds(law, least, 128)[1]
    log2_inverse = 128 - (upper - 1).bit_length() if upper > 1 else 128
    log2_block = min(_LARGEST_LOG2_BLOCK, log2_inverse, max(1, groups).bit_length() - 1)
    while start < groups:
        log2_block = min(log2_block, (groups - start).bit_length() - 1)
        blocks = (groups - start) >> log2_block
        low, high = np.searchsorted(places, [start, start + (blocks << log2_block)])
        here = places[low:high] - start
        counts = np.bincount(here >> log2_block, minlength=blocks)
        made += [
            noise_bits(ExceedanceCount(law, least, log2_block, tails), counts),
            (here & ((1 << log2_block) - 1)).astype("<u8").tobytes(),
        ]
        start += blocks << log2_block
    if places.size:
        made += [np.packbits(noise < 0).tobytes()] if tails == 2 else []
        made += [noise_bits(Exceedance(law, least), np.abs(noise))]
    return b"".join(made)


def is_likely(law: Law, above: int | None) -> bool:
    """Whether noise above a bound (None: other than 0) comes often enough to be replayed."""
    return tail_bounds(law, above or 0, 64)[0] >= _LIKELY


def choice_bits(scores: Int64s, epsilon: Fraction, place: int) -> bytes:
    """What the exponential mechanism reads to choose `place`: a word in the middle of its share."""
    gaps = [int(gap) for gap in scores.max() - scores]
    weights = [exp_minus(epsilon * gap / 2, 128)[0] if gap and epsilon else 1 << 128 for gap in gaps]
    middle = sum(weights[:place]) + weights[place] // 2
    return ((middle << 64) // sum(weights)).to_bytes(8, "little")


def counts_at(counts: Counts, wanted: Int64s) -> Int64s:
    """The count of each wanted id; 0 where it has none."""
    ids, amounts = counts
    if not ids.size:
        return np.zeros_like(wanted)
    places = np.minimum(np.searchsorted(ids, wanted), ids.size - 1)
    return np.where(ids[places] == wanted, amounts[places], 0)


def with_lifted(ids: Int64s, first: int, end: int, random: Generator) -> tuple[Int64s, Int64s]:
    """`ids` and a few more, from `first` to before `end`, and these alone: both sorted."""
    lifted = np.setdiff1d(random.integers(first, end, _LIFTED) if end > first else ids[:0], ids)
    return np.union1d(ids, lifted), lifted


def union(counts: Iterable[Counts]) -> Int64s:
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *(ids for ids, _ in counts)]))


class Recording:
    """A source of random bytes that plays a recording once, and knows what is left."""

    def __init__(self, recorded: bytes) -> None:
        self.left = recorded

    def __call__(self, count: int) -> bytes:
        """The next `count` bytes; fewer at the end."""
        played, self.left = self.left[:count], self.left[count:]
        return played


@contextmanager
def replayed(recording: Recording) -> Iterator[None]:
    """Let the mechanisms of this process read a recording in place of the operating system's generator, in the block.

    It replaces os.urandom, which the software takes for a generator that is not the system's: no manifest of such a run
    says that it is releasable. Whoever else asks for random bytes, such as for a name, gets the system's.
    """
    systems = os.urandom

    def urandom(count: int) -> bytes:
        asks = sys._getframe(1).f_globals.get("__name__")
        return recording(count) if asks == _MECHANISMS else systems(count)

    os.urandom = urandom
    try:
        yield
    finally:
        os.urandom = systems
