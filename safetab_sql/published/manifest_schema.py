"""The JSON Schemas of the manifests of `run` and of `reconcile`, as this version writes them."""

from collections.abc import Mapping
from typing import get_args

from safetab_sql.public import json_schema as of
from safetab_sql.public.about import ABOUT_KEYS
from safetab_sql.public.budgets import UNITS, PrivacyDefinition
from safetab_sql.public.json_schema import Schema
from safetab_sql.published.tables import Format

_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_WHOLE: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_OBJECT: Schema = {"type": "object"}
_LIST: Schema = {"type": "array"}
_SHA256: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_DAY: Schema = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}


def manifest_schema() -> Schema:
    """What manifest.json of a release holds, of `run` or of `reconcile`."""
    return {
        "$schema": of.DIALECT,
        "title": "Manifest of a release of safetab-sql",
        "if": of.present("reconciled"),
        "then": _reconciled(),
        "else": _run(),
    }


def _table(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these members alone."""
    properties = {**needed, **(optional or {})}
    return of.table(properties, properties, needed)


def _made() -> dict[str, Schema]:
    """What both manifests end with."""
    return {"files": _digests(), "software": of.tables(_TEXT), "date": _DAY}


def _run() -> Schema:
    thresholds = of.tables({"type": ["integer", "null"]})
    return _table(
        {
            "releasable": _FLAG,
            "format": of.choice(get_args(Format)),
            "about": _about(),
            "parameters": _parameters(),
            "public_inputs": of.tables(_digests()),
            "suppression_thresholds": thresholds,
            "total_only_suppression_thresholds": thresholds,
            "ledger": _ledger(),
            **_made(),
        }
    )


def _reconciled() -> Schema:
    done = {
        **dict.fromkeys(("method", "privacy", "moe95", "survived_suppression"), _TEXT),
        **dict.fromkeys(("stage_1", "integers", "rows_are_independent"), _FLAG),
        "divisions": of.tables(_TEXT),
        "nested_iterations": _WHOLE,
        "public_inputs": of.tables(_digests()),
    }
    return _table({"reconciled": _table(done), "release": _OBJECT, **_made()}, {"about": _about()})


def _about() -> Schema:
    texts: dict[str, Schema] = {key: {"type": ["string", "null"]} for key in ABOUT_KEYS}
    return _table({**texts, "is_simulated": _FLAG})


def _digests() -> Schema:
    return of.listed(_table({"file": _TEXT, "sha256": _SHA256}), least=0)


def _exact() -> Schema:
    """A number as exact text, and as a decimal that is not below it."""
    return _table({"exact": {"type": "string", "pattern": "^[0-9]+(/[1-9][0-9]*)?$"}, "decimal": _TEXT})


def _parameters() -> Schema:
    needed: dict[str, Schema] = {
        "privacy_definition": of.choice(get_args(PrivacyDefinition)),
        "gamma": _exact(),
        "zero_suppression_chance": _exact(),
        "allow_negative_counts": _FLAG,
        "region_types": _LIST,
    }
    flags = dict.fromkeys(("intervals_from_zero", "publish_stage_1", "run_us", "run_pr"), _FLAG)
    lists = dict.fromkeys(("state_filter_us", "run", "levels", "ladders"), _LIST)
    objects = dict.fromkeys(("questions", "place", "parts", "unit"), _OBJECT)
    others: dict[str, Schema] = {"max_race_codes": _WHOLE, "attributes": {"type": ["array", "object"]}}
    return _table(needed, {**flags, **lists, **objects, **others})


def _ledger() -> Schema:
    bound: dict[str, Schema] = {"delta": _exact(), "rule": _TEXT}
    figures: dict[str, Schema] = {"epsilon_upper_bound": _NUMBER, "epsilon_not_a_bound": _NUMBER, "caveat": _TEXT}
    return _table(
        {
            "neighbours": _TEXT,
            "privacy_definition": of.choice(get_args(PrivacyDefinition)),
            "budget_unit": of.choice(tuple(UNITS.values())),
            "composition": _TEXT,
            "totals": {**of.tables(_exact()), "required": ["one_person", "sum"]},
            "approximate_dp": of.tables(of.listed(_table(bound, figures))),
            "levels": of.listed(_level()),
        },
        {"one_person_replaces": _TEXT},
    )


def _level() -> Schema:
    call: dict[str, Schema] = {
        "statistic": of.choice(("total_only", "stage_1", "stage_2")),
        "distribution": of.choice(("discrete gaussian", "two-sided geometric")),
        "budget": _exact(),
        "sensitivity": _WHOLE,
        "standard_deviation": _NUMBER,
        "moe95": _WHOLE,
    }
    needed: dict[str, Schema] = {
        **dict.fromkeys(("level", "part", "stability_rule"), _TEXT),
        **dict.fromkeys(("budget", "per_group", "gamma"), _exact()),
        "stability": _WHOLE,
        "thresholds": of.listed(_WHOLE, least=0),
        "calls": of.listed(_table(call, {"sigma2": _exact(), "scale": _exact()})),
    }
    return _table(needed, {"ladder": _TEXT, "publishes_stage_1": _FLAG, "whole_level": _OBJECT})
