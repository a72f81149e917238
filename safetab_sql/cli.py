"""The command line: `safetab-sql <command>`. stdout is the answer, stderr is progress and problems."""

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata

import duckdb

from safetab_sql.commands.account import add_account, add_targets
from safetab_sql.commands.audit import add_audit
from safetab_sql.commands.look import add_sql
from safetab_sql.commands.nation import add_example, add_simulate
from safetab_sql.commands.sums import add_moe
from safetab_sql.commands.tabulate import add_ground_truth, add_plan, add_run, add_validate
from safetab_sql.errors import InputError
from safetab_sql.faults import explained, stop_tidily


def entry_point() -> None:
    """`safetab-sql`: exits with 0 when done, 1 for a fault of ours or of the machine, 2 for bad input."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    stop_tidily()
    options = parser().parse_args(arguments)
    try:
        options.command(options)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing to say, and nobody to say it to
        return 1
    except (KeyboardInterrupt, RuntimeError, OSError, duckdb.Error) as error:
        code, message = explained(error)
        if not message:
            raise
        print(message, file=sys.stderr)
        return code
    return 0


def parser() -> argparse.ArgumentParser:
    """The parser of every command."""
    top = argparse.ArgumentParser(
        prog="safetab-sql",
        description="Differentially private population tables with SafeTab, SQL-first on DuckDB.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: safetab-sql example --out demo",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"safetab-sql {metadata.version('safetab-sql')}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_example(commands)
    add_simulate(commands)
    add_validate(commands)
    add_plan(commands)
    add_run(commands)
    add_ground_truth(commands)
    add_audit(commands)
    add_moe(commands)
    add_account(commands)
    add_targets(commands)
    add_sql(commands)
    return top
