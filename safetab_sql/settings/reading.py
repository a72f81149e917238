"""Files that users write: their text as tables, and the tables as a model, with every problem of the file."""

import difflib
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.whole_folders import is_marked
from safetab_sql.settings.removed import removed
from safetab_sql.settings.tables import Wrong, adapter, shown, wrongs_of

_LARGEST_FILE = 2**20  # bytes; production's config.json has 4,000
# Where a key is known that no parameter file has.
_OF_OTHERS = "a ladder may add weights up, with sum = { column = ..., clamp = [0, 50] }; "
_MOST_DOTS = 20  # dots in a line of TOML: a key of a thousand parts would take the parser an hour
MOST_GUESSES = 20  # guesses at the intended keys of misspelt ones; each takes a while

BASE = "base"  # the key that names the file that a file is laid over

Place = tuple[str, ...]  # where a setting stands: (gamma,), or (levels, COUNTY-2, budget)
Problems = Iterator[Problem]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document:
    """The tables of a file, unchecked. translated: what the file calls a place, where it has names of its own.

    written: where the file says what these tables say at a place.
    """

    path: Path
    tables: Mapping[str, object]
    translated: Callable[[Place], str] | None = None
    written: Callable[[Place], Place] = tuple

    def name_of(self, place: Place) -> str:
        """What the file calls a setting."""
        place = self.written(place)
        return self.translated(place) if self.translated else place[-1]

    def problem(self, table: Place, what: str, fix: str) -> Problem:
        """A problem of one table of the file; the table () is the whole file."""
        table = self.written(table)
        name = self.translated(table) if self.translated and table else f"[{'.'.join(table)}]"
        return Problem(f"{self.path} {name}" if table else str(self.path), what, fix)

    def key_problem(self, place: Place, what: str, fix: str) -> Problem:
        """A problem of the setting at `place`, whose name comes before `what`."""
        return self.problem(self.written(place)[:-1], f"{self.name_of(place)} {what}", fix)

    def value_problem(self, place: Place, value: object, fix: str) -> Problem:
        """The problem that the setting at `place` has the wrong `value`."""
        return self.key_problem(place, f"is {shown(value)}", fix)

    def unknown_key(self, table: Place, key: str, known: Sequence[str], *, is_guessed: bool = True) -> Problem:
        """The problem that a table has a key that is not known, with the nearest that is."""
        instead = removed("keys", ".".join((*self.written(table), key))) if is_guessed else None
        near = difflib.get_close_matches(key, known, n=1) if is_guessed else []
        other = _OF_OTHERS if "weight" in key.lower() else ""
        fix = f"did you mean '{near[0]}'?" if near else f"remove it; {other}known keys are {', '.join(known)}"
        return self.problem(table, f"unknown key '{key}'", instead or fix)

    def declares(self, table: str, name: str) -> bool:
        """Whether the file has something of this name in a table, sound or not, in capitals or not."""
        found = self.tables.get(table)
        return isinstance(found, Mapping) and name.lower() in map(str.lower, found)

    def missing_key(self, table: Place, key: str) -> Problem:
        """The problem that a key of a table is not there."""
        name = self.name_of((*table, key))
        return self.problem(table, f"missing key '{name}'", f"add a line for {name}")


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    """What was read of a file. found: without what is wrong in it. wrong: the places of what is wrong."""

    found: T
    problems: tuple[Problem, ...]
    wrong: frozenset[Place]

    def is_sound(self, place: Place) -> bool:
        """Whether nothing is wrong at that place or below."""
        return not any(each[: len(place)] == place for each in self.wrong)


def read_toml(path: Path, above: tuple[Path, ...] = ()) -> Document:
    """The tables of a TOML file, laid over the tables of its base. Raises: InputError where it is malformed.

    above: the files that name this one as their base, directly or not.
    """
    text = text_of(path)
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _MOST_DOTS and not line.lstrip().startswith("#"):
            what, where = f"more than {_MOST_DOTS} dots in a line", f"{path}, line {number}"
            fix = "give each setting a line of its own; none is more than three tables deep, and text between three "
            raise InputError([Problem(where, what, f"{fix}quotes goes on where a line ends in \\")])
    # Not parse_float=Fraction: Fraction("1e999999999") never ends. `exact_decimal` bounds the text.
    found: dict[str, object] = parsed(path, lambda: tomllib.loads(text, parse_float=str))
    return Document(path, found if BASE not in found else _laid_over_base(path, found, above))


def parsed(path: Path, parse: Callable[[], T]) -> T:
    """What `parse` finds in the text of a file. Raises: InputError where it cannot."""
    try:
        return parse()
    except RecursionError:
        problem = Problem(str(path), "nested too deeply", "no setting is more than three tables deep")
    except json.JSONDecodeError as error:
        problem = Problem(f"{path}, line {error.lineno}", f"not JSON: {error.msg}", "correct the line")
    except ValueError as error:  # tomllib's errors name the line; over-long integers are ValueErrors too
        fix = "correct the line" + "; where it has ???, answer the question above" * (path.suffix != ".json")
        problem = Problem(str(path), f"cannot be parsed: {error}", fix)
    raise InputError([problem])


def text_of(path: Path, fix: str = "name a TOML file, a config.json, or the directory of a config.json") -> str:
    """The content of `path`; if it cannot be read, that is an InputError, whatever the reason, with this fix."""
    try:
        if path.exists() and not path.is_file():
            what = "not a file"
        elif path.stat().st_size > _LARGEST_FILE:
            what = "larger than 1 MiB: no parameter file"
        elif is_marked(path):
            what = "says of itself that it was made from exact counts"
        else:
            return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        what, fix = "not UTF-8 text", "save the file as UTF-8"
    except (OSError, ValueError) as error:
        what = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    raise InputError([Problem(str(path), what, fix)])


def _laid_over_base(path: Path, found: Mapping[str, object], above: tuple[Path, ...]) -> Mapping[str, object]:
    """The settings of a file over the settings of the file that it calls its base: table by table; a list is replaced.

    Raises: InputError where the base cannot be read, or where a file is its own base.
    """
    name, chain = found[BASE], (*above, path)
    what, fix = f"{BASE} is {shown(name)}", 'name a TOML file in the same folder, such as base = "census-2020.toml"'
    if isinstance(name, str) and Path(name).name == name and name.endswith(".toml"):
        file = path.parent / name
        file = file if file.is_file() else packaged_folder("configs") / name
        if file.resolve() in [each.resolve() for each in chain]:
            what, fix = f"{name} leads back to itself", "take one of the lines out"
        elif file.is_file():
            return merged(read_toml(file, chain).tables, {key: each for key, each in found.items() if key != BASE})
        else:
            what, fix = f"{name} is not in {path.parent}", "put it beside this file"
    raise InputError([Problem(f"{path} {BASE}", what, fix)])


def merged(base: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """The settings of `base`, replaced by the settings of `over`; tables that both have are merged."""
    found = dict(base)
    for key, value in over.items():
        below = found.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        found[key] = merged(below, value) if both else value  # type: ignore[arg-type]
    return found


def read_as(kind: type[T], document: Document) -> Read[T]:
    """The document as a model, none of whose keys is required, and everything that does not fit it.

    What is wrong is taken out, and what is left is read again: so the settings of several tables can be compared even
    where some table has a problem of its own.
    """
    tables, places, problems = document.tables, set[Place](), list[Problem]()
    missing = [document.missing_key((), key) for key in getattr(kind, "required", ()) if key not in tables]
    while True:
        try:
            found = adapter(kind).validate_python(tables)
            return Read(found, tuple(dict.fromkeys([*problems, *missing])), frozenset(places))
        except ValidationError as error:
            wrong = list(wrongs_of(error))
        if tables is document.tables:
            problems += [_problem(document, each, is_guessed=place < MOST_GUESSES) for place, each in enumerate(wrong)]
        places |= {_place(document.tables, each.place) for each in wrong}
        tables = _without(tables, [each.place for each in wrong])


def _without(tables: Any, places: Iterable[Sequence[str | int]]) -> Any:
    """Tables, or a list, without the settings at these places; where there is none, without the table that lacks it."""
    below: dict[str | int, list[Sequence[str | int]]] = {}
    for key, *rest in places:
        below.setdefault(key, []).append(rest)
    kept = {
        key: _without(each, below[key]) if key in below else each
        for key, each in (tables.items() if isinstance(tables, Mapping) else enumerate(tables))
        if all(rest and _has(each, rest[0]) for rest in below.get(key, ()))
    }
    return kept if isinstance(tables, Mapping) else [*kept.values()]


def _has(tables: Any, part: str | int) -> bool:
    return part in tables if isinstance(tables, Mapping) else isinstance(tables, list) and part in range(len(tables))


def _place(tables: Any, place: Sequence[str | int]) -> Place:
    """The names of a place: a table in a list has the name of its only level, or its number from 1."""
    names: list[str] = []
    for part in place:
        tables = tables[part] if _has(tables, part) else None
        match part, tables:
            case int(), {"each": [str(level)]}:
                names.append(level)
            case _:
                names.append(str(part + 1) if isinstance(part, int) else part)
    return tuple(names)


def _problem(document: Document, wrong: Wrong, *, is_guessed: bool) -> Problem:
    place = _place(document.tables, wrong.place)
    match wrong.of:
        case "unknown":
            return document.unknown_key(place[:-1], place[-1], wrong.known, is_guessed=is_guessed)
        case "missing":
            return document.missing_key(place[:-1], place[-1])
        case "key":
            return document.key_problem(place, wrong.what, wrong.fix)
    return document.problem(place if wrong.of == "table" else document.written(place)[:-1], wrong.what, wrong.fix)
