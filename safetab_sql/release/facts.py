"""What the manifest of a release says, read: the release with its levels and parameters, and what reconciling did."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from safetab_sql.accounting.loss import Loss, quoted
from safetab_sql.accounting.statement import ReleasedLevel
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.published import manifest as manifests
from safetab_sql.published.file_notes import denials
from safetab_sql.settings.about import About
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.tables import adapter, shown, wrongs_of

RELEASE_FIX = "name a folder that `safetab-sql run` made, as it made it"
NO_RELEASE = "not the manifest of a release"
_KINDS: Mapping[str, type] = {"run": manifests.RunManifest, "reconcile": manifests.ReconciledManifest}
# What takes the folders of the other commands that write a manifest.
_TAKERS: Mapping[str, str] = {
    "bottom-up run": (
        "its rows state their own margins of error: for other sums name more margins in its spec; `semantics "
        "--epsilon` takes its epsilon"
    ),
    "synthesize run": "`synthesize score` takes its rows, and `semantics --epsilon` its epsilon",
    "bottom-up curve": "`report --curve` takes this folder",
    "evaluate": "`report --evaluation` takes this folder",
    "ground-truth": "`evaluate --ground-truth` and `epl --ground-truth` take this folder",
}
_MOST_PROBLEMS = 5  # of a manifest; it is written by a program, and whoever changed a word of it changed one


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """A release, or what `reconcile` made of one.

    manifest: of the run, also where its counts were reconciled. where: the file that holds it. parameters: of the run.
    files: of the folder. made_on: the day on which the folder was made, YYYY-MM-DD. reconciled: what was done to its
    counts; None for a folder of `run`.
    """

    manifest: manifests.RunManifest
    where: Path
    parameters: Parameters
    files: manifests.Digests
    made_on: str
    reconciled: manifests.ReconciledCounts | None = None

    @property
    def run(self) -> manifests.Run:
        """What the run says of itself."""
        return self.manifest.run

    @property
    def levels(self) -> tuple[ReleasedLevel, ...]:
        """The levels of the ledger."""
        return self.run.ledger.levels

    @property
    def is_clipped(self) -> bool:
        """Whether counts below 0 became 0."""
        return not self.parameters.allow_negative_counts

    @property
    def definition(self) -> PrivacyDefinition:
        """The privacy definition of the noise."""
        return self.run.ledger.loss.privacy_definition

    @property
    def loss(self) -> Loss:
        """The loss of one record, and of one person."""
        return self.run.ledger.loss.of(self.parameters.unit)

    @property
    def quoted(self) -> str:
        """The (epsilon, delta) that is quoted of the release."""
        return quoted(self.parameters.unit, self.loss, self.parameters.delta)

    @property
    def region_types(self) -> tuple[str, ...]:
        """The region types of the levels, in the order of the levels."""
        return tuple(dict.fromkeys(level.region_type for level in self.levels))

    @property
    def suppressed_types(self) -> frozenset[str]:
        """Region types whose small totals are not published."""
        return frozenset(level.region_type for level in self.levels if level.suppression_threshold is not None)

    def levels_of(self, ladder: str) -> tuple[ReleasedLevel, ...]:
        """The levels of a ladder."""
        return tuple(level for level in self.levels if level.ladder in (None, ladder))

    def suppressed_types_of(self, ladder: str) -> frozenset[str]:
        """Region types whose small totals a ladder does not publish."""
        return frozenset(each.region_type for each in self.levels_of(ladder) if each.suppression_threshold is not None)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of its tables."""
        return tuple(folder for ladder in self.parameters.ladders for folder in ladder.folders)

    @property
    def day(self) -> str:
        """The day of the run."""
        return self.manifest.published.made.date

    @property
    def about(self) -> About:
        """Title, publisher, contact and note of the release."""
        return self.run.about

    def level_called(self, ladder: str, name: str | None) -> ReleasedLevel:
        """A level of a ladder by its name in the index of groups. Raises: as `level_among`."""
        return level_among(self.levels_of(ladder), name)


def level_among(levels: Iterable[ReleasedLevel], name: str | None) -> ReleasedLevel:
    """The level of one ladder that the index of groups calls `name`; None for a group that is not there.

    Raises: InputError where there is no such level.
    """
    for level in levels:
        if level.level.name == name:
            return level
    what = f"names level {name}, which the manifest does not have"
    raise InputError([Problem("group_index", "a published group is not listed" if name is None else what, RELEASE_FIX)])


def release_facts(manifest: object, where: Path = Path(manifests.MANIFEST)) -> ReleaseFacts:
    """The facts of a manifest, of `run` or of `reconcile`.

    Raises: InputError where another command or version wrote it, or a file of the release denies its word.
    """
    refuse_others(manifest, where)
    kind = _KINDS[cast(Mapping[str, Any], manifest)["command"]]
    try:
        read = adapter(kind).validate_python(manifest)
    except ValueError as error:
        raise InputError(_problems(error, where)) from error
    run: manifests.RunManifest = read.run.release if isinstance(read, manifests.ReconciledManifest) else read
    with understood(where, "does not hold the parameters of a release"):
        parameters = replace(manifests.parameters_from_json(run.run.parameters, where), about=run.run.about)
    facts = ReleaseFacts(run, where, parameters, run.published.files, run.published.made.date)
    if isinstance(read, manifests.ReconciledManifest):
        facts = replace(facts, files=read.files, made_on=read.made.date, reconciled=read.run.reconciled)
    refuse(denials(where.parent, facts.files) if run.published.releasable else [])
    return facts


def sum_problems(facts: ReleaseFacts) -> list[Problem]:
    """Why `reconcile` does not take a release: each of its ladders that adds up amounts."""
    fix = "leave its rows as they are: `moe` and `statistics` give sums, means and their intervals"
    return [
        Problem(str(facts.where), f"{ladder.name} is a {ladder.sum.words}, and reconcile takes counts alone", fix)
        for ladder in facts.parameters.ladders
        if ladder.sum is not None
    ]


def refuse_others(manifest: object, where: Path) -> None:
    """Raises: InputError where this version of `run` or `reconcile` did not write the manifest: who did, and a cure."""
    if not isinstance(manifest, Mapping):
        raise InputError([Problem(str(where), f"{NO_RELEASE}: an object is wanted", RELEASE_FIX)])
    command, software = str(manifest.get("command")), manifest.get("software")
    if command in _TAKERS:
        fix = f"{RELEASE_FIX}; {_TAKERS[command]}"
        raise InputError([Problem(str(where), f"{NO_RELEASE}: `safetab-sql {command}` made it", fix)])
    if "command" not in manifest and isinstance(software, Mapping) and "safetab-sql" in software:
        version = shown(software["safetab-sql"])
        what = f"{NO_RELEASE} as this version writes it: it does not say which command of safetab-sql {version} made it"
        raise InputError([Problem(str(where), what, "read it with that version, or make the release anew")])
    if command not in _KINDS:
        raise InputError([Problem(str(where), f"{NO_RELEASE}: no command of safetab-sql made it", RELEASE_FIX)])


def _problems(error: Any, where: Path) -> list[Problem]:
    said = [f"{'.'.join(map(str, each.place))} {each.what}" for each in wrongs_of(error)]
    return [Problem(str(where), f"{NO_RELEASE}: {each}", RELEASE_FIX) for each in said[:_MOST_PROBLEMS]]


@contextmanager
def understood(where: Path, what: str = NO_RELEASE) -> Iterator[None]:
    """A block that reads values of a manifest. Raises: InputError with `what` where a value is not as it should be."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError([Problem(str(where), f"{what}: {type(error).__name__} {error}", RELEASE_FIX)]) from error
