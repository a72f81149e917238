"""The protocol of a release, the same for every method: claim OUT, check, charge, draw noise, publish whole, mark."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from safetab_sql.accounting.charges import Charge, Spending
from safetab_sql.accounting.ledger_file import (
    LedgerFile,
    check_limit,
    ledger_file_problems,
    mark_released,
    new_charge,
    open_charge_problems,
    reserve,
)
from safetab_sql.kit.database import Resources, resources_within
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import check_new_folder, claimed_name, today, whole_folder
from safetab_sql.published.file_notes import file_digests
from safetab_sql.published.manifest import Made, write_manifest


@dataclass(frozen=True, slots=True)
class Charged:
    """A charge that has been entered, and whether noise came from the operating system's generator until then."""

    charge: Charge
    is_releasable: bool


@dataclass(slots=True)
class NewRelease:
    """A release that is being made; the methods are in the order in which they must be called.

    problems: problems that prevent making OUT; the caller reports them with the problems of its inputs.
    has_system_bits: whether noise comes from the operating system's generator; called before and after all noise is
    drawn.
    """

    out: Path
    contents: tuple[str, ...]
    overwrite: bool
    ledger_file: LedgerFile | None
    has_system_bits: Callable[[], bool]
    day: date
    problems: tuple[Problem, ...]
    _charge: Charge | None = field(default=None, init=False)
    _is_releasable: bool = field(default=False, init=False)
    _manifest: Mapping[str, Any] | None = field(default=None, init=False)
    _is_marked: bool = field(default=True, init=False)

    def declare(self, parameters: Mapping[str, object], spending: Spending, charge: Charge | None = None) -> None:
        """Declare what the release will spend. parameters: as its manifest will hold them.

        charge: the one that a process declared which ended before it drew noise.
        Raises: InputError if that one is of another run, or if the limit of the custodian's ledger forbids it.
        """
        new = new_charge(self.out, parameters, spending)
        self._charge = charge or new
        if replace(self._charge, run=new.run, when=new.when) != new:
            fix = "count and choose anew"
            raise InputError(
                [Problem(str(self.out), f"run {self._charge.run}, which was to go on, is another one", fix)]
            )
        check_limit(self.ledger_file, self._charge)

    def charge(self) -> None:
        """Enter the charge in the custodian's ledger: from here on it counts, even if the run fails.

        Must precede the first draw. Raises: InputError if another run has used up the limit meanwhile.
        """
        if self._charge is None:
            raise RuntimeError("a release is charged before it was declared")
        self._is_releasable = self.has_system_bits()
        reserve(self.ledger_file, self._charge)

    @property
    def charged(self) -> Charged:
        """The charge, for another process that goes on with this release."""
        if self._charge is None:
            raise RuntimeError("a release is handed on before it was declared")
        return Charged(self._charge, self._is_releasable)

    def go_on(self, charged: Charged) -> None:
        """Go on with a release that another process has declared and charged, and do not mark it as released.

        Raises: InputError if the custodian's ledger does not hold its charge, or says that it has been released.
        """
        refuse(open_charge_problems(self.ledger_file, charged.charge))
        self._charge, self._is_releasable, self._is_marked = charged.charge, charged.is_releasable, False

    @contextmanager
    def published(self, manifest: Mapping[str, object]) -> Iterator[Path]:
        """The folder to write files into. When the block ends it gets `manifest`, with their digests, and is OUT."""
        if self._charge is None:
            raise RuntimeError("a release is published before it was charged")
        with whole_folder(self.out, self.contents, overwrite=self.overwrite, day=self.day) as folder:
            yield folder
            # Check again: the system's generator may have been replaced during the run.
            releasable = {"releasable": self._is_releasable and self.has_system_bits()}
            files = {"files": file_digests(folder)}
            written = write_manifest(folder / "manifest.json", {**releasable, **manifest, **files}, self.day)
        if self._is_marked:
            mark_released(self.ledger_file, self._charge)
        self._manifest = written

    @property
    def made(self) -> Made:
        """The published folder."""
        if self._manifest is None:
            raise RuntimeError("a release is returned before it was published")
        return Made(self.out, self._manifest)


@contextmanager
def new_release(
    out: str | Path,
    contents: tuple[str, ...],
    ledger_file: LedgerFile | None,
    resources: Resources,
    has_system_bits: Callable[[], bool],
    *,
    overwrite: bool,
) -> Iterator[NewRelease]:
    """A release into folder `out`, whose name no other command can take until the block ends."""
    out = Path(out)
    problems = [
        *check_new_folder(out, contents, overwrite=overwrite),
        *resources_within(out, resources),
        *ledger_file_problems(ledger_file, out),
    ]
    with claimed_name(out) as conflicts:
        yield NewRelease(out, contents, overwrite, ledger_file, has_system_bits, today(), (*problems, *conflicts))
