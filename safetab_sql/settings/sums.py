"""Sums: what a ladder adds up in place of records.

[ladders.DAYS]
sum = { column = "LENGTH_OF_STAY", clamp = [0, 30] }   # a record adds at least 0 and at most 30
[ladders.WEIGHT]
sum = { decimals = 2, clamp = [0, 900] }               # of hundredths: 2.06, or 2,06, adds 206
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from safetab_sql.settings.markers import Checked, Fix, Integer, Means, Whole, Words
from safetab_sql.settings.tables import table
from safetab_sql.settings.wrong import Wrong

MOST_DECIMALS = 6  # of an amount
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
    """What a ladder adds up in place of records: a column of numbers, clamped record by record.

    clamp: the least and the most that a record adds; a smaller amount counts as the least, a larger one as the most.
    decimals: of an amount that count, so that clamp and sums are in units of the last one.
    """

    clamp: Annotated[
        tuple[Integer, Integer],
        Fix(_ABOUT_CLAMP),
        Checked(_no_clamp),
        Means("the least and the most that a record adds; noise is made for the most"),
    ]
    column: Annotated[Words, Means("column of a record, of numbers; by default the name of the ladder")] = ""
    decimals: Annotated[
        int,
        Whole(0, MOST_DECIMALS, f"write how many decimals count, 0 to {MOST_DECIMALS}"),
        Means("how many decimals of an amount count; `clamp` and SUM are in units of the last: with 2, hundredths"),
    ] = 0

    @property
    def units(self) -> str:
        """What one unit of the sum is: DAYS, or WEIGHT (1 = 0.01) where two decimals count."""
        return f"{self.column} (1 = 0.{'1':0>{self.decimals}})" if self.decimals else self.column

    @property
    def words(self) -> str:
        """What a count of the ladder is: sum of DAYS, of each record 0 to 30."""
        return f"sum of {self.units}, of each record {self.clamp[0]} to {self.clamp[1]:,}"


@dataclass(frozen=True, slots=True)
class Amount:
    """What a ladder adds up, as statements know it. name: SQL column of what a record adds. least, most: of a record.

    decimals: of an amount that count.
    ladder: its name, in small letters what `unit.leave_out` calls records without a usable amount.
    """

    name: str
    ladder: str
    column: str
    least: int
    most: int
    decimals: int = 0

    @property
    def given(self) -> str:
        """SQL column name of its raw value, as the file has it."""
        return f"{self.name}_given"
