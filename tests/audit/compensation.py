"""Recorded bits that draw the noise one wants, so that two extracts can be made to look alike."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from random import Random

from safetab_sql.laws.cumulative import CumulativeBounds, Law
from safetab_sql.laws.exceedance import Distribution, distribution_bounds
from tests import oracle
from tests.nations import Nation, Tables, oracle_inputs
from tests.oracle import age_bins

WORD = 64  # bits of a word that decides a draw
LEADING = 16  # bits of it that are drawn first, for all draws of a call

Laws = Callable[[Fraction], Law]  # the noise law of a budget
Counts = Sequence[int]


def noise_bits(law: Distribution, noise: Counts) -> bytes:
    """What one call for as many draws of `law` must read to draw `noise`.

    First the leading 16 bits of the word of each draw; then the other 48 of those that these leave undecided.
    """
    bounds = distribution_bounds(law, WORD)
    words = [_word(bounds, value) for value in noise]
    unclear = [word for word, value in zip(words, noise, strict=True) if not _is_clear(bounds, word, value)]
    rest = WORD - LEADING
    return b"".join(
        [
            *((word >> rest).to_bytes(LEADING // 8, "little") for word in words),
            *((word % 2**rest).to_bytes(rest // 8, "little") for word in unclear),
        ]
    )


def _span(bounds: CumulativeBounds, value: int) -> tuple[int, int]:
    """The first word that surely means `value`, and the one after the last: F(value - 1) <= word < F(value)."""
    place = value - bounds.first
    return bounds.upper[place - 1], bounds.lower[place]


def _word(bounds: CumulativeBounds, value: int) -> int:
    first, end = _span(bounds, value)
    assert first < end, f"no word of {WORD} bits means {value}"
    return (first + end) // 2


def _is_clear(bounds: CumulativeBounds, word: int, value: int) -> bool:
    """Whether every word with the same leading bits means `value`."""
    first, end = _span(bounds, value)
    least = word >> (WORD - LEADING) << (WORD - LEADING)
    return first <= least and least + 2 ** (WORD - LEADING) <= end


class Recording:
    """A bit source that plays bytes once, and knows what is left."""

    def __init__(self, recorded: bytes) -> None:
        self.left = recorded

    def __call__(self, size: int) -> bytes:
        played, self.left = self.left[:size], self.left[size:]
        return played


def compensating(nation: Nation, one: Tables, other: Tables, laws: Laws) -> tuple[Recording, Recording]:
    """Bits for runs of two extracts of `nation`, whose exact tables are `one` and `other`: all noisy counts are equal.

    The noise of the first is arbitrary; that of the second makes up for the difference of the exact counts. Every group
    of a level draws: so the first threshold of each level is at most 0, or suppression is off; nothing is total-only.
    """
    calls = list(_calls(nation, one, other, laws))
    return (
        Recording(b"".join(noise_bits(law, noise) for law, noise, _ in calls)),
        Recording(b"".join(noise_bits(law, noise) for law, _, noise in calls)),
    )


def _calls(nation: Nation, one: Tables, other: Tables, laws: Laws) -> Iterator[tuple[Law, Counts, Counts]]:
    """Law, and noise for each extract, of every call of the mechanisms in the order of a run."""
    random = Random(5)
    chosen = []
    for name, level in nation.parameters["levels"].items():
        stage_1, stage_2 = stage_laws(nation, name, laws)
        keys = groups(nation, one, name)
        noise = _noise(random, len(keys))
        yield stage_1, noise, _compensated(noise, [one.t1[key] - other.t1[key] for key in keys])
        earned = [
            oracle.stat_level(one.t1[key] + added, level["thresholds"]) for key, added in zip(keys, noise, strict=True)
        ]
        small = [key for key, its in zip(keys, earned, strict=True) if its == 0]
        noise = _noise(random, len(small))
        yield stage_2, noise, _compensated(noise, [one.t1[key] - other.t1[key] for key in small])
        chosen += [
            (stage_2, stat_level, [key for key, its in zip(keys, earned, strict=True) if its == stat_level])
            for stat_level in (1, 2, 3)
        ]
    for law, stat_level, with_table in chosen:
        bins = [(str(start), str(end), sex) for sex in "12" for start, end in age_bins(stat_level)]
        cells = [(*key, *its_bin) for key in with_table for its_bin in bins]
        noise = _noise(random, len(cells))
        yield law, noise, _compensated(noise, [one.t2[cell] - other.t2[cell] for cell in cells])


def groups(nation: Nation, exact: Tables, level_name: str) -> list[tuple[str, str, str]]:
    """The population groups of a level as a run numbers them: by region, then by iteration."""
    levels = {row["ITERATION_CODE"]: str(row["LEVEL"]) for row in nation.iterations}
    return sorted(key for key in exact.t1 if f"{key[0]}-{levels[key[2]]}" == level_name)


def stage_laws(nation: Nation, level_name: str, laws: Laws) -> tuple[Law, Law]:
    """Source: paper Algorithm 1, line 11; Algorithm 2, lines 15 and 19."""
    gamma = Fraction(str(nation.parameters["gamma"]))
    region_type, _, iteration_level = level_name.rpartition("-")
    stability = oracle.stability(oracle_inputs(nation), region_type, int(iteration_level))
    per_group = Fraction(nation.parameters["levels"][level_name]["budget"]) / stability
    return laws(gamma * per_group), laws((1 - gamma) * per_group)


def _noise(random: Random, size: int) -> Counts:
    return [random.randint(-4, 4) for _ in range(size)]


def _compensated(noise: Counts, differences: Counts) -> Counts:
    return [added + difference for added, difference in zip(noise, differences, strict=True)]
