"""The fields of the wide table: their domains, and which of them hang together; both are public by construction."""

from collections.abc import Mapping

from safetab_sql.settings.about import simulated_toml
from safetab_sql.simulation.states import PUERTO_RICO, STATES

# Of each field the last value; the first is 0. A tuple lists the values of a field of text, None stands for a boolean.
DOMAINS: Mapping[str, int | tuple[str, ...] | None] = {
    "STATEFIP": tuple(sorted(state.code for state in (*STATES, PUERTO_RICO))),
    "METRO": 4,
    "URBAN": 1,
    "FARM": 1,
    "NUMPREC": 8,
    "NCHILD": 7,
    "OWNERSHP": 1,
    "RENT": 20,
    "VALUEH": 30,
    "ROOMS": 9,
    "BUILT": 7,
    "HEATING": 4,
    "PHONE": 1,
    "VEHICLES": 3,
    "AGE": 115,
    "SEX": ("1", "2"),
    "RELATE": 4,
    "MARST": 3,
    "RACE": 6,
    "HISPAN": 1,
    "BPL": 14,
    "NATIVITY": 2,
    "CITIZEN": 2,
    "MTONGUE": 11,
    "SCHOOL": 1,
    "EDUC": 11,
    "HIGRADE": 23,
    "READS": None,
    "EMPSTAT": 3,
    "LABFORCE": 2,
    "CLASSWKR": 4,
    "OCC": 99,
    "IND": 20,
    "WKSWORK": 52,
    "HRSWORK": 98,
    "INCWAGE": 300,
    "MIGRATE": 3,
    "MIGPLAC": 52,
    "TRANWORK": 6,
    "TRANTIME": 99,
}


def wide_toml() -> str:
    """The specification of `synthesize` for the wide table: its budget, and its domains, which are public."""
    domains = [f"{name} = {_domain_toml(domain)}" for name, domain in DOMAINS.items()]
    head = (
        "# Domains of the simulated wide table, for `safetab-sql synthesize`.\n"
        f"{simulated_toml('A simulated table of forty fields')}"
        "epsilon = 8    # pure DP, of the whole release; neighbours differ by one row\n"
    )
    return "\n".join([head, "[domains]", *domains]) + "\n"


def _domain_toml(domain: int | tuple[str, ...] | None) -> str:
    if domain is None:
        return "{ values = [false, true] }"
    if isinstance(domain, int):
        return f"{{ minimum = 0, maximum = {domain} }}"
    return f"{{ values = [{', '.join(map(_quoted, domain))}] }}"


def _quoted(text: str) -> str:
    return f'"{text}"'
