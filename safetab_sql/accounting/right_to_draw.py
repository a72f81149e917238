"""The right to draw noise: no mechanism draws without one, and the custodian's ledger gives it.

A run has two noises. The right to the first comes with the line that charges the run; the right to the second with a
line that only one process, or one private folder, can make. So noise that the ledger does not know cannot be drawn for
a release: the type of what the mechanisms draw from is `RightToDraw`, and the functions of this module alone make one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from safetab_sql.accounting.charges import Charge
from safetab_sql.accounting.ledger_file import LedgerFile, reserve, take_second

Bits = Callable[[int], bytes]  # number of bytes -> that many uniform, independent bytes


@dataclass(frozen=True, slots=True)
class Generator:
    """Where random bits come from. is_the_systems: whether they are, at this moment, the operating system's."""

    bits: Bits
    is_the_systems: Callable[[], bool]


@final
@dataclass(frozen=True, slots=True)
class RightToDraw:
    """Random bits in the hands of somebody who may turn them into noise: number of bytes -> that many bytes."""

    bits: Bits

    def __call__(self, count: int) -> bytes:
        """`count` random bytes."""
        return self.bits(count)


def first_right(ledger_file: LedgerFile | None, charge: Charge, generator: Generator) -> RightToDraw:
    """The right to the first noise of a run, or to its only one: the run is charged when this returns.

    Raises: InputError as `reserve`. Without a ledger anybody gets it, and the manifest says that the run is in none.
    """
    reserve(ledger_file, charge)
    return RightToDraw(generator.bits)


def second_right(ledger_file: LedgerFile | None, charge: Charge, generator: Generator) -> RightToDraw:
    """The right to the second noise of a charged run, for the holder of the charge's nonce alone.

    Raises: InputError as `take_second`. Without a ledger anybody gets it.
    """
    take_second(ledger_file, charge)
    return RightToDraw(generator.bits)


def right_without_people(bits: Bits) -> RightToDraw:
    """The right to draw noise on public or synthetic data, which costs nobody anything. No release is made with it."""
    return RightToDraw(bits)
