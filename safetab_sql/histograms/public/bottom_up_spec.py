"""The TOML spec of `bottom-up`, which is public; all its problems are reported at once.

epsilon = 1.0                 # of the whole histogram: pure DP, exact
weight_column = "WEIGHT"      # optional: count this column of numbers, clamped to 0 .. maximum_weight
maximum_weight = 10           # the sensitivity of a weighted count
weight_unit = 0.5             # optional: weights are rounded to the nearest multiple of it; 1 if absent, none rounded
sampling_rate = 0.25          # optional: each record is in a secret sample with this chance, independently
publish_cells = false         # optional: also every cell of the histogram whose noisy count is not 0
[domains.SEX]                 # the histogram is the product of all domains: see domains.py
values = ["1", "2"]
[margins]                     # name of the file, and the columns that its rows are by; [] for the sum of all
by_sex = ["SEX"]
[[invariants]]                # optional: public totals that the margin by these columns is made to match
columns = ["STATE"]
totals = "state-totals.csv"   # a public file (Parquet or CSV) with these columns and the totals
total_column = "TOTAL"        # optional: the name of the latter
[unit]                        # optional: what a record is called, and the most records that a person has
one = "visit"
many = "visits"
records_of_a_person = 5
Also: title, publisher, contact, note and is_simulated, which the manifest repeats: see about.py.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from safetab_sql.histograms.public.domain_settings import domains_of
from safetab_sql.histograms.public.domains import MOST_CELLS, Columns, Domain, Domains, Weight, cell_count
from safetab_sql.histograms.public.marginals import Margin, margin
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL, Confidential, Public, public_file
from safetab_sql.settings.about import NOTHING_SAID, About
from safetab_sql.settings.budgets import LARGEST_BUDGET
from safetab_sql.settings.decimals import Decimal
from safetab_sql.settings.markers import Base, Depending, Means, Name, Sized, Switch, Text, Words
from safetab_sql.settings.reading import Document, read_as, read_toml
from safetab_sql.settings.tables import INLINE, REQUIRED, table
from safetab_sql.settings.unit import RECORDS, AnyRecords, Unit
from safetab_sql.settings.wrong import Place

MOST_ROWS = 2**25  # rows of all margins together, which are held in memory
MOST_CALIBRATED_CELLS = 2**24  # calibration holds every cell in memory
SMALLEST_EPSILON = Fraction(1, 10_000)  # for one unit of weight; wider noise cannot be drawn from tables
_PUBLISHED_COLUMNS = ("count", "variance", "moe95")
_MOST_WEIGHT = 10**9


def above_zero(most: int) -> Decimal:
    """The marker of a number above 0."""
    return Decimal(0, most, f"write a decimal above 0 and at most {most}", without_least=True)


_ColumnsOrNone = Annotated[tuple[str, ...], Depending(lambda value, _: value == [], tuple[str, ...], Columns)]
_FileName = Annotated[
    str, Name("a file", "[a-z][a-z0-9_-]{0,63}", "use lower-case letters, digits, - and _, a letter first, at most 64")
]


@table
class WrittenInvariant:
    """A table of public totals."""

    columns: Annotated[
        _ColumnsOrNone, Means("columns of the file of totals, among those of the next set; none: the sum of all")
    ]
    totals: Annotated[Words, Means("a public file, Parquet or CSV, beside this one")]
    total_column: Annotated[Words, Means("its column that holds the totals")] = "TOTAL"


@table
class BottomUpFile:
    """The keys of a specification of `bottom-up`."""

    epsilon: Annotated[
        Fraction, above_zero(LARGEST_BUDGET), REQUIRED, Means("loss of one record, pure DP, for everything")
    ] = Fraction(1)
    weight_column: Annotated[
        str | None, Text(), Means("count this column of numbers, cut off below 0 and above maximum_weight")
    ] = None
    maximum_weight: Annotated[
        Fraction | None,
        Decimal(
            0,
            _MOST_WEIGHT,
            f"write from 1 to {_MOST_WEIGHT} times weight_unit, which is 1 if absent",
            without_least=True,
        ),
        Means("by how much a record changes a count; required with weight_column"),
    ] = None
    weight_unit: Annotated[Fraction, above_zero(1), Means("weights are rounded to multiples of it")] = Fraction(1)
    sampling_rate: Annotated[
        Fraction | None, above_zero(1), Means("the chance of each record to be in a secret sample")
    ] = None
    publish_cells: Annotated[Switch, Means("true: also every cell whose noisy count is not 0")] = False
    domains: Annotated[Domains, REQUIRED] = ()
    margins: Annotated[
        Mapping[_FileName, _ColumnsOrNone],
        Means("by name of the file: the columns that its rows are by; [] for the sum of all"),
    ] = field(default_factory=dict, hash=False)
    invariants: Annotated[
        tuple[WrittenInvariant, ...],
        Sized(0, fix="write [[invariants]]"),
        Means("public totals that the cells are made to meet exactly"),
    ] = ()
    unit: AnyRecords = RECORDS
    about: Annotated[About, INLINE] = NOTHING_SAID
    base: Base = None


@dataclass(frozen=True, slots=True)
class Invariant:
    """Public totals of the margin by `columns`, from column total_column of a public file."""

    columns: tuple[str, ...]
    file: Public
    total_column: str


@dataclass(frozen=True, slots=True)
class BottomUpSpec:
    """The specification of a histogram to publish.

    epsilon: of the whole histogram, pure DP. margins: margins to publish as well. sampling_rate: chance of each record
    to be in a secret sample, independently of all others; None if the records are not a sample. invariants: coarsest
    first; the columns of each are among the columns of the next. file: the spec itself. references: of the domains.
    records: what a record is.
    """

    epsilon: Fraction
    domains: tuple[Domain, ...]
    margins: tuple[Margin, ...]
    publish_cells: bool
    weight: Weight | None
    sampling_rate: Fraction | None
    invariants: tuple[Invariant, ...]
    about: About
    file: Public
    references: tuple[Public, ...] = ()
    records: Unit = RECORDS

    @property
    def sensitivity(self) -> int:
        """The most by which one record changes the count of its cell, in units."""
        return 1 if self.weight is None else self.weight.maximum

    @property
    def unit(self) -> Fraction:
        """What one unit of a count is: 1 record, or the unit of the weights."""
        return Fraction(1) if self.weight is None else self.weight.unit


def load_bottom_up_spec(path: Path, records: Confidential = NOTHING_CONFIDENTIAL) -> BottomUpSpec:
    """The spec in the TOML file `path`. Raises: InputError with every problem. Source: histograms.md section 2.

    records: of the command; no file that the spec names may be one of theirs.
    """
    public = public_file("spec", path, records)
    document = read_toml(path)
    read = read_as(BottomUpFile, document)
    file, problems = read.found, [*read.problems, *_weight_problems(document, read.found)]
    domains, references = domains_of(document, file.domains, problems, records)
    problems += _unknown_columns(document, file, domains)
    known = {column for domain in domains for column in domain.columns}
    invariants = [each for each in file.invariants if set(each.columns) <= known]
    spec = BottomUpSpec(
        epsilon=file.epsilon,
        domains=domains,
        margins=tuple(
            margin(name, columns, domains) for name, columns in file.margins.items() if set(columns) <= known
        ),
        publish_cells=file.publish_cells,
        weight=_weight(file),
        sampling_rate=file.sampling_rate,
        invariants=_invariants(document, invariants, records, problems),
        about=file.about,
        file=public,
        references=references,
        records=file.unit,
    )
    problems += _problems_of_the_whole(document, spec)
    refuse(problems)
    return spec


def _weight(file: BottomUpFile) -> Weight | None:
    """The weight, if the file has one that is sound."""
    if file.weight_column is None or file.maximum_weight is None:
        return None
    units = file.maximum_weight / file.weight_unit
    return Weight(file.weight_column, int(units), file.weight_unit) if units.denominator == 1 else None


def _weight_problems(document: Document, file: BottomUpFile) -> Iterator[Problem]:
    """Keys of a weight of which one is missing, and a weight that is no multiple of its unit."""
    names = ("weight_column", "maximum_weight")
    if any(name in document.tables for name in (*names, "weight_unit")):
        for name in [name for name in names if name not in document.tables]:
            yield document.missing_key((), name)
    if 10**9 % file.weight_unit.denominator:
        yield document.value_problem(("weight_unit",), document.tables["weight_unit"], "write at most nine decimals")
    units = Fraction(1) if file.maximum_weight is None else file.maximum_weight / file.weight_unit
    if units.denominator != 1 or units > _MOST_WEIGHT:
        fix = f"write from 1 to {_MOST_WEIGHT} times weight_unit, which is 1 if absent"
        yield document.value_problem(("maximum_weight",), document.tables["maximum_weight"], fix)


def _unknown_columns(document: Document, file: BottomUpFile, domains: tuple[Domain, ...]) -> Iterator[Problem]:
    """Columns of margins and invariants that no domain has."""
    known = [column for domain in domains for column in domain.columns]
    named: list[tuple[Place, str, tuple[str, ...]]] = [
        *((("margins",), name, columns) for name, columns in file.margins.items()),
        *((("invariants",), "columns", each.columns) for each in file.invariants),
    ]
    for place, name, columns in named:
        if unknown := [column for column in columns if column not in known]:
            fix = f"columns of the domains are {', '.join(known) or 'none'}"
            yield document.problem(place, f"{name}: no domain has column {', '.join(unknown)}", fix)


def _invariants(
    document: Document, written: list[WrittenInvariant], records: Confidential, problems: list[Problem]
) -> tuple[Invariant, ...]:
    """The public totals, coarsest first; what is wrong with their files is added to the problems."""
    found = []
    for each in written:
        if each.total_column in each.columns:
            what = f"total_column {each.total_column} is one of the columns, too"
            problems.append(document.problem(("invariants",), what, "name the column of the totals"))
        try:
            public = public_file("invariants", document.path.parent / each.totals, records)
        except InputError as error:
            problems.extend(error.problems)
        else:
            found.append(Invariant(each.columns, public, each.total_column))
    return tuple(sorted(found, key=lambda each: len(each.columns)))


def _problems_of_the_whole(document: Document, spec: BottomUpSpec) -> Iterator[Problem]:
    """Problems that no single setting shows."""
    cells = cell_count(spec.domains)
    if cells > MOST_CELLS:
        yield document.problem(("domains",), f"{cells:,} cells, more than {MOST_CELLS:,}", "leave a domain out")
    if not spec.publish_cells and not document.tables.get("margins"):
        yield document.problem((), "nothing is to be published", "name margins, or set publish_cells to true")
    if sum(margin.rows for margin in spec.margins) > MOST_ROWS:
        largest = max(spec.margins, key=lambda margin: margin.rows)
        what = f"more than {MOST_ROWS:,} rows in all; {largest.name} has {largest.rows:,}"
        yield document.problem(("margins",), what, "leave some out; publish_cells has no such limit")
    if spec.epsilon < SMALLEST_EPSILON * spec.sensitivity:
        what = f"epsilon / sensitivity is below {SMALLEST_EPSILON}: the noise would be wider than any use of it"
        yield document.problem((), what, "raise epsilon or weight_unit, or lower maximum_weight")
    for column in [column for domain in spec.domains for column in domain.columns]:
        if column.casefold() in _PUBLISHED_COLUMNS:
            fix = "rename it in the data: published files have columns COUNT, VARIANCE and MOE95"
            yield document.problem(("domains",), f"column {column}", fix)
    yield from _problems_of_invariants(document, spec, cells)


def _problems_of_invariants(document: Document, spec: BottomUpSpec, cells: int) -> Iterator[Problem]:
    if spec.invariants and cells > MOST_CALIBRATED_CELLS:
        what = (
            f"the histogram has {cells:,} cells, and calibration holds all of them: at most {MOST_CALIBRATED_CELLS:,}"
        )
        yield document.problem(("invariants",), what, "leave a domain or the invariants out")
    for coarse, fine in pairwise(spec.invariants):
        if not set(coarse.columns) <= set(fine.columns):
            what = f"columns {', '.join(coarse.columns)} and {', '.join(fine.columns)} cross"
            fix = "let the columns of one set of totals be among the other's columns: states, and counties in states"
            yield document.problem(("invariants",), what, fix)
