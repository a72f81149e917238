"""Sums: what a ladder adds up in place of records.

[ladders.DAYS]
sum = { column = "LENGTH_OF_STAY", clamp = [0, 30] }   # a record adds at least 0 and at most 30
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from safetab_sql.settings.markers import Checked, Fix, Integer, Means, Words
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong

LARGEST_AMOUNT = 10**9  # of a record: of a billion records, the sum fits into int64
_ABOUT_CLAMP = (
    "write the least and the most that a record adds, two whole numbers from 0, the second above 0 and not below the "
    f"first, at most {LARGEST_AMOUNT:,}, such as [0, 30]"
)


def _no_clamp(clamp: Sequence[int]) -> Iterator[Wrong]:
    least, most = clamp
    if not 0 <= least <= most <= LARGEST_AMOUNT or most < 1:
        yield Wrong(f"{{key}} is {list(clamp)}", _ABOUT_CLAMP)


@table
class Sum:
    """What a ladder adds up in place of records: a column of whole numbers, clamped record by record.

    clamp: the least and the most that a record adds; a smaller amount counts as the least, a larger one as the most.
    """

    clamp: Annotated[
        tuple[Integer, Integer],
        Fix(_ABOUT_CLAMP),
        Checked(_no_clamp),
        Means("the least and the most that a record adds; noise is made for the most"),
    ]
    column: Annotated[Words, Means("column of a record, of whole numbers; by default the name of the ladder")] = ""

    @property
    def words(self) -> str:
        """What a count of the ladder is: sum of DAYS, of each record 0 to 30."""
        return f"sum of {self.column}, of each record {self.clamp[0]} to {self.clamp[1]:,}"


@dataclass(frozen=True, slots=True)
class Amount:
    """What a ladder adds up, as statements know it. name: SQL column of what a record adds. least, most: of a record.

    ladder: its name, in small letters what `unit.leave_out` calls records without a usable amount.
    """

    name: str
    ladder: str
    column: str
    least: int
    most: int

    @property
    def given(self) -> str:
        """SQL column name of its raw value, as the file has it."""
        return f"{self.name}_given"
