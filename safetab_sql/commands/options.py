"""What several commands share: how a command is made, and the options for inputs, output and resources."""

import argparse
import re
from pathlib import Path
from typing import TypeAlias

from safetab_sql.confidential.intake import InputPaths
from safetab_sql.database import Resources
from safetab_sql.errors import InputError, Problem

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_MEMORY = re.compile(r"\d+(\.\d+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)", re.IGNORECASE)

INPUT_EXAMPLE = (
    "--parameters sim/parameters.toml --persons sim/persons "
    "--geography sim/geography.parquet --code-lists sim/code-lists"
)


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
        help="TOML, or a production parameter directory (config.json and the four code lists)",
    )
    command.add_argument(
        "--code-lists", type=Path, metavar="DIR", help="the four code lists; default: the parameter directory"
    )


def add_inputs(command: argparse.ArgumentParser) -> None:
    """--parameters, --code-lists, --persons, --geography."""
    add_parameters(command)
    forms = "a Parquet file, a glob, a directory, or pipe-delimited text"
    command.add_argument("--persons", required=True, metavar="F", help=f"one row per person: {forms}")
    command.add_argument("--geography", required=True, metavar="F", help=f"one row per block: {forms}")


def add_out(command: argparse.ArgumentParser) -> None:
    """--out, --overwrite."""
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to make")
    command.add_argument("--overwrite", action="store_true", help="replace the folder if it exists")


def add_quiet(command: argparse.ArgumentParser) -> None:
    """--quiet."""
    command.add_argument("--quiet", action="store_true", help="no progress on stderr")


def add_resources(command: argparse.ArgumentParser) -> None:
    """--quiet, --threads, --memory-limit, --scratch, --confidential-log."""
    add_quiet(command)
    command.add_argument("--threads", type=int, metavar="N", help="default: all cores")
    command.add_argument("--memory-limit", metavar="SIZE", help="such as 8GB; default: 80 %% of memory")
    command.add_argument("--scratch", type=Path, metavar="DIR", help="where to spill; default: the system's")
    command.add_argument(
        "--confidential-log",
        type=Path,
        metavar="F",
        help="row counts, timings, offending records (mode 0600)",
    )


def inputs_of(options: argparse.Namespace) -> InputPaths:
    """The inputs as they were named."""
    return InputPaths(options.parameters, options.persons, options.geography, options.code_lists)


def resources_of(options: argparse.Namespace) -> Resources:
    """The resources asked for. Raises: InputError with every problem of them."""
    problems = []
    if options.threads is not None and options.threads < 1:
        problems.append(Problem("--threads", f"{options.threads} is not a number of threads", "give at least 1"))
    if options.memory_limit is not None and not _MEMORY.fullmatch(options.memory_limit):
        problems.append(Problem("--memory-limit", f"'{options.memory_limit}' is not a size", "say it like 8GB"))
    if options.scratch is not None and not options.scratch.is_dir():
        problems.append(Problem("--scratch", f"{options.scratch} is not a folder", "make it first"))
    if problems:
        raise InputError(problems)
    return Resources(options.threads, options.memory_limit, options.scratch, options.confidential_log)
