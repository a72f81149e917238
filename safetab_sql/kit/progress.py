"""What a long command tells its user while it works: stages, and how far they are; never a count of people."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tqdm import tqdm

from safetab_sql.kit.sqlfiles import RUN_FOLDERS, sql_files

Step = Callable[[str, int], None]


def ignore(_: str) -> None:
    """Takes a line and does nothing with it."""


def ignore_step(_: str, __: int) -> None:
    """Takes a step and does nothing with it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """stage: called with the name of each stage as it begins.

    step: with the name of each statement as it ends, and of how many slices of cells this was one. warn: with what the
    custodian should know, though it stops nothing.
    """

    stage: Callable[[str], None] = ignore
    step: Step = ignore_step
    warn: Callable[[str], None] = ignore


SILENT = Progress()

# How long the statements of a national run take, in seconds, so that a bar moves evenly; the others take next to none.
_SECONDS = {
    "persons_block_unknown": 10,
    "persons_code_unknown": 14,
    "persons_code_after_null": 8,
    "persons_block_malformed": 4,
    "persons_sex_unknown": 3,
    "blocks": 2,
    "block_regions": 2,
    "persons": 65,
    "answers": 7,
    "members": 21,
    "answer_codes": 3,
    "answer_iterations": 9,
    "geo_unit_answers": 9,
    "geo_unit_iterations": 13,
    "group_totals": 8,
    "broad_answers": 20,
    "broad_iterations": 16,
    "broad_group_finest_cells": 5,
    "local_answers": 13,
    "local_group_finest_cells": 17,
}


@contextmanager
def reported_progress(*, is_quiet: bool) -> Iterator[Progress]:
    """Progress on stderr: a bar with the stage and the time left on a terminal, plain lines elsewhere, or nothing.

    Warnings stand there however quiet a command is to be.
    """
    if is_quiet:
        yield Progress(warn=_warn)
    elif not sys.stderr.isatty():
        yield Progress(stage=lambda name: print(f"{name} ...", file=sys.stderr), warn=_warn)
    else:
        with _bar() as bar:

            def step(name: str, slices: int) -> None:
                bar.update(_seconds(name) / slices)

            yield Progress(stage=bar.set_description, step=step, warn=_warn)


def _warn(text: str) -> None:
    tqdm.write(f"warning: {text}", file=sys.stderr)  # above the bar, if there is one


def _bar() -> "tqdm[None]":
    names = [file.name for file in sql_files().values() if file.folder in (*RUN_FOLDERS, "checks")]
    layout = "{desc} {percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left"
    return tqdm(total=sum(map(_seconds, names)), bar_format=layout, leave=False)


def _seconds(name: str) -> float:
    return _SECONDS.get(name, 0.1)
