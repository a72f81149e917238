"""The JSON Schemas of the manifests of `run` and of `reconcile`, as this version writes them."""

from typing import get_args

from safetab_sql.public import json_schema as of
from safetab_sql.public.budgets import UNITS, PrivacyDefinition
from safetab_sql.public.json_schema import Schema
from safetab_sql.published import schema_parts as parts
from safetab_sql.published.tables import Format


def manifest_schema() -> Schema:
    """What manifest.json of a release holds, of `run` or of `reconcile`."""
    return {
        "$schema": of.DIALECT,
        "title": "Manifest of a release of safetab-sql",
        "if": of.present("reconciled"),
        "then": _reconciled(),
        "else": _run(),
    }


def _run() -> Schema:
    thresholds = of.tables({"type": ["integer", "null"]})
    return parts.members(
        {
            "releasable": parts.FLAG,
            "accounted": parts.FLAG,
            "format": of.choice(get_args(Format)),
            "about": parts.about(),
            "parameters": _parameters(),
            "public_inputs": of.tables(parts.digests()),
            "suppression_thresholds": thresholds,
            "total_only_suppression_thresholds": thresholds,
            "ledger": _ledger(),
            **parts.made(),
        }
    )


def _reconciled() -> Schema:
    done = {
        **dict.fromkeys(("method", "privacy", "moe95", "survived_suppression"), parts.TEXT),
        **dict.fromkeys(("stage_1", "integers", "rows_are_independent"), parts.FLAG),
        "divisions": of.tables(parts.TEXT),
        "nested_iterations": parts.WHOLE,
        "public_inputs": of.tables(parts.digests()),
    }
    return parts.members(
        {"reconciled": parts.members(done), "release": parts.OBJECT, **parts.made()}, {"about": parts.about()}
    )


def _parameters() -> Schema:
    needed: dict[str, Schema] = {
        "privacy_definition": of.choice(get_args(PrivacyDefinition)),
        "gamma": parts.exact(),
        "zero_suppression_chance": parts.exact(),
        "allow_negative_counts": parts.FLAG,
        **dict.fromkeys(("run", "region_types", "attributes", "ladders"), parts.LIST),
        **dict.fromkeys(("questions", "place", "parts", "elsewhere", "unit"), parts.OBJECT),
    }
    return parts.members(needed, dict.fromkeys(("intervals_from_zero", "publish_stage_1"), parts.FLAG))


def _ledger() -> Schema:
    bound: dict[str, Schema] = {"delta": parts.exact(), "rule": parts.TEXT}
    figures: dict[str, Schema] = {
        "epsilon_upper_bound": parts.NUMBER,
        "epsilon_not_a_bound": parts.NUMBER,
        "caveat": parts.TEXT,
    }
    return parts.members(
        {
            **dict.fromkeys(("neighbours", "person_rule"), parts.TEXT),
            "privacy_definition": of.choice(get_args(PrivacyDefinition)),
            "budget_unit": of.choice(tuple(UNITS.values())),
            "composition": parts.TEXT,
            "totals": parts.with_person(parts.exact()),
            "approximate_dp": parts.with_person(of.listed(parts.members(bound, figures))),
            "levels": of.listed(_level()),
        }
    )


def _level() -> Schema:
    call: dict[str, Schema] = {
        "statistic": of.choice(("total_only", "stage_1", "stage_2")),
        "distribution": of.choice(("discrete gaussian", "two-sided geometric")),
        "budget": parts.exact(),
        "sensitivity": parts.WHOLE,
        "standard_deviation": parts.NUMBER,
        "moe95": parts.WHOLE,
    }
    needed: dict[str, Schema] = {
        **dict.fromkeys(("level", "part", "stability_rule"), parts.TEXT),
        **dict.fromkeys(("budget", "per_group", "gamma"), parts.exact()),
        "stability": parts.WHOLE,
        "thresholds": of.listed(parts.WHOLE, least=0),
        "calls": of.listed(parts.members(call, {"sigma2": parts.exact(), "scale": parts.exact()})),
    }
    return parts.members(needed, {"ladder": parts.TEXT, "publishes_stage_1": parts.FLAG, "whole_level": parts.OBJECT})
