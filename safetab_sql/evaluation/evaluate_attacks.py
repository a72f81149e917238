"""`evaluate-attacks`: subtract and solve, on our release and on the same tables protected in other ways.

Every method publishes the same tables of the same people: all totals, and the table that our release gives a group.
Then an attacker who knows the geography and the code lists uses that counts add up. Cells make up their total; regions
make up the region that they divide; and regions that cross have pieces in common, which nobody publishes. What the
attacker gets for sure are bounds, tightened until nothing changes; what she guesses is the weighted least-squares fit.
The methods and the measures: evaluation.md section 7.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.algorithm import noise_again
from safetab_sql.confidential.counts import all_totals, cells_of_tables
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.evaluation.ground_truth import exact_tables
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import Database, Resources, declared_table, resources_within
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.marks import HTML_MARK, PHRASE, marked_json, marked_table
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.text_tables import aligned
from safetab_sql.kit.whole_folders import check_new_folder, claimed_name, today, whole_folder
from safetab_sql.laws.quantiles import variance
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.published.manifest import MANIFEST, Made, parameters_json, source_digests, write_manifest
from safetab_sql.published.tables import PublishedLadder
from safetab_sql.settings.unit import Unit

TABLES = ("attacks", "sums")
PAGE = "attacks.html"
CONTENTS = (*(f"{name}.parquet" for name in TABLES), PAGE, MANIFEST)

Bools = npt.NDArray[np.bool_]

_KINDS = ("total", "cell", "piece")
_GROUP = 2**20  # keys of counts of one group: its total, then its cells, as in sql/tools/attacks
_NO_END = 1e12  # an upper bound that is none: sums of it with counts are exact in floats
_UNKNOWN = 1e6  # variance of a count of which nothing is published
_SMALL = 4  # persons: counts from 1 to this one are what an attacker is after
_PASSES = 30
THRESHOLD = 5  # persons: smaller counts are withheld by suppression

# Cumulative chances of the counts 0, 1, ... that cell keys publish for 1 person, and of -2, ..., 2 that they add to
# more; a count of 0 stays. Source: the table in SSBcellKey (Statistics Norway), of ptable with D = 2 and js = 0, two
# digits.
ONE_PERSON = (0.37, 0.73, 0.90, 1.0)
MORE_PEOPLE = (0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Family:
    """Counts that add up to others. name: cells, STATE of USA, or * of TRACT, whose parts are pieces.

    wholes: int64[w], places among all counts. parts: int64[p], likewise. of: int64[p], the place in `wholes` of each.
    """

    name: str
    wholes: Int64s
    parts: Int64s
    of: Int64s

    def summed(self, values: Floats) -> Floats:
        """The sums of the parts of each whole: float64[n] -> float64[w]."""
        return np.asarray(np.bincount(self.of, values[self.parts], self.wholes.size), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Counts:
    """Exact counts of public or synthetic people, and how they add up.

    kinds: int8[n], place in _KINDS; pieces are never published. exact: int64[n], persons. keys: float64[n], cell keys
    in [0, 1). noisy, variances: float64[n], what our release has of each; NaN where it withholds the count.
    """

    kinds: npt.NDArray[np.int8]
    exact: Int64s
    keys: Floats
    noisy: Floats
    variances: Floats
    families: tuple[Family, ...]

    @property
    def is_published(self) -> Bools:
        """Which counts a table has."""
        return np.asarray(self.kinds < _KINDS.index("piece"))

    @property
    def published_families(self) -> list[Family]:
        """The families of which every count is published."""
        return [family for family in self.families if not family.name.startswith("*")]


@dataclass(frozen=True, slots=True)
class Published:
    """What a method publishes: float64[n] each.

    values: persons, NaN where withheld. lows, highs: between which the exact count lies for sure, as everybody knows
    who knows the method. variances: of values, for the guess.
    """

    values: Floats
    lows: Floats
    highs: Floats
    variances: Floats


def unprotected(counts: Counts) -> Published:
    """The exact counts."""
    exact = counts.exact.astype(np.float64)
    return Published(exact, exact, exact, np.zeros(exact.size))


def rounded(counts: Counts, base: int) -> Published:
    """Each count rounded to the nearest multiple of an odd base, by itself."""
    half = base // 2
    values = ((counts.exact + half) // base * base).astype(np.float64)
    return Published(values, np.maximum(values - half, 0), values + half, np.full(values.size, (base**2 - 1) / 12))


def with_cell_keys(counts: Counts) -> Published:
    """Each count changed by at most two persons, the same people always alike, and 0 never.

    Source: Thompson, Broadfoot, Elazar 2013; as `Pconvert` of SSBcellKey: the first place whose cumulative chance is at
    least the key.
    """
    steps = [np.searchsorted(np.array(row), counts.keys) for row in (ONE_PERSON, MORE_PEOPLE)]
    values = np.select([counts.exact == 0, counts.exact == 1], [0, steps[0]], counts.exact + steps[1] - 2)
    values = values.astype(np.float64)
    lows = np.where(values == 0, 0, np.maximum(values - 2, 1))
    return Published(values, lows, values + 2, np.full(values.size, 2.0))


def suppressed(counts: Counts) -> Published:
    """Counts of 1 to 4 withheld; and others with them, so that none is the difference of published counts.

    Complementary suppression: where one count alone is withheld of those that add up to a published one, or where
    these leave a withheld count less room than from 1 to 5, the smallest of the others that has people is withheld
    too, or else the whole, family by family, until nothing changes.
    """
    withheld = (counts.exact > 0) & (counts.exact < THRESHOLD) & counts.is_published
    while more := [
        new for family in counts.published_families if (new := _complements(counts.exact, withheld, family)).size
    ]:
        withheld[np.concatenate(more)] = True
    exact = counts.exact.astype(np.float64)
    return Published(
        np.where(withheld, np.nan, exact),
        np.where(withheld, 1, exact),
        np.where(withheld, _NO_END, exact),
        np.where(withheld, float(THRESHOLD**2), 0.0),
    )


def _complements(exact: Int64s, withheld: Bools, family: Family) -> Int64s:
    """The smallest published part with people of each whole that is published and gives its withheld parts away.

    Each of k withheld parts of at least 1, which add up to s, may be any count from 1 to s - k + 1.
    """
    hidden = family.summed(withheld.astype(np.float64))
    room = family.summed(np.where(withheld, exact, 0).astype(np.float64)) - hidden
    lacks = (hidden > 0) & ((hidden == 1) | (room < THRESHOLD - 1)) & ~withheld[family.wholes]
    can = lacks[family.of] & ~withheld[family.parts] & (exact[family.parts] > 0)
    parts, of = family.parts[can], family.of[can]
    order = np.lexsort((parts, exact[parts], of))
    _, firsts = np.unique(of[order], return_index=True)
    alone = np.flatnonzero(lacks & ~np.isin(np.arange(family.wholes.size), of))  # nobody else is there: the whole, then
    return np.concatenate([parts[order][firsts], family.wholes[alone]])


def noisy(counts: Counts) -> Published:
    """Our release: noise without end, so that nothing but a count of at least 0 is sure."""
    size = counts.exact.size
    return Published(counts.noisy, np.zeros(size), np.full(size, _NO_END), counts.variances)


METHODS: Mapping[str, Callable[[Counts], Published]] = {
    "no protection": unprotected,
    "rounding to 3": lambda counts: rounded(counts, 3),
    "rounding to 5": lambda counts: rounded(counts, 5),
    "suppression": suppressed,
    "cell keys": with_cell_keys,
    "this release": noisy,
}


# The attack.


def bounds(counts: Counts, published: Published) -> tuple[Floats, Floats]:
    """Between which each count lies for sure, given all that is published: float64[n] both.

    A part is at most what its whole leaves when the others are as small as they can be, and so on; passes over all
    families until nothing changes, at most 30.
    """
    is_open = ~counts.is_published
    lows = np.where(is_open, 0.0, published.lows)
    highs = np.where(is_open, _NO_END, published.highs)
    for _ in range(_PASSES):
        width = (highs - lows).sum()
        for family in counts.families:
            _tighten(family, lows, highs)
        if (highs - lows).sum() == width:
            break
    return lows, highs


def _tighten(family: Family, lows: Floats, highs: Floats) -> None:
    low_sums, high_sums = family.summed(lows), family.summed(highs)
    lows[family.wholes] = np.maximum(lows[family.wholes], low_sums)
    highs[family.wholes] = np.minimum(highs[family.wholes], high_sums)
    parts, of = family.parts, family.of
    rest_low, rest_high = low_sums[of] - lows[parts], high_sums[of] - highs[parts]
    new_highs = np.minimum(highs[parts], highs[family.wholes][of] - rest_low)
    lows[parts] = np.maximum(lows[parts], lows[family.wholes][of] - rest_high)
    highs[parts] = new_highs


def guesses(counts: Counts, published: Published, lows: Floats, highs: Floats) -> Int64s:
    """The attacker's guess of each count: the least-squares fit of all that is published, within the bounds, int64[n].

    Projections onto the sums of one family after another, in the metric of the variances; they converge to the fit.
    """
    is_known = counts.is_published & ~np.isnan(published.values)
    withheld = counts.is_published & ~is_known
    spread = np.where(is_known, published.variances, np.where(withheld, float(THRESHOLD**2), _UNKNOWN))
    values = np.where(is_known, published.values, np.where(withheld, 1.0, 0.0))
    for _ in range(_PASSES):
        for family in counts.families:
            both = spread[family.wholes] + family.summed(spread)
            gaps = np.divide(values[family.wholes] - family.summed(values), both, np.zeros(both.size), where=both > 0)
            values[family.wholes] -= gaps * spread[family.wholes]
            values[family.parts] += gaps[family.of] * spread[family.parts]
    return np.asarray(np.rint(np.clip(values, lows, highs)), dtype=np.int64)


def attacked(counts: Counts) -> Iterator[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Rows of the tables `attacks` and `sums`, method by method."""
    for name, method in METHODS.items():
        published = method(counts)
        lows, highs = bounds(counts, published)
        guessed = guesses(counts, published, lows, highs)
        kinds = [_of_kind(counts, published, lows == highs, guessed, place) for place in range(len(_KINDS))]
        sums = [_sums(counts, published, family) for family in counts.published_families]
        yield [{"method": name, **row} for row in kinds], [{"method": name, **row} for row in sums]


def _of_kind(counts: Counts, published: Published, known: Bools, guessed: Int64s, kind: int) -> dict[str, Any]:
    has_people = (counts.kinds == kind) & (counts.exact > 0)
    is_small, withheld = has_people & (counts.exact <= _SMALL), has_people & np.isnan(published.values)
    is_piece = _KINDS[kind] == "piece"
    shown = has_people & ~withheld
    errors = published.values[shown] - counts.exact[shown]
    return {
        "kind": _KINDS[kind],
        "counts": int(has_people.sum()),
        "share_withheld": None if is_piece else float(withheld.sum() / max(1, has_people.sum())),
        "root_mean_square_error": None if is_piece or not errors.size else float(np.sqrt(np.mean(errors**2))),
        "small_counts": int(is_small.sum()),
        "reconstructed": int((is_small & known).sum()),
        "persons_singled_out": int((is_small & known & (counts.exact == 1)).sum()),
        "persons_alone": int((is_small & (counts.exact == 1)).sum()),
        "share_guessed": float((is_small & (guessed == counts.exact)).sum() / max(1, is_small.sum())),
    }


def _sums(counts: Counts, published: Published, family: Family) -> dict[str, Any]:
    """How far the sums of published parts are from the exact whole; what is withheld counts for nothing."""
    errors = family.summed(np.nan_to_num(published.values)) - counts.exact[family.wholes]
    return {
        "whole": family.name,
        "sums": int(errors.size),
        "mean_error": float(errors.mean()) if errors.size else 0.0,
        "root_mean_square_error": float(np.sqrt(np.mean(errors**2))) if errors.size else 0.0,
    }


# The counts.


def attack_counts(intake: Intake) -> Counts:
    """The exact counts of the inputs' first ladder, one release of them, and how the counts add up."""
    exact = exact_tables(intake, SILENT.warn)
    database, plans = intake.database, exact.plans
    intake.stage("adding noise")
    totals, cells = all_totals(database), cells_of_tables(database, plans)
    release, *_ = noise_again(intake.parameters, plans, totals, cells, exact.selected)
    intake.stage("counting what can be subtracted")
    own = [plan for plan in plans if plan.ladder == release.ladder.name]
    database.hand_over("attack_tables", attack_tables(release.tables["noisy_cells"], own))
    for name in ("attack_parts", "attack_atoms", "attack_totals", "attack_counts", "attack_members"):
        database.create(sql_files()[name])
    return _joined(database, release, own)


def attack_tables(cells: pa.Table, plans: Sequence[LevelPlan]) -> pa.Table:
    """Table `attack_tables`: the groups that have a table, and its statistic. cells: `noisy_cells` of one ladder."""
    first = {plan.catalog.level_id: plan.first_statistic for plan in plans}
    groups = cells.group_by(["level_id", "population_group_id", "stat_level"]).aggregate([]).to_pydict()
    columns = zip(groups["level_id"], groups["population_group_id"], groups["stat_level"], strict=True)
    return declared_table("attack_tables", ((group, first[level] + step - 1) for level, group, step in columns))


def _joined(database: Database, release: PublishedLadder, plans: Sequence[LevelPlan]) -> Counts:
    """Every count of a table or a piece of one, by its place among the sorted keys."""
    found, members = database.table("attack_counts"), database.table("attack_members")
    columns = {name: found[name].to_numpy() for name in ("node_id", "exact_count", "cell_key")}
    wholes, parts = (members[name].to_numpy() for name in ("whole_id", "part_id"))
    ids = np.unique(np.concatenate([columns["node_id"], wholes, parts]))
    exact, keys = np.zeros(ids.size, dtype=np.int64), np.zeros(ids.size)
    places = np.searchsorted(ids, columns["node_id"])
    exact[places] = columns["exact_count"]
    keys[places] = (columns["cell_key"] + 0.5) / 2**32
    kinds = np.where(ids < 0, 2, np.where(ids % _GROUP == 0, 0, 1)).astype(np.int8)
    names = members["family_name"].to_numpy(zero_copy_only=False)
    families = [_family(name, ids, wholes[names == name], parts[names == name]) for name in sorted(set(names))]
    return Counts(kinds, exact, keys, *_released(ids, release, plans), tuple(families))


def _family(name: str, ids: Int64s, wholes: Int64s, parts: Int64s) -> Family:
    own, of = np.unique(wholes, return_inverse=True)
    return Family(name, np.searchsorted(ids, own), np.searchsorted(ids, parts), of.ravel())


def _released(ids: Int64s, release: PublishedLadder, plans: Sequence[LevelPlan]) -> tuple[Floats, Floats]:
    """What the release has of each count, and its variance; what nobody can subtract from has no place among `ids`."""
    values, spread = np.full(ids.size, np.nan), np.full(ids.size, _UNKNOWN)
    for keys, counts, variances in (each for plan in plans for each in _measured(release, plan)):
        places = np.minimum(np.searchsorted(ids, keys), ids.size - 1)
        is_ours = ids[places] == keys
        values[places[is_ours]], spread[places[is_ours]] = counts[is_ours], variances[is_ours]
    return values, spread


def _measured(release: PublishedLadder, plan: LevelPlan) -> Iterator[tuple[Int64s, npt.NDArray[Any], Floats]]:
    """Keys, noisy counts and variances of one level: totals, cells, and the totals of tables, sums of their cells."""
    groups, counts, _ = _of_level(release.tables["noisy_totals"], plan)
    of_stage_2, alone = (float(variance(call.law)) for call in (plan.calls.stage_2, plan.calls.total_only))
    iterations = max(1, plan.catalog.iterations)
    is_alone = plan.is_total_only[(groups - plan.catalog.first_population_group_id) % iterations]
    yield groups * _GROUP, counts, np.where(is_alone, alone, of_stage_2)
    groups, counts, positions = _of_level(release.tables["noisy_cells"], plan)
    yield groups * _GROUP + 1 + positions, counts, np.full(groups.size, of_stage_2)
    with_table, of = np.unique(groups, return_inverse=True)
    yield with_table * _GROUP, np.bincount(of.ravel(), counts, with_table.size), np.full(with_table.size, _UNKNOWN)


def _of_level(table: pa.Table, plan: LevelPlan) -> tuple[Int64s, Int64s, Int64s]:
    """Groups, noisy counts and cell positions of the rows of one level; positions are 0 where there are none."""
    rows = table.filter(pc.equal(table["level_id"], plan.catalog.level_id))
    positions = rows["cell_position"].to_numpy() if "cell_position" in rows.column_names else np.zeros(rows.num_rows)
    groups, counts = (rows[name].to_numpy() for name in ("population_group_id", "noisy_count"))
    return groups, counts, positions.astype(np.int64)


# The answer.


@dataclass(frozen=True, slots=True)
class Attacks(Made):
    """The results: table `attacks`, a row for each method and kind of count, and `sums`, for each that is divided."""

    attacks: pa.Table
    sums: pa.Table


def evaluate_attacks(
    inputs: InputPaths,
    out: str | Path,
    *,
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> Attacks:
    """Attack one release of these people, and other protections of its tables; write tables and a page to `out`.

    For public or synthetic data only; every file has mode 0600. Raises: InputError with every problem of the inputs.
    """
    out, day = Path(out), today()
    problems = check_new_folder(out, CONTENTS, overwrite=overwrite) + resources_within(out, resources)
    with claimed_name(out) as conflicts, checked_inputs(inputs, resources, progress, problems + conflicts) as intake:
        parameters = intake.parameters
        once = Problem("[unit] count", "is persons: then regions do not add up", "attack records: leave count out")
        first = parameters.ladders[0]
        added = Problem(
            f"[ladders.{first.name}] sum", "is the first ladder: counts alone are attacked", "name it later"
        )
        refuse([once] * (parameters.unit.count == "persons") + [added] * (first.sum is not None))
        counts = attack_counts(intake)
        manifest = {
            "command": "evaluate-attacks",
            "parameters": parameters_json(parameters),
            "public_inputs": {name: source_digests(each) for name, each in intake.public.items()},
        }
    progress.stage("attacking")
    rows = list(attacked(counts))
    attacks, sums = (pa.Table.from_pylist([row for each in rows for row in each[place]]) for place in (0, 1))
    with whole_folder(out, CONTENTS, overwrite=overwrite, day=day) as folder:
        for name, table in zip(TABLES, (attacks, sums), strict=True):
            pq.write_table(marked_table(table), folder / f"{name}.parquet", compression="zstd")
        (folder / PAGE).write_text(page(attacks, sums, parameters.unit), encoding="utf-8")
        written = write_manifest(folder / MANIFEST, marked_json(manifest), day)
        for file in folder.iterdir():
            file.chmod(0o600)
    return Attacks(out, written, attacks, sums)


def summary(attacks: pa.Table, sums: pa.Table) -> list[list[str]]:
    """The rows of the table that a reader compares, the first of them its head."""
    head = ["method", "totals withheld", "cells withheld", "error of sums", "persons singled out", "small counts known"]
    rows = [[*head, "small counts guessed"]]
    for method in METHODS:
        total, cell, piece = (row for row in attacks.to_pylist() if row["method"] == method)
        small = [total, cell, piece]
        errors = [row for row in sums.to_pylist() if row["method"] == method and row["whole"] != "cells"]
        squares = sum(row["sums"] * row["root_mean_square_error"] ** 2 for row in errors)
        known, all_small = (sum(row[name] for row in small) for name in ("reconstructed", "small_counts"))
        right = sum(row["share_guessed"] * row["small_counts"] for row in small)
        rows.append(
            [
                method,
                f"{total['share_withheld']:.1%}",
                f"{cell['share_withheld']:.1%}",
                f"{(squares / max(1, sum(row['sums'] for row in errors))) ** 0.5:,.1f}",
                f"{sum(row['persons_singled_out'] for row in small):,}",
                f"{known / max(1, all_small):.1%}",
                f"{right / max(1, all_small):.1%}",
            ]
        )
    return rows


def attacks_text(found: Attacks) -> str:
    """The summary for people to read."""
    return aligned(summary(found.attacks, found.sums))


def page(attacks: pa.Table, sums: pa.Table, unit: Unit) -> str:
    """The page: the table, what each column means, and what each method does, for who must defend a choice."""
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    head, *rows = summary(attacks, sums)
    kinds = attacks.to_pylist()
    values = {"head": head, "rows": rows, "kinds": kinds, "sums": sums.to_pylist(), "unit": unit, "phrase": PHRASE}
    small = {kind: next(row for row in kinds if row["kind"] == kind) for kind in _KINDS}
    return environment.get_template("evaluate_attacks.html.jinja").render(
        values | {"mark": HTML_MARK, "small": small, "threshold": THRESHOLD, "most": _SMALL}
    )
