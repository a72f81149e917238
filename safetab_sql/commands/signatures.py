"""A command line from functions: the parameters of a function are the options of its command.

A parameter before `*` is an argument, any other an option. A bool is a flag; a tuple takes an option several times, or
several words where its METAVAR ends in `...`. A parameter whose type is a dataclass stands for the fields of the class.
In the docstring, `name METAVAR: text` says what a parameter means, and `example: text` how the command is called. Where
the text begins `with --other:` or `without --other:`, the option is refused unless that other one is given, or is not.
"""

import argparse
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from safetab_sql.kit.errors import InputError, Problem, refuse

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

INPUT_EXAMPLE = (
    "--parameters sim/parameters.toml --persons sim/persons "
    "--geography sim/geography.parquet --code-lists sim/code-lists"
)
_LINE = re.compile(r"^(\w+)(?: (\S+))?: *(.*(?:\n +.+)*)", re.MULTILINE)
_BESIDE = re.compile(r"(?P<word>with|without) (?P<option>--[a-z-]+)(?: (?P<value>[a-z]+))?: ")
_NEEDED = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Option:
    """One parameter. kind: type of one value, or the class of a group of options. read: see `options.reader`."""

    name: str
    kind: Any
    read: Callable[[str, Any], object] | None
    default: object
    is_argument: bool
    is_many: bool
    metavar: str | None
    meaning: str

    def add_to(self, command: argparse.ArgumentParser) -> None:
        """Make it known to argparse, which reports None where nothing is given: a default stays with the function."""
        is_needed = self.default is _NEEDED
        settings: dict[str, Any] = {"help": self._help.replace("%", "%%")}
        if self.kind is bool:
            settings["action"] = "store_true"
        else:
            settings["metavar"] = self.metavar and self.metavar.removesuffix("...")
            settings["choices"] = get_args(self.kind) if get_origin(self.kind) is Literal else None
            settings["type"] = self.kind if self.kind in (int, float, Path) else str
        if not self.is_argument:
            settings |= {"dest": self.name, "required": is_needed}
            if self.is_many:
                settings |= {"nargs": "+"} if self.metavar and self.metavar.endswith("...") else {"action": "append"}
        elif self.is_many or not is_needed:
            settings["nargs"] = ("+" if is_needed else "*") if self.is_many else "?"
        command.add_argument(self.name if self.is_argument else option_name(self.name), **settings)

    def misplaced(self, given: Mapping[str, object]) -> Iterator[Problem]:
        """The problem where its meaning begins with the option that it needs, or that it excludes, and is given."""
        found = _BESIDE.match(self.meaning)
        if found is None or given[self.name] in (None, False, []):
            return
        other = given[found["option"].removeprefix("--").replace("-", "_")]
        is_there = other == found["value"] if found["value"] else other not in (None, False, [])
        if is_there != (found["word"] == "with"):
            needed = found[0].removeprefix("with ").removesuffix(": ")
            what = f"has no effect here: it belongs to {needed}"
            yield Problem(option_name(self.name), what, "leave it out")

    def value(self, given: Any, problems: list[Problem]) -> object:
        """What the function gets. given: what argparse read; where no value can be made of it, `problems` say so."""
        if given is None or (self.is_many and not given):
            return self.default
        made = []
        for value in given if self.is_many else [given]:
            try:
                made.append(value if self.read is None else self.read(option_name(self.name), value))
            except InputError as error:
                problems += error.problems
        return tuple(made) if self.is_many else next(iter(made), None)

    @property
    def is_group(self) -> bool:
        """Whether it stands for the fields of a class."""
        return is_dataclass(self.kind)

    @property
    def _help(self) -> str:
        """The meaning, with the default where there is one."""
        if any(self.default is nothing for nothing in (_NEEDED, None, False)) or self.default in ((), ""):
            return self.meaning
        defaults = self.default if isinstance(self.default, tuple) else (self.default,)
        shown = (f"{float(value):g}" if isinstance(value, Fraction | float) else str(value) for value in defaults)
        return f"{self.meaning}; default: {', '.join(shown)}"


def option_name(name: str) -> str:
    """How the option of a parameter is written on a command line."""
    return f"--{name.rstrip('_').replace('_', '-')}"


def summary(thing: Callable[..., object] | ModuleType) -> str:
    """What a command does: the first sentences of its docstring, as they stand in a list."""
    text = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    return text[:1].lower() + text[1:].removesuffix(".")


def add_command(commands: Commands, name: str, thing: Callable[..., object] | ModuleType) -> None:
    """Add a command, which is a function, or a module whose ACTIONS are functions."""
    text = summary(thing)
    command = commands.add_parser(
        name,
        help=text.replace("%", "%%"),
        description=f"{text[:1].upper()}{text[1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _, example = _meanings(thing).get("example", (None, ""))
    command.epilog = f"example: {command.prog} {example.replace('INPUTS', INPUT_EXAMPLE)}".rstrip()
    if isinstance(thing, ModuleType):
        actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
        for action in thing.ACTIONS:
            add_command(actions, action.__name__.rstrip("_").replace("_", "-"), action)
        return
    command.set_defaults(function=thing)
    for option in _options(thing):
        option.add_to(command)


def arguments_of(thing: Callable[..., object], given: Mapping[str, object]) -> dict[str, object]:
    """The arguments of a function for what argparse read. Raises: InputError with the problems of all of them."""
    problems = [problem for option in _options(thing) for problem in option.misplaced(given)]
    found = _arguments(thing, given, problems)
    refuse(problems)
    return found


def _arguments(thing: Callable[..., object], given: Mapping[str, object], problems: list[Problem]) -> dict[str, object]:
    found: dict[str, object] = {}
    for option in _parameters(thing):
        if option.is_group:
            try:
                found[option.name] = option.kind(**_arguments(option.kind, given, problems))
            except InputError as error:
                problems += error.problems
        else:
            found[option.name] = option.value(given[option.name], problems)
    return found


def _options(thing: Callable[..., object]) -> Iterator[Option]:
    """Every option of a function, those of its groups included."""
    for option in _parameters(thing):
        yield from _options(option.kind) if option.is_group else [option]


def _parameters(thing: Callable[..., object]) -> Iterator[Option]:
    hints, meanings = get_type_hints(thing, include_extras=True), {**_USUAL, **_meanings(thing)}
    for name, parameter in inspect.signature(thing).parameters.items():
        hint, marks = hints[name], []
        while get_origin(hint) in (Annotated, Union, UnionType):
            hint, *more = (each for each in get_args(hint) if each is not NoneType)
            marks += more
        is_many, is_argument = get_origin(hint) is tuple, parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        kind, read = get_args(hint)[0] if is_many else hint, next(filter(callable, marks), None)
        yield Option(name, kind, read, parameter.default, is_argument, is_many, *meanings.get(name, (None, "")))


def _meanings(thing: object) -> dict[str, tuple[str | None, str]]:
    """METAVAR and meaning of each parameter that a docstring, or a text like one, explains."""
    lines = _LINE.findall(thing if isinstance(thing, str) else inspect.getdoc(thing) or "")
    return {name: (metavar or None, " ".join(text.split())) for name, metavar, text in lines}


# What parameters of these names mean where a docstring does not say it.
_USUAL = _meanings("""
code_lists DIR: folder of the code lists; default: code-lists beside P, or P
json: print the answer as JSON
overwrite: replace the file if it exists
parameters P: TOML, or a production parameter directory (config.json and code lists)
persons F: one row per record: Parquet or CSV (a file, a glob, a directory), or a table of a DuckDB database,
    FILE.duckdb::TABLE
quiet: show no progress on stderr
totals_are_public: take --totals that no manifest of a release names; the result is not releasable
""")
