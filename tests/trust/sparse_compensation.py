"""Recorded bits for levels whose published empty groups are sampled directly: bits for places and for noise.

With them two extracts give one release though a group with people in one of them has nobody in the other: what is a
draw like any other there, is one of the published empty groups here (mechanisms/empty_groups.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.exceedance import Exceedance, ExceedanceCount, tail_bounds
from safetab_sql.laws.quantiles import quantile
from tests import oracle
from tests.audit.compensation import Laws, Recording, groups, noise_bits, stage_laws
from tests.nations import Nation, Tables
from tests.oracle import Cell, Total, age_bins


@dataclass(frozen=True, slots=True)
class Wanted:
    """Noisy counts of the groups of one level, the same for both extracts: of stage 1, and of the published total."""

    stage_1: Mapping[Total, int]
    published: Mapping[Total, int]


def exceedance_bits(law: Law, above: int, size: int, exceeding: Mapping[int, int]) -> bytes:
    """What makes `exceeding` (place -> noise, each > above) those of `size` draws of `law` that exceed `above`.

    First how many each block holds, then a word for the place of each, block size by block size; then their noise.
    """
    log2_block, start, bits = _largest_log2_block(law, above, size), 0, b""
    while start < size:
        while (1 << log2_block) > size - start:
            log2_block -= 1
        blocks = (size - start) >> log2_block
        end = start + (blocks << log2_block)
        here = sorted(place - start for place in exceeding if start <= place < end)
        counts = [sum(place >> log2_block == block for place in here) for block in range(blocks)]
        bits += noise_bits(ExceedanceCount(law, above, log2_block), counts)
        bits += b"".join((place % (1 << log2_block)).to_bytes(8, "little") for place in here)
        start = end
    return bits + noise_bits(Exceedance(law, above), [exceeding[place] for place in sorted(exceeding)])


def _largest_log2_block(law: Law, above: int, size: int) -> int:
    """Largest m with 2^m <= size that has at most about one exceeding draw: 2^m * P(draw > above) <= 1."""
    least_inverse = 2**128 // tail_bounds(law, above, 128)[1]
    return min(size, least_inverse).bit_length() - 1


def sparse_compensating(nation: Nation, one: Tables, other: Tables, laws: Laws) -> tuple[Recording, Recording]:
    """Bits for runs of two extracts of `nation`, whose exact tables are `one` and `other`: all noisy counts are equal.

    Every level is below states, with suppression, a first threshold of at least 1 and no total-only iterations.
    """
    random = Random(11)
    wanted = {name: _wanted(random, nation, one, name, laws) for name in nation.parameters["levels"]}
    cells = [(stage_laws(nation, name, laws)[1], _cell_noise(random, nation, name, wanted[name])) for name in wanted]

    def recording(exact: Tables) -> Recording:
        def noise(cell: Cell, of_one: int) -> int:
            return of_one + one.t2.get(cell, 0) - exact.t2.get(cell, 0)

        totals = [_total_bits(nation, exact, name, wanted[name], laws) for name in wanted]
        tables = [
            noise_bits(law, [noise(*item) for item in its_cells.items()])
            for law, cells_by_stat_level in cells
            for its_cells in cells_by_stat_level
        ]
        return Recording(b"".join([*totals, *tables]))

    return recording(one), recording(other)


def _cell_noise(random: Random, nation: Nation, name: str, wanted: Wanted) -> list[dict[Cell, int]]:
    """What noise the first extract gets in each cell of the groups with tables, stat level by stat level."""
    thresholds = nation.parameters["levels"][name]["thresholds"]
    return [
        {
            (*key, str(start), str(end), sex): random.randint(-4, 4)
            for key, noisy_total in wanted.stage_1.items()
            if oracle.stat_level(noisy_total, thresholds) == stat_level
            for sex in "12"
            for start, end in age_bins(stat_level)
        }
        for stat_level in (1, 2, 3)
    ]


def _bounds(nation: Nation, name: str, laws: Laws) -> tuple[int, int]:
    """What the noisy totals of an empty group must exceed: of stage 1 to earn a table, else to be published."""
    chance = Fraction(str(nation.parameters["zero_suppression_chance"]))
    suppressed = quantile(stage_laws(nation, name, laws)[1], chance)
    return nation.parameters["levels"][name]["thresholds"][0] - 1, suppressed


def _wanted(random: Random, nation: Nation, exact: Tables, name: str, laws: Laws) -> Wanted:
    """Counts near the exact ones or near the bounds; of the empty groups one in ten earns a table, or is published."""
    keys, (table, suppressed) = groups(nation, exact, name), _bounds(nation, name, laws)

    def near(key: Total, bound: int) -> int:
        if exact.t1[key]:
            return random.choice([exact.t1[key], max(exact.t1[key], bound)]) + random.randint(-4, 4)
        return bound + random.randint(1, 3) if random.random() < 1 / 10 else random.randint(-3, bound)

    return Wanted({key: near(key, table) for key in keys}, {key: near(key, suppressed) for key in keys})


def _total_bits(nation: Nation, exact: Tables, name: str, wanted: Wanted, laws: Laws) -> bytes:
    """What the totals of one level read: groups with people in order, then the published empty groups."""
    stage_1, stage_2 = stage_laws(nation, name, laws)
    table, suppressed = _bounds(nation, name, laws)
    keys = groups(nation, exact, name)
    people, empty = [key for key in keys if exact.t1[key]], [key for key in keys if not exact.t1[key]]
    without_table = [key for key in people if wanted.stage_1[key] <= table]
    return b"".join(
        [
            noise_bits(stage_1, [wanted.stage_1[key] - exact.t1[key] for key in people]),
            noise_bits(stage_2, [wanted.published[key] - exact.t1[key] for key in without_table]),
            exceedance_bits(stage_1, table, len(empty), _exceeding(empty, wanted.stage_1, table)),
            exceedance_bits(stage_2, suppressed, len(empty), _exceeding(empty, wanted.published, suppressed)),
        ]
    )


def _exceeding(empty: list[Total], noisy: Mapping[Total, int], above: int) -> dict[int, int]:
    """Place among the empty groups -> noisy total, of those above the bound."""
    return {place: noisy[key] for place, key in enumerate(empty) if noisy[key] > above}
