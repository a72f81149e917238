"""Population groups with nobody in them: the same noise as for any group, drawn only where it is published.

Each empty group has independent stage-1 and stage-2 noise. It goes on to a sex-by-age table where the first reaches
the first threshold; else its total is published where the second exceeds the suppression threshold. Which groups these
are, and with what noise, is drawn directly: the number of groups where noise exceeds a bound is binomial, their places
are uniform, their noise is the law given that it exceeds the bound. That is equal in law to drawing every group, at a
cost that grows with the groups published. Source: mechanisms.md section 6.
"""

import numpy as np
import numpy.typing as npt

from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.exceedance import Exceedance, ExceedanceCount, tail_bounds
from safetab_sql.mechanisms.bits import BitSource, random_bytes
from safetab_sql.mechanisms.draw import draw

Int64s = npt.NDArray[np.int64]

_LARGEST_LOG2_BLOCK = 40


def exceeding_draws(law: Law, above: int, groups: int, bits: BitSource) -> tuple[Int64s, Int64s]:
    """Where, among `groups` independent draws of `law`, draws are greater than `above` >= 0, and those draws.

    Places, 0 to groups - 1, sorted, and noise, persons: int64[n] both. Equal in law to drawing all and keeping those.
    The law must be tabulable (laws/cumulative.py).
    """
    places = _exceeding_places(law, above, groups, bits)
    if not places.size:  # the law given the bound is not even looked at, however unlikely the bound
        return places, places.copy()
    return places, draw(Exceedance(law, above), places.size, bits)


def nonzero_draws(law: Law, groups: int, bits: BitSource) -> tuple[Int64s, Int64s]:
    """Where, among `groups` independent draws of `law`, draws are not 0, and those draws; as `exceeding_draws`.

    The law is symmetric: a draw that is not 0 is one above 0 with either sign.
    """
    places = _exceeding_places(law, 0, groups, bits, tails=2)
    if not places.size:
        return places, places.copy()
    signs = np.unpackbits(np.frombuffer(random_bytes(bits, -(-places.size // 8)), dtype=np.uint8), count=places.size)
    return places, draw(Exceedance(law, 0), places.size, bits) * (1 - 2 * signs.astype(np.int64))


def empty_groups_before(ids_with_people: Int64s, first: int) -> Int64s:
    """How many empty groups stand before each group with people: int64[n], ascending.

    ids_with_people: sorted ids, from `first` on, of the groups that are not empty.
    """
    return ids_with_people - first - np.arange(ids_with_people.size)


def empty_group_ids(ranks: Int64s, empty_before: Int64s, first: int) -> Int64s:
    """Ids of the empty groups of these ranks (0 for the first empty one), sorted like `ranks`.

    empty_before: of the groups from `first` on that are not empty, as `empty_groups_before` gives it.
    """
    return first + ranks + np.searchsorted(empty_before, ranks, side="right")


def _exceeding_places(law: Law, above: int, groups: int, bits: BitSource, *, tails: int = 1) -> Int64s:
    """Places among `groups` where independent draws of `law` (2 tails: their absolute values) exceed `above`, sorted.

    The groups are dealt into blocks of 2^m, about one place to a block, and what remains into blocks of smaller
    powers of two. How many places a block has is binomial; which they are is uniform, given how many.
    """
    log2_block = _log2_block(law, above, groups, tails)
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


def _log2_block(law: Law, above: int, groups: int, tails: int) -> int:
    """Largest m, up to 40, with 2^m <= max(1, groups) and 2^m * tails * P(draw > above) <= 1."""
    upper = tails * tail_bounds(law, above, 128)[1]
    log2_inverse = 128 - (upper - 1).bit_length() if upper > 1 else 128
    return min(_LARGEST_LOG2_BLOCK, log2_inverse, max(1, groups).bit_length() - 1)


def _distinct_places(owners: Int64s, log2_block: int, bits: BitSource) -> Int64s:
    """A uniform place, 0 to 2^log2_block - 1, for each entry; entries of one owner get distinct ones.

    owners: int64[n], sorted. An owner whose places coincide draws all of them again: what is kept is uniform over the
    distinct ones.
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
