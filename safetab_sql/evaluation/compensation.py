"""Random bits with which a run of any people publishes the noisy counts that one wants.

Noise is what is wanted less what was counted, and the bits are those that draw it. So runs of people who differ publish
the same counts, and whatever else differs between their releases is no noise. How a run turns bits into noise is
written down here a second time, from mechanisms.md: a run that draws anything else, or in another order, is noticed.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from numpy.random import Generator, default_rng

from safetab_sql.accounting.ledger import standard_deviation
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.laws.cumulative import Law, is_tabulable
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.exceedance import Distribution, Exceedance, ExceedanceCount, distribution_bounds, tail_bounds
from safetab_sql.laws.exponential import exp_minus

Counts = tuple[Int64s, Int64s]  # sorted ids of groups or cells, and a count of each: int64[n] both

_MECHANISMS = "safetab_sql.mechanisms.bits"  # the only module that reads random bits for noise
_REST = np.uint64(48)  # bits of a word that are drawn where its leading 16 leave a value undecided
_TOGETHER = 2**16  # draws
_LARGEST_LOG2_BLOCK = 40  # of groups without people among which those that are kept are sampled
_LIKELY = 2**24  # a chance of so many in 2^64 has words that surely mean it
_MOST_DEVIATIONS = 3
_LIFTED = 3  # empty groups or cells, of those sampled together, that noise is made to lift


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


def seeded(seed: int) -> Generator:
    """Numbers that decide what is tried; no noise of a release comes from them."""
    return default_rng(seed)


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
        raise _unreplayable(f"noise of {law} is drawn by rejection, which is not replayed", "raise the budget")
    first_value, firsts, lasts = _bounds(law)
    made = []
    for start in range(0, wanted.size, _TOGETHER):
        places = wanted[start : start + _TOGETHER] - first_value
        is_known = (places >= 0) & (places < firsts.size)
        places = np.where(is_known, places, 0)
        low, high = firsts[places], lasts[places]
        if not (is_known & (low <= high)).all():
            raise _unreplayable(f"noise as large as is needed hardly ever comes of {law}", "lower the budget")
        words = low + (high - low) // np.uint64(2)
        leading = words >> _REST
        least = leading << _REST
        is_clear = (low <= least) & (least | (np.uint64(2**48) - np.uint64(1)) <= high)
        rest = words[~is_clear].astype("<u8").view(np.uint8).reshape(-1, 8)[:, :6]
        made += [leading.astype("<u2").tobytes(), rest.tobytes()]
    return b"".join(made)


def _unreplayable(what: str, fix: str) -> InputError:
    return InputError([Problem("audit replay", what, f"{fix}: the software draws it exactly, but replays it not")])


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


def changed_counts(one: Counts, other: Counts) -> Counts:
    """The counts that differ, and by how much `one` has more."""
    ids = np.union1d(one[0], other[0])
    changes = counts_at(one, ids) - counts_at(other, ids)
    return ids[changes != 0], changes[changes != 0]


def with_lifted(ids: Int64s, first: int, end: int, random: Generator) -> tuple[Int64s, Int64s]:
    """`ids` and a few more, from `first` to before `end`, and these alone: both sorted."""
    lifted = np.setdiff1d(random.integers(first, end, _LIFTED) if end > first else ids[:0], ids)
    return np.union1d(ids, lifted), lifted


@lru_cache(maxsize=1)
def _nothing() -> Int64s:
    return np.empty(0, dtype=np.int64)


def union(counts: Iterable[Counts]) -> Int64s:
    """The ids that any of these have."""
    found = _nothing()
    for ids, _ in counts:
        found = np.union1d(found, ids)
    return found


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
