"""The command line: `safetab-sql <command>`. stdout is the answer, stderr is progress and problems."""

import argparse
import re
import sys
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TypeAlias

import duckdb

from safetab_sql import inspection
from safetab_sql.confidential.intake import InputPaths
from safetab_sql.database import Resources
from safetab_sql.errors import InputError, Problem
from safetab_sql.example import example_text, run_example
from safetab_sql.faults import explained, stop_tidily
from safetab_sql.ground_truth import ground_truth
from safetab_sql.preview import preview, preview_text
from safetab_sql.progress import reported_progress
from safetab_sql.run import run, validate
from safetab_sql.simulation.nation import simulate
from safetab_sql.simulation.states import US_PEOPLE

_MEMORY = re.compile(r"\d+(\.\d+)?\s*(KB|MB|GB|TB|KiB|MiB|GiB|TiB)", re.IGNORECASE)

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


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
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_example(commands)
    add_simulate(commands)
    add_validate(commands)
    add_plan(commands)
    add_run(commands)
    add_ground_truth(commands)
    add_sql(commands)
    return top


def add_example(commands: Commands) -> None:
    """`example`: simulate a small nation, run it, show a few rows."""
    command = _add(commands, "example", "simulate a small nation, run it, and show a few rows", "--out demo")
    _add_out(command)
    _add_quiet(command)
    command.set_defaults(command=_example)


def add_simulate(commands: Commands) -> None:
    """`simulate`: a synthetic nation."""
    command = _add(commands, "simulate", "make a synthetic nation to try things on", "--people 200000 --out sim")
    size = command.add_mutually_exclusive_group(required=True)
    size.add_argument("--people", type=int, metavar="N", help="number of people, from 1,000 to 331,449,281")
    size.add_argument("--scale", type=float, metavar="X", help="the same as a share of the nation, such as 0.01")
    command.add_argument("--code-lists", type=Path, metavar="DIR", help="code lists to use instead of our own")
    command.add_argument("--puerto-rico", action="store_true", help="simulate Puerto Rico too")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="another seed makes another nation")
    _add_out(command)
    command.set_defaults(command=_simulate)


def add_validate(commands: Commands) -> None:
    """`validate`: every check, nothing written."""
    command = _add(commands, "validate", "check the inputs and report every problem", _INPUT_EXAMPLE)
    _add_inputs(command)
    _add_resources(command)
    command.set_defaults(command=_validate)


def add_plan(commands: Commands) -> None:
    """`plan`: what a run will do and cost, no person record opened."""
    summary = "show what a run will do and cost, from public files alone"
    example = "--parameters sim/parameters.toml --code-lists sim/code-lists --geography sim/geography.parquet"
    command = _add(commands, "plan", summary, example)
    _add_parameters(command)
    command.add_argument("--geography", metavar="F", help="one row per block; without it, no regions are counted")
    command.add_argument("--people", type=int, metavar="N", help="how many people there are, a public figure")
    command.set_defaults(command=_plan)


def add_run(commands: Commands) -> None:
    """`run`: the main job."""
    command = _add(commands, "run", "count, add noise and publish T1 and T2", f"{_INPUT_EXAMPLE} --out release")
    _add_inputs(command)
    _add_out(command)
    choices = ["parquet", "census"]
    command.add_argument(
        "--format",
        choices=choices,
        default="parquet",
        help="Parquet with margins of error, or production's text",
    )
    _add_resources(command)
    command.set_defaults(command=_run)


def add_ground_truth(commands: Commands) -> None:
    """`ground-truth`: the exact tables."""
    summary = "write the EXACT tables, of public or synthetic data only"
    command = _add(commands, "ground-truth", summary, f"{_INPUT_EXAMPLE} --out truth")
    _add_inputs(command)
    _add_out(command)
    _add_resources(command)
    command.set_defaults(command=_ground_truth)


def add_sql(commands: Commands) -> None:
    """`sql`: look at the statements."""
    command = _add(commands, "sql", "look at the SQL that a run executes", "show group_totals")
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    listing = _add(actions, "list", "the statements in run order, and one row per what", "", "sql list")
    listing.set_defaults(command=lambda _: print(inspection.listing()))
    show = _add(actions, "show", "a statement with its values inlined", "t1", "sql show")
    show.add_argument("name", nargs="?", metavar="NAME", help="name of the statement, from `sql list`")
    show.add_argument("--all", action="store_true", help="the whole run as one script")
    _add_display_inputs(show)
    show.set_defaults(command=_show)
    explain = _add(actions, "explain", "DuckDB's plan of a statement, over empty tables", "t1", "sql explain")
    explain.add_argument("name", metavar="NAME", help="name of the statement, from `sql list`")
    _add_display_inputs(explain)
    explain.set_defaults(command=_explain)


_INPUT_EXAMPLE = (
    "--parameters sim/parameters.toml --persons sim/persons "
    "--geography sim/geography.parquet --code-lists sim/code-lists"
)


def _add(commands: Commands, name: str, summary: str, example: str, path: str | None = None) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"example: safetab-sql {path or name} {example}".rstrip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _add_parameters(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--parameters",
        type=Path,
        required=True,
        metavar="P",
        help="TOML, or a production parameter directory (config.json and the four code lists)",
    )
    command.add_argument(
        "--code-lists", type=Path, metavar="DIR", help="the four code lists; default: the parameter directory"
    )


def _add_inputs(command: argparse.ArgumentParser) -> None:
    _add_parameters(command)
    forms = "a Parquet file, a glob, a directory, or pipe-delimited text"
    command.add_argument("--persons", required=True, metavar="F", help=f"one row per person: {forms}")
    command.add_argument("--geography", required=True, metavar="F", help=f"one row per block: {forms}")


def _add_display_inputs(command: argparse.ArgumentParser) -> None:
    command.add_argument("--parameters", type=Path, metavar="P", help="default: the embedded example's")
    command.add_argument("--persons", metavar="F", help="default: persons.parquet, all text")
    command.add_argument("--geography", metavar="F", help="default: geography.parquet, all text")
    command.add_argument("--code-lists", type=Path, metavar="DIR", help="default: code-lists/, all text")


def _add_out(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to make")
    command.add_argument("--overwrite", action="store_true", help="replace the folder if it exists")


def _add_quiet(command: argparse.ArgumentParser) -> None:
    command.add_argument("--quiet", action="store_true", help="no progress on stderr")


def _add_resources(command: argparse.ArgumentParser) -> None:
    _add_quiet(command)
    command.add_argument("--threads", type=int, metavar="N", help="default: all cores")
    command.add_argument("--memory-limit", metavar="SIZE", help="such as 8GB; default: 80 %% of memory")
    command.add_argument("--scratch", type=Path, metavar="DIR", help="where to spill; default: the system's")
    command.add_argument(
        "--confidential-log",
        type=Path,
        metavar="F",
        help="row counts, timings, offending records (mode 0600)",
    )


def _example(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        run_example(options.out, overwrite=options.overwrite, progress=progress)
    print(example_text(options.out))


def _simulate(options: argparse.Namespace) -> None:
    if options.scale is not None and not isfinite(options.scale):
        raise InputError([Problem("--scale", f"{options.scale} is not a share", "say it like 0.01")])
    people = options.people if options.scale is None else round(US_PEOPLE * options.scale)
    simulate(
        options.out,
        people=people,
        code_lists=options.code_lists,
        puerto_rico=options.puerto_rico,
        seed=options.seed,
        overwrite=options.overwrite,
    )
    print(options.out)


def _validate(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        validate(_inputs(options), resources=_resources(options), progress=progress)
    print("no problems found")


def _plan(options: argparse.Namespace) -> None:
    seen = preview(options.parameters, options.geography, options.code_lists, Resources())
    print(preview_text(seen, options.people))


def _run(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        run(
            _inputs(options),
            options.out,
            format=options.format,
            overwrite=options.overwrite,
            resources=_resources(options),
            progress=progress,
        )
    print(options.out)


def _ground_truth(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        ground_truth(
            _inputs(options),
            options.out,
            overwrite=options.overwrite,
            resources=_resources(options),
            progress=progress,
        )
    print(f"{options.out} holds EXACT counts: for public or synthetic data only.", file=sys.stderr)
    print(options.out)


def _show(options: argparse.Namespace) -> None:
    if (options.name is None) != options.all:
        raise InputError([Problem("sql show", "one of NAME and --all is needed", "see `safetab-sql sql list`")])
    file = None if options.all else inspection.find_statement(options.name)
    values = _display_values(options)
    print(inspection.script(values) if file is None else inspection.shown(file, values), end="")


def _explain(options: argparse.Namespace) -> None:
    file = inspection.find_statement(options.name)
    print(inspection.plan(file, _display_values(options)))


def _display_values(options: argparse.Namespace) -> dict[str, object]:
    return inspection.display_values(options.parameters, options.persons, options.geography, options.code_lists)


def _inputs(options: argparse.Namespace) -> InputPaths:
    return InputPaths(options.parameters, options.persons, options.geography, options.code_lists)


def _resources(options: argparse.Namespace) -> Resources:
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
