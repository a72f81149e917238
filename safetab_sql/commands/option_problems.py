"""Values of options that no command can use, whatever its name."""

import argparse
from pathlib import Path

from safetab_sql.commands.signatures import option_name
from safetab_sql.kit.errors import Problem
from safetab_sql.kit.whole_folders import given_away

# Options that name what is never given away; none may lie in a finished release.
CONFIDENTIAL_OUTPUTS = ("confidential_log", "ledger", "scratch")
_PATHS = ("persons", "geography", "code_lists")  # URLs too
_LONGEST_NAME = 200  # bytes; what is written beside OUT for a while has longer names, and file systems allow 255
_LONGEST_PATH = 3500  # bytes; systems allow 4096
_LARGEST_NUMBER = 2**63 - 1


def option_problems(options: argparse.Namespace) -> list[Problem]:
    """Values that no command can use: paths that no file can have, text that is not UTF-8, numbers beyond 64 bits."""
    given = {"the folder that you are in": Path.cwd(), **vars(options)}
    paths = [value for name, value in given.items() if isinstance(value, Path) or name in _PATHS]
    problems = [_path_problem(str(path)) for path in paths if path is not None]
    for name, value in given.items():
        if isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
            problems.append(Problem(option_name(name), "out of range", "use a value below 2^63"))
        texts = value if isinstance(value, list) else [value]
        if not all(_is_utf_8(text) for text in texts if isinstance(text, str)):
            problems.append(Problem(option_name(name), "not text in UTF-8", "give it in UTF-8"))
    if found := [problem for problem in problems if problem is not None]:
        return found
    named = {name: getattr(options, name, None) for name in CONFIDENTIAL_OUTPUTS}
    return [
        problem
        for name, path in named.items()
        if path is not None
        for problem in given_away(Path(path), option_name(name))
    ]


def _path_problem(path: str) -> Problem | None:
    """Why no file can have this path, or why the engine could not open it; None where neither is so."""
    what = ""
    if "\0" in path or not _is_utf_8(path):
        what = "not a path in UTF-8"
    elif max(map(len, path.encode().split(b"/"))) > _LONGEST_NAME:
        what = f"a name of more than {_LONGEST_NAME} bytes"
    elif len(path.encode()) > _LONGEST_PATH:
        what = f"a path of more than {_LONGEST_PATH:,} bytes"
    elif _is_circle_of_links(Path(path)):
        what = "symbolic links that lead in a circle"
    return Problem(path, what, "name another path") if what else None


def _is_utf_8(text: str) -> bool:
    return text == text.encode("utf-8", "replace").decode()


def _is_circle_of_links(path: Path) -> bool:
    try:
        path.resolve()
    except (OSError, RuntimeError):  # Python 3.13 and those before it
        return True
    return False
