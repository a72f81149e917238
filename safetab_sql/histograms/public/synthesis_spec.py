"""The specification of synthetic data: what follows from its file and from the files that this names."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from safetab_sql.histograms.public.binned_pairs import Pair
from safetab_sql.histograms.public.domain_settings import WrittenDomain, domains_of
from safetab_sql.histograms.public.domains import Domain, cell_count, size
from safetab_sql.histograms.public.named_pairs import PairsFile, named_pairs, wide_problems
from safetab_sql.histograms.public.nist_specs import MOST_BINS, nist_domains
from safetab_sql.histograms.public.spec_files import SpecFiles, spec_files
from safetab_sql.histograms.public.synthesis_file import GroupsFile, SynthesisFile
from safetab_sql.histograms.public.tree_plan import ROWS_SHARE, TreeBudget, TreePlan, tree_plan
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.public.gate import Public, public_file
from safetab_sql.settings.about import About
from safetab_sql.settings.reading import Document, read_as, read_toml
from safetab_sql.settings.unit import RECORDS, Unit

RESERVED = ("COUNT", "VARIANCE", "MOE95")  # columns of the published histograms
_OF_GROUPS = ("groups", "groups_file", "cut")
_OF_TREES = ("rho", "pairs", "pairs_file")
_USUAL = Resources()
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
    files that the spec was read from. file: the spec itself. records: what a record is.
    """

    budget: TreeBudget
    cut: Fraction
    rows: int | None
    domains: tuple[Domain, ...]
    groups: tuple[FieldGroup, ...]
    pairs: tuple[Pair, ...]
    private_data: Path | None
    public_files: tuple[Public, ...]
    about: About
    file: Public
    records: Unit = RECORDS


def load_synthesis_spec(
    path: Path, epsilon: str | None = None, *, data: str | Path | None = None, resources: Resources = _USUAL
) -> SynthesisSpec:
    """The specification in the TOML file `path`, or of NIST's specs (JSON). Raises: InputError with every problem.

    epsilon: in place of the budget of the file. data: the records that are read in place of private_data: no
    file that the specification names may be one of either. Source: histograms.md sections 4 and 7; the split of
    epsilon: section 4.2.
    """
    document = _document(path, epsilon)
    read = read_as(SynthesisFile, document)
    file, problems = read.found, list(read.problems)
    files = spec_files(document, file.files, data, resources, problems)
    domains = _domains(document, file.domains, files, problems)
    problems += _budget_problems(document)
    is_grouped = not document.tables.keys().isdisjoint(_OF_GROUPS)
    problems += _both_problems(document) if is_grouped else ()
    groups = _groups(document, file, files, domains, problems) if is_grouped else ()
    pairs = () if is_grouped else _pairs(document, file, files, domains, problems)
    refuse(problems)
    references = [domain.reference for domain in domains if domain.reference is not None]
    known = (*files.public.values(), *{reference.path: reference for reference in references}.values())
    return SynthesisSpec(
        budget=_budget(file),
        cut=file.cut,
        rows=file.rows,
        domains=domains,
        groups=groups,
        pairs=pairs,
        private_data=files.private,
        public_files=known,
        about=file.about,
        file=files.spec,
        records=file.unit,
    )


def plan_of_spec(path: Path, epsilon: str | None, rows: int | None) -> tuple[TreePlan, tuple[Domain, ...]]:
    """What the budget of a specification buys along a tree of pairs, and the domains. rows: in place of the spec's.

    Raises: InputError where the specification names groups, or nobody says how many rows there are.
    """
    spec = load_synthesis_spec(path, epsilon)
    known = rows or spec.rows or 0
    problems = []
    if spec.groups:
        fix = "take out [[groups]], groups_file and cut, or ask `synthesize run`"
        problems.append(Problem(str(path), "has groups or a cut: a plan is of rows along a tree", fix))
    if known < 1:
        what = "is missing, and the spec says no rows" if rows is None else f"{rows} is no number of records"
        problems.append(Problem("--rows", what, "say about how many there are"))
    refuse(problems)
    sizes = [size(domain) for domain in spec.domains]
    counted = Fraction(0) if spec.rows else spec.budget.amount * ROWS_SHARE
    return tree_plan(spec.budget, sizes, known, counted_rows=counted, named_pairs=len(spec.pairs)), spec.domains


def load_domains(path: Path, resources: Resources = _USUAL) -> tuple[tuple[Domain, ...], Path | None]:
    """The domains of a specification (TOML) or of NIST's specs (JSON), and the private file that a specification names.

    Neither budget nor groups need to be there. Raises: InputError with every problem.
    """
    if path.suffix == ".json":
        return nist_domains(public_file("spec", path).path), None
    document = read_toml(path)
    read = read_as(SynthesisFile, document)
    problems = list(read.problems)
    files = spec_files(document, read.found.files, None, resources, problems)
    domains = _domains(document, read.found.domains, files, problems)
    refuse(problems)
    return domains, files.private


def _document(path: Path, epsilon: str | None) -> Document:
    """The file as it is read, with another epsilon if one is given; NIST's specs are a file that names them."""
    document = Document(path, {"nist_specs": path.name}) if path.suffix == ".json" else read_toml(path)
    if epsilon is None:
        return document
    others = {key: value for key, value in document.tables.items() if key != "rho"}
    return replace(document, tables={**others, "epsilon": epsilon})


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


def _budget(file: SynthesisFile) -> TreeBudget:
    """The epsilon of pure DP, or the rho of zCDP."""
    if file.epsilon is None and file.rho is not None:
        return TreeBudget("zcdp", file.rho)
    return TreeBudget("puredp", file.epsilon or Fraction(1))


def _domains(
    document: Document, written: Sequence[WrittenDomain], files: SpecFiles, problems: list[Problem]
) -> tuple[Domain, ...]:
    """NIST's domains, replaced by the spec's domains of the same name; then the other domains of the spec."""
    nist_specs, book = (files.public.get(key) for key in ("nist_specs", "code_book"))
    if "domains" not in document.tables and nist_specs is None:
        problems.append(document.missing_key((), "domains"))
    by_name = {domain.name: domain for domain in domains_of(document, written, problems, files.records)}
    challenge = nist_domains(nist_specs.path, None if book is None else book.path) if nist_specs else ()
    found = [by_name.pop(domain.name, domain) for domain in challenge]
    if book and nist_specs is None:
        fix = "name the fields in nist_specs, or take code_book out"
        problems.append(document.problem((), "code_book without nist_specs", fix))
    domains = (*found, *by_name.values())
    for column, count in Counter(column for domain in domains for column in domain.columns).items():
        if count > 1:
            what = f"column {column} stands in {count} domains"
            problems.append(document.problem(("domains",), what, "leave it in one"))
        if column.upper() in RESERVED:
            what = f"{column} is a column of what is published"
            problems.append(document.problem(("domains",), what, "rename it in the data"))
    return domains


def _pairs(
    document: Document, file: SynthesisFile, files: SpecFiles, domains: Sequence[Domain], problems: list[Problem]
) -> tuple[Pair, ...]:
    """The pairs of the spec, or of the file that it names."""
    other = _other_file(document, "pairs", files, problems)
    written = file.pairs
    if other is not None:
        read = read_as(PairsFile, other)
        written = read.found.pairs
        problems += read.problems
    problems += wide_problems(document, domains)
    return named_pairs(other or document, written, [domain.name for domain in domains], problems)


def _other_file(document: Document, key: str, files: SpecFiles, problems: list[Problem]) -> Document | None:
    """The file that holds [[groups]] or [[pairs]], by `key`; None where that is the spec itself."""
    file = files.public.get(f"{key}_file")
    if file is None:
        return None
    if key in document.tables:
        problems.append(document.problem((), f"both [[{key}]] and {key}_file are there", "keep one of the two"))
    return replace(read_toml(file.path), path=file.path)


def _groups(
    document: Document, file: SynthesisFile, files: SpecFiles, domains: Sequence[Domain], problems: list[Problem]
) -> tuple[FieldGroup, ...]:
    """The groups in their order, then every other field alone; epsilon is split in proportion to their weights."""
    other, written = _other_file(document, "groups", files, problems), file.groups
    if other is not None:
        read = read_as(GroupsFile, other)
        written = read.found.groups
        problems += read.problems
    holder, by_name = other or document, {domain.name: domain for domain in domains}
    for place, each in enumerate(written, start=1):
        for name in [name for name in each.fields if name not in by_name]:
            what = f"group {place}: no domain is called '{name}'"
            problems.append(holder.problem(("groups",), what, f"add [domains.{name}]"))
    grouped = Counter(name for each in written for name in each.fields if name in by_name)
    for name in [name for name, count in grouped.items() if count > 1]:
        problems.append(holder.problem(("groups",), f"{name} is in {grouped[name]} groups", "leave it in one"))
    shares = [
        *((tuple(by_name[name] for name in each.fields if name in by_name), each.weight) for each in written),
        *(((domain,), Fraction(1)) for domain in domains if domain.name not in grouped),
    ]
    whole, epsilon = sum((weight for _, weight in shares), Fraction(0)), _budget(file).amount
    groups = [FieldGroup(group, cell_count(group), epsilon * weight / whole) for group, weight in shares if group]
    for group in groups:
        problems += _group_problems(holder, group)
    return tuple(groups)


def _group_problems(document: Document, group: FieldGroup) -> Iterator[Problem]:
    if group.bins > MOST_BINS:
        what = f"{group.name} has {group.bins:,} bins, more than {MOST_BINS:,}"
        yield document.problem(("groups",), what, "take a field out of the group, or give it fewer values")
    if group.epsilon < _SMALLEST_EPSILON:
        what = f"{group.name} gets epsilon {group.epsilon}, below {_SMALLEST_EPSILON}"
        yield document.problem((), what, "raise epsilon, or make fewer groups")
