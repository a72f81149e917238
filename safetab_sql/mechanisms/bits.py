"""Random bits: the operating system's, passed in as an argument so that tests can record and replay them."""

import os
from collections.abc import Callable

BitSource = Callable[[int], bytes]  # number of bytes -> that many uniform, independent bytes


def system_bits(count: int) -> bytes:
    """`count` bytes of the operating system's cryptographically secure generator.

    Nothing is kept between calls, so threads and forked processes never share a bit. The only source that
    makes a release: a run with any other says "releasable": false.
    """
    return os.urandom(count)


def random_bytes(bits: BitSource, count: int) -> bytes:
    """`count` bytes of the source. Raises EOFError if it returns another number: a recording ran out."""
    drawn = bits(count)
    if len(drawn) != count:
        raise EOFError(f"the bit source returned {len(drawn)} bytes where {count} were asked for")
    return drawn
