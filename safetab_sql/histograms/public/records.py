"""The records of a histogram, as the user names them."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Records:
    """The records as the user names them: a file, a glob or a folder of Parquet or text, or a table of a database.

    person_id: the column that holds the id of each person, if repeated ids are to be refused.
    """

    given: str | Path
    person_id: str | None = None
