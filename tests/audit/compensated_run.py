"""The noise of a run that publishes the same noisy counts of several extracts. Source: mechanisms.md section 6."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator, default_rng

from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.confidential.counts import GroupCells, GroupTotals
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.database import Resources
from safetab_sql.kit.progress import SILENT
from safetab_sql.laws.noise import Law, is_tabulable
from safetab_sql.public.catalog import Catalog, LevelCatalog, Selected, build_catalog
from safetab_sql.public.inputs import InputPaths, Intake
from safetab_sql.published.selected_groups import selected_groups
from safetab_sql.settings.ladders import COUNTED
from safetab_sql.settings.parameters import Parameters
from tests.audit.compensation import (
    Counts,
    Draws,
    Noise,
    Sampled,
    Step,
    counts_at,
    is_likely,
    some_noise,
    union,
    with_lifted,
)
from tests.counted import totals_and_cells

_BLOCK = 2**21  # groups or cells at a time
Groups = tuple[Int64s, Int64s]  # sorted ids, and stat levels: int64[n] both


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

    def counts(self, of: str | tuple[int, int]) -> Counts:
        """The totals of a measure by group, or the cells of a statistic of so many, as one number each."""
        if isinstance(of, str):
            return self.totals.population_group_ids, self.totals.of(of)
        statistic, size = of
        found = self.cells[statistic]
        return found.population_group_ids * size + found.cell_positions, found.exact_counts


def counted(intake: Intake, catalog: Catalog, plans: tuple[LevelPlan, ...]) -> CountedExtract:
    selected = selected_groups(intake.database, intake.sources, SILENT.warn)
    return CountedExtract(intake.parameters, catalog, plans, selected, *totals_and_cells(intake, catalog, plans))


def counted_extract(inputs: InputPaths) -> CountedExtract:
    """Count an extract. Raises: InputError with every problem of the input."""
    with checked_inputs(inputs, Resources(threads=1)) as intake:
        catalog = build_catalog(intake.database, intake.parameters)
        return counted(intake, catalog, level_plans(catalog, intake.parameters))


def compensated_run(extracts: Sequence[CountedExtract], seed: int = 0) -> Noise:
    """Noise on all counts of a run, in its order, for extracts of the same parameters.

    The noisy counts are about as far from the counts of the first extract as noise usually is.
    """
    first, random = extracts[0], default_rng(seed)
    people = [each.counts(COUNTED) for each in extracts]
    with_people = union(people)
    sometimes = with_people[~np.all([np.isin(with_people, ids) for ids, _ in people], axis=0)]
    levels, steps, chosen = dict[int, list[LevelPlan]](), list[Step](), dict[str, list[Groups]]()
    for plan in sorted(first.plans, key=lambda plan: plan.beside is not None):  # the other ladder comes first
        levels.setdefault(plan.catalog.level_id, []).append(plan)
    for together in (levels[each] for each in dict.fromkeys(plan.catalog.level_id for plan in first.plans)):
        for start, stop in _ranges(together[0].catalog):
            listed = dict[str, list[Groups]]()
            for plan in together:
                wanted = _wanted(plan, first, (start, stop), (with_people, sometimes), listed, random)
                steps += _first_steps(wanted)
                listed.setdefault(plan.ladder, []).append(wanted.published)
                chosen.setdefault(plan.name, []).append((wanted.ids, wanted.chosen))
    steps += [step for plan in first.plans for step in _tables(plan, first, chosen[plan.name], random)]
    return Noise(tuple(steps))


def _ranges(level: LevelCatalog) -> Iterator[tuple[int, int]]:
    """First group and end of ranges of whole regions."""
    iterations = max(1, level.iterations)
    step = max(1, _BLOCK // iterations) * iterations
    for start in range(level.first_population_group_id, level.end_population_group_id, step):
        yield start, min(level.end_population_group_id, start + step)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The noisy totals of one plan in a range of groups, that every extract gets: int64[n] each, sorted by id.

    ids: all groups, those that are listed, or, where empty groups are sampled, those with people in some extract and a
    few empty ones. chosen: stat levels, 0 for a total alone. stage_1: the total that picks them, where noise does.
    """

    plan: LevelPlan
    first: int
    end: int
    ids: Int64s
    is_total_only: npt.NDArray[np.bool_]
    chosen: Int64s
    stage_1: Int64s
    totals: Int64s

    @property
    def published(self) -> Groups:
        """The groups that suppression keeps, and their stat levels."""
        plan = self.plan
        bounds = [
            -(2**62) if each is None else each for each in (plan.suppression_threshold, plan.total_only_threshold)
        ]
        kept = (self.chosen > 0) | (self.totals > np.where(self.is_total_only, bounds[1], bounds[0]))
        return self.ids[kept], self.chosen[kept]


def _wanted(
    plan: LevelPlan,
    first: CountedExtract,
    range_: tuple[int, int],
    known: tuple[Int64s, Int64s],
    listed: Mapping[str, Sequence[Groups]],
    random: Generator,
) -> _Wanted:
    """known: groups that have people in some extract, and not in all. listed: what the ladders before publish here.

    Noise lifts half of the latter, and some groups that never have people, above what suppression keeps back.
    """
    start, end = range_
    here, lifted = (ids[slice(*np.searchsorted(ids, [start, end]))] for ids in (known[0], known[1][::2]))
    is_listed = plan.choose in ("published", "beside")
    if is_listed:
        ids, chosen = _listed(plan, first.selected, range_, listed)
    elif _is_sparse(plan):
        ids, others = with_lifted(here, start, end, random)
        lifted = np.union1d(lifted, others)
    else:
        ids, lifted = np.arange(start, end, dtype=np.int64), lifted[:0]
    iterations = max(1, plan.catalog.iterations)
    alone = np.zeros(ids.size, bool) if is_listed else plan.is_total_only[(ids - start) % iterations]
    exact = counts_at(first.counts(plan.measure), ids)
    stage_1 = exact if plan.calls.stage_1 is None else exact + some_noise(plan.calls.stage_1.law, ids.size, random)
    totals = exact + np.where(alone, *(some_noise(law, ids.size, random) for law in _total_laws(plan)))
    if not is_listed:
        _lift(plan, np.isin(ids, lifted), stage_1, totals)
        has_choice = plan.calls.stage_1 is not None
        chosen = np.searchsorted(plan.thresholds, stage_1, side="right") if has_choice else np.ones_like(ids)
    return _Wanted(plan, start, end, ids, alone, np.where(alone, 0, chosen).astype(np.int64), stage_1, totals)


def _listed(
    plan: LevelPlan, selected: Selected, range_: tuple[int, int], listed: Mapping[str, Sequence[Groups]]
) -> Groups:
    """The groups that published totals, or another ladder, give a plan in a range."""
    if plan.beside is None:
        ids, chosen = selected[plan.ladder_id, plan.catalog.level_id]
        here = slice(*np.searchsorted(ids, range_))
        return ids[here], chosen[here]
    ids, chosen = (np.concatenate(each) for each in zip(*listed[plan.beside], strict=True))
    order = np.argsort(ids)
    return ids[order], chosen[order]


def _total_laws(plan: LevelPlan) -> tuple[Law, Law]:
    """Of groups that never get a table, and of others."""
    return plan.calls.total_only.law, plan.calls.stage_2.law


def _lift(plan: LevelPlan, is_lifted: npt.NDArray[np.bool_], stage_1: Int64s, totals: Int64s) -> None:
    """Let noise lift some groups above suppression, and one of them into a table, where that is not too rare."""
    if not is_lifted.any():
        return
    is_alone = plan.is_total_only.all()
    threshold = plan.total_only_threshold if is_alone else plan.suppression_threshold
    law = _total_laws(plan)[0 if is_alone else 1]
    count = np.count_nonzero(is_lifted)
    totals[is_lifted] = (threshold or 0) + 1 + np.arange(count) % 3 if is_likely(law, threshold) else 0
    stage_1[is_lifted] = 0
    if plan.calls.stage_1 is not None and is_likely(plan.calls.stage_1.law, plan.thresholds[0] - 1):
        stage_1[np.argmax(is_lifted)] = plan.thresholds[0]


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


def _first_steps(wanted: _Wanted) -> Iterator[Step]:
    """The first noise of a range of groups, in its order."""
    plan, alone, without = wanted.plan, wanted.is_total_only, wanted.chosen == 0
    stage_1, stage_2, total_only = plan.calls.stage_1, plan.calls.stage_2.law, plan.calls.total_only.law
    of_people = True if _is_sparse(plan) else None

    def draws(law: Law, noisy: Int64s, which: npt.NDArray[np.bool_], of: bool | None = of_people) -> Draws:
        return Draws(plan.name, law, plan.measure, wanted.ids[which], noisy[which], of)

    def sampled(law: Law, above: int, noisy: Int64s, which: npt.NDArray[np.bool_]) -> Sampled:
        where = (wanted.first, wanted.end, wanted.ids[which], noisy[which])
        return Sampled(plan.name, law, plan.measure, above, *where)

    if stage_1 is not None:
        yield draws(stage_1.law, wanted.stage_1, ~alone)
    yield draws(total_only, wanted.totals, alone)
    yield draws(stage_2, wanted.totals, without & ~alone)
    if of_people and plan.is_total_only.all():
        above = plan.total_only_threshold or 0
        yield sampled(total_only, above, wanted.totals, wanted.totals > above)
    elif of_people and stage_1 is not None:
        above = plan.suppression_threshold or 0
        kept = without & (wanted.totals > above)
        yield sampled(stage_1.law, plan.thresholds[0] - 1, wanted.stage_1, ~without)
        yield sampled(stage_2, above, wanted.totals, kept)
        if plan.publishes_stage_1:
            yield draws(stage_1.law, wanted.stage_1, kept, False)


def _tables(plan: LevelPlan, first: CountedExtract, chosen: Sequence[Groups], random: Generator) -> Iterator[Step]:
    """The second noise of a plan, in its order. chosen: groups and stat levels of all ranges."""
    ids, stat_levels = (np.concatenate(each) for each in zip(*chosen, strict=True))
    law = plan.calls.stage_2.law
    for stat_level, size in enumerate(plan.sizes, start=1):
        of = (plan.first_statistic + stat_level - 1, size)
        groups, step = ids[stat_levels == stat_level], max(1, _BLOCK // size)
        for start in range(0, groups.size, step):
            keys = (groups[start : start + step, None] * size + np.arange(size)).ravel()
            noisy = counts_at(first.counts(of), keys) + some_noise(law, keys.size, random)
            yield Draws(plan.name, law, of, keys, noisy)
