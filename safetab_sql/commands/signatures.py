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
from dataclasses import is_dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

from safetab_sql.kit.errors import InputError, Problem, refuse

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Given: TypeAlias = Mapping[str, Any]  # what argparse read, without what nobody gave
Reader: TypeAlias = Callable[[str, Any], Any]  # of a value of an option, whose name comes first

INPUT_EXAMPLE = (
    "--parameters sim/parameters.toml --persons sim/persons "
    "--geography sim/geography.parquet --code-lists sim/code-lists"
)
_LINE = re.compile(r"^(\w+)(?: (\S+))?: *(.*(?:\n +.+)*)", re.MULTILINE)
_BESIDE = re.compile(r"(?P<word>with|without) --(?P<option>[a-z-]+)(?: (?P<value>[a-z]+))?: ")
_NEEDED = inspect.Parameter.empty


class Option(NamedTuple):
    """One parameter. kind: type of one value, or the class of a group of options. readers: each reads a value in turn.

    metavar, meaning: what its docstring, or that of its group, says of it.
    """

    name: str
    kind: type[Any]
    readers: list[Reader]
    default: object
    is_argument: bool
    is_many: bool
    metavar: str
    meaning: str

    def add_to(self, command: argparse.ArgumentParser) -> None:
        """Make it known to argparse, which says nothing of what is not given: a default stays with the function."""
        is_needed, kind = self.default is _NEEDED, self.kind
        settings: dict[str, Any] = {"default": argparse.SUPPRESS, "help": self._help.replace("%", "%%")}
        if kind is bool:
            settings["action"] = "store_true"
        else:
            settings["metavar"] = self.metavar.removesuffix("...") or None
            settings["choices"] = get_args(kind) if get_origin(kind) is Literal else None
            settings["type"] = kind if kind in (int, Path) else str
        if self.is_argument:
            settings["nargs"] = ("+" if is_needed else "*") if self.is_many else None if is_needed else "?"
            command.add_argument(self.name, **settings)
            return
        if self.is_many:
            settings |= {"nargs": "+"} if self.metavar.endswith("...") else {"action": "append"}
        command.add_argument(option_name(self.name), required=is_needed, **settings)

    def misplaced(self, given: Given) -> Iterator[Problem]:
        """The problem where it is given, and its meaning begins with the option that it needs, or that it excludes."""
        found = _BESIDE.match(self.meaning)
        if found is None or self.name not in given:
            return
        other = given.get(found["option"].replace("-", "_"))
        is_there = other is not None and found["value"] in (None, other)
        if is_there != (found["word"] == "with"):
            needed = found[0].removeprefix("with ").removesuffix(": ").replace("without", "command lines without")
            yield Problem(option_name(self.name), f"has no effect here: it belongs to {needed}", "leave it out")

    def read(self, given: Any, problems: list[Problem]) -> object:
        """What the function gets for what argparse read, of a group for all of it; `problems` get what is refused."""
        try:
            if is_dataclass(self.kind):
                return self.kind(**_arguments(self.kind, given, problems))
            for read in self.readers:
                given = read(option_name(self.name), given)
        except InputError as error:
            problems += error.problems
        return given

    @property
    def _help(self) -> str:
        """The meaning, with the default where there is one."""
        if self.kind is bool or self.default in (_NEEDED, None, (), ""):
            return self.meaning
        shown = f"{float(self.default):g}" if isinstance(self.default, Fraction) else self.default
        return f"{self.meaning}; default: {shown}"


def option_name(name: str) -> str:
    """How the option of a parameter is written on a command line."""
    return f"--{name.replace('_', '-')}"


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
    _, example = _meanings(thing).get("example", ("", ""))
    command.epilog = f"example: {command.prog} {example.replace('INPUTS', INPUT_EXAMPLE)}".rstrip()
    if isinstance(thing, ModuleType):
        actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
        for action in thing.ACTIONS:
            add_command(actions, action.__name__.rstrip("_"), action)
        return
    command.set_defaults(function=thing)
    for option in _options(thing):
        option.add_to(command)


def arguments_of(thing: Callable[..., object], given: Given) -> dict[str, object]:
    """The arguments of a function for what argparse read. Raises: InputError with the problems of all of them."""
    problems = [problem for option in _options(thing) for problem in option.misplaced(given)]
    found = _arguments(thing, given, problems)
    refuse(problems)
    return found


def _arguments(thing: Any, given: Given, problems: list[Problem]) -> dict[str, object]:
    found: dict[str, object] = {}
    for option in _parameters(thing):
        if is_dataclass(option.kind):
            found[option.name] = option.read(given, problems)
        elif option.name in given:
            value = given[option.name]
            read = [option.read(each, problems) for each in (value if option.is_many else [value])]
            found[option.name] = tuple(read) if option.is_many else read[0]
    return found


def _options(thing: Any) -> Iterator[Option]:
    """Every option of a function, those of its groups included."""
    for option in _parameters(thing):
        yield from _options(option.kind) if is_dataclass(option.kind) else [option]


def _parameters(thing: Any) -> Iterator[Option]:
    hints, meanings = get_type_hints(thing, include_extras=True), {**_USUAL, **_meanings(thing)}
    for name, parameter in inspect.signature(thing).parameters.items():
        kind, readers = hints[name], list[Reader]()
        while get_origin(kind) in (Annotated, Union, UnionType):
            kind, *marks = (each for each in get_args(kind) if each is not NoneType)
            readers += marks
        is_many, is_argument = get_origin(kind) is tuple, parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        kind, said = get_args(kind)[0] if is_many else kind, meanings.get(name, ("", ""))
        yield Option(name, kind, readers, parameter.default, is_argument, is_many, *said)


def _meanings(thing: object) -> dict[str, tuple[str, str]]:
    """METAVAR and meaning of each parameter that a docstring explains, of a class with its bases, or such a text."""
    texts = [thing] if isinstance(thing, str) else map(inspect.getdoc, reversed(getattr(thing, "__mro__", (thing,))))
    lines = _LINE.findall("\n".join(text or "" for text in texts))
    return {name: (metavar, " ".join(text.split())) for name, metavar, text in lines}


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
