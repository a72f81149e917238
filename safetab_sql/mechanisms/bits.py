"""Random bits: the operating system's, passed in as an argument so that tests can record and replay them."""

import os
import posix
from functools import partial
from types import BuiltinFunctionType

from safetab_sql.accounting.ledger_file import Bits, Generator, RightToDraw

BitSource = RightToDraw  # what every mechanism draws from: bits that come with the right to turn them into noise


def system_bits(count: int) -> bytes:
    """`count` bytes of the operating system's cryptographically secure generator.

    Nothing is kept between calls, so threads and forked processes never share a bit. This is the only source of a
    release: the manifest of a run with any other source says "releasable": false.
    """
    return os.urandom(count)


_SYSTEM_BITS = system_bits  # stays the same function even if `system_bits` is replaced


def generator(bits: Bits) -> Generator:
    """`bits` as the generator of a release."""
    return Generator(bits, partial(are_the_systems, bits))


def are_the_systems(bits: Bits) -> bool:
    """Whether `bits` is `system_bits` itself, and reads from the operating system's generator itself.

    A function around it, a partial application of it and a replaced os.urandom are other sources, whatever they return.
    """
    is_original = os.urandom is posix.urandom and isinstance(os.urandom, BuiltinFunctionType)
    return bits is _SYSTEM_BITS and is_original


def random_bytes(bits: BitSource, count: int) -> bytes:
    """`count` bytes of the source. Raises EOFError if it returns another number, as a recording does at its end."""
    drawn = bits(count)
    if len(drawn) != count:
        raise EOFError(f"the bit source returned {len(drawn)} bytes where {count} were asked for")
    return drawn
