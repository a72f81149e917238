"""The specification of synthetic data: domains of the fields, the budget, and how fields hang together.

Everything in it is public. With [[groups]], groups_file or cut, rows are drawn from histograms of groups of fields;
without them along a tree of pairs of fields, which are chosen privately, or named in [[pairs]].

    epsilon = 8                       # pure DP, of the whole release; or, along a tree, rho = 0.5 for zCDP
    rows = 800000                     # optional; absent: a noisy number
    nist_specs = "specs.json"         # optional: domains 0 to `maxval` of the challenge's file, beside this one
    code_book = "codebook.cbk"        # optional: of these, fields that the book lists have its codes as their values
    pairs_file = "pairs.toml"         # optional: [[pairs]] from another file, as `suggest-pairs` writes them
    groups_file = "groups.toml"       # optional: [[groups]] from another file, as `suggest-groups` writes them
    cut = 1                           # optional; counts below cut * scale * log10(bins) become 0; 2 if absent
    private_data = "persons.parquet"  # optional: what --data is by default, and what `suggest-groups` refuses
    [domains]                         # see domain_settings.py; one of the same name goes before NIST's
    AGE = { minimum = 0, maximum = 115 }
    [[pairs]]                         # two fields that share a table; pairs may form no circle
    fields = ["AGE", "SEX"]
    [[groups]]                        # fields that share a histogram; every other field stands alone
    fields = ["AGE", "SEX"]
    weight = 2                        # optional: of the group's share of epsilon; 1 if absent, and for fields alone

Also: title, publisher, contact, note and is_simulated, which the manifest repeats: see about.py.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from safetab_sql.histograms.public.binned_pairs import Pair
from safetab_sql.histograms.public.domain_settings import domains_at
from safetab_sql.histograms.public.domains import Domain, cell_count
from safetab_sql.histograms.public.named_pairs import complain_wide, named_pairs
from safetab_sql.histograms.public.nist_specs import MOST_BINS, is_whole, nist_domains
from safetab_sql.histograms.public.tree_plan import TreeBudget
from safetab_sql.kit.errors import refuse
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

RESERVED = ("COUNT", "VARIANCE", "MOE95")  # columns of the published histograms
_OF_GROUPS = ("groups", "groups_file", "cut")
_OF_TREES = ("rho", "pairs", "pairs_file")
SYNTHESIS_KEYS = (
    *("epsilon", "rows", "nist_specs", "code_book", "private_data", "domains", *_OF_TREES, *_OF_GROUPS, *ABOUT_KEYS),
)
GROUP_KEYS = ("fields", "weight")
_FILES = ("nist_specs", "code_book", "groups_file", "pairs_file", "private_data")
MOST_ROWS = 10**10
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
    """The specification. budget: of the whole release. rows: None for the default. cut: of the method of groups.

    domains: in the order of the published columns. groups: empty for rows along a tree, of the pairs named in `pairs`,
    by their places in the domains, or, where it is empty, of pairs that are chosen privately. public_files: the other
    files that the spec was read from.
    """

    budget: TreeBudget
    cut: Fraction
    rows: int | None
    domains: tuple[Domain, ...]
    groups: tuple[FieldGroup, ...]
    pairs: tuple[Pair, ...]
    private_data: Path | None
    public_files: tuple[Path, ...]
    about: About


def load_synthesis_spec(path: Path, epsilon: str | None = None) -> SynthesisSpec:
    """The specification in the TOML file `path`, or of NIST's specs (JSON). Raises: InputError with every problem.

    epsilon: in place of the budget of the file. Source: histograms.md sections 4 and 7; the split of epsilon: section
    4.2.
    """
    settings = _settings(path, epsilon)
    complain_unknown(settings, (), settings.document, SYNTHESIS_KEYS)
    files = {key: _file_at(settings, key) for key in _FILES if key in settings.document}
    domains = _domains(settings, files)
    budget = _budget(settings)
    is_grouped = not settings.document.keys().isdisjoint(_OF_GROUPS)
    if is_grouped:
        _complain_both(settings)
    others = _settings_of(settings, "groups", files) if is_grouped else _settings_of(settings, "pairs", files)
    groups = _groups(others, domains, budget.amount) if is_grouped else ()
    pairs = () if is_grouped else named_pairs(others, [domain.name for domain in domains])
    if not is_grouped:
        complain_wide(settings, domains)
    cut, rows, about = _cut(settings), _rows(settings), about_at(settings)
    refuse([*settings.problems, *(others.problems if others is not settings else [])])
    public = [file for key, file in files.items() if key != "private_data"]
    references = [domain.reference for domain in domains if domain.reference is not None]
    known = (*public, *dict.fromkeys(references))
    return SynthesisSpec(budget, cut, rows, domains, groups, pairs, files.get("private_data"), known, about)


def load_domains(path: Path) -> tuple[tuple[Domain, ...], Path | None]:
    """The domains of a specification (TOML) or of NIST's specs (JSON), and the private file that a specification names.

    Neither budget nor groups need to be there. Raises: InputError with every problem.
    """
    if path.suffix == ".json":
        return nist_domains(path), None
    settings = read_settings(path)
    complain_unknown(settings, (), settings.document, SYNTHESIS_KEYS)
    files = {key: _file_at(settings, key) for key in _FILES if key in settings.document}
    domains = _domains(settings, files)
    refuse(settings.problems)
    return domains, files.get("private_data")


def _settings(path: Path, epsilon: str | None) -> Settings:
    """The file as it is read, with another epsilon if one is given; NIST's specs are a file that names them."""
    is_json = path.suffix == ".json"
    settings = Settings(path, False, {"nist_specs": path.name}, []) if is_json else read_settings(path)
    if epsilon is None:
        return settings
    others = {key: value for key, value in settings.document.items() if key != "rho"}
    return replace(settings, document={**others, "epsilon": epsilon})


def _complain_both(settings: Settings) -> None:
    """Complain of keys of rows along a tree in a specification with groups."""
    for key in [key for key in _OF_TREES if key in settings.document]:
        what = f"{key} is for rows along a tree, and there are groups or a cut"
        complain(settings, (), what, f"take out either {key}, or {', '.join(_OF_GROUPS)}")


def _file_at(settings: Settings, key: str) -> Path:
    return settings.path.parent / text_at(settings, (key,), settings.document[key])


def _domains(settings: Settings, files: Mapping[str, Path]) -> tuple[Domain, ...]:
    """NIST's domains, replaced by the spec's domains of the same name; then the other domains of the spec."""
    nist_specs = files.get("nist_specs")
    own = domains_at(settings) if "domains" in settings.document or nist_specs is None else ()
    by_name = {domain.name: domain for domain in own}
    challenge = nist_domains(nist_specs, files.get("code_book")) if nist_specs else ()
    found = [by_name.pop(domain.name, domain) for domain in challenge]
    if "code_book" in files and nist_specs is None:
        complain(settings, (), "code_book without nist_specs", "name the fields in nist_specs, or take code_book out")
    domains = (*found, *by_name.values())
    for column, count in Counter(column for domain in domains for column in domain.columns).items():
        if count > 1:
            complain(settings, ("domains",), f"column {column} stands in {count} domains", "leave it in one")
        if column.upper() in RESERVED:
            complain(settings, ("domains",), f"{column} is a column of what is published", "rename it in the data")
    return domains


def _settings_of(settings: Settings, key: str, files: Mapping[str, Path]) -> Settings:
    """The settings that hold [[groups]] or [[pairs]], by `key`: the spec itself, or the file that it names."""
    file = files.get(f"{key}_file")
    if file is None:
        return settings
    if key in settings.document:
        complain(settings, (), f"both [[{key}]] and {key}_file are there", "keep one of the two")
    found = read_settings(file)
    complain_unknown(found, (), found.document, (key,))
    return replace(found, path=file)


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
    complain_unknown(settings, ("groups",), table, GROUP_KEYS)
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


def _budget(settings: Settings) -> TreeBudget:
    """The epsilon of pure DP, or the rho of zCDP, whichever is there."""
    keys = [key for key in ("epsilon", "rho") if key in settings.document]
    if len(keys) == 2:
        complain(settings, (), "both epsilon and rho are there", "keep epsilon for pure DP, or rho for zCDP")
    if not keys:
        complain_missing(settings, (), ("epsilon",), settings.document)
    key = keys[0] if keys else "epsilon"
    value = settings.document.get(key, 1)
    amount = exact_decimal(value)
    if amount is None or not 0 < amount <= LARGEST_BUDGET:
        complain_value(settings, (key,), value, "write a decimal above 0, such as 0.3")
        amount = Fraction(1)
    return TreeBudget("zcdp" if key == "rho" else "puredp", amount)


def _cut(settings: Settings) -> Fraction:
    value = settings.document.get("cut", 2)
    cut = exact_decimal(value)
    if cut is not None and 0 <= cut <= LARGEST_BUDGET:
        return cut
    complain_value(settings, ("cut",), value, "write a decimal of at least 0, such as 0.5")
    return Fraction(2)


def _rows(settings: Settings) -> int | None:
    rows = settings.document.get("rows")
    if rows is None or is_whole(rows, 1, MOST_ROWS):
        return rows if isinstance(rows, int) else None
    place: Place = ("rows",)
    complain_value(settings, place, rows, f"write a whole number from 1 to {MOST_ROWS:,}, or leave it out")
    return None
