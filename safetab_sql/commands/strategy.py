"""`strategy`: what to measure for queries of one's own, how exact the answers are, and what they cost."""

from pathlib import Path

from safetab_sql.commands.options import json_text


def strategy(*, spec: Path, json: bool = False) -> None:
    """Find what to measure for queries of your own, their errors, and the cheapest budget.

    example: --spec configs/strategy.toml

    spec F: TOML: domains, queries with the variance wanted of each, and measurements
    json: as JSON, with what to measure
    """
    from safetab_sql.jobs.strategy import strategies_json, strategies_text, strategy

    found = strategy(spec)
    print(json_text(strategies_json(found)) if json else strategies_text(found))
