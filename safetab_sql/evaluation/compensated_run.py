"""The noise of a run that publishes the same noisy counts of several extracts, and what hiding a difference costs."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.confidential.counts import (
    GroupCells,
    GroupTotals,
    all_totals,
    count_cells,
    count_totals,
    every_statistic,
    make_group_totals,
)
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.evaluation.compensation import (
    Counts,
    changed_counts,
    counts_at,
    exceeding_bits,
    is_likely,
    law_cost,
    noise_bits,
    seeded,
    some_noise,
    union,
    with_lifted,
)
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.progress import SILENT
from safetab_sql.laws.cumulative import is_tabulable
from safetab_sql.public.catalog import Catalog, build_catalog
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.published_totals import Selected, selected_groups
from safetab_sql.settings.parameters import Parameters

_BLOCK = 2**21  # groups or cells at a time


@dataclass(frozen=True, slots=True)
class CountedExtract:
    """One extract as a run counts it. cells: of every group that may get a table, by statistic.

    All but totals and cells follows from public files, and is the same for extracts of the same parameters.
    """

    parameters: Parameters
    catalog: Catalog
    plans: tuple[LevelPlan, ...]
    selected: Selected
    totals: GroupTotals
    cells: dict[int, GroupCells]

    @property
    def people(self) -> Counts:
        """The total of each group with people."""
        return self.totals.population_group_ids, self.totals.exact_counts

    def cells_at(self, statistic: int, size: int) -> Counts:
        """The cells with people of a statistic of `size` cells, as one number each."""
        found = self.cells[statistic]
        keys = found.population_group_ids * size + found.cell_positions
        order = np.argsort(keys)
        return keys[order], found.exact_counts[order]


def counted_extract(inputs: InputPaths, resources: Resources) -> CountedExtract:
    """Count an extract. Raises: InputError with every problem of the input."""
    with checked_inputs(inputs, resources) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        selected = selected_groups(intake.database, intake.sources, SILENT.warn)
        plans = level_plans(catalog, intake.parameters)
        count_totals(intake)
        make_group_totals(intake.database, catalog)
        totals = all_totals(intake.database)
        intake.database.hand_over("stat_levels", every_statistic(plans, totals))
        cells = count_cells(intake.database, plans)
        return CountedExtract(intake.parameters, catalog, plans, selected, totals, cells)


@dataclass(frozen=True, slots=True)
class _WantedTotals:
    """The noisy totals of one plan that every extract gets: int64[n] each, for groups sorted by id.

    ids: all groups, or, where empty groups are sampled, those with people in some extract and a few empty ones.
    stat_levels: 0 for a total alone. stage_1: the total that picks it, where noise does.
    """

    plan: LevelPlan
    ids: Int64s
    is_total_only: npt.NDArray[np.bool_]
    stat_levels: Int64s
    stage_1: Int64s
    totals: Int64s

    def with_table(self, stat_level: int) -> Int64s:
        """The groups of one stat level."""
        found: Int64s = self.ids[self.stat_levels == stat_level]
        return found


@dataclass(frozen=True, slots=True)
class CompensatedRun:
    """Noisy counts that do not depend on the extract, for runs of several extracts of the same parameters.

    seed: of what the noisy cells are.
    """

    first: CountedExtract
    totals: tuple[_WantedTotals, ...]
    seed: int = 0

    def bits(self, extract: CountedExtract) -> bytes:
        """What a run of `extract` reads to publish these counts."""
        return b"".join([*self._first_noise(extract), *self._second_noise(extract)])

    def costs(self, one: CountedExtract, other: CountedExtract) -> dict[str, Fraction]:
        """The loss, in rho or epsilon, of telling the two extracts apart by these counts, by level: sums over calls.

        The parts of a level that shares divide are one.
        """
        found: dict[str, Fraction] = defaultdict(Fraction)
        for wanted in self.totals:
            plan, own = wanted.plan, wanted.plan.parameters.level.name
            name = own if plan.whole is None else plan.whole.name
            found[f"{plan.name.removesuffix(own)}{name}"] += _cost(wanted, one, other)
        return found

    def _first_noise(self, extract: CountedExtract) -> Iterator[bytes]:
        levels: dict[int, list[_WantedTotals]] = {}
        for wanted in self.totals:
            levels.setdefault(wanted.plan.catalog.level_id, []).append(wanted)
        for together in levels.values():
            level = together[0].plan.catalog
            iterations = max(1, level.iterations)
            step = max(1, _BLOCK // iterations) * iterations
            for start in range(level.first_population_group_id, level.end_population_group_id, step):
                stop = min(level.end_population_group_id, start + step)
                for wanted in together:
                    yield from _range_bits(wanted, extract, start, stop)

    def _second_noise(self, extract: CountedExtract) -> Iterator[bytes]:
        random = seeded(self.seed)
        for wanted in self.totals:
            plan = wanted.plan
            for stat_level, size in enumerate(plan.sizes, start=1):
                statistic = plan.first_statistic + stat_level - 1
                ids, law = wanted.with_table(stat_level), plan.calls.stage_2.law
                for start in range(0, ids.size, max(1, _BLOCK // size)):
                    block = ids[start : start + max(1, _BLOCK // size)]
                    keys = (block[:, None] * size + np.arange(size)).ravel()
                    ours = counts_at(self.first.cells_at(statistic, size), keys)
                    wanted_cells = ours + some_noise(law, keys.size, random)
                    yield noise_bits(law, wanted_cells - counts_at(extract.cells_at(statistic, size), keys))


def compensated_run(extracts: Sequence[CountedExtract], seed: int = 0) -> CompensatedRun:
    """Noisy counts for runs of these extracts, about as far from the counts of the first as noise usually is."""
    random = seeded(seed)
    with_people = union(extract.people for extract in extracts)
    always = np.all([counts_at(extract.people, with_people) > 0 for extract in extracts], axis=0)
    totals = tuple(_wanted(plan, extracts[0], with_people, with_people[~always], random) for plan in extracts[0].plans)
    return CompensatedRun(extracts[0], totals, seed)


def _wanted(
    plan: LevelPlan, first: CountedExtract, with_people: Int64s, sometimes: Int64s, random: Generator
) -> _WantedTotals:
    """The noisy totals of a plan. with_people: groups that have people in some extract. sometimes: and not in all.

    Noise lifts half of the latter, and some groups that never have people, above what suppression keeps back.
    """
    level, calls = plan.catalog, plan.calls
    start, end = level.first_population_group_id, level.end_population_group_id
    here, lifted = (ids[slice(*np.searchsorted(ids, [start, end]))] for ids in (with_people, sometimes[::2]))
    if plan.choose == "published":
        ids, chosen = first.selected[plan.ladder_id, level.level_id]
        return _WantedTotals(plan, ids, np.zeros(ids.size, bool), chosen, *_about(plan, first, ids, random))
    if _is_sparse(plan):
        ids, others = with_lifted(here, start, end, random)
        lifted = np.union1d(lifted, others)
    else:
        ids, lifted = np.arange(start, end, dtype=np.int64), lifted[:0]
    is_total_only = plan.is_total_only[(ids - start) % max(1, level.iterations)]
    stage_1, totals = _about(plan, first, ids, random, is_total_only)
    is_lifted = np.isin(ids, lifted)
    threshold = plan.total_only_threshold if plan.is_total_only.all() else plan.suppression_threshold
    if is_lifted.any():  # one of them gets a table, where that is not too rare
        law = calls.total_only.law if plan.is_total_only.all() else calls.stage_2.law
        totals[is_lifted] = (threshold or 0) + 1 + np.arange(lifted.size) % 3 if is_likely(law, threshold) else 0
        stage_1[is_lifted] = 0
        if calls.stage_1 is not None and is_likely(calls.stage_1.law, plan.thresholds[0] - 1):
            stage_1[np.flatnonzero(is_lifted)[0]] = plan.thresholds[0]
    chosen = np.ones(ids.size, dtype=np.int64)
    if calls.stage_1 is not None:
        chosen = np.searchsorted(plan.thresholds, stage_1, side="right").astype(np.int64)
    chosen[is_total_only] = 0
    return _WantedTotals(plan, ids, is_total_only, chosen, stage_1, totals)


def _about(
    plan: LevelPlan,
    first: CountedExtract,
    ids: Int64s,
    random: Generator,
    is_total_only: npt.NDArray[np.bool_] | None = None,
) -> tuple[Int64s, Int64s]:
    """Noisy totals of stage 1 and of publication, about the exact ones: int64[n] both."""
    exact, calls = counts_at(first.people, ids), plan.calls
    stage_1 = exact.copy() if calls.stage_1 is None else exact + some_noise(calls.stage_1.law, ids.size, random)
    totals = exact + some_noise(calls.stage_2.law, ids.size, random)
    if is_total_only is not None:
        alone = exact + some_noise(calls.total_only.law, ids.size, random)
        totals = np.where(is_total_only, alone, totals)
    return stage_1, totals


def _is_sparse(plan: LevelPlan) -> bool:
    """Whether those empty groups are sampled that noise lifts. Source: mechanisms.md section 6."""
    if plan.suppression_threshold is None or plan.total_only_threshold is None or not plan.is_total_only.size:
        return False
    if plan.is_total_only.all():
        return plan.total_only_threshold >= 0 and is_tabulable(plan.calls.total_only.law)
    if plan.calls.stage_1 is None or plan.is_total_only.any():
        return False
    laws = (plan.calls.stage_1.law, plan.calls.stage_2.law)
    return min(plan.thresholds[0] - 1, plan.suppression_threshold) >= 0 and all(map(is_tabulable, laws))


def _range_bits(wanted: _WantedTotals, extract: CountedExtract, start: int, stop: int) -> Iterator[bytes]:
    """What the first noise of one range of groups reads."""
    here = slice(*np.searchsorted(wanted.ids, [start, stop]))
    ids = wanted.ids[here]
    exact = counts_at(extract.people, ids)
    plan, calls = wanted.plan, wanted.plan.calls
    drawn = np.ones(ids.size, bool)
    if plan.choose == "published":
        is_alone = wanted.stat_levels[here] == 0
        yield noise_bits(calls.stage_2.law, (wanted.totals[here] - exact)[is_alone])
        return
    if _is_sparse(plan):
        drawn = exact > 0
    first, totals = wanted.stage_1[here] - exact, wanted.totals[here] - exact
    total_only, chosen = wanted.is_total_only[here], wanted.stat_levels[here] > 0
    if calls.stage_1 is not None:
        yield noise_bits(calls.stage_1.law, first[drawn & ~total_only])
    yield noise_bits(calls.total_only.law, totals[drawn & total_only])
    yield noise_bits(calls.stage_2.law, totals[drawn & ~total_only & ~chosen])
    if _is_sparse(plan):
        ranks = ids - start - (np.cumsum(drawn) - drawn)
        yield from _empty_bits(wanted, here, ranks, ~drawn, stop - start - int(drawn.sum()))


def _empty_bits(
    wanted: _WantedTotals, here: slice, ranks: Int64s, is_empty: npt.NDArray[np.bool_], groups: int
) -> Iterator[bytes]:
    """What sampling the empty groups of a range reads. ranks: of each group among the empty ones."""
    plan, calls = wanted.plan, wanted.plan.calls
    totals, stage_1, chosen = wanted.totals[here], wanted.stage_1[here], wanted.stat_levels[here] > 0
    if plan.is_total_only.all():
        above = plan.total_only_threshold or 0
        kept = is_empty & (totals > above)
        yield exceeding_bits(calls.total_only.law, above, groups, (ranks[kept], totals[kept]))
        return
    if calls.stage_1 is None:
        raise ValueError("where every group gets a table, every group is drawn")
    with_table, above = is_empty & chosen, plan.suppression_threshold or 0
    kept = is_empty & ~chosen & (totals > above)
    yield exceeding_bits(calls.stage_1.law, plan.thresholds[0] - 1, groups, (ranks[with_table], stage_1[with_table]))
    yield exceeding_bits(calls.stage_2.law, above, groups, (ranks[kept], totals[kept]))
    if plan.publishes_stage_1:
        yield noise_bits(calls.stage_1.law, stage_1[kept])


def _cost(wanted: _WantedTotals, one: CountedExtract, other: CountedExtract) -> Fraction:
    """What the calls of one plan lose on the groups that differ."""
    plan, calls = wanted.plan, wanted.plan.calls
    ids, changes = changed_counts(one.people, other.people)
    is_ours = np.isin(ids, wanted.ids)
    ids, changes = ids[is_ours], changes[is_ours]
    places = np.searchsorted(wanted.ids, ids)
    total_only, chosen = wanted.is_total_only[places], wanted.stat_levels[places] > 0
    cost = law_cost(calls.total_only.law, changes[total_only])
    cost += law_cost(calls.stage_2.law, changes[~total_only & ~chosen])
    if calls.stage_1 is not None:
        cost += law_cost(calls.stage_1.law, changes[~total_only])
    for stat_level, size in enumerate(plan.sizes, start=1):
        statistic = plan.first_statistic + stat_level - 1
        keys, cells = changed_counts(one.cells_at(statistic, size), other.cells_at(statistic, size))
        cost += law_cost(calls.stage_2.law, cells[np.isin(keys // size, wanted.with_table(stat_level))])
    return cost
