"""How the totals of a release differ from the totals of earlier ones, with the noise of both. Source: change.md."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.report.release import Reported, Total, published_totals
from safetab_sql.settings.ladders import Ladder
from safetab_sql.statistics.adjusted import RAREST
from safetab_sql.statistics.evaluator import LEVEL
from safetab_sql.statistics.releases import NamedReleases, opened_releases
from safetab_sql.statistics.wanted_statistics import release_problems, statistics_of

_MOST_DRAWN = 12  # totals of a ladder
_COLUMNS = ("KIND", "RELEASE", "OTHER_RELEASE", "TABLE", "REGION_TYPE", "REGION_ID", "ITERATION_CODE")
_FIX = "name releases of the same kind: of the same records, with the same tables, region types and codes"

Kind = tuple[str, str]  # of totals: ladder and region type
_Asked = tuple[str, int, Total]  # kind of statistic, place of its release, and what it is of


class Interval(NamedTuple):
    """An estimate and its 95 % interval. None: no estimate, as of a group without a row; no end of the interval."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_known(self) -> bool:
        """Whether it has an end."""
        return self.low is not None or self.high is not None

    @property
    def direction(self) -> str:
        """Whether it is surely above 0, or below."""
        if self.low is not None and self.low > 0:
            return "up"
        return "down" if self.high is not None and self.high < 0 else "none"


@dataclass(frozen=True, slots=True)
class Changes:
    """Totals in several releases. names: of the releases; the last is reported, and compared with the one before it.

    totals: in each release, of every group with a total in one of these two. differences, growths: of each. drawn: the
    totals that are drawn, by ladder: noise is in the choice. joint: so these are their growths with intervals that hold
    all at once for all totals; none where margins are not known so far out. is_shared: whether the two have the noise
    of one run.
    """

    names: tuple[str, ...]
    totals: Mapping[Total, Sequence[Interval]]
    differences: Mapping[Total, Interval]
    growths: Mapping[Total, Interval]
    drawn: Mapping[str, Sequence[Total]]
    joint: Mapping[Total, Interval]
    is_shared: bool


def change_problems(out: Path, earlier: Sequence[Path]) -> list[Problem]:
    """Why releases cannot be compared with the one in `out`. Raises: InputError where a folder holds none."""
    opened = opened_releases([*earlier, out])
    *others, own = _facts(opened)
    problems = [problem for facts in (*others, own) for problem in release_problems(facts, LEVEL)]
    problems += opened.unit_problems(_FIX)
    for facts in others:
        if not _kinds(facts) & _kinds(own):
            ladders = ", ".join(sorted({name for name, _ in _kinds(facts)}))
            what = f"no table and region type of {ladders} is in {own.where} too"
            problems.append(Problem(str(facts.where), what, _FIX))
    return problems


def changes_of(release: Reported, out: Path, earlier: Sequence[Path]) -> Changes:
    """The changes of the totals of `release`, in folder `out`, since earlier releases, the oldest first.

    Raises: InputError where there is no total that could be compared.
    """
    refuse(change_problems(out, earlier))
    folders, last = [*earlier, out], len(earlier)
    opened = opened_releases(folders)
    facts = _facts(opened)
    shown = {kind for kind in _kinds(facts[-1]) if kind[1] not in release.hidden_types}
    kinds = [shown & _kinds(each) for each in facts]
    published = [
        {total: Interval(*ends) for total, ends in published_totals(*each).items()}
        for each in zip(folders, facts, kinds, strict=True)
    ]
    then, now = published[-2:]
    if not then.keys() & now.keys():
        raise InputError([Problem(str(folders[-2]), f"no population group has a total here and in {out}", _FIX)])
    totals = [total for total in dict.fromkeys([*now, *then]) if total[:2] in kinds[-2]]
    compared: list[_Asked] = [(kind, last, total) for kind in ("difference", "growth") for total in totals]
    absent = [("count", place, total) for total in totals for place, own in enumerate(published) if total not in own]
    asked = [*compared, *(each for each in absent if each[2][:2] in kinds[each[1]])]
    found = _answers(folders, asked)
    series = {
        total: [own.get(total) or found.get(("count", place, total), Interval()) for place, own in enumerate(published)]
        for total in totals
    }
    known = {total: series[total] for total in totals if found["difference", last, total].is_known}
    drawn = {each.ladder.name: _drawn(each.ladder, known) for each in release.tables}
    growths: list[_Asked] = [("growth", last, total) for own in drawn.values() for total in own]
    miss = (1 - LEVEL) / max(1, len(totals))  # Bonferroni's: any total might have been drawn
    is_joint = miss >= RAREST and all(each.reconciled is None for each in facts)
    joint = _answers(folders, growths, 1 - miss) if is_joint else {}
    runs = [opened.runs[place] for place in opened.places]
    return Changes(
        names_of(facts, folders),
        series,
        {total: found["difference", last, total] for total in totals},
        {total: found["growth", last, total] for total in totals},
        {name: own for name, own in drawn.items() if own},
        {total: interval for (_, _, total), interval in joint.items()},
        is_shared=runs[-1] == runs[-2],
    )


def _facts(releases: NamedReleases) -> list[ReleaseFacts]:
    """Of each release that was named, in the order of the names."""
    return [releases.folders[place].facts for place in releases.places]


def _kinds(facts: ReleaseFacts) -> set[Kind]:
    """The ladders and region types of which there are totals."""
    ladders = [ladder.name for ladder in facts.parameters.ladders]
    return {(name, level.region_type) for name in ladders for level in facts.levels_of(name)}


def names_of(facts: Sequence[ReleaseFacts], folders: Sequence[Path]) -> tuple[str, ...]:
    """What each release is called: its title or its day, and the name of its folder where others are called so too."""
    texts = [each.about.title or each.day for each in facts]
    times = Counter(texts)
    return tuple(
        text if times[text] == 1 else f"{text} ({folder.absolute().name})"
        for text, folder in zip(texts, folders, strict=True)
    )


def _drawn(ladder: Ladder, series: Mapping[Total, Sequence[Interval]]) -> list[Total]:
    """The totals of a ladder that are drawn: the largest in either release, of the first region type before others."""
    first_type = ladder.levels[0].level.region_type

    def order(total: Total) -> tuple[bool, float]:
        return total[1] != first_type, -max(each.estimate or 0 for each in series[total][-2:])

    return sorted((total for total in series if total[0] == ladder.name), key=order)[:_MOST_DRAWN]


def _answers(folders: Sequence[Path], asked: Sequence[_Asked], level: Fraction = LEVEL) -> dict[_Asked, Interval]:
    """Counts of totals in the releases at some places, and their changes from the release before to it."""
    rows = [(kind, str(place + 1), None if kind == "count" else str(place), *total) for kind, place, total in asked]
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    answers = statistics_of(folders, pa.table(columns, names=list(_COLUMNS)), level=level)
    ends = (answers[name].to_pylist() for name in ("ESTIMATE", "LOW", "HIGH"))
    return dict(zip(asked, map(Interval, *ends), strict=True))
