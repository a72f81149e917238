"""The contents of the manifest of a release, typed: its levels with their laws and thresholds, its day, its texts.

Manifests of every version are read: older manifests hold a start and a finish in place of a day, have no texts about
the release, or leave out the digests of public files.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from safetab_sql.accounting.plan import LevelCalls, MechanismCall
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.quantiles import margin_of_error
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.public.about import About
from safetab_sql.public.budgets import PrivacyDefinition
from safetab_sql.public.levels import PopulationGroupLevel, level_of_name
from safetab_sql.public.parameters import Parameters
from safetab_sql.published.manifest import exact_from_json, parameters_from_json
from safetab_sql.published.released_whole import ReleasedWhole, released_whole

RELEASE_FIX = "name a folder that `safetab-sql run` made, as it made it"
_RECONCILED_FIX = "name a folder that `safetab-sql reconcile` made, as it made it"
_MANIFEST = Path("manifest.json")  # where nobody says which
_WORDS = ("title", "publisher", "contact", "note")
_LAWS: Mapping[str, Callable[[Fraction], Law]] = {
    "discrete gaussian": DiscreteGaussian,
    "two-sided geometric": TwoSidedGeometric,
}
Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class ReleasedLevel:
    """A population group level as the ledger of a release has it.

    ladder: the name of its ladder; None in a release with one. budget: rho or epsilon. thresholds: noisy persons; none
    where no group gets a table, or where all get the same. suppression_threshold: a total up to it is not published,
    persons; None where every total is. total_only_threshold: the same of groups that never get a table. whole: the
    level of which this is the part of one kind of iteration, where shares divide it.
    """

    name: str
    part: str
    budget: Fraction
    stability: int
    thresholds: tuple[int, ...]
    calls: LevelCalls
    suppression_threshold: int | None
    total_only_threshold: int | None
    ladder: str | None = None
    whole: ReleasedWhole | None = None

    @property
    def level(self) -> PopulationGroupLevel:
        """STATE-2, of which several ladders may have a level."""
        name = self.name if self.ladder is None else self.name.removeprefix(f"{self.ladder} ")
        return level_of_name(name)

    @property
    def region_type(self) -> str:
        """STATE of STATE-2."""
        return self.level.region_type

    @property
    def total_call(self) -> MechanismCall:
        """The call on a total of the level that is published without a table."""
        return self.calls.stage_2 if self.thresholds else self.calls.total_only

    @property
    def suppressed_up_to(self) -> int | None:
        """The largest noisy total, persons, that is not published; of groups that may get a table, where any may."""
        return self.suppression_threshold if self.thresholds else self.total_only_threshold

    def measured_law(self, *, is_total_only: bool) -> Law:
        """The law of the noise of a published count that is no sum: a cell, or the total of a group without a table.

        is_total_only: whether its group could get a total and nothing else.
        """
        return (self.calls.total_only if is_total_only else self.calls.stage_2).law

    @property
    def count_moe95(self) -> int:
        """Margin of error of a count of stage 2, persons; at a level of totals alone, of a total."""
        return margin_of_error(self.total_call.law)


@dataclass(frozen=True, slots=True)
class ReconciledFacts:
    """What `reconcile` did to a release. divisions: region type -> the region type that it divides and adds up to.

    is_whole: whether its counts are whole numbers. date: YYYY-MM-DD.
    """

    divisions: Mapping[str, str]
    is_whole: bool
    date: str


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """What a manifest says about a release with margins of error.

    manifest: the unchanged manifest of the run, also where its counts were reconciled. where: the file that holds it.
    is_clipped: whether counts below 0 became 0. reconciled: what was done to its counts; None for a folder of `run`.
    """

    manifest: Mapping[str, Any]
    where: Path
    levels: tuple[ReleasedLevel, ...]
    is_clipped: bool
    reconciled: ReconciledFacts | None

    @property
    def definition(self) -> PrivacyDefinition:
        """That of the noise."""
        is_pure = any(isinstance(level.calls.stage_2.law, TwoSidedGeometric) for level in self.levels)
        return "puredp" if is_pure else "zcdp"

    @property
    def region_types(self) -> tuple[str, ...]:
        """The region types of the levels, in the order of the levels."""
        return tuple(dict.fromkeys(level.region_type for level in self.levels))

    @property
    def suppressed_types(self) -> frozenset[str]:
        """Region types whose small totals are not published."""
        return frozenset(level.region_type for level in self.levels if level.suppression_threshold is not None)

    def suppressed_types_of(self, ladder: str) -> frozenset[str]:
        """Region types whose small totals a ladder does not publish."""
        levels = [level for level in self.levels if level.ladder in (None, ladder)]
        return frozenset(level.region_type for level in levels if level.suppression_threshold is not None)

    @property
    def own_ladders(self) -> tuple[str, ...]:
        """The names of the ladders; none where the only one is sex by age. Raises: InputError where one has none."""
        with understood(self.where):
            return self.parameters.own_ladders

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of its tables. Raises: InputError where a ladder has none."""
        with understood(self.where):
            ladders = self.manifest["parameters"]["ladders"]
            names = [name for ladder in ladders for name in (ladder["totals"], ladder["name"]) if name is not None]
            return tuple(_typed(str, name).lower() for name in names)

    @property
    def day(self) -> str:
        """The day of the run. Raises: InputError where the manifest holds none."""
        return release_day(self.manifest, self.where)

    @property
    def about(self) -> About:
        """Title, publisher, contact and note of the release. Raises: InputError where they are ill-formed."""
        return described(self.manifest, self.where)

    @property
    def parameters(self) -> Parameters:
        """The parameters of the run. Raises: InputError where the manifest does not hold them."""
        with understood(self.where, "does not hold the parameters of a release"):
            return parameters_from_json(self.manifest["parameters"], self.where)

    def level_called(self, ladder: str, name: str | None) -> ReleasedLevel:
        """A level of a ladder by its name in the index of groups. Raises: as `level_among`."""
        return level_among([level for level in self.levels if level.ladder in (None, ladder)], name)


def level_among(levels: Iterable[ReleasedLevel], name: str | None) -> ReleasedLevel:
    """The level of one ladder that the index of groups calls `name`; None for a group that is not there.

    Raises: InputError where there is no such level.
    """
    for level in levels:
        if level.level.name == name:
            return level
    what = (
        "a published group is not listed" if name is None else f"names level {name}, which the manifest does not have"
    )
    raise InputError([Problem("group_index", what, RELEASE_FIX)])


@contextmanager
def understood(where: Path, what: str = "not the manifest of a release", fix: str = RELEASE_FIX) -> Iterator[None]:
    """A block that reads values of a manifest. Raises: InputError with `what` where a value is not as it should be."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise InputError([Problem(str(where), f"{what}: {type(error).__name__} {error}", fix)]) from error


def taken_apart(manifest: object, where: Path) -> tuple[Any, ReconciledFacts | None]:
    """The manifest of the release, and what reconciling did if `manifest` is that of a reconciled folder.

    Raises: InputError where a manifest of a reconciled folder is ill-formed.
    """
    if not isinstance(manifest, Mapping) or "reconciled" not in manifest or "format" in manifest:
        return manifest, None
    with understood(where, "not the manifest of a reconciled folder", _RECONCILED_FIX):
        done = manifest["reconciled"]
        divisions = {str(inner): str(outer) for inner, outer in done["divisions"].items()}
        return manifest["release"], ReconciledFacts(divisions, bool(done["integers"]), release_day(manifest, where))


def release_facts(manifest: object, where: Path = _MANIFEST) -> ReleaseFacts:
    """The facts of a manifest, of `run` or of `reconcile`. Raises: InputError as `run_facts` does."""
    of_run, reconciled = taken_apart(manifest, where)
    return run_facts(of_run, where, reconciled)


def run_facts(manifest: Any, where: Path, reconciled: ReconciledFacts | None = None) -> ReleaseFacts:
    """The facts of a manifest of `run`.

    Raises: InputError where it is not one, or where the release has no margins of error.
    """
    with understood(where):
        if not isinstance(manifest, Mapping):
            raise TypeError("an object is wanted")
        if "format" not in manifest:
            what = "not the manifest of a release, but of a folder that another command made"
            raise InputError([Problem(str(where), what, RELEASE_FIX)])
        if manifest["format"] != "parquet":
            what = f"the {str(manifest['format'])[:20]} format has no variances, from which margins of error are made"
            raise InputError([Problem(f"{where} [format]", what, "make the release with --format parquet")])
        thresholds = manifest["suppression_thresholds"]
        totals_alone = {**thresholds, **manifest.get("total_only_suppression_thresholds", {})}
        return ReleaseFacts(
            manifest=manifest,
            where=where,
            levels=tuple(
                released_level(level, thresholds[level["level"]], totals_alone[level["level"]])
                for level in manifest["ledger"]["levels"]
            ),
            is_clipped=not manifest["parameters"]["allow_negative_counts"],
            reconciled=reconciled,
        )


def released_level(
    entry: Mapping[str, Any], suppression_threshold: object = None, total_only_threshold: object = None
) -> ReleasedLevel:
    """A level of the ledger. Raises: LookupError, TypeError or ValueError where it is ill-formed."""
    calls = {call["statistic"]: _call(call) for call in entry["calls"]}
    return ReleasedLevel(
        name=_typed(str, entry["level"]),
        part=_typed(str, entry["part"]),
        budget=exact_from_json(entry["budget"]),
        stability=_typed(int, entry["stability"]),
        thresholds=tuple(_typed(int, threshold) for threshold in entry["thresholds"]),
        calls=LevelCalls(calls["total_only"], calls.get("stage_1"), calls["stage_2"]),
        suppression_threshold=None if suppression_threshold is None else _typed(int, suppression_threshold),
        total_only_threshold=None if total_only_threshold is None else _typed(int, total_only_threshold),
        ladder=_typed(str, entry["ladder"]) if "ladder" in entry else None,
        whole=released_whole(entry["whole_level"]) if "whole_level" in entry else None,
    )


def _call(entry: Mapping[str, Any]) -> MechanismCall:
    budget = exact_from_json(entry["budget"])
    return MechanismCall(entry["statistic"], budget, _LAWS[entry["distribution"]](budget))


def _typed(kind: type[Kind], value: object) -> Kind:
    if not isinstance(value, kind):
        raise TypeError(f"{str(value)[:60]!r} is no {kind.__name__}")
    return value


def described(manifest: Mapping[str, Any], where: Path = _MANIFEST) -> About:
    """The texts about a release in a manifest; older manifests have none. Raises: InputError if they are ill-formed."""
    said = manifest.get("about") or {}
    if not isinstance(said, Mapping) or any(not isinstance(said.get(name), str | None) for name in _WORDS):
        what = f"[about] holds something else than texts: {', '.join(_WORDS)}"
        raise InputError([Problem(str(where), what, RELEASE_FIX)])
    words = {name: (said.get(name) or "").strip() or None for name in _WORDS}
    return About(**words, is_simulated=bool(said.get("is_simulated", False)))


def release_day(manifest: Mapping[str, Any], where: Path = _MANIFEST) -> str:
    """The day (UTC) on which the folder was made, YYYY-MM-DD; manifests once held its start and finish to the second.

    Raises: InputError where it holds neither.
    """
    with understood(Path(f"{where} [date]"), "holds no day such as 2026-11-21"):
        day = manifest["times"]["started"][:10] if "times" in manifest else manifest["date"]
        return date.fromisoformat(day).isoformat()


def without_times(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest with the day of the release in place of its start and finish, if it holds these."""
    kept = {name: value for name, value in manifest.items() if name != "times"}
    return {**kept, "date": release_day(manifest)} if "times" in manifest else kept
