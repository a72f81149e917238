"""A lower bound on the loss of a run, from one run in which many records are there or not by the toss of a coin.

Each canary is a record in groups, or cells, that no other canary is in, among records like it that are always there, so
that its groups are published. From what is published one guesses which of them were there. With a loss of epsilon, each
guess is right with a chance of at most e^epsilon / (1 + e^epsilon), whatever the others are: more right guesses than
that show a larger loss. Source: Steinke, Nasr and Jagielski 2023,
"Privacy Auditing with One (1) Training Run", Algorithm 1; a delta adds at most 2 m delta to a chance, of m canaries.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.random import default_rng

from safetab_sql.accounting.conversions import approximate_dp
from safetab_sql.accounting.ledger import DELTA, run_ledger
from safetab_sql.accounting.plan import LevelPlan, level_plans
from safetab_sql.algorithm import noise_again
from safetab_sql.evaluation.epl import stated_losses
from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.kit.database import scratch_folder
from safetab_sql.laws.cumulative import Law
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.ladders import COUNTED
from safetab_sql.settings.parameters import Parameters, load_parameters
from tests.audit.compensated_run import CountedExtract, counted_extract
from tests.audit.compensation import Counts, counts_at
from tests.audit.neighbours import Extract, RecordFile, chosen_places, read_extract, simulated_inputs, write_extract

CONFIDENCE = Fraction(95, 100)
_SHARES = (1, 2, 4)  # guesses of all canaries, of the surest half, of the surest quarter: the best bound counts
_PEOPLE = 300  # that are simulated for each canary, so that it has a place of its own
_COMPANY = 300  # records like a canary that are always there, so that nothing of it is suppressed
_FILE = "canaries.parquet"
_GRID = 2**16  # chances of a right guess are compared in steps of one part of it


@dataclass(frozen=True, slots=True)
class CanaryAudit:
    """One run. stated: epsilon, with delta where the run is zCDP. found: the loss is at least so much, with CONFIDENCE.

    canaries: how many there are.
    """

    stated: float
    delta: Fraction
    canaries: int
    found: float


def audit_canaries(file: Path, canaries: int, budgets: Sequence[Fraction] = ()) -> list[CanaryAudit]:
    """An audit of a run with each of these total budgets, or with its own: all its levels spend in proportion.

    file: parameters in which each record is a person; people are made up.
    """
    parameters = load_parameters(file)
    with scratch_folder(None) as scratch:
        given = simulated_inputs(parameters, InputPaths(file, "", ""), _PEOPLE * canaries, scratch)
        records = _canaries(read_extract(str(given.persons), parameters.unit), parameters, canaries)
        are_there = default_rng(0).random(records.num_rows) < 0.5
        folder = scratch / "canaries"

        def counted(chosen: np.ndarray, company: int = 0) -> CountedExtract:
            rows = pa.concat_tables([records.filter(pa.array(chosen)), *[records] * company])
            if (name := parameters.unit.id) is not None:
                ids = pa.array(np.arange(rows.num_rows)).cast(rows.schema.field(name).type)
                rows = rows.set_column(rows.column_names.index(name), name, ids)
            write_extract((RecordFile(_FILE, rows),), folder)
            return counted_extract(replace(given, persons=folder / _FILE))

        places = np.arange(records.num_rows)
        everybody = counted(places >= 0)
        bits = [counted((places >> bit) % 2 == 1) for bit in range(records.num_rows.bit_length())]
        there = counted(are_there, _COMPANY)
    tables = [(each.statistic_id, each.cells) for each in everybody.catalog.statistics]
    groups = _owned(everybody.counts(COUNTED), [each.counts(COUNTED) for each in bits])
    cells = {of[0]: _owned(everybody.counts(of), [each.counts(of) for each in bits]) for of in tables}
    runs = [_with_total(there, budget) for budget in budgets] or [there]
    return [_audit(run, _evidence(run, groups, cells, are_there.size), are_there) for run in runs]


def _canaries(files: Extract, parameters: Parameters, number: int) -> pa.Table:
    """So many records, of as many places as there are, and then of all over; those with the most values first."""
    records = pa.concat_tables([file.records for file in files], promote_options="permissive")
    values = np.sum([pc.is_valid(column).to_numpy() for column in records.columns], axis=0)
    records = records.take(pa.array(np.argsort(-values, kind="stable")))
    columns = [column.name for column in parameters.geography.place if column.name in records.column_names]
    places = pc.binary_join_element_wise(*(records[name].cast(pa.string()) for name in columns), "|")
    _, firsts = np.unique(places.to_numpy(zero_copy_only=False).astype(str), return_index=True)
    others = np.setdiff1d(np.arange(records.num_rows), firsts)
    more = others[np.array(chosen_places(number - firsts.size, others.size), int) - 1]
    return records.take(pa.array([*np.sort(firsts)[:number], *more]))


def _owned(everybody: Counts, bits: Sequence[Counts]) -> Counts:
    """The groups, or cells, that one canary alone is in, and which: the bits of its number, one count for each."""
    ids, counts = everybody
    own = ids[counts == 1]
    return own, sum((counts_at(each, own) << bit for bit, each in enumerate(bits)), np.zeros_like(own))


def _with_total(extract: CountedExtract, total: Fraction) -> CountedExtract:
    """The same counts with another loss of one record, rho or epsilon."""
    factor = total / (_ledger_total(extract) or Fraction(1))
    ladders = tuple(
        replace(ladder, levels=tuple(replace(level, budget=factor * level.budget) for level in ladder.levels))
        for ladder in extract.parameters.ladders
    )
    parameters = replace(extract.parameters, ladders=ladders)
    return replace(extract, parameters=parameters, plans=level_plans(extract.catalog, parameters))


def _ledger_total(extract: CountedExtract) -> Fraction:
    return run_ledger(extract.parameters, extract.plans).loss.of_record or Fraction(0)


def _evidence(run: CountedExtract, groups: Counts, cells: Mapping[int, Counts], canaries: int) -> Floats:
    """How much one run speaks for each canary: log chance of what is published, with it over without it.

    float64[canaries]. Of a group with a table, its own cell; of any other, its total, where that is published. Sums
    are left out: a bound from some of what is published is a bound.
    """
    parameters, plans = run.parameters, run.plans
    ladders = noise_again(parameters, plans, run.totals, run.cells, run.selected)
    found = np.zeros(canaries)
    for plan in (each for each in plans if each.measure == COUNTED):
        (tables,) = (each.tables for each in ladders if each.ladder.name == plan.ladder)
        for owners, counts, law in _published(plan, tables, groups, cells):
            np.add.at(found, owners, stated_losses(law, counts - _COMPANY - 1))
    return found


def _published(
    plan: LevelPlan, tables: Mapping[str, pa.Table], groups: Counts, cells: Mapping[int, Counts]
) -> Iterator[tuple[Int64s, Int64s, Law]]:
    """Of one plan: canaries, the published noisy counts that they alone are in, and the law of their noise."""
    totals = tables["noisy_totals"].filter(pc.equal(tables["noisy_totals"]["level_id"], plan.catalog.level_id))
    ids, counts = (totals[name].to_numpy() for name in ("population_group_id", "noisy_count"))
    level = plan.catalog
    is_alone = plan.is_total_only[(ids - level.first_population_group_id) % max(1, level.iterations)]
    for chosen, call in ((is_alone, plan.calls.total_only), (~is_alone, plan.calls.stage_2)):
        yield *_own(groups, ids[chosen], counts[chosen]), call.law
    rows = tables["noisy_cells"].filter(pc.equal(tables["noisy_cells"]["level_id"], plan.catalog.level_id))
    for stat_level, size in enumerate(plan.sizes, start=1):
        here = rows.filter(pc.equal(rows["stat_level"], stat_level))
        names = ("population_group_id", "cell_position", "noisy_count")
        ids, places, counts = (here[name].to_numpy() for name in names)
        own = cells[plan.first_statistic + stat_level - 1]
        yield *_own(own, ids * size + places, counts), plan.calls.stage_2.law


def _own(owned: Counts, keys: Int64s, counts: Int64s) -> tuple[Int64s, Int64s]:
    """The owners of the keys that have one, and the counts of these keys."""
    ids, owners = owned
    is_owned = np.isin(keys, ids)
    return owners[np.searchsorted(ids, keys[is_owned])], counts[is_owned]


def _audit(run: CountedExtract, evidence: Floats, are_there: np.ndarray) -> CanaryAudit:
    """Guesses of the surest canaries, and the best bound that they give."""
    definition, budget = run.parameters.privacy_definition, _ledger_total(run)
    best = approximate_dp(definition, budget, DELTA)[0]
    delta = best.delta if definition == "zcdp" else Fraction(0)
    surest = np.argsort(-np.abs(evidence), kind="stable")
    is_right = (evidence[surest] > 0) == are_there[surest]
    chance = (1 - CONFIDENCE) / len(_SHARES) - 2 * are_there.size * delta
    bounds = []
    for share in _SHARES:
        guesses = are_there.size // share
        right = int(is_right[:guesses].sum())
        bounds.append(loss_shown(guesses, right, chance))
    return CanaryAudit(best.size, delta, are_there.size, max(bounds))


def loss_shown(guesses: int, right: int, chance: Fraction) -> float:
    """The largest epsilon, rounded down, under which so many right guesses or more have at most this chance.

    Exact but for the logarithm: with p = k / 2^16, the chance of at least `right` of `guesses` is a rational.
    """
    low, high = 0, _GRID - 1  # the largest k that is ruled out, and one that may be true
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _at_least(guesses, right, middle) <= chance else (low, middle)
    return max(0.0, log(low / (_GRID - low)) * (1 - 1e-12)) if low else 0.0


def _at_least(guesses: int, right: int, k: int) -> Fraction:
    """P(Binomial(guesses, k / 2^16) >= right)."""
    terms = (comb(guesses, n) * k**n * (_GRID - k) ** (guesses - n) for n in range(right, guesses + 1))
    return Fraction(sum(terms), _GRID**guesses)
