"""Guesses at what was meant by a command line that argparse refuses."""

import argparse
import re
from collections.abc import Sequence

from safetab_sql.kit.errors import nearest

_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<known>.*)\)", re.DOTALL)
_UNRECOGNIZED = "unrecognized arguments: "


def meant_parser(parser: argparse.ArgumentParser, given: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command that `given` names, or of the action, where the command has actions."""
    for word in given:
        found = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        if not found or word not in found[0]:
            break
        parser = found[0][word]
    return parser


def explained_refusal(parser: argparse.ArgumentParser, given: Sequence[str], message: str) -> list[str]:
    """What argparse says, and guesses at what was meant, each a line. parser: of the command. message: of argparse.

    With a guess at a word, the list of all words that may stand there is left out.
    """
    choice = _CHOICE.search(message)
    if choice:
        meant = nearest(choice["given"], re.findall(r"[\w.-]+", choice["known"]))
        return [message] if meant is None else [message.partition(" (choose from")[0], f"did you mean '{meant}'?"]
    known = [option for action in parser._actions for option in action.option_strings]
    found = []
    for option in [word.partition("=")[0] for word in given if word.startswith("--")]:
        meant = None if option in known else _meant(option, known)
        found += [] if meant is None else [f"{option}: did you mean {meant}?"]
    return [message, *found, *_stray_values(known, given, message)]


def _meant(option: str, known: Sequence[str]) -> str | None:
    """The only option that begins so, or has this word; else the one that is most like it, if any is."""
    word = option.removeprefix("--")
    holding = [each for each in known if each.startswith(option) or word in each.removeprefix("--").split("-")]
    return holding[0] if len(holding) == 1 else nearest(option, known)


def _stray_values(known: Sequence[str], given: Sequence[str], message: str) -> list[str]:
    """What to do with words that belong to no option.

    The shell put many file names in place of one pattern (`--persons p*.parquet`), or a release stands alone.
    """
    if not message.startswith(_UNRECOGNIZED):
        return []
    for stray in message.removeprefix(_UNRECOGNIZED).split():
        before = given[: given.index(stray)] if stray in given and not stray.startswith("-") else ()
        options = [word for word in before if word.startswith("--")]
        if options and options[-1] in known:
            return [f"{options[-1]} takes one value: quote the pattern, or the shell puts many file names in its place"]
        if "--manifest" in known and not options and not stray.startswith("-"):
            return [f"a release is given as --manifest {stray}"]
    return []
