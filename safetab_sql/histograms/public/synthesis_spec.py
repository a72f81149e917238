"""The specification of synthetic data: domains of the fields, the budget, and how fields hang together.

Everything in it is public. With [[groups]], groups_file or cut, rows are drawn from histograms of groups of fields;
without them along a tree of pairs of fields, which are chosen privately, or named in [[pairs]].
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from safetab_sql.histograms.public.domains import Domain, Domains, cell_count, columns_of, domains_of, size
from safetab_sql.histograms.public.tree_plan import ROWS_SHARE, Pair, TreeBudget, TreePlan, tree_plan
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.public.gate import Public, public_file, records_at
from safetab_sql.public.inputs import attempt
from safetab_sql.settings.about import NOTHING_SAID, About
from safetab_sql.settings.budgets import LARGEST_BUDGET
from safetab_sql.settings.decimals import Decimal
from safetab_sql.settings.markers import Base, Fix, Means, Sized, Text, Whole, once
from safetab_sql.settings.reading import Document, Read, read_as, read_toml
from safetab_sql.settings.tables import INLINE, REQUIRED, table
from safetab_sql.settings.unit import RECORDS, AnyRecords, Unit

MOST_ROWS = 10**10
MOST_BINS = 10**12  # bins of one group; with more, noise is too large for any use
MOST_VALUES = 10**5  # of one field along a tree: each has a noisy count of its own
RESERVED = ("COUNT", "VARIANCE", "MOE95")  # columns of the published histograms
_OF_GROUPS = ("groups", "groups_file", "cut")
_OF_TREES = ("rho", "pairs", "pairs_file")
_SMALLEST_EPSILON = Fraction(1, 10**4)  # of one group; keeps noise within tables
_PURPOSES = {"groups_file": "groups", "pairs_file": "pairs"}  # what the gate calls the files that a file names
_ABOUT_FIELDS = 'write fields = ["AGE", "SEX"]'
_Amount = Decimal(0, LARGEST_BUDGET, "write a decimal above 0, such as 0.3", without_least=True)
_File = Annotated[str | None, Text()]


@table
class WrittenPair:
    """Two fields that share a table, as a file has them."""

    fields: Annotated[tuple[str, str], once(), Fix(_ABOUT_FIELDS), Means("names of two domains")]


Pairs = Annotated[
    tuple[WrittenPair, ...],
    Sized(0, fix=f"write [[pairs]] with {_ABOUT_FIELDS[6:]}"),
    Means("fields that share a table; by default chosen privately"),
]


@table
class PairsFile:
    """The keys of a file of pairs."""

    pairs: Pairs = ()
    base: Base = None


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
class GroupsFile:
    """The keys of a file of groups."""

    groups: Groups = ()
    base: Base = None


@table
class SynthesisFile:
    """The keys of a specification of `synthesize`."""

    epsilon: Annotated[
        Fraction | None,
        _Amount,
        Means("loss of what `unit` protects, pure DP, for the whole release; required without `rho`"),
    ] = None
    rho: Annotated[Fraction | None, _Amount, Means("likewise, as zCDP, in place of `epsilon`; along a tree")] = None
    rows: Annotated[
        int | None,
        Whole(1, MOST_ROWS, f"write a whole number from 1 to {MOST_ROWS:,}, or leave it out"),
        Means("how many rows to make; by default a noisy number"),
    ] = None
    private_data: Annotated[_File, Means("the records, if --data names none; `suggest-groups` refuses them")] = None
    domains: Annotated[Domains, REQUIRED] = ()
    pairs: Pairs = ()
    pairs_file: Annotated[_File, Means("pairs in a file beside this one, as `suggest-pairs` writes them")] = None
    groups: Groups = ()
    groups_file: Annotated[_File, Means("groups in a file beside this one, as `suggest-groups` writes them")] = None
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

    named: the public files, by key. private_data: the file of the records. domains: in the order of the published
    columns. references: of the domains. groups: empty for rows along a tree, of the pairs named in `pairs`, by their
    places in the domains, or, where it is empty, of pairs that are chosen privately.
    """

    said: SynthesisFile
    file: Public
    named: Mapping[str, Public]
    private_data: Path | None
    domains: tuple[Domain, ...]
    references: tuple[Public, ...]
    groups: tuple[FieldGroup, ...] = ()
    pairs: tuple[Pair, ...] = ()

    @property
    def public_files(self) -> tuple[Public, ...]:
        """The other files that the spec was read from."""
        return (*self.named.values(), *self.references)


def load_synthesis_spec(path: Path, epsilon: str | None = None, *, data: str | Path | None = None) -> SynthesisSpec:
    """The specification in the TOML file `path`. Raises: InputError with every problem.

    epsilon: in place of the budget of the file. data: the records that are read in place of private_data: no
    file that the specification names may be one of either. Source: histograms.md sections 4 and 7; the split of
    epsilon: section 4.2.
    """
    document = read_toml(path)
    if epsilon is not None:
        others = {key: value for key, value in document.tables.items() if key != "rho"}
        document = replace(document, tables={**others, "epsilon": epsilon})
    problems: list[Problem] = []
    spec = _read(document, data, problems)
    problems += _budget_problems(document)
    if document.tables.keys().isdisjoint(_OF_GROUPS):
        spec = replace(spec, pairs=_pairs(document, spec, problems))
    else:
        problems += _both_problems(document)
        spec = replace(spec, groups=_groups(document, spec, problems))
    refuse(problems)
    return spec


def plan_of_spec(path: Path, epsilon: str | None, rows: int | None) -> tuple[TreePlan, tuple[Domain, ...]]:
    """What the budget of a specification buys along a tree of pairs, and the domains. rows: in place of the spec's.

    Raises: InputError where the specification names groups, or nobody says how many rows there are.
    """
    spec = load_synthesis_spec(path, epsilon)
    known = rows or spec.said.rows or 0
    problems = []
    if spec.groups:
        fix = "take out [[groups]], groups_file and cut, or ask `synthesize run`"
        problems.append(Problem(str(path), "has groups or a cut: a plan is of rows along a tree", fix))
    if known < 1:
        what = "is missing, and the spec says no rows" if rows is None else f"{rows} is no number of records"
        problems.append(Problem("--rows", what, "say about how many there are"))
    refuse(problems)
    sizes = [size(domain) for domain in spec.domains]
    counted = Fraction(0) if spec.said.rows else spec.said.budget.amount * ROWS_SHARE
    return tree_plan(spec.said.budget, sizes, known, counted_rows=counted, named_pairs=len(spec.pairs)), spec.domains


def load_domains(path: Path) -> tuple[tuple[Domain, ...], Path | None]:
    """The domains of a specification, and the private file that it names; neither budget nor groups need to be there.

    Raises: InputError with every problem.
    """
    problems: list[Problem] = []
    spec = _read(read_toml(path), None, problems)
    refuse(problems)
    return spec.domains, spec.private_data


def _both_problems(document: Document) -> Iterator[Problem]:
    """Keys of rows along a tree in a specification with groups."""
    for key in [key for key in _OF_TREES if key in document.tables]:
        what = f"{key} is for rows along a tree, and there are groups or a cut"
        yield document.problem((), what, f"take out either {key}, or {', '.join(_OF_GROUPS)}")


def _budget_problems(document: Document) -> Iterator[Problem]:
    """One of the two budgets is there."""
    keys = [key for key in ("epsilon", "rho") if key in document.tables]
    if len(keys) == 2:
        yield document.problem((), "both epsilon and rho are there", "keep epsilon for pure DP, or rho for zCDP")
    if not keys:
        yield document.missing_key((), "epsilon")


def _read(document: Document, data: str | Path | None, problems: list[Problem]) -> SynthesisSpec:
    """What a specification says, its files, and its domains. data: the records that the command line names, if any.

    All these records are confidential, although only one of `data` and private_data is read.
    problems: gets what is wrong. Raises: InputError with every file that may not pass the gate.
    """
    read = read_as(SynthesisFile, document)
    problems += read.problems
    written = {key: getattr(read.found, key) for key in ("groups_file", "pairs_file", "private_data")}
    named = {key: document.path.parent / file for key, file in written.items() if file is not None}
    private = named.pop("private_data", None)
    records = records_at(data, private)
    public, refused = dict[str, Public](), list[Problem]()
    if private is not None and not records_at(private):
        what = f"names {private}, which cannot be found, so no public file can be compared with it"
        fix = "name the file of the records, or take the line out and name it with --data"
        problems.append(Problem(f"{document.path} [private_data]", what, fix))
    for key, file in {"spec": document.path, **named}.items():
        found = attempt(refused, partial(public_file, _PURPOSES.get(key, key), file, records))
        public |= {} if found is None else {key: found}
    refuse([*problems, *refused] if refused else [])
    domains, references = domains_of(document, read.found.domains, problems, records)
    for column in [column for column in columns_of(domains) if column.upper() in RESERVED]:
        what = f"{column} is a column of what is published"
        problems.append(document.problem(("domains",), what, "rename it in the data"))
    return SynthesisSpec(read.found, public.pop("spec"), public, private, domains, references)


def _pairs(document: Document, spec: SynthesisSpec, problems: list[Problem]) -> tuple[Pair, ...]:
    """The places of the named pairs among the domains, the smaller place first.

    Pairs of unknown fields are problems, and pairs that close a circle: rows are drawn along a tree. So are domains
    with too many values for a histogram of their own.
    """
    holder, written = _listed(document, "pairs", PairsFile, spec, problems)
    for domain in [domain for domain in spec.domains if size(domain) > MOST_VALUES]:
        what = f"has {size(domain):,} values, more than {MOST_VALUES:,}"
        fix = "give it bins, such as bins = [[0, 0], [1, 999]]"
        problems.append(document.problem(("domains", domain.name), what, fix))
    fields, found = [domain.name for domain in spec.domains], []
    tree = list(range(len(fields)))
    for number, each in enumerate(written, start=1):
        unknown = [name for name in each.fields if name not in fields]
        for name in unknown:
            what = f"pair {number}: no domain is called '{name}'"
            problems.append(holder.problem(("pairs",), what, f"add [domains.{name}]"))
        if not unknown:
            low, high = sorted(fields.index(name) for name in each.fields)
            found.append((low, high))
    for one, other in found:
        if tree[one] == tree[other]:
            what = f"{fields[one]} and {fields[other]} are joined already, by other pairs"
            problems.append(holder.problem(("pairs",), what, "take this pair out"))
        tree = [tree[one] if root == tree[other] else root for root in tree]
    return tuple(found)


def _listed(
    document: Document, key: str, model: type, spec: SynthesisSpec, problems: list[Problem]
) -> tuple[Document, tuple[Any, ...]]:
    """The [[groups]] or [[pairs]], by `key`, and the file that holds them: the spec, or the one that it names."""
    file = spec.named.get(f"{key}_file")
    if file is None:
        return document, getattr(spec.said, key)
    if key in document.tables:
        problems.append(document.problem((), f"both [[{key}]] and {key}_file are there", "keep one of the two"))
    other = read_toml(file.path)
    read: Read[Any] = read_as(model, other)
    problems += read.problems
    return other, getattr(read.found, key)


def _groups(document: Document, spec: SynthesisSpec, problems: list[Problem]) -> tuple[FieldGroup, ...]:
    """The groups in their order, then every other field alone; epsilon is split in proportion to their weights."""
    holder, written = _listed(document, "groups", GroupsFile, spec, problems)
    by_name = {domain.name: domain for domain in spec.domains}
    for place, each in enumerate(written, start=1):
        for name in [name for name in each.fields if name not in by_name]:
            what = f"group {place}: no domain is called '{name}'"
            problems.append(holder.problem(("groups",), what, f"add [domains.{name}]"))
    grouped = Counter(name for each in written for name in each.fields if name in by_name)
    for name in [name for name, count in grouped.items() if count > 1]:
        problems.append(holder.problem(("groups",), f"{name} is in {grouped[name]} groups", "leave it in one"))
    shares = [
        *((tuple(by_name[name] for name in each.fields if name in by_name), each.weight) for each in written),
        *(((domain,), Fraction(1)) for domain in spec.domains if domain.name not in grouped),
    ]
    whole, epsilon = sum((weight for _, weight in shares), Fraction(0)), spec.said.budget.amount
    groups = [FieldGroup(group, cell_count(group), epsilon * weight / whole) for group, weight in shares if group]
    for group in groups:
        problems += _group_problems(holder, group, spec.said.unit)
    return tuple(groups)


def _group_problems(document: Document, group: FieldGroup, unit: Unit) -> Iterator[Problem]:
    if group.bins > MOST_BINS:
        what = f"{group.name} has {group.bins:,} bins, more than {MOST_BINS:,}"
        yield document.problem(("groups",), what, "take a field out of the group, or give it fewer values")
    least = _SMALLEST_EPSILON * unit.bound(1, "puredp")
    if group.epsilon < least:
        what = f"{group.name} gets epsilon {group.epsilon}, below {least}"
        yield document.problem((), what, "raise epsilon, lower most_records, or make fewer groups")
