"""The command line: `safetab-sql <command>`. stdout is the answer, stderr is progress and problems."""

import argparse
import sys
from collections.abc import Generator, Sequence
from functools import cache
from importlib import import_module, metadata
from typing import NoReturn

import duckdb

from safetab_sql.commands.account import add_account
from safetab_sql.commands.audit import add_audit
from safetab_sql.commands.bottom_up import add_bottom_up
from safetab_sql.commands.describe import add_describe
from safetab_sql.commands.evaluate import add_evaluate
from safetab_sql.commands.example import add_example
from safetab_sql.commands.ground_truth import add_ground_truth
from safetab_sql.commands.hints import explained_refusal, meant_parser
from safetab_sql.commands.lists import add_lists
from safetab_sql.commands.moe import add_moe
from safetab_sql.commands.new import add_new
from safetab_sql.commands.option_problems import option_problems
from safetab_sql.commands.overview import FIRST_STEPS, grouped_commands
from safetab_sql.commands.parts import add_parts
from safetab_sql.commands.plan import add_plan
from safetab_sql.commands.reconcile import add_reconcile
from safetab_sql.commands.report import add_report
from safetab_sql.commands.run import add_run
from safetab_sql.commands.schema import add_schema
from safetab_sql.commands.semantics import add_semantics
from safetab_sql.commands.simulate import add_simulate
from safetab_sql.commands.sql import add_sql
from safetab_sql.commands.statistics import add_statistics
from safetab_sql.commands.strategy import add_strategy
from safetab_sql.commands.synthesize import add_synthesize
from safetab_sql.commands.targets import add_targets
from safetab_sql.commands.validate import add_validate
from safetab_sql.kit.errors import ClusterFaultError, InputError, printable, refuse
from safetab_sql.kit.exit_codes import (
    NOTHING_WRITTEN,
    READER_GONE,
    delivered,
    explained,
    hold_output,
    leave_no_core,
    let_go_of_output,
    stop_tidily,
)

_COMMANDS = (
    add_example,
    add_new,
    add_lists,
    add_simulate,
    add_validate,
    add_plan,
    add_run,
    add_parts,
    add_ground_truth,
    add_audit,
    add_evaluate,
    add_describe,
    add_moe,
    add_statistics,
    add_reconcile,
    add_bottom_up,
    add_synthesize,
    add_account,
    add_targets,
    add_semantics,
    add_strategy,
    add_report,
    add_sql,
    add_schema,
)


def entry_point() -> None:
    """`safetab-sql`: exits with 0 when done, 1 for a fault of ours or of the machine, 2 for bad input.

    130: interrupted. 141: whoever read its output went away.
    """
    hold_output()
    try:
        code = delivered(_exit_code(sys.argv[1:]))
    except BrokenPipeError:
        let_go_of_output()
        code = READER_GONE
    sys.exit(code)


def _exit_code(arguments: Sequence[str]) -> int:
    """As `main`; argparse ends the program where it shows help or refuses a command line."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    stop_tidily()
    leave_no_core()
    if not arguments:
        print(FIRST_STEPS)
        return 0
    options = parsed(arguments)
    try:
        refuse(option_problems(options))
        options.command(options)
    except InputError as error:
        print(f"{str(error).removesuffix('.')}{NOTHING_WRITTEN}." if _is_to_write(options) else error, file=sys.stderr)
        return 2
    except BrokenPipeError:
        return READER_GONE  # the reader of our output has gone: nothing to say, and nobody to say it to
    except (KeyboardInterrupt, ClusterFaultError, MemoryError, RuntimeError, OSError, duckdb.Error) as error:
        code, message = explained(error, is_to_write=_is_to_write(options))
        if not message:
            raise
        print(message, file=sys.stderr)
        return code
    return 0


def _is_to_write(options: argparse.Namespace) -> bool:
    """Whether the command is to make a file or a folder."""
    return any(getattr(options, name, None) is not None for name in ("out", "figures"))


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line. One that is refused ends the program, with guesses at what was meant."""
    try:
        return parser().parse_args(arguments)
    except _Refused as refused:
        message = str(refused)
        found = meant_parser(parser(), arguments)
        # argparse quotes some of what it refuses as it is; a terminal must not obey it.
        said = map(printable, explained_refusal(found, arguments, message))
        argparse.ArgumentParser.error(found, "\n    ".join(said))


class _Refused(Exception):  # noqa: N818  (no error of the program)
    """What argparse says of a command line that it refuses."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Refused(message)


class _Grouped(argparse.RawDescriptionHelpFormatter):
    """Help without a list of the commands, which stand below it by what they are for."""

    def _iter_indented_subactions(self, _: argparse.Action) -> Generator[argparse.Action, None, None]:
        yield from ()


class _PrintCompletion(argparse.Action):
    """Prints the completion script of a shell, and ends the program."""

    def __call__(self, top: argparse.ArgumentParser, _: object, shell: object, __: object = None) -> NoReturn:
        try:
            shtab = import_module("shtab")
        except ImportError:
            top.error("--print-completion needs a library: pip install 'safetab-sql[completion]'")
        print(shtab.complete(top, shell))
        top.exit()


@cache
def parser() -> argparse.ArgumentParser:
    """The parser of every command."""
    top: argparse.ArgumentParser = _Parser(
        prog="safetab-sql",
        description="Differentially private population tables with SafeTab, SQL-first on DuckDB.",
        formatter_class=_Grouped,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"safetab-sql {metadata.version('safetab-sql')}")
    what = "print the script by which a shell completes commands and options: `eval` it in the shell's start file"
    top.add_argument("--print-completion", choices=("bash", "zsh", "tcsh"), action=_PrintCompletion, help=what)
    commands = top.add_subparsers(title="what to do", required=True, metavar="COMMAND", help="one of those below")
    for add in _COMMANDS:
        add(commands)
    top.epilog = f"{grouped_commands(commands)}\n\nexample: safetab-sql example --out demo"
    return top
