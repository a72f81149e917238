"""Margins of a histogram: the cells that each published row adds up."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from safetab_sql.histograms.public.domains import (
    Domain,
    cell_count,
    codes_of_cells,
    decoded,
    listed_size,
    size,
    strides,
)
from safetab_sql.kit.arrays import Int64s


@dataclass(frozen=True, slots=True, eq=False)
class Margin:
    """The sums of a histogram's cells by some columns of the data; without columns, the sum of all.

    domains: one domain of these columns for each domain of the histogram that has any of them. places: positions of the
    latter in the histogram. codes: for each, the margin's code for every code of the histogram's domain; None if the
    codes are the same.
    """

    name: str
    columns: tuple[str, ...]
    domains: tuple[Domain, ...]
    places: tuple[int, ...]
    codes: tuple[Int64s | None, ...]

    @property
    def rows(self) -> int:
        """Number of rows: one for every combination of values, whatever the data."""
        return cell_count(self.domains)


def margin(name: str, columns: Sequence[str], domains: Sequence[Domain]) -> Margin:
    """The margin by `columns` of the histogram over `domains`."""
    places = tuple(place for place, domain in enumerate(domains) if set(domain.columns) & set(columns))
    reduced = [_reduced(domains[place], columns) for place in places]
    kept, codes = tuple(domain for domain, _ in reduced), tuple(codes for _, codes in reduced)
    return Margin(name, tuple(columns), kept, places, codes)


def rows_of_cells(margin: Margin, codes: Sequence[Int64s]) -> Int64s:
    """The row of the margin that each cell adds to: int64[n]. codes: of the cells, by domain of the histogram."""
    rows = np.zeros(codes[0].size, dtype=np.int64)
    for stride, place, mapped in zip(strides(margin.domains), margin.places, margin.codes, strict=True):
        rows += stride * (codes[place] if mapped is None else mapped[codes[place]])
    return rows


def rows_of_every_cell(margin: Margin, domains: Sequence[Domain]) -> Int64s:
    """The row of the margin that each cell of the histogram over `domains` adds to, empty or not: int64[cells]."""
    shares = [np.zeros(size(domain), dtype=np.int64) for domain in domains]
    for stride, place, mapped in zip(strides(margin.domains), margin.places, margin.codes, strict=True):
        shares[place] += stride * (np.arange(size(domains[place])) if mapped is None else mapped)
    rows = np.zeros(1, dtype=np.int64)
    for share in shares:
        rows = np.add.outer(rows, share).ravel()
    return rows


def cells_of_rows(margin: Margin, domains: Sequence[Domain]) -> Int64s:
    """How many cells of the histogram over `domains` each row of the margin adds up: int64[rows]."""
    others = [domain for place, domain in enumerate(domains) if place not in margin.places]
    cells = np.array([cell_count(others)], dtype=np.int64)
    for domain, mapped in zip(margin.domains, margin.codes, strict=True):
        here = np.ones(size(domain), dtype=np.int64) if mapped is None else np.bincount(mapped)
        cells = np.multiply.outer(cells, here.astype(np.int64)).ravel()
    return cells


def row_values(margin: Margin, rows: Int64s) -> dict[str, pa.Array]:
    """The values of some rows, by column of the margin, in its order."""
    found: dict[str, pa.Array] = {}
    for domain, codes in zip(margin.domains, codes_of_cells(rows, margin.domains), strict=True):
        found |= decoded(domain, codes)
    return {column: found[column] for column in margin.columns}


def _reduced(domain: Domain, columns: Sequence[str]) -> tuple[Domain, Int64s | None]:
    """The domain of only the wanted columns, and the code in it for each code of `domain`."""
    kept = [at for at, column in enumerate(domain.columns) if column in columns]
    if len(kept) == len(domain.columns) or not domain.values:
        return domain, None
    extra = [domain.other] if domain.other is not None and size(domain) > listed_size(domain) else []
    rows = [tuple(row[at] for at in kept) for row in (*domain.rows, *extra)]
    codes = {row: code for code, row in enumerate(dict.fromkeys(rows))}
    names = tuple(domain.columns[at] for at in kept)
    return Domain("+".join(names), names, tuple(codes)), np.array([codes[row] for row in rows], dtype=np.int64)
