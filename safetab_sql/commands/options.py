"""A command line from functions: the parameters of a function are the options of its command.

A parameter before `*` is an argument, any other an option. A bool is a flag; a tuple takes an option several times, or
several words where its METAVAR ends in `...`. A parameter whose type is a dataclass stands for the fields of the class.
In the docstring, `name METAVAR: text` says what a parameter means, and `example: text` how the command is called. Where
the text begins `with --other:` or `without --other:`, the option is refused unless that other one is given, or is not.
Below stand the options that several commands share. A command imports its work when it is called.
"""

import argparse
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType, NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.settings.budgets import UNITS, PrivacyDefinition, exact_decimal

if TYPE_CHECKING:
    from safetab_sql.accounting.ledger_file import LedgerFile
    from safetab_sql.cluster.spark import Spark
    from safetab_sql.public.inputs import InputPaths

Command = Callable[..., object] | ModuleType  # a function, or a module whose ACTIONS are functions
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Given = Mapping[str, Any]  # what argparse read, without what nobody gave
Reader = Callable[[str, Any], Any]  # of a value of an option, whose name comes first

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
        is_needed, kind, meaning = self.default is _NEEDED, self.kind, self.meaning
        if kind is not bool and self.default not in (_NEEDED, None, (), ""):
            shown = f"{float(self.default):g}" if isinstance(self.default, Fraction) else self.default
            meaning += f"; default: {shown}"
        how: dict[str, Any] = {"default": argparse.SUPPRESS, "help": meaning.replace("%", "%%")}
        if kind is bool:
            how["action"] = "store_true"
        else:
            how |= {"metavar": self.metavar.removesuffix("...") or None, "type": kind if kind in (int, Path) else str}
            how["choices"] = get_args(kind) if get_origin(kind) is Literal else None
        if self.is_argument:
            how["nargs"] = ("+" if is_needed else "*") if self.is_many else None if is_needed else "?"
            command.add_argument(self.name, **how)
            return
        if self.is_many:
            how |= {"nargs": "+"} if self.metavar.endswith("...") else {"action": "append"}
        command.add_argument(option_name(self.name), required=is_needed, **how)

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


def option_name(name: str) -> str:
    """How the option of a parameter is written on a command line."""
    return f"--{name.replace('_', '-')}"


def summary(thing: Command) -> str:
    """What a command does: the first sentences of its docstring, as they stand in a list."""
    text = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    return text[:1].lower() + text[1:].removesuffix(".")


def add_command(commands: Commands, name: str, thing: Command) -> None:
    """Add a command with its options, or its actions."""
    text, (_, example) = summary(thing), _meanings(thing).get("example", ("", ""))
    looks: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    said = f"{text[:1].upper()}{text[1:]}."
    command = commands.add_parser(name, help=text.replace("%", "%%"), description=said, **looks)
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
    refuse(value_problems(given))
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
        while hasattr(kind, "__metadata__") or NoneType in get_args(kind):  # Annotated, or a union with None
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


# How values are read, and which are refused.

# Options that name what is never given away; none may lie in a finished release.
CONFIDENTIAL_OUTPUTS = ("confidential_log", "ledger", "scratch")
_PATHS = ("persons", "geography", "code_lists")  # URLs too
_LONGEST_NAME = 200  # bytes; what is written beside OUT for a while has longer names, and file systems allow 255
_LONGEST_PATH = 3500  # bytes; systems allow 4096
_LARGEST_NUMBER = 2**63 - 1
_NO_UTF_8 = re.compile("[\ud800-\udfff]")  # what Python reads other bytes as
_LIMIT = re.compile(r" *(?:(rho|epsilon)[ =:]+)?([^ ]+) *")
_MEMORY = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)\s*([KMGT])i?B", re.IGNORECASE)
_LARGEST_MEMORY = 2**60  # bytes; DuckDB counts them in 64 bits


def value_problems(given: Given) -> list[Problem]:
    """Values that no command can use: paths that no file can have, text that is not UTF-8, numbers beyond 64 bits."""
    values = [(name, one) for name, value in given.items() for one in (value if isinstance(value, list) else [value])]
    problems = [problem for name, value in [("", Path.cwd()), *values] for problem in _amiss(name, value)]
    if problems:
        return problems
    from safetab_sql.kit.whole_folders import given_away

    named = [name for name in CONFIDENTIAL_OUTPUTS if name in given]
    return [problem for name in named for problem in given_away(given[name], option_name(name))]


def _amiss(name: str, value: object) -> Iterator[Problem]:
    if isinstance(value, Path) or name in _PATHS:
        if what := _amiss_in_path(str(value)):
            yield Problem(str(value), what, "name another path")
    elif isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
        yield Problem(option_name(name), "out of range", "use a value below 2^63")
    elif isinstance(value, str) and _NO_UTF_8.search(value):
        yield Problem(option_name(name), "not text in UTF-8", "give it in UTF-8")


def _amiss_in_path(path: str) -> str:
    """Why no file can have this path, or why the engine could not open it; nothing where neither is so."""
    if "\0" in path or _NO_UTF_8.search(path):
        return "not a path in UTF-8"
    if max(map(len, path.encode().split(b"/"))) > _LONGEST_NAME:
        return f"a name of more than {_LONGEST_NAME} bytes"
    if len(path.encode()) > _LONGEST_PATH:
        return f"a path of more than {_LONGEST_PATH:,} bytes"
    try:
        Path(path).resolve()
    except (OSError, RuntimeError):  # Python 3.13 and those before it
        return "symbolic links that lead in a circle"
    return ""


def refused(where: str, what: str, fix: str) -> InputError:
    """The error of one problem."""
    return InputError([Problem(where, what, fix)])


def reader(
    what: str, fix: str, is_one: Callable[[Any], bool], of: Callable[[Any], Any] = lambda given: given
) -> Reader:
    """A reader of values. of: makes one from what is given, or None. what: is said of a given one, {}, that is none."""

    def checked(option: str, given: Any) -> object:
        value = of(given)
        if value is None or not is_one(value):
            raise refused(option, what.format(given), fix)
        return value

    return checked


def decimal_of(what: str, fix: str, is_one: Callable[[Fraction], bool] = lambda _: True) -> Reader:
    """A reader of decimal numbers. what: what a text is that is none, or not `is_one`."""
    return reader(f"'{{}}' is {what}", fix, is_one, exact_decimal)


decimal = decimal_of("not a decimal number", "say it like 0.1 or 1e-10")


def number_of(noun: str, most: int = 2**63) -> Reader:
    """A reader of a number of things, from 1 to `most`."""
    fix = "give at least 1" + (f", at most {most:,}" if most < 2**63 else "")
    return reader(f"{{}} is not a number of {noun}", fix, lambda given: 1 <= given <= most)


class SaidLimit(NamedTuple):
    """A limit of a ledger, and the privacy definition whose unit it is in; None where no unit is said."""

    amount: Fraction
    definition: PrivacyDefinition | None


def said_limit(option: str, text: str) -> SaidLimit:
    """The value of --ledger-limit and the like. Raises: InputError where it is no limit."""
    unit, amount = found.groups() if (found := _LIMIT.fullmatch(text)) else ("", "")
    if (value := exact_decimal(amount)) is None or value <= 0:
        raise refused(option, f"'{text}' is not a limit", "say a decimal above 0 and its unit: 'rho 10' or 'epsilon 2'")
    return SaidLimit(value, next((each for each, said in UNITS.items() if unit == said), None))


def share(option: str, text: str) -> Fraction:
    """The value of --level and the like. Raises: InputError where it is no number between 0 and 1."""
    value = exact_decimal(text)
    if value is not None and 0 < value < 1:
        return value
    percent = exact_decimal(text.strip().removesuffix("%").strip()) or Fraction(0)
    fix = f"say it as a share: {float(percent / 100):g}" if 1 < percent < 100 else "say it like 0.9"
    raise refused(option, f"'{text}' is no number between 0 and 1", fix)


def _is_size(text: str) -> bool:
    found = _MEMORY.fullmatch(text)
    return found is not None and 0 < float(found[1]) * 1024 ** "_KMGT".index(found[2].upper()) <= _LARGEST_MEMORY


_memory = reader("'{}' is not a size", "say it like 8GB", _is_size)
_no_backslash = reader(
    "a \\ in its path, which the engine takes for a /",
    "name another folder",
    lambda path: "\\" not in str(path.resolve()),
)
_folder = reader("{} is not a folder", "make it first", Path.is_dir)
Seed: TypeAlias = Annotated[int, reader("{} is negative", "choose 0 or more", lambda number: number >= 0)]
Share: TypeAlias = Annotated[Fraction, share]


# Options that stand together.


@dataclass(frozen=True, slots=True, kw_only=True)
class Out:
    """The folder that a command makes.

    out DIR: folder to make
    overwrite: replace the folder if it exists
    """

    out: Path
    overwrite: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The custodian's ledger.

    ledger F: the custodian's file of all runs, made if absent; this run is entered before it draws noise
    ledger_limit LIMIT: with --ledger: limit of its total, such as 'rho 10', or 'epsilon 2' of pure DP runs alone (a
        number alone is in the unit of the run): of one person, or of one record where a person can have any number; the
        first is entered in the ledger and binds every later run, with or without the option
    """

    ledger: Path | None = None
    ledger_limit: Annotated[SaidLimit | None, said_limit] = None

    @property
    def file(self) -> "LedgerFile | None":
        """The ledger with its limit."""
        from safetab_sql.accounting.ledger_file import LedgerFile

        return None if self.ledger is None else LedgerFile(self.ledger, *(self.ledger_limit or ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """How a command that sees nothing confidential uses the machine.

    threads N: threads to use; default: all cores
    memory_limit SIZE: most memory to use, such as 8GB; default: 80 % of the machine's
    scratch DIR: folder for temporary files; default: the system's
    """

    quiet: bool = False
    threads: Annotated[int | None, number_of("threads", 1024)] = None  # the machine would spend hours on a million
    memory_limit: Annotated[str | None, _memory] = None
    scratch: Annotated[Path | None, _no_backslash, _folder] = None

    @contextmanager
    def used(self, confidential_log: Path | None = None) -> Iterator[dict[str, Any]]:
        """What a job is told of the machine: resources, and progress on stderr as long as the block lasts."""
        from safetab_sql.kit.database import Resources
        from safetab_sql.kit.progress import reported_progress

        log = getattr(self, "confidential_log", confidential_log)
        with reported_progress(is_quiet=self.quiet) as shown:
            yield {"resources": Resources(self.threads, self.memory_limit, self.scratch, log), "progress": shown}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedMachine(Machine):
    """How a command that reads records uses the machine.

    confidential_log F: file for row counts, timings and offending records, up to 20 of each problem (mode 0600)
    """

    confidential_log: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Who counts.

    engine: who counts the people: this machine, or the workers of a Spark cluster
    master URL: with --engine spark: the cluster, such as yarn or spark://HOST:7077; default: as in Spark's settings
    parts N: with --engine spark: about how many parts are counted, each by a task; default: one for two million records
    task_memory SIZE: with --engine spark: most memory of the engine in each task of the cluster
    accept_spark_setting NAME: with --engine spark: leave a setting as the cluster has it, though it may let counts
        out; may be repeated
    """

    engine: Literal["machine", "spark"] = "machine"
    master: str | None = None
    parts: Annotated[int | None, number_of("parts", 100_000)] = None
    task_memory: Annotated[str, _memory] = "1GB"
    accept_spark_setting: tuple[str, ...] = ()

    @property
    def spark(self) -> "Spark | None":
        """The cluster; None where this machine counts."""
        from safetab_sql.cluster.spark import Spark

        cluster = Spark(self.master, self.parts, self.task_memory, self.accept_spark_setting)
        return cluster if self.engine == "spark" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """What a run reads beside the persons.

    geography F: one row per block: Parquet or CSV (a file, a glob, a directory), or a table of a DuckDB database,
        FILE.duckdb::TABLE
    totals F: published totals, where they pick the tables: a release, its T1, or production's text
    """

    parameters: Path
    code_lists: str | None = None
    geography: str
    totals: str | None = None
    totals_are_public: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InputsOrTable:
    """The inputs, with persons in files or in a table of Spark.

    persons_table NAME: with --engine spark: one row per record: a table or view of Spark's catalog, such as
        census.persons
    region_names F: names of regions, public: columns REGION_TYPE, REGION_ID and NAME; they replace those of
        the geography
    """

    persons: str | None = None
    persons_table: str | None = None
    records: Records
    region_names: str | None = None

    def __post_init__(self) -> None:
        """Refuse no persons, and persons twice."""
        if (self.persons is None) == (self.persons_table is None):
            what = "is missing" if self.persons is None else "not allowed with --persons-table"
            raise refused("--persons", what, "name the records once: --persons, or --persons-table")

    @property
    def paths(self) -> "InputPaths":
        """What names them to a job."""
        from safetab_sql.cluster.spark import SparkTable
        from safetab_sql.public.inputs import InputPaths

        persons = self.persons or SparkTable(str(self.persons_table))
        return InputPaths(persons=persons, region_names=self.region_names, **members(self.records))


# Answers of commands as JSON, for programs.

PUBLIC_ONLY = "for public or synthetic data only."  # said wherever exact counts were compared or written


def json_text(answer: object) -> str:
    """An answer as JSON: dataclasses by their fields, tables row by row, rationals exact and as a decimal."""
    return json.dumps(answer, indent=2, default=_json_of)


def exact_answer(answer: str | Mapping[str, object]) -> str:
    """An answer that was made from exact counts, as text or as JSON, with the mark that says so."""
    from safetab_sql.kit.whole_folders import PHRASE, marked_json

    return f"{PHRASE}\n{answer}" if isinstance(answer, str) else json_text(marked_json(answer))


def members(answer: Any, *, without: Sequence[str] = ()) -> dict[str, Any]:
    """The members of a dataclass, without those that say nothing to a program."""
    return {each.name: getattr(answer, each.name) for each in fields(answer) if each.name not in without}


def _json_of(value: Any) -> object:
    if isinstance(value, Fraction):
        from safetab_sql.accounting.conversions import exact_json

        return exact_json(value)
    if isinstance(value, Mapping | Path):
        return dict(value) if isinstance(value, Mapping) else str(value)
    return members(value) if is_dataclass(value) else value.to_pylist()  # else a table
