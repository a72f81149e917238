"""Options that several commands share, and how their values are read. A command imports its work when it is called."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, TypedDict

from safetab_sql.commands.signatures import Means, option_name
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.settings.budgets import UNITS, PrivacyDefinition
from safetab_sql.settings.markers import exact_decimal

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from safetab_sql.accounting.ledger_file import LedgerFile
    from safetab_sql.cluster.spark import Spark, SparkTable
    from safetab_sql.kit.database import Resources
    from safetab_sql.kit.progress import Progress
    from safetab_sql.public.inputs import InputPaths

_LIMIT = re.compile(r" *(?:([a-z]+)[ =:]+)?([^ ]+) *")
_MEMORY = re.compile(r"([0-9]{1,12})(\.[0-9]{1,12})?\s*([KMGT])i?B", re.IGNORECASE)
_LARGEST_MEMORY = 2**60  # bytes; DuckDB counts them in 64 bits
# Said wherever exact counts were compared or written.
PUBLIC_ONLY = "for public or synthetic data only."

# Answers of commands as JSON, for programs.


def json_text(answer: object) -> str:
    """An answer as JSON: dataclasses by their fields, tables row by row, rationals exact and as a decimal."""
    return json.dumps(answer, indent=2, default=_json_of)


def exact_answer(answer: str | Mapping[str, object]) -> str:
    """An answer that was made from exact counts, as text or as JSON, with the mark that says so."""
    from safetab_sql.kit.marks import PHRASE, marked_json

    return f"{PHRASE}\n{answer}" if isinstance(answer, str) else json_text(marked_json(answer))


def members(answer: "DataclassInstance", *, without: Sequence[str] = ()) -> dict[str, Any]:
    """The members of a dataclass, without those that say nothing to a program."""
    return {each.name: getattr(answer, each.name) for each in fields(answer) if each.name not in without}


def _json_of(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "to_pylist"):
        return value.to_pylist()
    if isinstance(value, Fraction):
        from safetab_sql.accounting.conversions import exact_json

        return exact_json(value)
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"no JSON for {type(value)}")


def refused(where: str, what: str, fix: str) -> InputError:
    """The error of one problem."""
    return InputError([Problem(where, what, fix)])


def decimal_of(
    what: str, fix: str, is_one: Callable[[Fraction], bool] = lambda _: True
) -> Callable[[str, str], Fraction]:
    """A reader of decimal numbers. what: what a text is that is none, or not `is_one`."""

    def read(option: str, text: str) -> Fraction:
        value = exact_decimal(text)
        if value is None or not is_one(value):
            raise refused(option, f"'{text}' is {what}", fix)
        return value

    return read


decimal = decimal_of("not a decimal number", "say it like 0.1 or 1e-10")


class SaidLimit(NamedTuple):
    """A limit of a ledger, and the privacy definition whose unit it is in; None where no unit is said."""

    amount: Fraction
    definition: PrivacyDefinition | None


def said_limit(option: str, text: str) -> SaidLimit:
    """A limit, such as rho 10, epsilon 2 or 2.5. Raises: InputError where the text is none."""
    found = _LIMIT.fullmatch(text)
    unit, amount = ("", None) if found is None else (found[1], exact_decimal(found[2]))
    definition = next((each for each, its in UNITS.items() if its == unit), None)
    if amount is None or amount <= 0 or (unit and definition is None):
        raise refused(option, f"'{text}' is not a limit", "say a decimal above 0 and its unit: 'rho 10' or 'epsilon 2'")
    return SaidLimit(amount, definition)


def share(option: str, text: str) -> Fraction:
    """The value of --level and the like. Raises: InputError where it is no number between 0 and 1."""
    value = exact_decimal(text)
    if value is not None and 0 < value < 1:
        return value
    percent = exact_decimal(text.strip().removesuffix("%").strip()) or Fraction(0)
    fix = f"say it as a share: {float(percent / 100):g}" if 1 < percent < 100 else "say it like 0.9"
    raise refused(option, f"'{text}' is no number between 0 and 1", fix)


def number_of(noun: str, most: int | None = None) -> Callable[[str, int], int]:
    """A reader of a number of things, from 1 to `most`."""

    def read(option: str, number: int) -> int:
        if number < 1 or (most is not None and number > most):
            bound = "" if most is None else f", at most {most:,}"
            raise refused(option, f"{number} is not a number of {noun}", f"give at least 1{bound}")
        return number

    return read


def seed(option: str, number: int) -> int:
    """A seed. Raises: InputError where it is negative."""
    if number < 0:
        raise refused(option, f"{number} is negative", "choose 0 or more")
    return number


def _memory(option: str, text: str) -> str:
    found = _MEMORY.fullmatch(text)
    is_number = found is not None and any(digit in "123456789" for digit in found[1] + (found[2] or ""))
    if found is None or not is_number or int(found[1]) * 1024 ** ("KMGT".index(found[3].upper()) + 1) > _LARGEST_MEMORY:
        raise refused(option, f"'{text}' is not a size", "say it like 8GB")
    return text


def _scratch(option: str, folder: Path) -> Path:
    if "\\" in str(folder.resolve()):
        raise refused(option, "a \\ in its path, which the engine takes for a /", "name another folder")
    if not folder.is_dir():
        raise refused(option, f"{folder} is not a folder", "make it first")
    return folder


_FILES = "Parquet or CSV (a file, a glob, a directory), or a table of a DuckDB database, FILE.duckdb::TABLE"
CodeLists: TypeAlias = Annotated[
    str | None, Means("folder of the code lists; default: code-lists beside P, or P", "DIR")
]
ExportFormat: TypeAlias = Literal["census", "api", "csv", "duckdb", "excel", "json-stat", "px", "sdmx"]
Adjust: TypeAlias = Literal["holm", "bh"]
Json: TypeAlias = Annotated[bool, Means("print the answer as JSON")]
ParameterFile: TypeAlias = Annotated[
    Path, Means("TOML, or a production parameter directory (config.json and code lists)", "P")
]
Persons: TypeAlias = Annotated[str, Means(f"one row per record: {_FILES}", "F")]
Quiet: TypeAlias = Annotated[bool, Means("show no progress on stderr")]
Replace: TypeAlias = Annotated[bool, Means("replace the file if it exists")]
Seed: TypeAlias = Annotated[int, seed]
Share: TypeAlias = Annotated[Fraction, share]
TotalsArePublic: TypeAlias = Annotated[
    bool, Means("take --totals that no manifest of a release names; the result is not releasable")
]


def missing(command: str, given: Mapping[str, object], where: str = "") -> list[Problem]:
    """A problem for each option that is needed and was not given."""
    names = [option_name(name) for name, value in given.items() if value is None]
    return [Problem(where or command, f"needs {name}", f"see `safetab-sql {command} --help`") for name in names]


def misplaced(needed: str, given: Mapping[str, object], named: object = None) -> list[Problem]:
    """A problem for each option that was given, as they have no effect without `needed`. named: the value of that."""
    if named is not None:
        return []
    names = [option_name(name) for name, value in given.items() if value not in (None, ()) and value is not False]
    return [Problem(name, f"has no effect here: it belongs to {needed}", "leave it out") for name in names]


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
    ledger_limit LIMIT: limit of the ledger's total, such as 'rho 10' or 'epsilon 2' (a number alone is rho of a zCDP
        run, epsilon of a pure DP run): of one person, or of one record where a person can have any number; the first is
        entered in the ledger and binds every later run, with or without the option
    """

    ledger: Path | None = None
    ledger_limit: Annotated[SaidLimit | None, said_limit] = None

    def __post_init__(self) -> None:
        """Refuse a limit without a ledger."""
        if self.ledger_limit is not None and self.ledger is None:
            raise refused("--ledger-limit", "limits the runs of a ledger", "name the ledger: --ledger")

    @property
    def file(self) -> "LedgerFile | None":
        """The ledger with its limit."""
        from safetab_sql.accounting.ledger_file import LedgerFile

        return None if self.ledger is None else LedgerFile(self.ledger, *(self.ledger_limit or ()))


class Used(TypedDict):
    """What a job is told of the machine."""

    resources: "Resources"
    progress: "Progress"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """How a command that sees nothing confidential uses the machine.

    threads N: threads to use; default: all cores
    memory_limit SIZE: most memory to use, such as 8GB; default: 80 % of the machine's
    scratch DIR: folder for temporary files; default: the system's
    """

    quiet: Quiet = False
    threads: Annotated[int | None, number_of("threads", 1024)] = None  # the machine would spend hours on a million
    memory_limit: Annotated[str | None, _memory] = None
    scratch: Annotated[Path | None, _scratch] = None

    def resources(self, confidential_log: Path | None = None) -> "Resources":
        """What the engine may use, and its log."""
        from safetab_sql.kit.database import Resources

        return Resources(self.threads, self.memory_limit, self.scratch, confidential_log)

    @contextmanager
    def used(self, confidential_log: Path | None = None) -> Iterator[Used]:
        """The same, with progress on stderr as long as the block lasts."""
        with progress(quiet=self.quiet) as shown:
            yield {"resources": self.resources(confidential_log), "progress": shown}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedMachine:
    """How a command that reads records uses the machine.

    confidential_log F: file for row counts, timings and offending records, up to 20 of each problem (mode 0600)
    """

    machine: Machine
    confidential_log: Path | None = None

    def used(self) -> AbstractContextManager[Used]:
        """As of the machine."""
        return self.machine.used(self.confidential_log)


def progress(*, quiet: bool) -> "AbstractContextManager[Progress]":
    """Progress on stderr."""
    from safetab_sql.kit.progress import reported_progress

    return reported_progress(is_quiet=quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Who counts.

    engine: who counts the people: this machine, or the workers of a Spark cluster
    master URL: URL of the cluster, such as yarn or spark://HOST:7077; default: as in Spark's settings
    parts N: about how many parts the cluster counts, each by a task; default: one for every two million records
    task_memory SIZE: most memory of the engine in each task of the cluster; default: 1GB
    accept_spark_setting NAME: leave a setting of Spark as the cluster has it, though it may let counts out; may be
        repeated
    """

    engine: Literal["machine", "spark"] = "machine"
    master: str | None = None
    parts: Annotated[int | None, number_of("parts", 100_000)] = None
    task_memory: Annotated[str | None, _memory] = None
    accept_spark_setting: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse options of a cluster where this machine counts."""
        given = {"master": self.master, "parts": self.parts, "task_memory": self.task_memory}
        if self.engine != "spark":
            refuse(misplaced("--engine spark", {**given, "accept_spark_setting": self.accept_spark_setting}))

    def spark(self, persons_table: str | None) -> "Spark | None":
        """The cluster; None where this machine counts. Raises: InputError where it would read a table of Spark."""
        if self.engine != "spark":
            if persons_table is not None:
                fix = "say --engine spark as well, or name files: --persons"
                raise refused("--persons-table", "is read by Spark alone", fix)
            return None
        from safetab_sql.cluster.spark import TASK_MEMORY, Spark

        return Spark(self.master, self.parts, self.task_memory or TASK_MEMORY, self.accept_spark_setting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """What a run reads beside the persons.

    totals F: published totals, where they pick the tables: a release, its T1, or production's text
    """

    parameters: ParameterFile
    code_lists: CodeLists = None
    geography: Annotated[str, Means(f"one row per block: {_FILES}", "F")]
    totals: str | None = None
    totals_are_public: TotalsArePublic = False

    def paths(self, persons: "str | SparkTable", region_names: str | None = None) -> "InputPaths":
        """What names the inputs to a job."""
        from safetab_sql.public.inputs import InputPaths

        return InputPaths(persons=persons, region_names=region_names, **members(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class InputsOrTable:
    """The inputs, with persons in files or in a table of Spark.

    persons_table NAME: one row per record: a table or view of Spark's catalog, such as census.persons; with --engine
        spark
    region_names F: names of regions, public: columns REGION_TYPE, REGION_ID and NAME; they replace those of
        the geography
    """

    persons: Persons | None = None
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
        if self.persons is not None:
            return self.records.paths(self.persons, self.region_names)
        from safetab_sql.cluster.spark import SparkTable

        return self.records.paths(SparkTable(str(self.persons_table)), self.region_names)
