"""The JSON Schemas of the manifests of `bottom-up run` and of `synthesize run`, as this version writes them."""

from typing import get_args

from safetab_sql.public import json_schema as of
from safetab_sql.public.budgets import UNITS, PrivacyDefinition
from safetab_sql.public.json_schema import Schema
from safetab_sql.published import schema_parts as parts


def bottom_up_manifest_schema() -> Schema:
    """What manifest.json of a histogram holds."""
    number: Schema = parts.NUMBER
    left_out = parts.members({"name": parts.TEXT, "total": number, "noisy_sum": number})
    secrecy = {"sampling_rate": parts.exact(), "epsilon_upper_bound": number, "rule": parts.TEXT, "caveat": parts.TEXT}
    needed = {
        **_begun("spec", "references", "invariants"),
        "margins": of.listed(parts.members({"file": parts.TEXT, "rows": parts.WHOLE})),
        **parts.made(),
    }
    optional = {
        "secrecy_of_the_sample": parts.members(secrecy),
        "calibration": parts.members(dict.fromkeys(("guarantee", "rule", "holds_if"), parts.TEXT)),
        "totals_left_out": of.listed(left_out, least=0),
    }
    return _titled("Manifest of a histogram of safetab-sql", parts.members(needed, optional))


def synthesis_manifest_schema() -> Schema:
    """What manifest.json of synthetic rows holds, drawn along a tree or from groups."""
    fields = of.listed(parts.TEXT)
    common: dict[str, Schema] = {
        **_begun("spec", "named_in_it"),
        **dict.fromkeys(("noise", "sampling", "price"), parts.TEXT),
        "rows": parts.WHOLE,
        **parts.made(),
    }
    counted = dict.fromkeys(("bins", "least_kept", "kept_bins", "noisy_total"), parts.WHOLE)
    groups: dict[str, Schema] = {
        "cut": parts.TEXT,
        "groups": of.listed(parts.members({"file": parts.TEXT, "fields": fields, **counted})),
    }
    field = parts.members({"file": parts.TEXT, "field": parts.TEXT, "values": parts.WHOLE})
    table = parts.members({"file": parts.TEXT, "fields": fields, "bins": of.listed(parts.WHOLE)})
    tree: dict[str, Schema] = {
        **dict.fromkeys(("pairs", "estimates"), parts.TEXT),
        "rows_planned": parts.WHOLE,
        "fields": of.listed(field),
        "tables": of.listed(table, least=0),
    }
    both = {
        "if": of.present("groups"),
        "then": parts.members({**common, **groups}),
        "else": parts.members({**common, **tree}),
    }
    return _titled("Manifest of synthetic rows of safetab-sql", both)


def _titled(title: str, schema: Schema) -> Schema:
    return {"$schema": of.DIALECT, "title": title, **schema}


def _begun(*inputs: str) -> dict[str, Schema]:
    """What both manifests begin with. inputs: the public ones, by name."""
    return {
        "releasable": parts.FLAG,
        "accounted": parts.FLAG,
        "method": parts.TEXT,
        "about": parts.about(),
        "parameters": parts.OBJECT,
        "public_inputs": parts.members(dict.fromkeys(inputs, parts.digests())),
        "ledger": _ledger(),
    }


def _ledger() -> Schema:
    bound: dict[str, Schema] = {
        "epsilon_upper_bound": {"type": ["number", "null"]},
        "delta": parts.exact(),
        "rule": parts.TEXT,
    }
    call: dict[str, Schema] = {
        **dict.fromkeys(("histogram", "distribution"), parts.TEXT),
        **dict.fromkeys(("cells", "sensitivity", "moe95"), parts.WHOLE),
        "budget": parts.exact(),
        "standard_deviation": parts.NUMBER,
    }
    choice: dict[str, Schema] = {
        "rule": parts.TEXT,
        "choices": parts.WHOLE,
        **dict.fromkeys(("budget_of_each", "epsilon_of_each"), parts.exact()),
    }
    needed: dict[str, Schema] = {
        **dict.fromkeys(("neighbours", "person_rule", "composition", "parts"), parts.TEXT),
        "privacy_definition": of.choice(get_args(PrivacyDefinition)),
        "budget_unit": of.choice(tuple(UNITS.values())),
        "totals": parts.with_person(parts.exact()),
        "approximate_dp": parts.with_person(of.listed(parts.members(bound))),
        "histograms": of.listed(parts.members(call, {"scale": parts.exact()})),
    }
    return parts.members(needed, {"caveat": parts.TEXT, "choice": parts.members(choice)})
