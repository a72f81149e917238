"""A quantile of the values of people of one population group, such as their median age, with its interval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress, pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.text_tables import Readable
from safetab_sql.public.values import rows_of
from safetab_sql.release.folder import open_folder
from safetab_sql.release.ladder_tables import tables_of_release
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.decimals import exact_decimal
from safetab_sql.settings.ladders import attributes_of
from safetab_sql.settings.parameters import Parameters
from safetab_sql.statistics.evaluator import LEVEL, Asked
from safetab_sql.statistics.predicates import shortened
from safetab_sql.statistics.sums import matched_rows
from safetab_sql.statistics.wanted import GROUP, MOST_BINS_SHARE
from safetab_sql.statistics.wanted_statistics import Counts, answers_to, release_problems

_MEDIAN = 0.5
_UNITS = {"AGE": " years"}
_FIX = (
    "write a condition that matches cells of one group, such as TABLE = 'T2' and REGION_TYPE = 'USA' and "
    "ITERATION_CODE = '6004'"
)


@dataclass(frozen=True, slots=True)
class PublishedQuantile(Readable):
    """The value, such as an age, below which a share of the people of a group are, or of those in some cells.

    share: 0.5 for the median. group: region type, region id and iteration code. estimate, low, high: values of
    `attribute`, such as years of AGE; the interval is at `level`. None where there is none; `note` says why, or what to
    know.
    """

    share: float
    group: tuple[str, str, str]
    estimate: float | None
    low: float | None
    high: float | None
    level: float
    note: str | None
    attribute: str = "AGE"

    def __str__(self) -> str:
        """The quantile for people to read."""
        what = self.attribute.lower()
        name = f"median {what}" if self.share == _MEDIAN else f"quantile of {what} at {self.share:g}"
        where = " ".join(self.group)
        if self.estimate is None or self.low is None or self.high is None:
            return f"{name} of {where}: none; {self.note}"
        note, unit = "" if self.note is None else f"; {self.note}", _UNITS.get(self.attribute, "")
        return (
            f"{name} of {where}: {self.estimate:.2f}{unit}, {self.low:.2f} to {self.high:.2f} at {self.level:g}{note}"
        )


def quantile_of_release(
    release: str | Path,
    rows: str,
    share: float | str = _MEDIAN,
    *,
    attribute: str | None = None,
    level: Fraction = LEVEL,
) -> PublishedQuantile:
    """The quantile of an attribute of whole numbers in the cells that a condition of `moe` matches.

    Rows that are sums may be among them. share: of the people with smaller values, such as 0.5. attribute: by its name
    in the parameters; by default the only one of the ladder. Raises: InputError where the cells are not of one
    group, with values that follow one another, alike for all other values; and as `statistics`.
    """
    folder = open_folder(Path(release), or_reconciled=True)
    facts = folder.facts
    refuse([*_share_problems(share), *folder.problems, *release_problems(facts, level)])
    _, part = matched_rows(tables_of_release(folder), facts, [rows], None)
    found = _attribute(facts.parameters, part.ladders[0], attribute)
    atoms = part.atoms.take(part.matched[0]["atom"].drop_null())
    cells = atoms.join(_values(facts.parameters, found), ["ladder", "row_id"], join_type="inner")
    refuse(list(_problems(cells, rows, found)))
    none = np.zeros(0, dtype=np.int64)
    made, (note,) = answers_to(
        Asked(["quantile"], [exact_decimal(str(share))], none, none), _counts(cells), facts, level
    )
    estimate, low, high = (
        None if np.isnan(each[0]) else each[0].item() for each in (made.estimates, made.lows, made.highs)
    )
    region_type, region_id, iteration = (cells[name][0].as_py() for name in GROUP)
    group = (region_type, region_id, iteration)
    return PublishedQuantile(float(share), group, estimate, low, high, float(level), note, found.name)


def _share_problems(share: float | str) -> Iterator[Problem]:
    wanted = exact_decimal(str(share))
    if wanted is None or not 0 < wanted < 1:
        yield Problem("share", f"{str(share)[:20]!r} is not between 0 and 1", "say it like 0.5")
    elif wanted.denominator > MOST_BINS_SHARE:
        yield Problem("share", f"{str(share)[:20]!r} has more than three digits", "say it like 0.5")


def _attribute(parameters: Parameters, ladders: Sequence[str], name: str | None) -> Attribute:
    """The attribute of whole numbers of which a quantile is wanted, of these ladders. Raises: InputError if unclear."""
    found = {
        attribute.name: attribute
        for ladder in parameters.ladders
        for attribute in attributes_of(ladder, parameters.attributes)
        if not attribute.is_listed and (ladder.name in ladders or not ladders)
    }
    if name is None and len(found) == 1:
        return next(iter(found.values()))
    if name not in found:
        what = "not named" if name is None else f"{name[:40]!r} is no attribute of whole numbers of these rows"
        fix = f"name the attribute of which a quantile is wanted: {', '.join(found) or 'there is none'}"
        raise InputError([Problem("attribute", what, fix)])
    return found[name]


def _values(parameters: Parameters, attribute: Attribute) -> pa.Table:
    """The rows of ladders that hold some values of the attribute and not all: first and last one, and other codes."""
    found: list[tuple[str, int, int, int, str]] = []
    for ladder in parameters.ladders:
        used = attributes_of(ladder, parameters.attributes)
        numbers = [each.name for each in used if not each.is_listed]
        if attribute.name not in numbers:
            continue
        place, rows = 2 * numbers.index(attribute.name), rows_of(parameters, ladder)
        columns = [each.name != attribute.name for each in used for _ in each.publish]
        for row_id, (codes, ends) in enumerate(zip(rows.codes, rows.numbers, strict=True)):
            first, last = ends[place : place + 2]
            if first is not None and last is not None:
                found.append((ladder.name, row_id, first, last, ", ".join(compress(codes, columns))))
    kinds = {
        "ladder": pa.string(),
        "row_id": pa.int32(),
        "first": pa.int64(),
        "last": pa.int64(),
        "others": pa.string(),
    }
    columns_of_rows = zip(kinds.items(), zip(*found, strict=True), strict=True)
    return pa.table({name: pa.array(values, kind) for (name, kind), values in columns_of_rows})


def _problems(cells: pa.Table, text: str, attribute: Attribute) -> Iterator[Problem]:
    group = ["ladder", *GROUP]
    if (groups := cells.select(group).group_by(group).aggregate([]).num_rows) != 1:
        what = f"matches values of {attribute.name} of {'several groups' if groups else 'no group'}"
        yield Problem(shortened(text), what, _FIX)
        return
    values: dict[str, list[tuple[int, int]]] = {}
    for others, first, last in zip(*(cells[name].to_pylist() for name in ("others", "first", "last")), strict=True):
        values.setdefault(others, []).append((first, last))
    one, *rest = (sorted(each) for each in values.values())
    if any(each != one for each in rest):
        shown = " and ".join(sorted(values)[:2])
        yield Problem(shortened(text), f"does not match the same values of {attribute.name} of {shown}", _FIX)
    if any(start != end + 1 for (_, end), (start, _) in pairwise(one)):
        yield Problem(shortened(text), f"matches values of {attribute.name} with a gap between them", _FIX)


def _counts(cells: pa.Table) -> Counts:
    """The counts of one quantile, of cells of one group."""
    size = cells.num_rows
    terms = cells.slice(0, 1).select(["ladder", "level_name", "is_total_only"])
    one = {"statistic_number": 0, "is_total": False, "one": 1, "other": 0, "draws": size, "noisy_count": 0}
    for name, value in {**one, "chosen_counts": None, "is_whole": True}.items():
        terms = terms.append_column(name, pa.array([value]))
    bins = cells.select(["first", "last", "COUNT", "VARIANCE", "MOE95"])
    bins = bins.rename_columns(["bin_start", "bin_end", "noisy_count", "variance", "moe95"])
    return Counts(terms, bins.append_column("statistic_number", pa.array(np.zeros(size, dtype=np.int64))))
