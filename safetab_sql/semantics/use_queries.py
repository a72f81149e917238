"""Stated uses as sums of the cells of each table of a ladder. Source: accounting.md section 5.4."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from safetab_sql.kit.arrays import Floats
from safetab_sql.semantics.expected_errors import MARGIN, Sizes, UseAtLevel
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import Ladder, Statistic
from safetab_sql.settings.uses import Use, is_wanted

Wanted: TypeAlias = Mapping[str, npt.NDArray[np.bool_]]  # by attribute, which of its values
Attributes: TypeAlias = Mapping[str, Attribute]


def use_at_level(
    use: Use, level: str, tables: Sequence[Floats | None], sizes: Sizes, groups: float, unserved: float
) -> UseAtLevel:
    """A use of the groups of one level, or of one kind there. tables: as `use_tables`.

    sizes: of these groups. groups: how many groups of the level are meant, of all kinds. unserved: see `UsesFile`.
    """
    people = np.maximum(sizes.people, 1.0)
    shares = np.where(_is_meant(use, sizes), sizes.groups, 0) / max(groups, 1)
    value = _value(use) * (people if use.of in ("total", "cells", "sum") else np.ones_like(people))
    wanted = value * float(use.percent) / 100 if use.percent is not None else np.full_like(people, _margin(use))
    deviation = wanted / MARGIN
    scale = _scale(use, people)
    nothing = (unserved * value / deviation) ** 2
    return UseAtLevel(use.name, level, float(use.weight), tuple(tables), shares, (scale / deviation) ** 2, nothing)


def groups_meant(use: Use, sizes: Sizes) -> float:
    """How many groups a use means."""
    return float(sizes.groups[_is_meant(use, sizes)].sum())


def _is_meant(use: Use, sizes: Sizes) -> npt.NDArray[np.bool_]:
    least, most = use.people[0], use.people[1] if len(use.people) > 1 else np.inf
    return np.asarray((sizes.people >= least) & (sizes.people <= most))


def _margin(use: Use) -> float:
    """In people, as a share, or in units."""
    return float(use.margin or 0) / (100 if use.of == "ratio" else 1)


def _value(use: Use) -> float:
    """What is wanted: of a ratio or median itself, of others the share of a group's people."""
    if use.of == "ratio":
        return float(use.share or 1) / float(use.share_per or 1)
    return float(use.about or 1) if use.of == "median" else float(use.share or 1)


def _scale(use: Use, people: Floats) -> Floats:
    """What an error of a sum is divided by: a ratio's denominator, or the people per unit at a median."""
    if use.of == "ratio":
        return 1 / (people * float(use.share_per or 1))
    return 1 / (people * float(use.density or 1)) if use.of == "median" else np.ones_like(people)


def with_shares(use: Use, ladder: Ladder, attributes: Attributes) -> Use:
    """The use with the shares that it leaves out: as its values are of all values; of a cell, one of all cells."""

    def share(wanted: Wanted) -> Fraction:
        return Fraction(float(np.prod([each.mean() for each in wanted.values()] or [1.0]))).limit_denominator(10**6)

    if use.of == "cells":
        statistic = next(each for each in ladder.statistics if each.name == use.statistic)
        return replace(use, share=Fraction(1, len(_rows_wanted(statistic, attributes))))
    per = use.share_per or share(_wanted(use.per, attributes))
    return replace(use, share=use.share or share(_wanted(use.where, attributes)), share_per=per)


def use_tables(use: Use, ladder: Ladder, attributes: Attributes) -> list[Floats | None]:
    """By table, the total alone first, the counts that are wanted: float64[counts, cells]; None: it does not serve.

    A ratio is the sum less the ratio times the other one (delta method); a median, the people below less half of all.
    """
    return [_served(use, ladder, statistic, attributes) for statistic in (None, *ladder.statistics)]


def _served(use: Use, ladder: Ladder, statistic: Statistic | None, attributes: Attributes) -> Floats | None:
    if use.of == "median":
        below = _below(use, statistic, attributes)
        return None if below is None else below - 0.5
    if use.of == "cells":
        own = next(each for each in ladder.statistics if each.name == use.statistic)
        rows = [_row(wanted, statistic, attributes) for wanted in _rows_wanted(own, attributes)]
    else:
        rows = [_row(_wanted(use.where, attributes), statistic, attributes)]
    if use.of == "ratio":
        other = _row(_wanted(use.per, attributes), statistic, attributes)
        rows = [None if rows[0] is None or other is None else rows[0] - _value(use) * other]
    found = [row for row in rows if row is not None]
    return np.vstack(found) if len(found) == len(rows) else None


def _wanted(where: Mapping[str, tuple[str, ...] | tuple[int, ...]], attributes: Attributes) -> Wanted:
    return {name: np.array(is_wanted(attributes[name], values)) for name, values in where.items()}


def _rows_wanted(statistic: Statistic, attributes: Attributes) -> list[Wanted]:
    """The values of each cell of a statistic."""
    members = {name: np.array(attributes[name].grouping(grouping).members) for name, grouping in statistic.cells}
    cells = product(*(range(int(own.max()) + 1) for own in members.values()))
    return [{name: own == place for (name, own), place in zip(members.items(), cell, strict=True)} for cell in cells]


def _row(wanted: Wanted, statistic: Statistic | None, attributes: Attributes) -> Floats | None:
    """A sum as weights of the cells of a table, 0 or 1: float64[cells]; None where it is no sum of its cells."""
    own = {} if statistic is None else dict(statistic.cells)
    if any(not each.all() for name, each in wanted.items() if name not in own):
        return None
    weights: Floats = np.ones(1)
    for name, grouping in own.items():
        members = np.array(attributes[name].grouping(grouping).members)
        values = wanted.get(name, np.ones(members.size, dtype=bool))
        shares = np.bincount(members, weights=values) / np.bincount(members)
        if not np.isin(shares, (0, 1)).all():
            return None
        weights = np.outer(weights, shares).ravel()
    return weights


def _below(use: Use, statistic: Statistic | None, attributes: Attributes) -> Floats | None:
    """The cells below a median, at the end of a group that is nearest to where it lies; None without two groups."""
    own = {} if statistic is None else dict(statistic.cells)
    if use.attribute not in own:
        return None
    attribute = attributes[use.attribute]
    members = np.array(attribute.grouping(own[use.attribute]).members)
    ends = attribute.minimum + 1 + np.flatnonzero(np.diff(members))
    if ends.size == 0:
        return None
    end = int(ends[np.argmin(np.abs(ends - float(use.about or 0)))])
    below = np.arange(attribute.minimum, attribute.minimum + members.size) < end
    row = _row({use.attribute: below}, statistic, attributes)
    return None if row is None else row[None, :]
