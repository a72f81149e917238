"""What a long command tells its user while it works: stages, and how far they are; never a count of people."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tqdm import tqdm

from safetab_sql.sqlfiles import RUN_FOLDERS, sql_files


def ignore(_: str) -> None:
    """Takes a line and does nothing with it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """stage: called with the name of each stage as it begins. step: with the name of each statement as it ends."""

    stage: Callable[[str], None] = ignore
    step: Callable[[str], None] = ignore


SILENT = Progress()

# How long the statements of a national run take, in seconds, so that a bar moves evenly; the others take next to none.
_SECONDS = {
    "persons_block_unknown": 35,
    "persons_code_unknown": 20,
    "persons_code_after_null": 15,
    "persons_block_malformed": 8,
    "blocks": 4,
    "block_regions": 3,
    "persons": 65,
    "answers": 7,
    "members": 30,
    "answer_codes": 4,
    "answer_iterations": 15,
    "cell_answers": 12,
    "cell_iterations": 10,
    "group_totals": 8,
    "broad_answers": 20,
    "broad_iterations": 20,
    "broad_group_cells": 12,
    "local_answers": 25,
    "local_group_cells": 60,
}


@contextmanager
def reported_progress(*, is_quiet: bool) -> Iterator[Progress]:
    """Progress on stderr: a bar with the stage and the time left on a terminal, plain lines elsewhere, or nothing."""
    if is_quiet:
        yield SILENT
    elif not sys.stderr.isatty():
        yield Progress(stage=lambda name: print(f"{name} ...", file=sys.stderr))
    else:
        with _bar() as bar:
            yield Progress(stage=bar.set_description, step=lambda name: bar.update(_seconds(name)) and None)


def _bar() -> "tqdm[None]":
    names = [file.name for file in sql_files().values() if file.folder in (*RUN_FOLDERS, "checks")]
    layout = "{desc} {percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left"
    return tqdm(total=sum(map(_seconds, names)), bar_format=layout, leave=False)


def _seconds(name: str) -> float:
    return _SECONDS.get(name, 0.1)
