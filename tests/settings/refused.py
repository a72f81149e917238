"""What is said of a wrong file, compared with the words that are wanted."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.settings.parameters import Parameters, load_parameters


def loaded(folder: Path, text: str, name: str = "parameters.toml") -> Parameters:
    """The parameters of a file of this text."""
    (folder / name).write_text(text, encoding="utf-8")
    return load_parameters(folder / name)


def problems(folder: Path, text: str, name: str = "parameters.toml") -> tuple[Problem, ...]:
    """What is wrong with a file of this text."""
    with pytest.raises(InputError) as refused:
        loaded(folder, text, name)
    return refused.value.problems


def refusal(folder: Path, text: str, name: str = "parameters.toml") -> str:
    """The same in one line, as the user reads it."""
    return " ".join(f"{each}" for each in problems(folder, text, name)).replace("\n    ", " ")


def one_line_each(file: Path, problems: Iterable[Problem]) -> list[str]:
    """The problems as the user reads them, without the name of the file."""
    return [" ".join(str(each).split()).removeprefix(str(file)).removeprefix(":").strip() for each in problems]


def says(line: str, words: str) -> bool:
    """Whether these are the words of a line; "..." stands for any."""
    return re.fullmatch(re.escape(words).replace(r"\.\.\.", ".*"), line) is not None
