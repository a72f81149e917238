"""Run in steps that count people part by part, on any scheduler.

example: prepare --help
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from safetab_sql.commands.options import Format, Inputs, Ledger, LoggedMachine, Out, Parts, Signature, refused
from safetab_sql.commands.signatures import Means

Work = Annotated[Path, Means("private folder that the jobs share, as confidential as the persons", "DIR")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealing:
    """How counts rest in the private folder.

    key F: file to make, whose key encrypts what the jobs keep; all of them have to be able to read it
    plain: accept that exact counts rest unencrypted in the private folder, in place of --key
    """

    key: Path | None = None
    plain: bool = False

    def __post_init__(self) -> None:
        """Refuse both, and neither."""
        if (self.key is None) != self.plain:
            fix = "name a file for the key, or accept plain files"
            raise refused("parts prepare", "one of --key and --plain is needed", fix)


def prepare(
    *,
    inputs: Inputs,
    region_names: str | None = None,
    folder: Out,
    format: Format = "parquet",
    ledger: Ledger,
    work: Work,
    sealing: Sealing,
    parts: Parts,
    machine: LoggedMachine,
) -> None:
    """Check the public inputs, and plan the parts; what is said here holds for all steps.

    example: INPUTS --out release --work work --key work.key --parts 4

    region_names F: names of regions, as in `run`
    format: of the release, as in `run`
    parts N: how many parts, such as one for every million or two of people
    """
    from safetab_sql.jobs.parts import NewWork, prepare

    with machine.used() as used:
        prepare(
            inputs.paths(region_names),
            folder.out,
            NewWork(work, parts, sealing.key),
            format=format,
            overwrite=folder.overwrite,
            ledger_file=ledger.file,
            **used,
        )
    print(work)


def count(what: Literal["totals", "cells"], *, work: Work, part: int, machine: LoggedMachine) -> None:
    """Count one part: first its totals and, when `choose` has ended, its cells.

    example: totals --work work --part 1

    what: what to count
    part K: number of the part, from 1
    """
    from safetab_sql.jobs.parts import count

    count(work, part, what, resources=machine.machine.resources(machine.confidential_log))


def choose(*, work: Work, machine: LoggedMachine) -> None:
    """Merge the totals, enter the run in the ledger, and draw the noise that chooses the tables, once.

    example: --work work
    """
    from safetab_sql.jobs.parts import choose

    with machine.used() as used:
        choose(work, **used)


def publish(*, work: Work, signature: Signature, machine: LoggedMachine) -> None:
    """Merge the cells, draw their noise, publish, and remove the private folder and its key.

    example: --work work
    """
    from safetab_sql.jobs.parts import publish

    sign = signature.ready()
    with machine.used() as used:
        made = publish(work, **used)
    sign(made.out)
    print(made.out)


ACTIONS = (prepare, count, choose, publish)
