"""`parts`: a run whose people are counted in parts, by jobs of any scheduler."""

import argparse
from pathlib import Path

from safetab_sql.commands.options import (
    INPUT_EXAMPLE,
    MOST_PARTS,
    Commands,
    add_inputs,
    add_ledger,
    add_object_storage,
    add_out,
    add_region_names,
    add_resources,
    inputs_of,
    ledger_file_of,
    new_command,
    resources_of,
)
from safetab_sql.jobs import parts
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.progress import reported_progress


def add_parts(commands: Commands) -> None:
    """`parts`: prepare, count, choose, publish."""
    command = new_command(commands, "parts", "run in steps that count people part by part, on any scheduler", "")
    command.epilog = "example: safetab-sql parts prepare --help"
    actions = command.add_subparsers(title="steps, in this order", required=True, metavar="STEP")
    _add_prepare(actions)
    summary = "count one part: first its totals and, when `choose` has ended, its cells"
    count = new_command(actions, "count", summary, "totals --work work --part 1", "parts count")
    count.add_argument("what", choices=["totals", "cells"], help="what to count")
    _add_work(count)
    count.add_argument("--part", type=int, required=True, metavar="K", help="number of the part, from 1")
    add_resources(count)
    count.set_defaults(command=_count)
    summary = "merge the totals, enter the run in the ledger, and draw the noise that chooses the tables, once"
    choose = new_command(actions, "choose", summary, "--work work", "parts choose")
    _add_work(choose)
    add_resources(choose)
    choose.set_defaults(command=_choose)
    summary = "merge the cells, draw their noise, publish, and remove the private folder and its key"
    publish = new_command(actions, "publish", summary, "--work work", "parts publish")
    _add_work(publish)
    add_resources(publish)
    publish.set_defaults(command=_publish)


def _add_prepare(actions: Commands) -> None:
    example = f"{INPUT_EXAMPLE} --out release --work work --key work.key --parts 4"
    summary = "check the public inputs, and plan the parts; what is said here holds for all steps"
    command = new_command(actions, "prepare", summary, example, "parts prepare")
    add_inputs(command)
    add_region_names(command)
    add_object_storage(command)
    add_out(command)
    choices = ["parquet", "census", "api"]
    command.add_argument("--format", choices=choices, default="parquet", help="of the release, as in `run`")
    add_ledger(command)
    _add_work(command)
    what = "file to make, whose key encrypts what the jobs keep; all of them have to be able to read it"
    command.add_argument("--key", type=Path, metavar="F", help=what)
    what = "accept that exact counts rest unencrypted in the private folder, in place of --key"
    command.add_argument("--plain", action="store_true", help=what)
    what = "how many parts, such as one for every million or two of people"
    command.add_argument("--parts", type=int, required=True, metavar="N", help=what)
    add_resources(command)
    command.set_defaults(command=_prepare)


def _add_work(command: argparse.ArgumentParser) -> None:
    what = "private folder that the jobs share, as confidential as the persons"
    command.add_argument("--work", type=Path, required=True, metavar="DIR", help=what)


def _prepare(options: argparse.Namespace) -> None:
    problems = []
    if (options.key is None) != options.plain:
        fix = "name a file for the key, or accept plain files"
        problems.append(Problem("parts prepare", "one of --key and --plain is needed", fix))
    if not 1 <= options.parts <= MOST_PARTS:
        fix = f"give at least 1, at most {MOST_PARTS:,}"
        problems.append(Problem("--parts", f"{options.parts} is not a number of parts", fix))
    if problems:
        raise InputError(problems)
    with reported_progress(is_quiet=options.quiet) as progress:
        parts.prepare(
            inputs_of(options),
            options.out,
            parts.NewWork(options.work, options.parts, options.key),
            format=options.format,
            overwrite=options.overwrite,
            ledger_file=ledger_file_of(options),
            resources=resources_of(options),
            progress=progress,
        )
    print(options.work)


def _count(options: argparse.Namespace) -> None:
    parts.count(options.work, options.part, options.what, resources=resources_of(options))


def _choose(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        parts.choose(options.work, resources=resources_of(options), progress=progress)


def _publish(options: argparse.Namespace) -> None:
    with reported_progress(is_quiet=options.quiet) as progress:
        made = parts.publish(options.work, resources=resources_of(options), progress=progress)
    print(made.out)
