"""The specification of synthetic data: domains of the fields, the budget, and how fields hang together.

Everything in it is public. With [[groups]] or cut, rows are drawn from histograms of groups of fields; without them
along a tree of pairs of fields, which are chosen privately.
"""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from safetab_sql.histograms.public.domains import Domain, Domains, cell_count, columns_of, domains_of, size
from safetab_sql.histograms.public.tree_plan import TreeBudget
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.gate import Public, public_file, records_at
from safetab_sql.public.inputs import attempt
from safetab_sql.settings.about import NOTHING_SAID, About
from safetab_sql.settings.budgets import LARGEST_BUDGET
from safetab_sql.settings.markers import Base, Decimal, Fix, Sized, whole
from safetab_sql.settings.reading import Document, read_as, read_toml
from safetab_sql.settings.tables import INLINE, REQUIRED, Means, table
from safetab_sql.settings.unit import RECORDS, AnyRecords

MOST_ROWS = 10**10
MOST_BINS = 10**12  # bins of one group; with more, noise is too large for any use
MOST_VALUES = 10**5  # of one field along a tree: each has a noisy count of its own
RESERVED = ("COUNT", "VARIANCE", "MOE95")  # columns of the published histograms
_OF_GROUPS = ("groups", "cut")
_SMALLEST_EPSILON = Fraction(1, 10**4)  # of one group; keeps noise within tables
_ABOUT_FIELDS = 'write fields = ["AGE", "SEX"]'
_Amount = Decimal(0, LARGEST_BUDGET, "write a decimal above 0, such as 0.3", without_least=True)


@table
class WrittenGroup:
    """Fields that share a histogram, as a file has them."""

    fields: Annotated[tuple[str, ...], Sized(1, fix=_ABOUT_FIELDS), Fix(_ABOUT_FIELDS), Means("names of domains")]
    weight: Annotated[
        Fraction,
        Decimal(0, LARGEST_BUDGET, "write a decimal above 0", without_least=True),
        Means("of its share of epsilon, relative to the others; a field alone has 1"),
    ] = Fraction(1)


Groups = Annotated[
    tuple[WrittenGroup, ...],
    Sized(0, fix="write [[groups]] with fields = [...]"),
    Means("fields that share a histogram; every other field has one alone"),
]


@table
class SynthesisFile:
    """The keys of a specification of `synthesize`."""

    epsilon: Annotated[
        Fraction | None,
        _Amount,
        Means("loss of the protected `unit`, pure DP, for the whole release; required without `rho`"),
    ] = None
    rho: Annotated[Fraction | None, _Amount, Means("likewise, as zCDP, in place of `epsilon`; along a tree")] = None
    rows: Annotated[
        int | None,
        whole(1, MOST_ROWS, f"write a whole number from 1 to {MOST_ROWS:,}, or leave it out"),
        Means("how many rows to make; by default a noisy number"),
    ] = None
    domains: Annotated[Domains, REQUIRED] = ()
    groups: Groups = ()
    cut: Annotated[
        Fraction,
        Decimal(0, LARGEST_BUDGET, "write a decimal of at least 0, such as 0.5"),
        Means("counts below cut * scale * log10(bins) become 0"),
    ] = Fraction(2)
    unit: AnyRecords = RECORDS
    about: Annotated[About, INLINE] = NOTHING_SAID
    base: Base = None

    @property
    def budget(self) -> TreeBudget:
        """The epsilon of pure DP, or the rho of zCDP."""
        if self.epsilon is None and self.rho is not None:
            return TreeBudget("zcdp", self.rho, self.unit)
        return TreeBudget("puredp", self.epsilon or Fraction(1), self.unit)


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
    """The specification: what its file says, and what that names.

    domains: in the order of the published columns. references: of the domains. groups: empty for rows along a tree.
    """

    said: SynthesisFile
    file: Public
    domains: tuple[Domain, ...]
    references: tuple[Public, ...]
    groups: tuple[FieldGroup, ...] = ()


def load_synthesis_spec(path: Path, epsilon: str | None = None, *, data: str | Path | None = None) -> SynthesisSpec:
    """The specification in the TOML file `path`. Raises: InputError with every problem.

    epsilon: in place of the budget of the file. data: the records: no file that the specification names may be one of
    them. Source: histograms.md sections 4 and 7; the split of epsilon: section 4.2.
    """
    document = read_toml(path)
    if epsilon is not None:
        others = {key: value for key, value in document.tables.items() if key != "rho"}
        document = replace(document, tables={**others, "epsilon": epsilon})
    read, records = read_as(SynthesisFile, document), records_at(data)
    problems = list(read.problems)
    file = attempt(problems, lambda: public_file("spec", document.path, records))
    if file is None:
        raise InputError(problems)
    domains, references = domains_of(document, read.found.domains, problems, records)
    for column in [column for column in columns_of(domains) if column.upper() in RESERVED]:
        what = f"{column} is a column of what is published"
        problems.append(document.problem(("domains",), what, "rename it in the data"))
    spec = SynthesisSpec(read.found, file, domains, references)
    keys = [key for key in ("epsilon", "rho") if key in document.tables]
    if len(keys) == 2:
        what = "both epsilon and rho are there"
        problems.append(document.problem((), what, "keep epsilon for pure DP, or rho for zCDP"))
    if not keys:
        problems.append(document.missing_key((), "epsilon"))
    if document.tables.keys().isdisjoint(_OF_GROUPS):
        for domain in [domain for domain in spec.domains if size(domain) > MOST_VALUES]:
            what = f"has {size(domain):,} values, more than {MOST_VALUES:,}"
            fix = "give it bins, such as bins = [[0, 0], [1, 999]]"
            problems.append(document.problem(("domains", domain.name), what, fix))
    else:
        if "rho" in document.tables:
            what = "rho is for rows along a tree, and there are groups or a cut"
            problems.append(document.problem((), what, f"take out either rho, or {', '.join(_OF_GROUPS)}"))
        spec = replace(spec, groups=_groups(document, spec, problems))
    refuse(problems)
    return spec


def _groups(document: Document, spec: SynthesisSpec, problems: list[Problem]) -> tuple[FieldGroup, ...]:
    """The groups in their order, then every other field alone; epsilon is split in proportion to their weights."""
    written = spec.said.groups
    by_name = {domain.name: domain for domain in spec.domains}
    for place, each in enumerate(written, start=1):
        for name in [name for name in each.fields if name not in by_name]:
            what = f"group {place}: no domain is called '{name}'"
            problems.append(document.problem(("groups",), what, f"add [domains.{name}]"))
    grouped = Counter(name for each in written for name in each.fields if name in by_name)
    for name in [name for name, count in grouped.items() if count > 1]:
        problems.append(document.problem(("groups",), f"{name} is in {grouped[name]} groups", "leave it in one"))
    shares = [
        *((tuple(by_name[name] for name in each.fields if name in by_name), each.weight) for each in written),
        *(((domain,), Fraction(1)) for domain in spec.domains if domain.name not in grouped),
    ]
    whole, epsilon = sum((weight for _, weight in shares), Fraction(0)), spec.said.budget.amount
    groups = [FieldGroup(group, cell_count(group), epsilon * weight / whole) for group, weight in shares if group]
    least = _SMALLEST_EPSILON * spec.said.unit.bound(1, "puredp")
    for group in groups:
        if group.bins > MOST_BINS:
            what = f"{group.name} has {group.bins:,} bins, more than {MOST_BINS:,}"
            fix = "take a field out of the group, or give it fewer values"
            problems.append(document.problem(("groups",), what, fix))
        if group.epsilon < least:
            what = f"{group.name} gets epsilon {group.epsilon}, below {least}"
            problems.append(document.problem((), what, "raise epsilon, lower most_records, or make fewer groups"))
    return tuple(groups)
