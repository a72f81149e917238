"""Progress of a long command: its stages, and how much of each is done; never a count of people."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tqdm import tqdm

from safetab_sql.kit.sqlfiles import RUN, folder_files, sql_files

Step = Callable[[str, int], None]


def ignore(_: str) -> None:
    """Takes a line and does nothing with it."""


def ignore_step(_: str, __: int) -> None:
    """Takes a step and does nothing with it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """stage: called with the name of each stage as it begins.

    step: called with the name of each statement as it ends, and the number of slices that it runs for. warn: called
    with each warning for the custodian; the command goes on.
    """

    stage: Callable[[str], None] = ignore
    step: Step = ignore_step
    warn: Callable[[str], None] = ignore


SILENT = Progress()


@contextmanager
def reported_progress(*, is_quiet: bool) -> Iterator[Progress]:
    """Progress on stderr: a bar on a terminal or in a notebook, else lines, or warnings alone if `is_quiet`."""
    if is_quiet:
        yield Progress(warn=_warn)
    elif not (sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel.")):  # a notebook shows a bar
        yield Progress(stage=lambda name: print(f"{name} ...", file=sys.stderr), warn=_warn)
    else:
        seconds = sum(file.seconds for file in folder_files(RUN, "checks"))
        layout = "{desc} {percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left"
        with tqdm(total=seconds, bar_format=layout, leave=False) as bar:

            def step(name: str, slices: int) -> None:
                bar.update(sql_files()[name].seconds / slices)

            yield Progress(stage=bar.set_description, step=step, warn=_warn)


def _warn(text: str) -> None:
    tqdm.write(f"warning: {text}", file=sys.stderr)  # above the bar, if there is one
