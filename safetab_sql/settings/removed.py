"""What version 0.2 had and this one has not: commands, options and keys, each with what to use instead."""

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal


def removed(kind: Literal["commands", "options", "keys"], name: str) -> str | None:
    """What to use in place of something that was taken out; None where nothing of this name was.

    name: of an option, behind its command; of a key, with the tables that it stands in, by dots.
    """
    known: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[kind]
    return next((f"taken out: {known[each]}" for each in known if fnmatchcase(name, each)), None)
