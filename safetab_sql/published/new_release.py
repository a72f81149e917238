"""The protocol of a release, the same for every method: claim OUT, check, charge, draw noise, publish whole, mark."""

import hashlib
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from safetab_sql.accounting.charges import Charge, PartLoss, Spending
from safetab_sql.accounting.ledger_file import (
    Generator,
    LedgerFile,
    RightToDraw,
    check_limit,
    mark_released,
    now,
    read_ledger,
    right_to_draw,
)
from safetab_sql.kit.database import Resources, claimed_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import given_away, sha256_of, today, whole_folder
from safetab_sql.published.file_notes import CSVW, file_digests
from safetab_sql.published.manifest import MANIFEST, Made, write_manifest
from safetab_sql.settings.ladders import BESIDE, CODES
from safetab_sql.settings.parameters import load_parameters


@dataclass(slots=True)
class NewRelease:
    """A release that is being made; the methods are in the order in which they must be called.

    problems: problems that prevent making OUT; the caller reports them with the problems of its inputs.
    generator: of random bits, which nobody gets but for a right to draw. made: the published folder.
    """

    out: Path
    contents: tuple[str, ...]
    overwrite: bool
    ledger_file: LedgerFile | None
    generator: Generator
    day: date
    problems: tuple[Problem, ...]
    _charge: Charge = field(init=False)
    _is_releasable: bool = field(init=False)
    made: Made = field(init=False)

    def declare(self, parameters: Mapping[str, object], spending: Spending, records_sha256: str = "") -> None:
        """Declare what the release will spend. parameters: as its manifest will hold them.

        records_sha256: of everything that says which records are in which part; empty if that was not taken.
        Raises: InputError if the limit of the custodian's ledger forbids it.
        """
        self._charge = new_charge(self.out, parameters, spending, records_sha256)
        check_limit(self.ledger_file, self._charge)

    def charge(self) -> RightToDraw:
        """Enter the charge in the custodian's ledger: from here on it counts, even if the run fails.

        The right to draw all noise of the run. Raises: InputError if another run has used up the limit.
        """
        self._is_releasable = self.generator.is_the_systems()
        return right_to_draw(self.ledger_file, self._charge, self.generator)

    def stamped(self, manifest: Mapping[str, object]) -> Mapping[str, object]:
        """`manifest` with `releasable` as far as it is known before its files are written, which repeat it."""
        return {"releasable": self._is_releasable, **manifest}

    @contextmanager
    def published(self, manifest: Mapping[str, object]) -> Iterator[Path]:
        """The folder to write files into. When the block ends it gets `manifest`, with their digests, and is OUT."""
        with whole_folder(self.out, self.contents, overwrite=self.overwrite, day=self.day) as folder:
            yield folder
            # Check again: the system's generator may have been replaced during the run.
            is_releasable = self._is_releasable and self.generator.is_the_systems()
            said = {"releasable": is_releasable, "accounted": self.ledger_file is not None, **manifest}
            written = write_manifest(folder / MANIFEST, {**said, "files": file_digests(folder)}, self.day)
            sha256 = sha256_of(folder / MANIFEST)
        mark_released(self.ledger_file, self._charge, sha256)
        self.made = Made(self.out, written)


def contents_of(parameters: str | Path) -> tuple[str, ...]:
    """What the folder of a release with these parameters holds; where they cannot be read, its manifest."""
    try:
        ladders = load_parameters(parameters).ladders
    except InputError:  # the problems are reported with the problems of other inputs
        return (MANIFEST,)
    folders = (folder for ladder in ladders for folder in ladder.folders)
    return (*folders, *BESIDE, CODES, CSVW, MANIFEST)


def ledger_file_problems(ledger_file: LedgerFile | None, out: Path, log: str | Path | None = None) -> list[Problem]:
    """The problems that prevent entering a run that makes folder `out`; none if there is no ledger."""
    if ledger_file is None:
        return []
    path = Path(ledger_file.path)
    if out.resolve() in (path.resolve(), *path.resolve().parents):
        fix = "keep it elsewhere: a release is given away, the ledger stays with the custodian"
        return [Problem(f"--ledger {path}", f"lies in --out {out}", fix)]
    if log is not None and path.resolve() == Path(log).resolve():
        return [Problem(f"--ledger {path}", "is the confidential log as well", "keep each in a file of its own")]
    is_new, parent = not os.path.lexists(path), path.absolute().parent
    if is_new and not parent.is_dir():
        return [Problem(str(path), f"its folder {parent} does not exist", "make that folder first")]
    if not os.access(parent if is_new else path, os.W_OK):
        what = f"no permission to write in {parent}" if is_new else "no permission to write"
        return [Problem(str(path), what, "name another ledger, or ask for access")]
    try:
        refuse(given_away(path, "--ledger"))
        if not is_new:
            read_ledger(path)
    except InputError as error:
        return list(error.problems)
    return []


def new_charge(out: Path, parameters: Mapping[str, object], spending: Spending, records_sha256: str = "") -> Charge:
    """The charge of a run that is about to start. parameters: as its manifest will hold them.

    records_sha256: of everything that says which records are in which part; empty if that was not taken. A run that
    keeps so many records of a person is entered without it: runs of two parts may each keep as many of one person, so
    that this person loses both budgets. Source: accounting.md section 8.4.
    """
    first = next(iter(spending.parts.values()))
    unit = first.unit
    text = json.dumps(parameters, sort_keys=True, separators=(",", ":"))
    return Charge(
        run=uuid.uuid4().hex,
        state="reserved",
        when=now(),
        out="".join(letter if letter.isprintable() else "?" for letter in out.absolute().name),
        parameters_sha256=hashlib.sha256(text.encode()).hexdigest(),
        privacy_definition=first.definition,
        record=unit.holder,
        parts={name: PartLoss(loss.of_record, loss.of_person) for name, loss in spending.parts.items()},
        most=unit.records_of_a_person if unit.person is None else unit.most_records,
        caveat=spending.caveat,
        delta=spending.delta,
        records_sha256=records_sha256 if unit.person is None else "",
    )


@contextmanager
def new_release(
    out: str | Path,
    contents: tuple[str, ...],
    ledger_file: LedgerFile | None,
    resources: Resources,
    generator: Generator,
    *,
    overwrite: bool,
) -> Iterator[NewRelease]:
    """A release into folder `out`, whose name no other command can take until the block ends."""
    out = Path(out)
    with claimed_folder(out, contents, resources, overwrite=overwrite) as found:
        problems = (*found, *ledger_file_problems(ledger_file, out, resources.confidential_log))
        yield NewRelease(out, contents, overwrite, ledger_file, generator, today(), problems)
