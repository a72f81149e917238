"""What tests have done in workers; it imports nothing, for workers import it."""

import sys
from dataclasses import dataclass
from typing import Protocol


def modules_of_worker(_: object) -> list[str]:
    return sorted(name for name in sys.modules if name.startswith("safetab_sql."))


def size_of(sent: "Sent", _: object) -> int:
    return len(sent.value)


class Sent(Protocol):
    """What was broadcast."""

    @property
    def value(self) -> bytes: ...


@dataclass(frozen=True)
class Spoilt:
    """What cannot be unpacked, and says why."""

    @property
    def value(self) -> object:
        raise ValueError("Could not convert string 'QAGE=117'")
