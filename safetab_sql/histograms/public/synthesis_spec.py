"""The specification of synthetic data (domains, budget, how fields hang together), and the plan of a tree's budget.

With [[groups]] or cut, rows are drawn from histograms of groups of fields; without them along a tree of pairs and
triples of fields, which are chosen privately. Everything here is public: it follows from the file, and along a tree
from a number of rows, which may be noisy. Source: histograms.md sections 4 and 7.1.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, isqrt, prod
from pathlib import Path
from typing import Annotated, ClassVar

from safetab_sql.histograms.public.domains import Domain, Domains, above_zero, cell_count, domains_of, taken_columns
from safetab_sql.histograms.public.spending import Budget, Choice, HistogramCall
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL, Confidential, Public, public_file
from safetab_sql.settings.about import NOTHING_SAID, About
from safetab_sql.settings.budgets import LARGEST_BUDGET, PrivacyDefinition
from safetab_sql.settings.markers import Base, decimal, otherwise, whole
from safetab_sql.settings.reading import Document, read_as, read_toml
from safetab_sql.settings.tables import INLINE, sized, table
from safetab_sql.settings.unit import RECORDS, AnyRecords

MOST_ROWS = 10**10
MOST_BINS = 10**12  # bins of one group; with more, noise is too large for any use
MOST_VALUES = 10**5  # of one field along a tree: each has a noisy count of its own
_OF_GROUPS = ("groups", "cut")
_SMALLEST_EPSILON = Fraction(1, 10**4)  # of one group; keeps noise within tables
_MOST_KEPT_BINS = 10**8  # empty bins of a group expected to pass the cut; with more, memory would run out
_ABOUT_FIELDS = 'write fields = ["AGE", "SEX"]'


@table
class WrittenGroup:
    """Fields that share a histogram, as a file has them."""

    fields: Annotated[tuple[str, ...], sized(1, fix=_ABOUT_FIELDS), otherwise(_ABOUT_FIELDS), "names of domains"]
    weight: Annotated[
        Fraction, above_zero(LARGEST_BUDGET), "of its share of epsilon, relative to the others; a field alone has 1"
    ] = Fraction(1)


@table
class SynthesisFile:
    """The keys of a specification of `synthesize`."""

    epsilon: Annotated[
        Fraction | None,
        above_zero(LARGEST_BUDGET),
        "loss of the protected `unit`, pure DP, for the whole release; required without `rho`",
    ] = None
    rho: Annotated[
        Fraction | None, above_zero(LARGEST_BUDGET), "likewise, as zCDP, in place of `epsilon`; along a tree"
    ] = None
    rows: Annotated[
        int | None,
        whole(1, MOST_ROWS, f"write a whole number from 1 to {MOST_ROWS:,}, or leave it out"),
        "how many rows to make; by default a noisy number",
    ] = None
    domains: Domains = ()
    groups: Annotated[
        tuple[WrittenGroup, ...],
        sized(0, fix="write [[groups]] with fields = [...]"),
        "fields that share a histogram; every other field has one alone",
    ] = ()
    cut: Annotated[
        Fraction,
        decimal(0, LARGEST_BUDGET, "write a decimal of at least 0, such as 0.5"),
        "counts below cut * scale * log10(bins) become 0",
    ] = Fraction(2)
    unit: AnyRecords = RECORDS
    about: Annotated[About, INLINE] = NOTHING_SAID
    base: Base = None
    required: ClassVar = ("domains",)


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Fields that share a histogram. call: the noise on it."""

    domains: tuple[Domain, ...]
    call: HistogramCall


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

    @property
    def budget(self) -> Budget:
        """The epsilon of pure DP, or the rho of zCDP."""
        said, calls = self.said, tuple(group.call for group in self.groups)
        if said.epsilon is None and said.rho is not None:
            return Budget("zcdp", said.rho, said.unit, calls)
        return Budget("puredp", said.epsilon or Fraction(1), said.unit, calls)


def load_synthesis_spec(
    path: Path, epsilon: str | None = None, records: Confidential = NOTHING_CONFIDENTIAL
) -> SynthesisSpec:
    """The specification in the TOML file `path`. Raises: InputError with every problem.

    epsilon: in place of the budget of the file. records: of the command; no file that the specification names may be
    one of theirs. Source: histograms.md sections 4 and 7; the split of epsilon: section 4.2.
    """
    file, document = public_file("spec", path, records), read_toml(path)
    if epsilon is not None:
        others = {key: value for key, value in document.tables.items() if key != "rho"}
        document = replace(document, tables={**others, "epsilon": epsilon})
    read = read_as(SynthesisFile, document)
    problems = list(read.problems)
    domains, references = domains_of(document, read.found.domains, problems, records)
    problems += taken_columns(document, domains)
    spec = SynthesisSpec(read.found, file, domains, references)
    keys = [key for key in ("epsilon", "rho") if key in document.tables]
    if len(keys) == 2:
        what = "both epsilon and rho are there"
        problems.append(document.problem((), what, "keep epsilon for pure DP, or rho for zCDP"))
    if not keys:
        problems.append(document.missing_key((), "epsilon"))
    if document.tables.keys().isdisjoint(_OF_GROUPS):
        for domain in [domain for domain in spec.domains if domain.size > MOST_VALUES]:
            what = f"has {domain.size:,} values, more than {MOST_VALUES:,}"
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
    weighted = [(tuple(by_name[name] for name in each.fields if name in by_name), each.weight) for each in written]
    weighted += [((domain,), Fraction(1)) for domain in spec.domains if domain.name not in grouped]
    of_one = spec.budget.amount / sum((weight for _, weight in weighted), Fraction(0)) if weighted else Fraction(0)
    sensitivity, groups = spec.said.unit.bound(1, "puredp"), list[FieldGroup]()
    for fields, weight in [(fields, weight) for fields, weight in weighted if fields]:
        name = "+".join(domain.name for domain in fields)
        call = HistogramCall(name, cell_count(fields), of_one * weight, sensitivity)
        groups.append(FieldGroup(fields, call))
        least = _SMALLEST_EPSILON * sensitivity
        if call.cells > MOST_BINS:
            what = f"{name} has {call.cells:,} bins, more than {MOST_BINS:,}"
            fix = "take a field out of the group, or give it fewer values"
            problems.append(document.problem(("groups",), what, fix))
        if call.epsilon < least:
            what = f"{name} gets epsilon {call.epsilon}, below {least}"
            problems.append(document.problem((), what, "raise epsilon, lower most_records, or make fewer groups"))
        elif call.cells <= MOST_BINS and (lifted := call.lifted(call.least_kept(spec.said.cut) - 1)) > _MOST_KEPT_BINS:
            what = f"noise would lift about {lifted:,} of the {call.cells:,} bins of {name} above the cut"
            problems.append(document.problem((), what, "raise cut, or take a field out of the group"))
    return tuple(groups)


# How the budget of a tree is divided, for how many pairs and triples of fields, and their tables.

ROWS_SHARE = Fraction(1, 50)  # of the budget, for the noisy number of records, where the spec does not say `rows`
CHOICE_SHARE = Fraction(12, 100)  # of the rest, for choosing as many pairs as a tree has; fewer pairs get less
PAIRS_SHARE = Fraction(35, 100)  # likewise, for the tables of the pairs
TRIPLES_SHARE = Fraction(1, 4)  # of the budget, for triples, before fields and pairs get theirs
_TABLES_OF_TRIPLES = Fraction(3, 4)  # of this share; their choice gets the rest
_LEAST_CELLS = 128  # of a triple's table, for there to be triples
_LARGEST_ERROR = Fraction(1, 4)  # of the rows: what noise may cost a choice
_ROOT_DIGITS = 10**6

CHOICE_RULE = (
    "exponential mechanism on whole scores of sensitivity {}: epsilon pure DP, epsilon^2 / 8 zCDP; it may end early, "
    "and is charged as if it had not"
)
Pair = tuple[int, int]  # places of two fields, the smaller first


@dataclass(frozen=True, slots=True, eq=False)
class BinnedTable:
    """The bins of a table of two or three fields. bins: of each field, the bin in the table of its finest bins.

    Of three fields, the second and the third are compared given the first.
    """

    fields: tuple[int, ...]
    bins: tuple[Int64s, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of bins of each field."""
        return tuple(int(bins[-1]) + 1 for bins in self.bins)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a plan has for tables that are chosen one after another.

    most: so many tables, or fewer. choice: for choosing one. tables: for all tables together. choice_epsilon: the
    epsilon of the exponential mechanism that `choice` buys, for one record.
    """

    most: int = 0
    choice: Fraction = Fraction(0)
    tables: Fraction = Fraction(0)
    choice_epsilon: Fraction = Fraction(0)

    @property
    def amount(self) -> Fraction:
        """All of it, whether or not as many tables are chosen."""
        return self.most * self.choice + self.tables


@dataclass(frozen=True, slots=True)
class TreePlan:
    """How a budget is divided. All parts are exact, in epsilon or rho, and add up to it.

    rows: the number of rows that the plan is made for. counted_rows: the part that bought this number; 0 if the spec
    says it. fields: of the histogram of each field, in their order. pairs, triples: of two and of three fields.
    """

    budget: Budget
    rows: int
    counted_rows: Fraction
    fields: tuple[Fraction, ...]
    pairs: Chosen
    triples: Chosen

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices that it pays for, as a ledger states them."""
        most, chosen = self.budget.unit.most_change, {"pairs": self.pairs, "triples": self.triples}
        return tuple(
            Choice(of, CHOICE_RULE.format(most), one.most, one.choice, most * one.choice_epsilon, one.tables)
            for of, one in chosen.items()
            if one.choice
        )


def tree_plan(budget: Budget, sizes: Sequence[int], rows: int, *, counted_rows: Fraction = Fraction(0)) -> TreePlan:
    """The plan for fields of these `sizes`.

    Triples get a quarter, if their tables can be fine enough. Without tables all of the budget goes to the fields.
    """
    rest = budget.amount - counted_rows
    pairs, triples = _pairs(budget, rest, len(sizes), rows), Chosen()
    if pairs.most > 1:
        triples = _triples(budget, rest * TRIPLES_SHARE, rows, pairs.most - 1)
    if triples.most:
        rest -= triples.amount
        pairs = _pairs(budget, rest, len(sizes), rows)
    return TreePlan(budget, rows, counted_rows, shares(rest - pairs.amount, sizes), pairs, triples)


def _pairs(budget: Budget, rest: Fraction, fields: int, rows: int) -> Chosen:
    """What the pairs get of the rest of the budget.

    The more pairs are to be chosen, the less each choice can be trusted: as many as possible are chosen of which the
    expected loss of one choice, 2 / epsilon * ln(number of pairs), stays below a quarter of the rows.
    """
    for number in range(fields - 1, 0, -1):
        choice = rest * CHOICE_SHARE * _share(number, fields) / number
        # ln n < 7/10 * (bits of n)
        loss = 2 * Fraction(7, 10) * comb(fields, 2).bit_length()
        epsilon = choice_epsilon(budget.definition, budget.of_record(choice))
        if epsilon and loss / epsilon <= _LARGEST_ERROR * rows:
            return Chosen(number, choice, rest * PAIRS_SHARE * _share(number, fields), epsilon)
    return Chosen()


def _triples(budget: Budget, amount: Fraction, rows: int, most: int) -> Chosen:
    """`amount` for `most` triples; none if a table of _LEAST_CELLS cells would have noise of 3/10 of the rows.

    Noise is 4/5 of a standard deviation in the mean. Variances: 2 / epsilon^2, 1 / (2 rho).
    """
    tables = amount * _TABLES_OF_TRIPLES
    one = budget.of_record(tables / most)
    variance = 2 / one**2 if budget.definition == "puredp" else 1 / (2 * one)
    if (_LEAST_CELLS * Fraction(4, 5)) ** 2 * variance > (Fraction(3, 10) * rows) ** 2:
        return Chosen()
    choice = (amount - tables) / most
    return Chosen(most, choice, tables, choice_epsilon(budget.definition, budget.of_record(choice)))


def choice_epsilon(definition: PrivacyDefinition, amount: Fraction) -> Fraction:
    """The epsilon of an exponential mechanism that costs at most `amount`: itself, or sqrt(8 rho) rounded down."""
    if definition == "puredp":
        return amount
    return Fraction(isqrt(int(8 * amount * 2**128)), 2**64)


def shares(budget: Fraction, sizes: Sequence[int]) -> tuple[Fraction, ...]:
    """`budget` divided over histograms of these sizes, nearly in proportion to their square roots.

    The sum of all absolute errors is smallest then. The roots are rounded to powers of two, so that only a few laws of
    noise have to be tabulated.
    """
    weights = [1 << (size.bit_length() // 2) for size in sizes]
    return tuple(budget * weight / sum(weights) for weight in weights)


def _share(pairs: int, fields: int) -> Fraction:
    """The part of CHOICE_SHARE and PAIRS_SHARE that `pairs` pairs get: sqrt(pairs / (fields - 1)), rounded down."""
    return Fraction(isqrt(pairs * _ROOT_DIGITS**2 // (fields - 1)), _ROOT_DIGITS)
