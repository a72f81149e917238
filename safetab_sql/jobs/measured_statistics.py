"""The answers to wanted statistics that are totals of groups with a measurement of stage 1."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from safetab_sql.accounting.ledger_statement import ReleasedLevel
from safetab_sql.jobs.statistic_answers import put
from safetab_sql.jobs.wanted_counts import LadderCounts
from safetab_sql.kit.arrays import Int64s
from safetab_sql.public.values import rows_of
from safetab_sql.published.combined_totals import TotalLaw, combined_totals, table_limits
from safetab_sql.published.derived import CountLaw, Intervals
from safetab_sql.published.release_facts import ReleaseFacts
from safetab_sql.published.uncertainty import margin_of_terms
from safetab_sql.settings.ladders import Ladder


def put_combined(
    found: Intervals,
    part: LadderCounts,
    facts: ReleaseFacts,
    laws: Sequence[CountLaw],
    counted: tuple[Int64s, Int64s],
    chosen: npt.NDArray[np.bool_],
    level: Fraction,
    from_zero: bool,
) -> Int64s:
    """Put the intervals of totals of a ladder that stage 1 measured too; their places.

    counted: law and noisy count of each statistic.
    """
    rows = part.wanted_measurements
    numbers, stage_1 = (rows[name].to_numpy() for name in ("statistic_number", "stage_1"))
    levels = rows["level_name"].combine_chunks().dictionary_encode()
    done = [np.zeros(0, dtype=np.int64)]
    kinds = np.stack([counted[0][numbers], levels.indices.to_numpy().astype(np.int64)])[:, chosen[numbers]]
    measured = numbers[chosen[numbers]], stage_1[chosen[numbers]]
    for law, place in np.unique(kinds, axis=1).T.tolist():
        released = facts.level_called(part.ladder.name, levels.dictionary[place].as_py())
        total_law = combined_law(facts, part.ladder, released, laws[law], level)
        if total_law is None:
            continue
        alike = (kinds[0] == law) & (kinds[1] == place)
        places = measured[0][alike]
        made = combined_totals(total_law, measured[1][alike], counted[1][places])
        ends = (made.lows.astype(np.float64), made.highs.astype(np.float64))
        both = Intervals(made.estimates, *ends, np.full(places.size, np.nan))
        put(found, places, both, least=0.0 if from_zero else -np.inf)
        done.append(places)
    return np.concatenate(done)


def combined_law(
    facts: ReleaseFacts, ladder: Ladder, released: ReleasedLevel, count: CountLaw, level: Fraction
) -> TotalLaw | None:
    """The laws of both stages of totals of a level; None where the count is no total of a table."""
    stage_1, sizes = released.calls.stage_1, (1, *rows_of(facts.parameters, ladder).sizes)
    if stage_1 is None or count.counts not in sizes:
        return None
    limits = table_limits(released.thresholds, sizes.index(count.counts))
    margin = margin_of_terms((count.term,), level).moe95
    return TotalLaw(stage_1.law, count.law, count.counts, *limits, count.above, margin, level)
