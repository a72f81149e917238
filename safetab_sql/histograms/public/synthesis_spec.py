"""The specification of synthetic data: domains of the fields, how they are grouped, and the budget of each group.

Everything in it is public, including the grouping, which is chosen without looking at the private data. Noise lifts
about bins^(1 - 0.43 cut) / 2 empty bins above the cut: hardly any with cut 2, and about 60,000 of 10^9 with cut 1.

    epsilon = 8                       # pure DP, of the whole release
    cut = 1                           # optional; counts below cut * scale * log10(bins) become 0; 2 if absent
    rows = 800000                     # optional; absent: the median of the groups' noisy totals
    nist_specs = "specs.json"         # optional: domains 0 to `maxval` of the challenge's file, beside this one
    groups_file = "groups.toml"       # optional: [[groups]] from another file, as `suggest-groups` writes them
    private_data = "persons.parquet"  # optional: what --data is by default, and what `suggest-groups` refuses
    [domains]                         # see domain_settings.py; one of the same name goes before NIST's
    AGE = { minimum = 0, maximum = 115 }
    [[groups]]                        # fields that belong together; every other field stands alone
    fields = ["AGE", "SEX"]
    weight = 2                        # optional: of the group's share of epsilon; 1 if absent, and for fields alone

Also: title, publisher, contact, note and is_simulated, which the manifest repeats: see about.py.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from safetab_sql.histograms.public.domain_settings import domains_at
from safetab_sql.histograms.public.domains import Domain, IntegerRange, cell_count
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.about import ABOUT_KEYS, About, about_at
from safetab_sql.public.budgets import LARGEST_BUDGET, exact_decimal
from safetab_sql.public.settings import (
    Place,
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    read_settings,
    table_at,
    text_at,
)

MOST_BINS = 10**12  # bins of one group; with more, noise is too large for any use
RESERVED = ("COUNT", "VARIANCE", "MOE95")  # columns of the published histograms
_KEYS = ("epsilon", "cut", "rows", "nist_specs", "groups_file", "private_data", "domains", "groups", *ABOUT_KEYS)
_FILES = ("nist_specs", "groups_file", "private_data")
_MOST_ROWS = 10**10
_SMALLEST_EPSILON = Fraction(1, 10**4)  # of one group; keeps noise within tables


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Fields that share a histogram. bins: of the histogram. epsilon: the share of the histogram, exact."""

    domains: tuple[Domain, ...]
    bins: int
    epsilon: Fraction

    @property
    def name(self) -> str:
        """The fields, joined by +."""
        return "+".join(domain.name for domain in self.domains)


@dataclass(frozen=True, slots=True)
class SynthesisSpec:
    """The specification. epsilon: of all groups together, pure DP. cut: the c of step 3. rows: None for the default.

    domains: in the order of the published columns. public_files: the other files that the spec was read from.
    """

    epsilon: Fraction
    cut: Fraction
    rows: int | None
    domains: tuple[Domain, ...]
    groups: tuple[FieldGroup, ...]
    private_data: Path | None
    public_files: tuple[Path, ...]
    about: About


def load_synthesis_spec(path: Path) -> SynthesisSpec:
    """The specification in the TOML file `path`. Raises: InputError with every problem of it.

    Source: histograms.md section 4; the split of epsilon: section 4.2.
    """
    settings = read_settings(path)
    complain_unknown(settings, (), settings.document, _KEYS)
    complain_missing(settings, (), ("epsilon",), settings.document)
    files = {key: _file_at(settings, key) for key in _FILES if key in settings.document}
    domains = _domains(settings, files.get("nist_specs"))
    groups_settings = _groups_settings(settings, files.get("groups_file"))
    epsilon = _epsilon(settings)
    groups = _groups(groups_settings, domains, epsilon)
    cut = _cut(settings)
    rows = _rows(settings)
    about = about_at(settings)
    refuse([*settings.problems, *(groups_settings.problems if groups_settings is not settings else [])])
    public = [file for key, file in files.items() if key != "private_data"]
    references = [domain.reference for domain in domains if domain.reference is not None]
    private = files.get("private_data")
    return SynthesisSpec(epsilon, cut, rows, domains, groups, private, (*public, *dict.fromkeys(references)), about)


def load_domains(path: Path) -> tuple[tuple[Domain, ...], Path | None]:
    """The domains of a specification (TOML) or of NIST's specs (JSON), and the private file that a specification names.

    Neither budget nor groups need to be there. Raises: InputError with every problem.
    """
    if path.suffix == ".json":
        return nist_domains(path), None
    settings = read_settings(path)
    complain_unknown(settings, (), settings.document, _KEYS)
    files = {key: _file_at(settings, key) for key in _FILES if key in settings.document}
    domains = _domains(settings, files.get("nist_specs"))
    refuse(settings.problems)
    return domains, files.get("private_data")


def nist_domains(path: Path) -> tuple[Domain, ...]:
    """A domain of the whole numbers from 0 to `maxval` for each field of the challenge's specs (JSON).

    Raises: InputError with every field that has no such maximum.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        fix = 'name the JSON file of the challenge: {"FIELD": {"maxval": 9, ...}, ...}'
        raise InputError([Problem(str(path), f"cannot be read as JSON: {error}", fix)]) from error
    fields = document if isinstance(document, dict) else {}
    maxima: dict[str, Any] = {
        name: field.get("maxval") if isinstance(field, dict) else None for name, field in fields.items()
    }
    problems = [
        Problem(f"{path} [{name}]", f"maxval is {maximum!r}", "write a whole number of at least 0")
        for name, maximum in maxima.items()
        if not _is_whole(maximum, 0, MOST_BINS)
    ]
    if not maxima:
        problems.append(Problem(str(path), "holds no fields", 'write {"FIELD": {"maxval": 9, ...}, ...}'))
    refuse(problems)
    return tuple(Domain(name, (name,), IntegerRange(0, maximum)) for name, maximum in maxima.items())


def _file_at(settings: Settings, key: str) -> Path:
    return settings.path.parent / text_at(settings, (key,), settings.document[key])


def _domains(settings: Settings, nist_specs: Path | None) -> tuple[Domain, ...]:
    """NIST's domains, replaced by the spec's domains of the same name; then the other domains of the spec."""
    own = domains_at(settings) if "domains" in settings.document or nist_specs is None else ()
    by_name = {domain.name: domain for domain in own}
    found = [by_name.pop(domain.name, domain) for domain in (nist_domains(nist_specs) if nist_specs else ())]
    domains = (*found, *by_name.values())
    for column, count in Counter(column for domain in domains for column in domain.columns).items():
        if count > 1:
            complain(settings, ("domains",), f"column {column} stands in {count} domains", "leave it in one")
        if column.upper() in RESERVED:
            complain(settings, ("domains",), f"{column} is a column of what is published", "rename it in the data")
    return domains


def _groups_settings(settings: Settings, groups_file: Path | None) -> Settings:
    """The settings that hold [[groups]]: the spec itself, or the file that it names."""
    if groups_file is None:
        return settings
    if "groups" in settings.document:
        complain(settings, (), "both [[groups]] and groups_file are there", "keep one of the two")
    found = read_settings(groups_file)
    complain_unknown(found, (), found.document, ("groups",))
    return replace(found, path=groups_file)


def _groups(settings: Settings, domains: Sequence[Domain], epsilon: Fraction) -> tuple[FieldGroup, ...]:
    """The groups in their order, then every other field alone; epsilon is split in proportion to their weights."""
    given = settings.document.get("groups", [])
    if not isinstance(given, list):
        complain_value(settings, ("groups",), given, "write [[groups]] with fields = [...]")
    tables = [table_at(settings, ("groups",), entry) for entry in given] if isinstance(given, list) else []
    by_name = {domain.name: domain for domain in domains}
    members = [_members(settings, f"group {place}", table, by_name) for place, table in enumerate(tables, start=1)]
    grouped = Counter(domain.name for group in members for domain in group)
    for name in [name for name, count in grouped.items() if count > 1]:
        complain(settings, ("groups",), f"{name} is in {grouped[name]} groups", "leave it in one")
    weights = [_weight(settings, table) for table in tables]
    alone = [(domain,) for domain in domains if domain.name not in grouped]
    shares = [*zip(members, weights, strict=True), *((domain, Fraction(1)) for domain in alone)]
    whole = sum((weight for _, weight in shares), Fraction(0))
    return tuple(_group(settings, group, epsilon * weight / whole) for group, weight in shares if group)


def _group(settings: Settings, domains: tuple[Domain, ...], epsilon: Fraction) -> FieldGroup:
    group = FieldGroup(domains, cell_count(domains), epsilon)
    if group.bins > MOST_BINS:
        what = f"{group.name} has {group.bins:,} bins, more than {MOST_BINS:,}"
        complain(settings, ("groups",), what, "take a field out of the group, or give it fewer values")
    if epsilon < _SMALLEST_EPSILON:
        what = f"{group.name} gets epsilon {epsilon}, below {_SMALLEST_EPSILON}"
        complain(settings, (), what, "raise epsilon, or make fewer groups")
    return group


def _members(
    settings: Settings, where: str, table: Mapping[str, object], domains: Mapping[str, Domain]
) -> tuple[Domain, ...]:
    """The domains of one group's fields, with a complaint for every field that has none."""
    complain_unknown(settings, ("groups",), table, ("fields", "weight"))
    fields = table.get("fields")
    names = fields if isinstance(fields, list) and all(isinstance(name, str) for name in fields) else []
    if not names:
        complain(settings, ("groups",), f"{where} has no fields", 'write fields = ["AGE", "SEX"]')
    for name in [name for name in names if name not in domains]:
        complain(settings, ("groups",), f"{where}: no domain is called '{name}'", f"add [domains.{name}]")
    return tuple(domains[name] for name in names if name in domains)


def _weight(settings: Settings, table: Mapping[str, object]) -> Fraction:
    value = table.get("weight", 1)
    weight = exact_decimal(value)
    if weight is not None and 0 < weight <= LARGEST_BUDGET:
        return weight
    complain_value(settings, ("groups", "weight"), value, "write a decimal above 0")
    return Fraction(1)


def _epsilon(settings: Settings) -> Fraction:
    value = settings.document.get("epsilon", 1)
    epsilon = exact_decimal(value)
    if epsilon is not None and 0 < epsilon <= LARGEST_BUDGET:
        return epsilon
    complain_value(settings, ("epsilon",), value, "write a decimal above 0, such as 0.3")
    return Fraction(1)


def _cut(settings: Settings) -> Fraction:
    value = settings.document.get("cut", 2)
    cut = exact_decimal(value)
    if cut is not None and 0 <= cut <= LARGEST_BUDGET:
        return cut
    complain_value(settings, ("cut",), value, "write a decimal of at least 0, such as 0.5")
    return Fraction(2)


def _rows(settings: Settings) -> int | None:
    rows = settings.document.get("rows")
    if rows is None or _is_whole(rows, 1, _MOST_ROWS):
        return rows if isinstance(rows, int) else None
    place: Place = ("rows",)
    complain_value(settings, place, rows, f"write a whole number from 1 to {_MOST_ROWS:,}, or leave it out")
    return None


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
