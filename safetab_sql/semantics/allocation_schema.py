"""The JSON Schema of budget allocations: `semantics --allocation`."""

from safetab_sql.public import json_schema as of
from safetab_sql.public.json_schema import Schema
from safetab_sql.public.settings import BASE
from safetab_sql.semantics.allocation import ALLOCATION_KEYS, SHARE, UNIVERSE_KEYS

_LARGEST_RHO = 10**50  # decimals are no larger


def allocation_schema() -> Schema:
    """What `load_allocation` reads."""
    names = {**of.texts(), "uniqueItems": True}
    shares = of.listed(of.text(None, SHARE), "one for each level, such as 104/4099")
    universe: dict[str, Schema] = {
        "rho": of.decimal(_LARGEST_RHO, "of the whole universe", is_zero_allowed=False),
        "levels": shares,
        "queries": of.tables(shares, None, "by query, its share of each level"),
    }
    properties: dict[str, Schema] = {
        "title": of.text("of the release"),
        "levels": {**names, "description": "of geography, coarsest first"},
        "universes": of.tables(of.table(UNIVERSE_KEYS, universe, UNIVERSE_KEYS), None, "such as persons"),
        "secrets": of.tables(names, None, "by name: the attributes that it changes"),
        BASE: of.base(),
    }
    wanted = {"required": list(ALLOCATION_KEYS)}
    return of.toml_file("A budget allocation", of.table((*ALLOCATION_KEYS, BASE), properties), [wanted])
