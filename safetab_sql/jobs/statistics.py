"""`statistics`: counts, ratios, differences of both and quantiles with intervals, many in one call."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute, csv, parquet

from safetab_sql.jobs.count_laws import count_law
from safetab_sql.jobs.measured_statistics import put_combined
from safetab_sql.jobs.ratio_difference_answers import put_equal_ratio_chances, with_ratio_differences
from safetab_sql.jobs.reconciled_statistics import reconciled_answers
from safetab_sql.jobs.statistic_answers import (
    BOTH_STAGES,
    NO_ROW,
    PART,
    SELECTED,
    TOTAL_ONLY,
    UNDIVIDED,
    open_ends,
    put,
)
from safetab_sql.jobs.wanted import ANSWERS, WantedStatistics, wanted_statistics
from safetab_sql.jobs.wanted_counts import LadderCounts, released_counts
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, nearest, refuse
from safetab_sql.kit.whole_folders import write_whole_file
from safetab_sql.published.derived import CountLaw, Intervals, Shape, counts, differences, quantiles, ratios
from safetab_sql.published.ratio_noise import PairNoise
from safetab_sql.published.release import ReleaseFolder, open_folder
from safetab_sql.published.release_facts import ReleaseFacts

LEVEL = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class _Terms:
    """The counts of the statistics, one array entry each; `found` is False where nothing was published.

    laws: places in a list of laws. is_whole: whether cells of its table hold the wanted values and no others. is_total:
    whether the group has a total and no table.
    """

    found: npt.NDArray[np.bool_]
    is_whole: npt.NDArray[np.bool_]
    is_total: npt.NDArray[np.bool_]
    noisy: Int64s
    laws: Int64s


def statistics(
    release: str | Path,
    wanted: str | Path,
    out: str | Path,
    *,
    level: Fraction = LEVEL,
    from_zero: bool = False,
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> pa.Table:
    """The wanted statistics with ESTIMATE, LOW, HIGH, P_VALUE and NOTE, written to `out`, CSV or Parquet by its suffix.

    wanted: CSV or Parquet, one row a statistic. level: of the intervals. from_zero: cut intervals of counts at 0.
    Raises: InputError with every problem of the inputs.
    """
    table = statistics_of(release, wanted, level=level, from_zero=from_zero, resources=resources)
    write_whole_file(Path(out), _content(table, Path(out)), overwrite=overwrite)
    return table


def statistics_of(
    release: str | Path,
    wanted: object,
    *,
    level: Fraction = LEVEL,
    from_zero: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
) -> pa.Table:
    """As `statistics`, and nothing is written. wanted: also a table that Python holds (see kit/arrow_tables.py)."""
    made = open_folder(Path(release), or_reconciled=True)
    refuse([*made.problems, *_problems(made.facts, level)])
    asked = wanted_statistics(wanted, made.facts.parameters)
    refuse(list(_unknown_types(asked, made.facts)))
    answers = _computed if made.facts.reconciled is None else reconciled_answers
    return _answered(asked, answers(asked, made, level, resources, from_zero=from_zero))


def _problems(facts: ReleaseFacts, level: Fraction) -> Iterator[Problem]:
    if not 0 < level < 1:
        yield Problem("--level", f"{float(level):g} is not between 0 and 1", "say it like 0.9")
    if facts.is_clipped:
        what = "counts below 0 became 0 (allow_negative_counts = false), so the noise of what is computed is not known"
        fix = "T1 and T2 have intervals of each count, LOW95 and HIGH95; `moe` has intervals of sums and their ratios"
        yield Problem(str(facts.where), what, fix)


def _unknown_types(asked: WantedStatistics, facts: ReleaseFacts) -> Iterator[Problem]:
    """The region types that are wanted and that the release has not."""
    for own in asked.ladders:
        known = list(dict.fromkeys(each.region_type for each in facts.levels if each.ladder in (None, own.ladder)))
        types = [name for name in compute.unique(own.terms["region_type"]).to_pylist() if name not in known]
        for name in types[:5]:
            near = nearest(name, known)
            guess = f"did you mean {near}? " if near else ""
            what = f"{own.ladder} has no region type '{name}'"
            yield Problem(f"{asked.where} REGION_TYPE", what, f"{guess}It has {', '.join(known)}")


def _computed(
    asked: WantedStatistics, release: ReleaseFolder, level: Fraction, resources: Resources, *, from_zero: bool
) -> tuple[Intervals, list[str | None]]:
    """The statistics from the counts of a release."""
    size, facts = len(asked.kinds), release.facts
    laws: list[CountLaw] = []
    parts = released_counts(release, asked, resources)
    rows = pa.concat_tables([part.wanted_counts.append_column("ladder", _named(part)) for part in parts])
    is_other = rows["is_other"]
    one, other = (_terms(rows.filter(mask), size, facts, laws) for mask in (compute.invert(is_other), is_other))
    shared = np.zeros(size, dtype=np.int64)
    for part in parts:
        shared[part.shared_counts["statistic_number"].to_numpy()] = part.shared_counts["shared_counts"].to_numpy()
    kinds = np.array(asked.kinds)
    found = Intervals(*(np.full(size, np.nan) for _ in range(4)))
    is_pair = np.isin(kinds, ["difference", "ratio"])
    usable = one.found & one.is_whole & (~is_pair | (other.found & other.is_whole))
    for places in _alike(usable & (kinds == "count"), one.laws):
        some = counts(laws[one.laws[places[0]]], one.noisy[places], level)
        put(found, places, some, least=0.0 if from_zero else -np.inf)
    _put_pairs(found, asked, laws, (one, other), shared, usable & is_pair, level)
    for part in parts:
        _put_quantiles(found, asked, part.wanted_bins, laws, one, usable & (kinds == "quantile"), level)
    notes = _notes(found, kinds, one, other, laws, shared)
    for part in parts:
        counted = (one.laws, one.noisy)
        for place in put_combined(found, part, facts, laws, counted, usable & (kinds == "count"), level, from_zero):
            notes[place] = BOTH_STAGES
    return with_ratio_differences(asked, found, notes)


def _named(part: LadderCounts) -> pa.Array:
    """The name of a ladder for each of its counts."""
    return pa.repeat(part.ladder.name, part.wanted_counts.num_rows)


def _terms(rows: pa.Table, size: int, facts: ReleaseFacts, laws: list[CountLaw]) -> _Terms:
    """The counts of all statistics; their laws are added to `laws`."""
    numbers = rows["statistic_number"].to_numpy()
    kinds = ("ladder", "level_name", "is_total_only", "summed_counts", "is_total")
    grouped = rows.select(kinds).group_by(kinds).aggregate([])
    places: dict[tuple[object, ...], int] = {}
    for kind in grouped.to_pylist():
        places[tuple(kind[name] for name in kinds)] = len(laws)
        laws.append(
            count_law(
                facts,
                kind["ladder"],
                kind["level_name"],
                is_total_only=kind["is_total_only"],
                is_total=kind["is_total"],
                summed_counts=kind["summed_counts"],
            )
        )
    listed = zip(*(rows[name].to_pylist() for name in kinds), strict=True)
    found, is_whole, is_total = (np.zeros(size, dtype=np.bool_) for _ in range(3))
    noisy, law_places = np.zeros(size, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    found[numbers] = True
    is_whole[numbers] = rows["is_whole"].to_numpy(zero_copy_only=False)
    is_total[numbers] = rows["is_total"].to_numpy(zero_copy_only=False)
    noisy[numbers] = rows["noisy_count"].to_numpy()
    law_places[numbers] = [places[key] for key in listed]
    return _Terms(found, is_whole, is_total, noisy, law_places)


def _alike(chosen: npt.NDArray[np.bool_], *keys: npt.NDArray[np.generic]) -> Iterator[Int64s]:
    """The places of the chosen statistics, those with equal keys together."""
    places = np.flatnonzero(chosen)
    if places.size:
        table = np.stack([np.asarray(key)[places].astype(np.int64) for key in keys])
        _, numbers = np.unique(table, axis=1, return_inverse=True)
        order = np.argsort(numbers.ravel(), kind="stable")
        ends = np.flatnonzero(np.diff(numbers.ravel()[order])) + 1
        yield from np.split(places[order], ends)


def _put_pairs(
    found: Intervals,
    asked: WantedStatistics,
    laws: Sequence[CountLaw],
    terms: tuple[_Terms, _Terms],
    shared: Int64s,
    chosen: npt.NDArray[np.bool_],
    level: Fraction,
) -> None:
    """Differences and ratios. Of a difference of ratios, each has half the chance to miss."""
    one, other = terms
    is_ratio, is_half = np.array(asked.kinds) == "ratio", np.zeros(chosen.size, dtype=np.bool_)
    is_half[[*asked.firsts, *asked.seconds]] = True
    noises: list[PairNoise] = []
    numbers = np.full(chosen.size, -1, dtype=np.int64)  # places in `noises`
    for places in _alike(chosen, one.laws, other.laws, shared, is_ratio, is_half):
        shape = Shape(laws[one.laws[places[0]]], laws[other.laws[places[0]]], int(shared[places[0]]))
        computed = ratios if is_ratio[places[0]] else differences
        own = (1 + level) / 2 if is_half[places[0]] else level
        put(found, places, computed(shape, one.noisy[places], other.noisy[places], own))
        if is_half[places[0]] and not shape.is_selected:
            numbers[places] = len(noises)
            noises.append(shape.noise)
    put_equal_ratio_chances(found, asked, (one.noisy, other.noisy), numbers, noises)


def _put_quantiles(
    found: Intervals,
    asked: WantedStatistics,
    rows: pa.Table,
    laws: Sequence[CountLaw],
    one: _Terms,
    chosen: npt.NDArray[np.bool_],
    level: Fraction,
) -> None:
    """Quantiles of one ladder. rows: table `wanted_bins` of sql/tools/statistics."""
    ordered = rows.sort_by([("statistic_number", "ascending"), ("bin_start", "ascending")])
    numbers, starts, ends, noisy = (
        ordered[name].to_numpy() for name in ("statistic_number", "bin_start", "bin_end", "noisy_count")
    )
    firsts, bins, tables = (np.zeros(chosen.size, dtype=np.int64) for _ in range(3))
    present, at, sizes = np.unique(numbers, return_index=True, return_counts=True)
    firsts[present], bins[present] = at, sizes
    known: dict[tuple[int, ...], int] = {}
    first_values, last_values = starts.tolist(), ends.tolist()
    tables[present] = [
        known.setdefault((*first_values[first : first + size], last_values[first + size - 1] + 1), len(known))
        for first, size in zip(at.tolist(), sizes.tolist(), strict=True)
    ]
    all_edges = [np.array(edges, dtype=np.int64) for edges in known]
    shares = np.array([-1 if share is None else share.numerator * 10_000 + share.denominator for share in asked.shares])
    for places in _alike(chosen & (bins > 1), one.laws, tables, shares):
        edges = all_edges[tables[places[0]]]
        lines = firsts[places][:, None] + np.arange(edges.size - 1)
        law, share = laws[one.laws[places[0]]], asked.shares[places[0]]
        per_bin = law.counts // (edges.size - 1)
        put(found, places, quantiles(law.law, per_bin, share or Fraction(1, 2), noisy[lines], edges, level))


def _notes(
    found: Intervals,
    kinds: npt.NDArray[np.str_],
    one: _Terms,
    other: _Terms,
    laws: Sequence[CountLaw],
    shared: Int64s,
) -> list[str | None]:
    """What is to be known of each statistic, if anything."""
    is_pair = np.isin(kinds, ["difference", "ratio"])
    selected = np.array([law.above is not None for law in laws] + [False])
    notes = np.full(kinds.size, None, dtype=object)
    notes[selected[one.laws] | (is_pair & selected[other.laws])] = SELECTED
    for place, note in open_ends(found, kinds):
        notes[place] = note if notes[place] is None else f"{notes[place]}; {note}"
    notes[(kinds == "quantile") & np.isnan(found.lows)] = UNDIVIDED
    notes[~one.is_whole | (is_pair & ~other.is_whole)] = PART
    is_alone = (one.is_total & ~one.is_whole) | (is_pair & other.is_total & ~other.is_whole)
    notes[is_alone | ((kinds == "quantile") & one.is_total)] = TOTAL_ONLY
    notes[~one.found | (is_pair & ~other.found)] = NO_ROW
    return list(notes)


def _answered(asked: WantedStatistics, answers: tuple[Intervals, list[str | None]]) -> pa.Table:
    """The wanted table with the answers behind its own columns."""
    found, notes = answers
    table = asked.table
    for name, values in zip(ANSWERS, (found.estimates, found.lows, found.highs, found.p_values), strict=False):
        known = np.where(np.isfinite(values), values, np.nan)  # an interval without an end has NULL there
        table = table.append_column(name, pa.array(known, pa.float64(), from_pandas=True))
    return table.append_column("NOTE", pa.array(notes, pa.string()))


def _content(table: pa.Table, out: Path) -> bytes:
    if out.suffix not in (".csv", ".parquet"):
        raise InputError([Problem(f"--out {out}", "is neither .csv nor .parquet", "end its name with one of them")])
    stream = BytesIO()
    if out.suffix == ".csv":
        csv.write_csv(table, stream)
    else:
        parquet.write_table(table, stream, compression="zstd")
    return stream.getvalue()
