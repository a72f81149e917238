"""Whole manifests of runs that never were: some levels, and usual words."""

import json
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from safetab_sql.accounting.conversions import exact_json, members_of
from safetab_sql.accounting.plan import LevelCalls, MechanismCall
from safetab_sql.accounting.statement import Loss, ReleasedLevel, RunStatement, loss_statement
from safetab_sql.laws.noise import noise_law
from safetab_sql.published.manifest import Envelope, Published, Run, RunManifest, parameters_json
from safetab_sql.release.folder import ReleaseFacts
from safetab_sql.settings.about import About
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

DAY = "2026-11-21"


def level_calls(definition: PrivacyDefinition, total: Fraction, first: Fraction, second: Fraction) -> LevelCalls:
    total_only, stage_1, stage_2 = (noise_law(definition, budget) for budget in (total, first, second))
    return LevelCalls(
        MechanismCall("total_only", total, total_only),
        MechanismCall("stage_1", first, stage_1),
        MechanismCall("stage_2", second, stage_2),
    )


def released_level(name: str, part: str, calls: LevelCalls, threshold: int | None = None) -> ReleasedLevel:
    return ReleasedLevel(
        name=name,
        part=part,
        budget=Fraction(1),
        stability=1,
        stability_rule="",
        per_group=calls.total_only.budget,
        gamma=Fraction(1, 10),
        thresholds=(1, 2, 3),
        calls=calls,
        suppression_threshold=threshold,
        total_only_threshold=threshold,
    )


def ledger_of(levels: Iterable[ReleasedLevel], definition: PrivacyDefinition = "zcdp") -> RunStatement:
    """A ledger of these levels: somebody in them loses 1."""
    stated = loss_statement(Loss(Unit(), definition, Fraction(1)), "", {})
    return RunStatement(replace(stated, totals={"us": Fraction(1), **stated.totals}), tuple(levels))


def run_manifest(parameters: Parameters, ledger: RunStatement) -> dict[str, Any]:
    """The manifest of a run, with neither files nor public inputs. ledger: of all levels that they keep."""
    own = {**parameters_json(replace(parameters, privacy_definition=ledger.loss.privacy_definition))}
    stated = {each.name: {"budget": exact_json(each.budget), "thresholds": each.thresholds} for each in ledger.levels}
    for ladder in own["ladders"]:
        ladder["levels"] = [each | stated[each["level"]] for each in ladder["levels"] if each["level"] in stated]
    said = Run("run", About(), own, {}, ledger)
    published = Published(
        releasable=False, accounted=False, files=(), made=Envelope({"safetab-sql": "0.1.0", "python": "3.11"}, DAY)
    )
    return json.loads(json.dumps(members_of(RunManifest(published, said))))


def with_levels(facts: ReleaseFacts, levels: Iterable[ReleasedLevel]) -> ReleaseFacts:
    run = replace(facts.run, ledger=replace(facts.run.ledger, levels=tuple(levels)))
    return replace(facts, manifest=replace(facts.manifest, run=run))
