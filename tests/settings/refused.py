"""What is said of a wrong file, compared with the words that are wanted."""

import re
from collections.abc import Iterable
from pathlib import Path

from safetab_sql.kit.errors import Problem


def one_line_each(file: Path, problems: Iterable[Problem]) -> list[str]:
    """The problems as the user reads them, without the name of the file."""
    return [" ".join(str(each).split()).removeprefix(str(file)).removeprefix(":").strip() for each in problems]


def says(line: str, words: str) -> bool:
    """Whether these are the words of a line; "..." stands for any."""
    return re.fullmatch(re.escape(words).replace(r"\.\.\.", ".*"), line) is not None
