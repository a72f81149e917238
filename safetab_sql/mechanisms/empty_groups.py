"""Noise of population groups without people: as for any group, but drawn only for the groups that are published.

Each empty group has independent stage-1 and stage-2 noise. It gets a sex-by-age table if its stage-1 noise reaches the
first threshold; otherwise its total is published if its stage-2 noise exceeds the suppression threshold. We sample
directly which groups these are, and their noise: the number of groups whose noise exceeds a bound is binomial, their
places are uniform, and their noise follows the law given that it exceeds the bound. The distribution is the same as
drawing every group, and the cost grows only with the number of groups published. Source: mechanisms.md section 6.
"""

import numpy as np

from safetab_sql.kit.arrays import Int64s
from safetab_sql.laws.exceedance import Exceedance, ExceedanceCount, tail_bounds
from safetab_sql.laws.noise import Law
from safetab_sql.mechanisms.bits import BitSource, random_bytes
from safetab_sql.mechanisms.draw import draw

_LARGEST_LOG2_BLOCK = 40


def exceeding_draws(law: Law, above: int, groups: int, bits: BitSource, *, tails: int = 1) -> tuple[Int64s, Int64s]:
    """Places of the draws greater than `above` >= 0 among `groups` independent draws of `law`, and those draws.

    Places from 0 to groups - 1, sorted, and noise in persons: int64[n] both. The distribution is the same as drawing
    all and keeping those above. The law must be tabulable (laws/noise.py). tails: 2 for draws below -above as
    well: the law is symmetric, so each is a draw above with either sign.
    """
    places = _exceeding_places(law, above, groups, bits, tails=tails)
    if not places.size:  # then the law given the bound is not computed, however unlikely the bound
        return places, places.copy()
    if tails == 1:
        return places, draw(Exceedance(law, above), places.size, bits)
    signs = np.unpackbits(np.frombuffer(random_bytes(bits, -(-places.size // 8)), dtype=np.uint8), count=places.size)
    return places, draw(Exceedance(law, above), places.size, bits) * (1 - 2 * signs.astype(np.int64))


def draws_below(law: Law, end: int, count: int, bits: BitSource) -> Int64s:
    """Independent draws of `law` given that each is below `end` >= 1: int64[count], persons.

    What is not below is drawn again: less than half of it, as the law is symmetric.
    """
    draws = draw(law, count, bits)
    while (above := draws >= end).any():
        draws[above] = draw(law, int(above.sum()), bits)
    return draws


def empty_group_ids(ranks: Int64s, ids_with_people: Int64s, first: int) -> Int64s:
    """Ids of the empty groups of these ranks (0 for the first empty one from id `first` on), sorted like `ranks`.

    ids_with_people: of all groups with people from `first` on, sorted.
    """
    empty_before = ids_with_people - first - np.arange(ids_with_people.size)  # before each group with people
    return first + ranks + np.searchsorted(empty_before, ranks, side="right")


def _exceeding_places(law: Law, above: int, groups: int, bits: BitSource, *, tails: int) -> Int64s:
    """Places among `groups` where independent draws of `law` (2 tails: their absolute values) exceed `above`, sorted.

    The groups are divided into blocks of 2^m groups, with about one place in each block; the rest is divided into
    blocks of smaller powers of two. The number of places in a block is binomial; they are uniform.
    """
    # The largest m, up to 40, with 2^m <= max(1, groups) and 2^m * tails * P(draw > above) <= 1.
    upper = tails * tail_bounds(law, above, 128)[1]
    log2_inverse = 128 - (upper - 1).bit_length() if upper > 1 else 128
    log2_block = min(_LARGEST_LOG2_BLOCK, log2_inverse, max(1, groups).bit_length() - 1)
    places, start = [], 0
    while start < groups:
        while (1 << log2_block) > groups - start:
            log2_block -= 1
        blocks = (groups - start) >> log2_block
        counts = draw(ExceedanceCount(law, above, log2_block, tails), blocks, bits)
        owners = np.repeat(np.arange(blocks), counts)
        places.append(start + (owners << log2_block) + _distinct_places(owners, log2_block, bits))
        start += blocks << log2_block
    return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *places]))


def _distinct_places(owners: Int64s, log2_block: int, bits: BitSource) -> Int64s:
    """A uniform place, 0 to 2^log2_block - 1, for each entry; entries of one owner get distinct places.

    owners: int64[n], sorted. If places of an owner coincide, all its places are drawn again, so the kept places are
    uniform over all sets of distinct places.
    """
    places = np.zeros(owners.size, dtype=np.int64)
    redrawn = np.ones(owners.size, dtype=np.bool_)
    while redrawn.any():
        words = np.frombuffer(random_bytes(bits, 8 * int(redrawn.sum())), dtype="<u8")
        places[redrawn] = (words & np.uint64((1 << log2_block) - 1)).astype(np.int64)
        order = np.lexsort((places, owners))
        same = (np.diff(owners[order]) == 0) & (np.diff(places[order]) == 0)
        redrawn = np.isin(owners, owners[order][1:][same])
    return places
