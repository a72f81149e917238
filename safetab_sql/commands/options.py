"""How a command is made, and the options that several commands share: inputs, output and resources."""

import argparse
import re
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from safetab_sql.accounting.ledger_file import LedgerFile
from safetab_sql.cluster.spark import TASK_MEMORY, Spark
from safetab_sql.cluster.tables import SparkTable
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.objects import is_url
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.decimals import exact_decimal

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_MEMORY = re.compile(r"([0-9]{1,12})(\.[0-9]{1,12})?\s*([KMGT])i?B", re.IGNORECASE)
_LARGEST_MEMORY = 2**60  # bytes; DuckDB counts them in 64 bits
_MOST_THREADS = 1024  # the machine would spend hours on making a million
MOST_PARTS = 100_000  # schedulers allow fewer jobs of one array

INPUT_EXAMPLE = (
    "--parameters sim/parameters.toml --persons sim/persons "
    "--geography sim/geography.parquet --code-lists sim/code-lists"
)

# Said wherever exact counts were compared or written.
PUBLIC_ONLY = "for public or synthetic data only."


def new_command(
    commands: Commands, name: str, summary: str, example: str, path: str | None = None
) -> argparse.ArgumentParser:
    """A command with help and one runnable example; `path` is its full name where that is not `name`."""
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example: safetab-sql {path or name} {example}".rstrip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_parameters(command: argparse.ArgumentParser, *, is_required: bool = True) -> None:
    """--parameters, --code-lists."""
    command.add_argument(
        "--parameters",
        type=Path,
        required=is_required,
        metavar="P",
        help="TOML, or a production parameter directory (config.json and code lists)",
    )
    command.add_argument(
        "--code-lists", type=_place, metavar="DIR", help="folder of the code lists; default: code-lists beside P, or P"
    )


def add_inputs(command: argparse.ArgumentParser, *, or_table: bool = False) -> None:
    """--parameters, --code-lists, --persons (or --persons-table, if `or_table`), --geography, --totals."""
    add_parameters(command)
    forms = "Parquet or CSV (a file, a glob, a directory), or a table of a DuckDB database, FILE.duckdb::TABLE"
    persons = command.add_mutually_exclusive_group(required=True) if or_table else command
    persons.add_argument("--persons", required=not or_table, metavar="F", help=f"one row per person: {forms}")
    if or_table:
        what = "one row per person: a table or view of Spark's catalog, such as census.persons; with --engine spark"
        persons.add_argument("--persons-table", metavar="NAME", help=what)
    command.add_argument("--geography", required=True, metavar="F", help=f"one row per block: {forms}")
    add_person_id(command)
    what = "published totals, where they pick the tables: a release, its T1, or production's text"
    command.add_argument("--totals", metavar="F", help=what)
    add_totals_are_public(command)


def add_totals_are_public(command: argparse.ArgumentParser) -> None:
    """--totals-are-public."""
    what = "take --totals that no manifest of a release names; what is made with them is not releasable"
    command.add_argument("--totals-are-public", action="store_true", help=what)


def _place(text: str) -> str | Path:
    """A path, or the URL of objects, of which a path would lose a slash."""
    return text if is_url(text) else Path(text)


def add_object_storage(command: argparse.ArgumentParser) -> None:
    """--object-storage."""
    what = "persons, geography and code lists may be URLs (s3://bucket/persons); credentials come from the environment"
    command.add_argument("--object-storage", action="store_true", help=what)


def add_region_names(command: argparse.ArgumentParser) -> None:
    """--region-names."""
    what = "names of regions, public: columns REGION_TYPE, REGION_ID and NAME; they stand in group_index"
    command.add_argument("--region-names", metavar="F", help=what)


def add_person_id(command: argparse.ArgumentParser) -> None:
    """--person-id."""
    what = "column that names the person of each record: a repeated or missing id is refused; it is never published"
    command.add_argument("--person-id", metavar="COLUMN", help=what)


def add_out(command: argparse.ArgumentParser) -> None:
    """--out, --overwrite."""
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to make")
    command.add_argument("--overwrite", action="store_true", help="replace the folder if it exists")


def add_ledger(command: argparse.ArgumentParser) -> None:
    """--ledger, --ledger-limit."""
    what = "the custodian's file of all runs, made if absent; this run is entered before it draws noise"
    command.add_argument("--ledger", type=Path, metavar="F", help=what)
    what = (
        "limit of the ledger's total, in the run's rho or epsilon: of one person, or of one record where a person can "
        "have any number; the first X is entered in the ledger and binds every later run, with or without the option"
    )
    command.add_argument("--ledger-limit", metavar="X", help=what)


def add_json(command: argparse.ArgumentParser, what: str = "print the answer as JSON") -> None:
    """--json."""
    command.add_argument("--json", action="store_true", help=what)


def add_quiet(command: argparse.ArgumentParser) -> None:
    """--quiet."""
    command.add_argument("--quiet", action="store_true", help="show no progress on stderr")


def add_machine(command: argparse.ArgumentParser) -> None:
    """--quiet, --threads, --memory-limit, --scratch; no log, for commands that see nothing confidential."""
    add_quiet(command)
    command.add_argument("--threads", type=int, metavar="N", help="threads to use; default: all cores")
    what = "most memory to use, such as 8GB; default: 80 %% of the machine's"
    command.add_argument("--memory-limit", metavar="SIZE", help=what)
    what = "folder for temporary files; default: the system's"
    command.add_argument("--scratch", type=Path, metavar="DIR", help=what)
    command.set_defaults(confidential_log=None)


def add_resources(command: argparse.ArgumentParser) -> None:
    """--quiet, --threads, --memory-limit, --scratch, --confidential-log."""
    add_machine(command)
    command.add_argument(
        "--confidential-log",
        type=Path,
        metavar="F",
        help="file for row counts, timings and every offending record (mode 0600)",
    )


def add_engine(command: argparse.ArgumentParser) -> None:
    """--engine, --master, --parts, --task-memory, --accept-spark-setting."""
    what = "who counts the people: this machine (default), or the workers of a Spark cluster"
    command.add_argument("--engine", choices=["machine", "spark"], default="machine", help=what)
    what = "URL of the cluster, such as yarn or spark://HOST:7077; default: what Spark's settings say"
    command.add_argument("--master", metavar="URL", help=what)
    what = "parts that the cluster counts, each by a task; default: one for every two million records"
    command.add_argument("--parts", type=int, metavar="N", help=what)
    what = f"most memory of the engine in each task of the cluster; default: {TASK_MEMORY}"
    command.add_argument("--task-memory", metavar="SIZE", help=what)
    what = "leave a setting of Spark as the cluster has it, though it may let counts out; may be repeated"
    command.add_argument("--accept-spark-setting", action="append", default=[], metavar="NAME", help=what)


def spark_of(options: argparse.Namespace) -> Spark | None:
    """The cluster that counts; None where this machine does. Raises: InputError with every problem."""
    if options.engine != "spark":
        fix = "say --engine spark as well, or name files: --persons"
        what = "is read by Spark alone"
        refuse([Problem("--persons-table", what, fix)] if options.persons_table is not None else [])
        refuse(misplaced(options, "--engine spark", "master", "parts", "task_memory", "accept_spark_setting"))
        return None
    problems = []
    if options.parts is not None and not 1 <= options.parts <= MOST_PARTS:
        fix = f"give at least 1, at most {MOST_PARTS:,}"
        problems.append(Problem("--parts", f"{options.parts} is not a number of parts", fix))
    if options.task_memory is not None and not _is_size(options.task_memory):
        problems.append(Problem("--task-memory", f"'{options.task_memory}' is not a size", "say it like 3GB"))
    refuse(problems)
    memory = options.task_memory or TASK_MEMORY
    return Spark(options.master, options.parts, memory, tuple(options.accept_spark_setting))


def inputs_of(options: argparse.Namespace) -> InputPaths:
    """The inputs that the options name."""
    return InputPaths(
        options.parameters,
        options.persons if getattr(options, "persons_table", None) is None else SparkTable(options.persons_table),
        options.geography,
        options.code_lists,
        options.person_id,
        getattr(options, "totals", None),
        getattr(options, "region_names", None),
        getattr(options, "object_storage", False),
        getattr(options, "totals_are_public", False),
    )


def resources_of(options: argparse.Namespace) -> Resources:
    """The resources that the options ask for. Raises: InputError with every problem."""
    problems = []
    if options.threads is not None and not 1 <= options.threads <= _MOST_THREADS:
        fix = f"give at least 1, at most {_MOST_THREADS:,}"
        problems.append(Problem("--threads", f"{options.threads} is not a number of threads", fix))
    if options.memory_limit is not None and not _is_size(options.memory_limit):
        problems.append(Problem("--memory-limit", f"'{options.memory_limit}' is not a size", "say it like 8GB"))
    if options.scratch is not None and "\\" in str(options.scratch.resolve()):
        problems.append(Problem("--scratch", "a \\ in its path, which the engine takes for a /", "name another folder"))
    if options.scratch is not None and not options.scratch.is_dir():
        problems.append(Problem("--scratch", f"{options.scratch} is not a folder", "make it first"))
    if problems:
        raise InputError(problems)
    return Resources(options.threads, options.memory_limit, options.scratch, options.confidential_log)


def _is_size(text: str) -> bool:
    found = _MEMORY.fullmatch(text)
    if found is None or not any(digit in "123456789" for digit in found[1] + (found[2] or "")):
        return False
    size: int = int(found[1]) * 1024 ** ("KMGT".index(found[3].upper()) + 1)
    return size <= _LARGEST_MEMORY


def misplaced(options: argparse.Namespace, needed: str, *names: str) -> list[Problem]:
    """A problem for each option among `names` that was given, as they have no effect without `needed`."""
    given = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name) not in (None, False, [])]
    return [Problem(name, f"has no effect here: it belongs to {needed}", "leave it out") for name in given]


def ledger_file_of(options: argparse.Namespace) -> LedgerFile | None:
    """The ledger that the options name. Raises: InputError where the limit is no budget, or comes without a ledger."""
    if options.ledger_limit is None:
        return None if options.ledger is None else LedgerFile(options.ledger)
    if options.ledger is None:
        raise InputError([Problem("--ledger-limit", "limits the runs of a ledger", "name the ledger: --ledger")])
    limit = exact_decimal(options.ledger_limit)
    if limit is None or limit <= 0:
        fix = "give a decimal above 0, such as 2.5"
        raise InputError([Problem("--ledger-limit", f"'{options.ledger_limit}' is not a budget", fix)])
    return LedgerFile(options.ledger, limit)


def level_of(text: str) -> Fraction:
    """The value of --level. Raises: InputError where it is no number between 0 and 1."""
    value = exact_decimal(text)
    if value is not None and 0 < value < 1:
        return value
    percent = exact_decimal(text.strip().removesuffix("%").strip())
    fix = "say it like 0.9"
    if percent is not None and 1 < percent < 100:
        fix = f"say it as a share: {float(percent / 100):g}"
    raise InputError([Problem("--level", f"'{text}' is no number between 0 and 1", fix)])


def decimal_of(option: str, text: str) -> Fraction:
    """The value of an option. Raises: InputError where it is no decimal number."""
    value = exact_decimal(text)
    if value is None:
        raise InputError([Problem(option, f"'{text}' is not a decimal number", "say it like 0.1 or 1e-10")])
    return value
