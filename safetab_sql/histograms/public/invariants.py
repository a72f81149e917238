"""Public totals that a histogram is calibrated to: they are read, checked against each other, and made disjoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from safetab_sql.histograms.public.bottom_up_spec import BottomUpSpec, Invariant
from safetab_sql.histograms.public.domain_settings import reference_table
from safetab_sql.histograms.public.domains import Domain, codes_of_cells
from safetab_sql.histograms.public.marginals import (
    Margin,
    cells_of_rows,
    margin,
    row_values,
    rows_of_cells,
    rows_of_every_cell,
)
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.settings.decimals import exact_decimal

_LARGEST_TOTAL = 2**53
_FIX = "correct the file, or leave the total out: areas without a total stay uncalibrated"


@dataclass(frozen=True, slots=True, eq=False)
class FixedTotals:
    """Disjoint sets of cells whose sums are known: int64[sets] totals, and how many cells each has.

    margin: the finest margin that has totals. set_of_row: the set of each of its rows, or -1 if no total is known. If
    the total of a whole and the totals of some of its parts are known, the difference is the total of the remaining
    cells. names: of the sets, for messages.
    """

    margin: Margin
    set_of_row: Int64s
    totals: Int64s
    cells: Int64s
    names: tuple[str, ...]

    def sets_of_cells(self, domains: Sequence[Domain]) -> Int64s:
        """The set of each cell of the histogram over `domains`, or -1: int64[cells]."""
        return self.set_of_row[rows_of_every_cell(self.margin, domains)]


def fixed_totals(
    invariants: Sequence[Invariant], domains: Sequence[Domain], unit: Fraction = Fraction(1)
) -> FixedTotals:
    """The disjoint totals that follow from all files, in units. invariants: at least one, coarsest first.

    Raises: InputError with every total that cannot be read, or that contradicts those within it.
    """
    finest = margin("invariants", invariants[-1].columns, domains)
    set_of_row = np.full(finest.rows, -1, dtype=np.int64)
    codes = codes_of_cells(np.arange(finest.rows, dtype=np.int64), finest.domains)
    totals: list[int] = []
    set_names: list[str] = []
    problems: list[Problem] = []
    for invariant in reversed(invariants):
        here = margin("invariants", invariant.columns, finest.domains)
        given = _given_totals(invariant, margin("invariants", invariant.columns, domains), unit, problems)
        row_of = rows_of_cells(here, codes) if codes else np.zeros(1, dtype=np.int64)
        found, names = _within(here, row_of, set_of_row, totals), _names(here)
        open_rows = np.flatnonzero(set_of_row < 0)
        open_rows = open_rows[np.argsort(row_of[open_rows], kind="stable")]
        starts = np.searchsorted(row_of[open_rows], np.arange(here.rows + 1))
        for row, total in given.items():
            rest, unfixed = total - found[row], open_rows[starts[row] : starts[row + 1]]
            if rest < 0 or (rest and not unfixed.size):
                what = f"total {total:,}, but the totals within it add up to {found[row]:,}"
                problems.append(Problem(f"{invariant.file.path} {names[row]}", what, _FIX))
            elif unfixed.size:
                set_of_row[unfixed] = len(totals)
                totals.append(rest)
                name = names[row] or "all records"
                set_names.append(f"{name}, less the totals within it" if found[row] else name)
    if problems:
        raise InputError(problems)
    cells = np.zeros(len(totals), dtype=np.int64)
    is_fixed = set_of_row >= 0
    np.add.at(cells, set_of_row[is_fixed], cells_of_rows(finest, domains)[is_fixed])
    return FixedTotals(finest, set_of_row, np.array(totals, dtype=np.int64), cells, tuple(set_names))


def totals_of_spec(spec: BottomUpSpec) -> FixedTotals | None:
    """The totals that a specification names, if it names any. Raises: as `fixed_totals`."""
    return fixed_totals(spec.invariants, spec.domains, spec.unit) if spec.invariants else None


def _within(here: Margin, row_of: Int64s, set_of_row: Int64s, totals: Sequence[int]) -> list[int]:
    """For each row of a margin, the sum of the totals already fixed within it."""
    found = [0] * here.rows
    sets, first = np.unique(set_of_row, return_index=True)
    for number, row in zip(sets.tolist(), row_of[first].tolist(), strict=True):
        found[row] += totals[number] if number >= 0 else 0
    return found


def _given_totals(invariant: Invariant, here: Margin, unit: Fraction, problems: list[Problem]) -> dict[int, int]:
    """The totals of one file by row of its margin. NULL means no total; any other value that is none is a problem."""
    try:
        table = reference_table(invariant.file, [*invariant.columns, invariant.total_column])
    except InputError as error:
        problems.extend(error.problems)
        return {}
    rows = {name: row for row, name in enumerate(_names(here))}
    totals: dict[int, int] = {}
    for line in table.to_pylist():
        if line[invariant.total_column] in (None, ""):
            continue
        name = _text({column: line[column] for column in invariant.columns})
        total, row = _units(line[invariant.total_column], unit), rows.get(name)
        if row is None:
            problems.append(Problem(f"{invariant.file.path} {name}", "not in the domain of the histogram", _FIX))
        elif total is None:
            of = "" if unit == 1 else f" of units of {float(unit):g}"
            what = f"total {line[invariant.total_column]!r} is not a whole number{of} of at least 0"
            problems.append(Problem(f"{invariant.file.path} {name}", what, _FIX))
        elif totals.setdefault(row, total) != total:
            problems.append(Problem(f"{invariant.file.path} {name}", f"totals {totals[row]:,} and {total:,}", _FIX))
    return totals


def _units(value: object, unit: Fraction) -> int | None:
    """The total in units; None if it is no whole number of them. Of units of 1, only digits are read."""
    text = str(value)
    if unit == 1 and not (text.isascii() and text.isdigit()):
        return None
    total = exact_decimal(text)
    units = None if total is None else total / unit
    return int(units) if units is not None and units.denominator == 1 and 0 <= units < _LARGEST_TOTAL else None


def _names(here: Margin) -> list[str]:
    """The name of each row of a margin in messages."""
    values = row_values(here, np.arange(here.rows, dtype=np.int64))
    rows = zip(*(array.to_pylist() for array in values.values()), strict=True) if values else [()]
    return [_text(dict(zip(here.columns, row, strict=True))) for row in rows]


def _text(values: Mapping[str, object]) -> str:
    """The values of one row for a message, as text, because CSV files hold only text."""
    return " ".join(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in values.items()
    )
