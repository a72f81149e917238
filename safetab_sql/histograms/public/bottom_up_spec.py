"""The TOML spec of `bottom-up`, which is public; all its problems are reported at once.

epsilon = 1.0                 # of the whole histogram: pure DP, exact
weight_column = "WEIGHT"      # optional: count this column of numbers, clamped to 0 .. maximum_weight
maximum_weight = 10           # the sensitivity of a weighted count
weight_unit = 0.5             # optional: weights are rounded to the nearest multiple of it; 1 if absent, none rounded
sampling_rate = 0.25          # optional: each record is in a secret sample with this chance, independently
publish_cells = false         # optional: also every cell of the histogram whose noisy count is not 0
[domains.SEX]                 # the histogram is the product of all domains: see domain_settings.py
values = ["1", "2"]
[margins]                     # name of the file, and the columns that its rows are by; [] for the sum of all
by_sex = ["SEX"]
[[invariants]]                # optional: public totals that the margin by these columns is made to match
columns = ["STATE"]
totals = "state-totals.csv"   # a public file (Parquet or CSV) with these columns and the totals
total_column = "TOTAL"        # optional: the name of the latter
Also: title, publisher, contact, note and is_simulated, which the manifest repeats: see about.py.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from safetab_sql.histograms.public.domain_settings import domains_at, texts_at
from safetab_sql.histograms.public.domains import MOST_CELLS, Domain, Weight, cell_count
from safetab_sql.histograms.public.marginals import Margin, margin
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
    is_true,
    read_settings,
    table_at,
    text_at,
)

MOST_ROWS = 2**25  # rows of all margins together, which are held in memory
MOST_CALIBRATED_CELLS = 2**24  # calibration holds every cell in memory
SMALLEST_EPSILON = Fraction(1, 10_000)  # for one unit of weight; wider noise cannot be drawn from tables

BOTTOM_UP_KEYS = (
    "epsilon",
    "weight_column",
    "maximum_weight",
    "weight_unit",
    "sampling_rate",
    "publish_cells",
    "domains",
    "margins",
    "invariants",
    *ABOUT_KEYS,
)
INVARIANT_KEYS = ("columns", "totals", "total_column")
MARGIN_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_PUBLISHED_COLUMNS = ("count", "variance", "moe95")
_MOST_WEIGHT = 10**9


@dataclass(frozen=True, slots=True)
class Invariant:
    """Public totals of the margin by `columns`, from column total_column of a public file."""

    columns: tuple[str, ...]
    file: Path
    total_column: str


@dataclass(frozen=True, slots=True)
class BottomUpSpec:
    """The specification of a histogram to publish.

    epsilon: of the whole histogram, pure DP. margins: margins to publish as well. sampling_rate: chance of each record
    to be in a secret sample, independently of all others; None if the records are not a sample. invariants: coarsest
    first; the columns of each are among the columns of the next.
    """

    epsilon: Fraction
    domains: tuple[Domain, ...]
    margins: tuple[Margin, ...]
    publish_cells: bool
    weight: Weight | None
    sampling_rate: Fraction | None
    invariants: tuple[Invariant, ...]
    about: About

    @property
    def sensitivity(self) -> int:
        """The most by which one record changes the count of its cell, in units."""
        return 1 if self.weight is None else self.weight.maximum

    @property
    def unit(self) -> Fraction:
        """What one unit of a count is: 1 record, or the unit of the weights."""
        return Fraction(1) if self.weight is None else self.weight.unit


def load_bottom_up_spec(path: Path) -> BottomUpSpec:
    """The spec in the TOML file `path`. Raises: InputError with every problem. Source: histograms.md section 2."""
    settings = read_settings(path)
    document = settings.document
    complain_unknown(settings, (), document, BOTTOM_UP_KEYS)
    complain_missing(settings, (), ("epsilon",), document)
    domains = domains_at(settings)
    spec = BottomUpSpec(
        epsilon=_above_zero(settings, "epsilon", document.get("epsilon", 1), LARGEST_BUDGET),
        domains=domains,
        margins=_margins(settings, domains),
        publish_cells=is_true(settings, ("publish_cells",), document.get("publish_cells", False)),
        weight=_weight(settings),
        sampling_rate=None
        if "sampling_rate" not in document
        else _above_zero(settings, "sampling_rate", document["sampling_rate"], 1),
        invariants=_invariants(settings, domains),
        about=about_at(settings),
    )
    _complain_of_the_whole(settings, spec)
    refuse(settings.problems)
    return spec


def _above_zero(settings: Settings, name: str, value: object, most: int) -> Fraction:
    number = exact_decimal(value)
    if number is not None and 0 < number <= most:
        return number
    complain_value(settings, (name,), value, f"write a decimal above 0 and at most {most}")
    return Fraction(1)


def _weight(settings: Settings) -> Weight | None:
    document = settings.document
    names = ("weight_column", "maximum_weight")
    if not any(name in document for name in (*names, "weight_unit")):
        return None
    complain_missing(settings, (), names, document)
    column = text_at(settings, ("weight_column",), document.get("weight_column", "?"))
    unit = _above_zero(settings, "weight_unit", document.get("weight_unit", 1), 1)
    maximum = exact_decimal(document.get("maximum_weight", 1))
    units = Fraction(0) if maximum is None else maximum / unit
    if units.denominator == 1 and 0 < units <= _MOST_WEIGHT:
        return Weight(column, int(units), unit)
    fix = f"write from 1 to {_MOST_WEIGHT} times weight_unit, which is 1 if absent"
    complain_value(settings, ("maximum_weight",), document.get("maximum_weight", 1), fix)
    return Weight(column, 1)


def _margins(settings: Settings, domains: tuple[Domain, ...]) -> tuple[Margin, ...]:
    tables = table_at(settings, ("margins",), settings.document.get("margins", {}))
    for name in [name for name in tables if not MARGIN_NAME.fullmatch(name)]:
        fix = "use lower-case letters, digits, - and _, a letter first, at most 64"
        complain(settings, ("margins",), f"'{name}' is no name for a file", fix)
    found = {name: _columns(settings, ("margins", name), columns, domains) for name, columns in tables.items()}
    return tuple(margin(name, columns, domains) for name, columns in found.items() if columns is not None)


def _columns(settings: Settings, place: Place, value: object, domains: tuple[Domain, ...]) -> tuple[str, ...] | None:
    """Columns of the domains; no columns if `value` is []; None, and a complaint, if it is anything else."""
    if value == []:
        return ()
    columns = texts_at(settings, place, value)
    known = [column for domain in domains for column in domain.columns]
    unknown = [column for column in columns if column not in known]
    if unknown:
        fix = f"columns of the domains are {', '.join(known) or 'none'}"
        complain(settings, place[:-1], f"{place[-1]}: no domain has column {', '.join(unknown)}", fix)
    return columns if columns and not unknown else None


def _invariants(settings: Settings, domains: tuple[Domain, ...]) -> tuple[Invariant, ...]:
    value = settings.document.get("invariants", [])
    tables = value if isinstance(value, list) else []
    if not isinstance(value, list):
        complain_value(settings, ("invariants",), value, "write [[invariants]]")
    found = [_invariant(settings, table_at(settings, ("invariants",), table), domains) for table in tables]
    return tuple(
        sorted((invariant for invariant in found if invariant is not None), key=lambda each: len(each.columns))
    )


def _invariant(settings: Settings, table: Mapping[str, object], domains: tuple[Domain, ...]) -> Invariant | None:
    place = ("invariants",)
    complain_unknown(settings, place, table, INVARIANT_KEYS)
    complain_missing(settings, place, ("columns", "totals"), table)
    columns = _columns(settings, (*place, "columns"), table.get("columns", []), domains)
    file = text_at(settings, (*place, "totals"), table.get("totals", "?"))
    total = text_at(settings, (*place, "total_column"), table.get("total_column", "TOTAL"))
    if total in (columns or ()):
        complain(settings, place, f"total_column {total} is one of the columns, too", "name the column of the totals")
    return None if columns is None else Invariant(columns, settings.path.parent / file, total)


def _complain_of_the_whole(settings: Settings, spec: BottomUpSpec) -> None:
    """Complain of problems that no single setting shows."""
    cells = cell_count(spec.domains)
    if cells > MOST_CELLS:
        complain(settings, ("domains",), f"{cells:,} cells, more than {MOST_CELLS:,}", "leave a domain out")
    if not spec.publish_cells and not settings.document.get("margins"):
        complain(settings, (), "nothing is to be published", "name margins, or set publish_cells to true")
    if sum(margin.rows for margin in spec.margins) > MOST_ROWS:
        largest = max(spec.margins, key=lambda margin: margin.rows)
        what = f"more than {MOST_ROWS:,} rows in all; {largest.name} has {largest.rows:,}"
        complain(settings, ("margins",), what, "leave some out; publish_cells has no such limit")
    if spec.epsilon < SMALLEST_EPSILON * spec.sensitivity:
        what = f"epsilon / sensitivity is below {SMALLEST_EPSILON}: the noise would be wider than any use of it"
        complain(settings, (), what, "raise epsilon or weight_unit, or lower maximum_weight")
    for column in [column for domain in spec.domains for column in domain.columns]:
        if column.casefold() in _PUBLISHED_COLUMNS:
            fix = "rename it in the data: published files have columns COUNT, VARIANCE and MOE95"
            complain(settings, ("domains",), f"column {column}", fix)
    _complain_of_invariants(settings, spec, cells)


def _complain_of_invariants(settings: Settings, spec: BottomUpSpec, cells: int) -> None:
    if spec.invariants and cells > MOST_CALIBRATED_CELLS:
        what = (
            f"the histogram has {cells:,} cells, and calibration holds all of them: at most {MOST_CALIBRATED_CELLS:,}"
        )
        complain(settings, ("invariants",), what, "leave a domain or the invariants out")
    for coarse, fine in pairwise(spec.invariants):
        if not set(coarse.columns) <= set(fine.columns):
            what = f"columns {', '.join(coarse.columns)} and {', '.join(fine.columns)} cross"
            fix = "let the columns of one set of totals be among those of the other: states, and counties in states"
            complain(settings, ("invariants",), what, fix)
