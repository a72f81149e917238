"""A parameter file as it is read: one shape for TOML and config.json, and the problems found in it."""

import difflib
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.public.budgets import exact_decimal
from safetab_sql.public.census_config import census_config, known_names, production_name

_LARGEST_FILE = 2**20  # bytes; production's config.json has 4,000
_LARGEST_TABLE = 1_000  # settings
_MOST_DOTS = 20  # dots in a line of TOML: a key of a thousand parts would take the parser an hour
_MOST_GUESSES = 20  # guesses at the intended keys of misspelt ones; each takes a while

BASE = "base"  # the key that names the file that a file is laid over

# Where a setting stands in the TOML shape: (gamma), or (levels, COUNTY-2, budget).
Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """A parameter file in the shape of the TOML format, unchecked.

    is_production: the file is a config.json, and messages use its names. problems: grows while the settings are
    checked, so that all problems are reported at once.
    """

    path: Path
    is_production: bool
    document: Mapping[str, object]
    problems: list[Problem]


def read_settings(path: Path) -> Settings:
    """The settings in the TOML or JSON (by suffix) file `path`. Raises InputError where it is malformed."""
    return _read(path, ())


def _read(path: Path, above: tuple[Path, ...]) -> Settings:
    """As `read_settings`. above: the files that name this one as their base, directly or not."""
    text = _text(path)
    try:
        # Not parse_float=Fraction: Fraction("1e999999999") never ends. `exact_decimal` bounds the text.
        is_json = path.suffix == ".json"
        settings = _census_settings(path, text) if is_json else _toml_settings(path, text)
        return settings if is_json or BASE not in settings.document else _laid_over_base(settings, above)
    except json.JSONDecodeError as error:
        problem = Problem(f"{path}, line {error.lineno}", f"not JSON: {error.msg}", "correct the line")
    except RecursionError:
        problem = Problem(str(path), "nested too deeply", "no setting is more than three tables deep")
    except ValueError as error:  # tomllib's errors name the line; over-long integers are ValueErrors too
        problem = Problem(str(path), f"cannot be parsed: {error}", "correct the line")
    raise InputError([problem])


def _text(path: Path) -> str:
    """The content of `path`; if it cannot be read, that is an InputError, whatever the reason."""
    fix = "name a TOML file, a config.json, or the directory of a config.json"
    try:
        if path.exists() and not path.is_file():
            raise InputError([Problem(str(path), "not a file", fix)])
        with path.open("rb") as stream:
            content = stream.read(_LARGEST_FILE + 1)
        if len(content) > _LARGEST_FILE:
            raise InputError([Problem(str(path), "larger than 1 MiB: no parameter file", fix)])
        return content.decode("utf-8-sig")
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error.strerror}", fix)]) from error
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(path), "not UTF-8 text", "save the file as UTF-8")]) from error
    except ValueError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error}", fix)]) from error


def _toml_settings(path: Path, text: str) -> Settings:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _MOST_DOTS and not line.lstrip().startswith("#"):
            fix = (
                "give each setting a line of its own; none is more than three tables deep, and text between three "
                "quotes goes on where a line ends in \\"
            )
            raise InputError([Problem(f"{path}, line {number}", f"more than {_MOST_DOTS} dots in a line", fix)])
    return Settings(path, False, tomllib.loads(text, parse_float=str), [])


def _laid_over_base(settings: Settings, above: tuple[Path, ...]) -> Settings:
    """The settings of a file over those of the file that it calls its base: table by table; a list is replaced.

    Raises: InputError where the base cannot be read, or where a file is its own base.
    """
    where, name = f"{settings.path} {BASE}", settings.document[BASE]
    if not isinstance(name, str) or Path(name).name != name or not name.endswith(".toml"):
        fix = 'name a TOML file in the same folder, such as base = "census-2020.toml"'
        raise InputError([Problem(where, f"{BASE} is {shown(name)}", fix)])
    path, chain = settings.path.parent / name, (*above, settings.path)
    if path.resolve() in [file.resolve() for file in chain]:
        raise InputError([Problem(where, f"{name} leads back to itself", "take one of the lines out")])
    if not path.is_file():
        raise InputError([Problem(where, f"{name} is not in {settings.path.parent}", "put it beside this file")])
    over = {key: value for key, value in settings.document.items() if key != BASE}
    return Settings(settings.path, False, _merged(_read(path, chain).document, over), settings.problems)


def _merged(base: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """The settings of `base`, replaced by those of `over`; tables that both have are merged."""
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(below, value) if both else value  # type: ignore[arg-type]
    return merged


def _census_settings(path: Path, text: str) -> Settings:
    config = census_config(text)
    settings = Settings(path, True, config.document, [])
    for key in config.repeated:
        complain(settings, (), f"key '{key}' stands twice", "keep one of them")
    complain_unknown(settings, (), config.unknown, known_names())
    return settings


def setting_name(settings: Settings, place: Place) -> str:
    """The name of the setting at `place` in the file, within its table."""
    return production_name(place) if settings.is_production else place[-1]


def complain(settings: Settings, table: Place, what: str, fix: str) -> None:
    """Add a problem of one table of the file; the table () is the whole file."""
    where = str(settings.path)
    if table:
        where += f" {production_name(table)}" if settings.is_production else f" [{'.'.join(table)}]"
    settings.problems.append(Problem(where, what, fix))


def shown(value: object) -> str:
    """The value as a message shows it: as Python writes it, cut if it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python does not print integers of more than 4300 digits; TOML can write them in hex
        return "an enormous integer"
    except RecursionError:
        return "a list of lists of lists, and so on"
    return text if len(text) <= 80 else f"{text[:80]}..."


def complain_value(settings: Settings, place: Place, value: object, fix: str) -> None:
    """Add the problem that the setting at `place` has the wrong `value`."""
    complain(settings, place[:-1], f"{setting_name(settings, place)} is {shown(value)}", fix)


def complain_unknown(settings: Settings, table: Place, keys: Iterable[str], known: Sequence[str]) -> None:
    """Add one problem for each of `keys` that is not `known`, with the nearest known key."""
    for number, key in enumerate(key for key in keys if key not in known):
        near = difflib.get_close_matches(key, known, n=1) if number < _MOST_GUESSES else []
        fix = f"did you mean '{near[0]}'?" if near else f"remove it; known keys are {', '.join(known)}"
        complain(settings, table, f"unknown key '{key}'", fix)


def complain_missing(settings: Settings, table: Place, keys: Iterable[str], present: Iterable[str]) -> None:
    """Add one problem for each of `keys` that is not `present` in the table."""
    for key in keys:
        if key not in present:
            name = setting_name(settings, (*table, key))
            complain(settings, table, f"missing key '{name}'", f"add a line for {name}")


def table_at(settings: Settings, place: Place, value: object) -> Mapping[str, object]:
    """`value` if it is a table; otherwise an empty table, and a complaint."""
    if isinstance(value, Mapping) and len(value) <= _LARGEST_TABLE:
        return value
    fix = (
        "make it a table" if not isinstance(value, Mapping) else f"at most {_LARGEST_TABLE:,} settings stand in a table"
    )
    complain_value(settings, place, value, fix)
    return {}


def is_true(settings: Settings, place: Place, value: object) -> bool:
    """`value` if it is a boolean; otherwise False, and a complaint."""
    if not isinstance(value, bool):
        complain_value(settings, place, value, "write true or false, without quotes")
    return value is True


def share_at(settings: Settings, place: Place, value: object, *, is_zero_allowed: bool) -> Fraction:
    """`value` if it is a decimal below 1 and above 0 (or 0 if allowed); otherwise 1/2, and a complaint."""
    share = exact_decimal(value)
    if share is not None and (0 < share < 1 or (is_zero_allowed and share == 0)):
        return share
    lower = "of at least 0" if is_zero_allowed else "above 0"
    complain_value(settings, place, value, f"write a decimal number {lower} and below 1")
    return Fraction(1, 2)


def one_of(settings: Settings, place: Place, value: object, allowed: Sequence[str]) -> str:
    """`value` if it is one of the `allowed` texts; otherwise the first of them, and a complaint."""
    if isinstance(value, str) and value in allowed:
        return value
    complain_value(settings, place, value, f"write one of {', '.join(map(repr, allowed))}")
    return allowed[0]


def text_at(settings: Settings, place: Place, value: object) -> str:
    """`value` if it is text that is not empty; otherwise '', and a complaint."""
    if isinstance(value, str) and value.strip():
        return value
    complain_value(settings, place, value, "write text in quotes")
    return ""


def texts_at(settings: Settings, place: Place, value: object) -> tuple[str, ...]:
    """`value` if it is a list of different texts, at least one; otherwise those that can be used, and a complaint."""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        for text, count in Counter(map(shown, value)).items():
            if count > 1:
                complain(settings, place[:-1], f"{place[-1]} has {text} {count} times", "name each value once")
        return tuple(dict.fromkeys(value))
    complain_value(settings, place, value, 'write a list of values in quotes, such as ["M"]')
    return ()
