"""The noisy arrays of a run, ladder by ladder, as the tables of sql/run/6_publish."""

from collections.abc import Sequence

from safetab_sql.accounting.plan import LevelPlan
from safetab_sql.public.values import rows_of
from safetab_sql.published.intervals import cuts_of, selected_totals_table, suppressed_totals_table
from safetab_sql.published.measurements import MeasuredGroups, measurements_table
from safetab_sql.published.tables import (
    PublishedCells,
    PublishedLadder,
    PublishedTotals,
    cells_table,
    totals_table,
)
from safetab_sql.published.uncertainty import uncertainty_table
from safetab_sql.settings.parameters import Parameters


def published_ladders(
    parameters: Parameters,
    plans: Sequence[LevelPlan],
    totals: Sequence[PublishedTotals],
    cells: Sequence[PublishedCells],
    measured: Sequence[MeasuredGroups],
) -> list[PublishedLadder]:
    """Each ladder with its noisy tables of sql/run/6_publish, and what is known of their noise."""
    cuts, ladders = cuts_of(parameters), []
    for ladder in parameters.ladders:
        own = [plan for plan in plans if plan.ladder == ladder.name]
        tables = {
            "noisy_totals": totals_table([each for each in totals if each.ladder == ladder.name]),
            "noisy_cells": cells_table([each for each in cells if each.ladder == ladder.name]),
            "count_uncertainty": uncertainty_table(own, rows_of(parameters, ladder).summed_counts, cuts),
            "selected_totals": selected_totals_table(own, cuts),
            "suppressed_totals": suppressed_totals_table(own),
            "noisy_measurements": measurements_table(
                [each for each in measured if each.plan.ladder == ladder.name], cuts
            ),
        }
        ladders.append(PublishedLadder(parameters, ladder, tables))
    return ladders
