"""The JSON Schemas of the specifications of `bottom-up`, `synthesize` and `strategy`."""

from typing import get_args

from safetab_sql.histograms.public.bottom_up_spec import BOTTOM_UP_KEYS, INVARIANT_KEYS, MARGIN_NAME
from safetab_sql.histograms.public.domain_settings import DOMAIN_KEYS, LARGEST_INTEGER
from safetab_sql.histograms.public.named_pairs import PAIR_KEYS
from safetab_sql.histograms.public.synthesis_spec import GROUP_KEYS, MOST_ROWS, SYNTHESIS_KEYS
from safetab_sql.histograms.public.workload import LARGEST_VARIANCE, ROWS_KEYS, WORKLOAD_KEYS
from safetab_sql.public import json_schema as of
from safetab_sql.public.budgets import LARGEST_BUDGET, PrivacyDefinition
from safetab_sql.public.json_schema import Schema
from safetab_sql.public.settings import BASE

_MOST_WEIGHT = 10**9  # of a record, in units of weight


def bottom_up_schema() -> Schema:
    """What `load_bottom_up_spec` reads."""
    columns = of.listed(of.text(), "columns; none: the sum of all", least=0)
    invariant: dict[str, Schema] = {
        "columns": columns,
        "totals": of.text("a public file, beside this one"),
        "total_column": of.text("its column of totals"),
    }
    properties: dict[str, Schema] = {
        "epsilon": of.decimal(LARGEST_BUDGET, "of the whole histogram", is_zero_allowed=False),
        "weight_column": of.text("a column of numbers to be added up"),
        "maximum_weight": of.decimal(_MOST_WEIGHT, "weights are clamped to it", is_zero_allowed=False),
        "weight_unit": of.decimal(1, "weights are rounded to multiples of it", is_zero_allowed=False),
        "sampling_rate": of.decimal(1, "the chance of each record to be in a secret sample", is_zero_allowed=False),
        "publish_cells": of.switch("true: also every cell that is not 0 after noise"),
        "domains": _domains(),
        "margins": of.tables(columns, MARGIN_NAME, "by name of the file: the columns that its rows are by"),
        "invariants": of.listed(of.table(INVARIANT_KEYS, invariant, ("columns", "totals")), "public totals", least=0),
        BASE: of.base(),
        **of.about_properties(),
    }
    wanted = {"required": ["epsilon", "domains"], "anyOf": [of.present("margins"), of.present("publish_cells")]}
    return of.toml_file("A bottom-up histogram", of.table((*BOTTOM_UP_KEYS, BASE), properties), [wanted])


def synthesis_schema() -> Schema:
    """What `load_synthesis_spec` reads of a TOML file."""
    fields = of.texts("names of domains")
    group = {"fields": fields, "weight": of.decimal(LARGEST_BUDGET, "of its share of epsilon", is_zero_allowed=False)}
    pair = {"fields": {**fields, "minItems": 2, "maxItems": 2, "uniqueItems": True}}
    properties: dict[str, Schema] = {
        "epsilon": of.decimal(LARGEST_BUDGET, "pure DP, of the whole release", is_zero_allowed=False),
        "rho": of.decimal(LARGEST_BUDGET, "zCDP, of the whole release, along a tree", is_zero_allowed=False),
        "rows": of.number(1, MOST_ROWS, "how many; absent: a noisy number"),
        "nist_specs": of.text("specs of the challenge, beside this file"),
        "code_book": of.text("a code book, beside this file"),
        "private_data": of.text("the records, if --data names none"),
        "domains": _domains(),
        "pairs": of.listed(of.table(PAIR_KEYS, pair, PAIR_KEYS), "two fields that share a table", least=0),
        "pairs_file": of.text("pairs in a file beside this one"),
        "groups": of.listed(of.table(GROUP_KEYS, group, ("fields",)), "fields that share a histogram", least=0),
        "groups_file": of.text("groups in a file beside this one"),
        "cut": of.decimal(LARGEST_BUDGET, "counts below cut * scale * log10(bins) become 0", is_zero_allowed=True),
        BASE: of.base(),
        **of.about_properties(),
    }
    wanted: list[Schema] = [
        {"not": {"required": ["epsilon", "rho"]}},
        {"anyOf": [of.present("domains"), of.present("nist_specs")]},
    ]
    return of.toml_file("Synthetic rows", of.table((*SYNTHESIS_KEYS, BASE), properties), wanted)


def strategy_schema() -> Schema:
    """What `load_workload` reads."""
    properties: dict[str, Schema] = {
        "privacy_definition": of.choice(get_args(PrivacyDefinition), "budgets are rho (zcdp) or epsilon (puredp)"),
        "budget": of.decimal(LARGEST_BUDGET, "for which errors are stated", is_zero_allowed=False),
        "domains": _domains(),
        "queries": of.tables(_rows("variance", "that no query may exceed"), None, "what is asked", least=1),
        "measure": of.tables(_rows("weight", "relative precision"), None, "what noise is added to"),
        BASE: of.base(),
    }
    wanted = {"required": ["privacy_definition", "domains", "queries"]}
    return of.toml_file("Queries of your own", of.table((*WORKLOAD_KEYS, BASE), properties), [wanted])


def _rows(number: str, description: str) -> Schema:
    """A table of queries, or of measurements."""
    properties: dict[str, Schema] = {
        "by": of.listed(of.text(), "columns; none: a single query", least=0),
        "where": of.tables(
            of.listed({"type": ["string", "number", "boolean"]}), None, "columns, and the values that count"
        ),
        "rows": of.listed(
            of.listed({"type": ["number", "string"]}), "a factor for each cell, in place of by and where"
        ),
        number: of.decimal(LARGEST_VARIANCE, description, is_zero_allowed=False),
    }
    return of.table((*ROWS_KEYS, number), properties)


def _domains() -> Schema:
    integer = of.number(1 - LARGEST_INTEGER, LARGEST_INTEGER - 1)
    value = {"anyOf": [{"type": "string"}, integer, {"type": "boolean"}]}
    values = {"anyOf": [value, of.listed(value)]}
    properties: dict[str, Schema] = {
        "columns": of.texts("columns of the data; by default the name of the domain"),
        "values": of.listed(values, "permitted values; of several columns, lists of values"),
        "minimum": {**integer, "description": "the smallest number"},
        "maximum": {**integer, "description": "the largest number"},
        "bins": of.listed({**of.listed(integer, None, 2), "maxItems": 2}, "ranges, such as [[0, 17], [18, 64]]"),
        "reference": of.text("a public file, beside this one, that lists the values"),
        "reference_columns": of.texts("their columns there"),
        "other": {**values, "description": "the value that counts every value outside"},
        "null": of.switch("true: a missing value has a bin of its own"),
    }
    return of.tables(of.table(DOMAIN_KEYS, properties), None, "columns, and their permitted values", least=1)
