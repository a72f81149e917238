"""A table of wanted statistics, CSV or Parquet: read, checked, and taken apart into the counts that they consist of."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import compute, csv, parquet

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.arrow_tables import arrow_table, described, is_path
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.budgets import exact_decimal

KINDS = ("count", "difference", "ratio", "quantile", "ratio_difference")
GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
OF_TERM = (*GROUP, "SEX", "AGESTART", "AGEEND")
PREFIXES = ("", "OTHER_", "SECOND_", "SECOND_OTHER_")  # of the counts that a statistic consists of
COLUMNS = ("KIND", *(prefix + name for prefix in PREFIXES for name in OF_TERM), "SHARE")
ANSWERS = ("ESTIMATE", "LOW", "HIGH", "P_VALUE", "NOTE")
MOST_BINS_SHARE = 1_000  # of a quantile: a share with a larger denominator is refused
_FIX = f"write columns KIND ({', '.join(KINDS)}), {', '.join(GROUP)}; docs/reference/files.md lists the others"
_HALF = "0.5"
_TWO_RATIOS = "ratio_difference"


@dataclass(frozen=True, slots=True)
class WantedStatistics:
    """A table of wanted statistics. table: as it was given. terms: table `asked_terms` of sql/tools/statistics.

    where: what messages call it. kinds, shares (of quantiles): of each row, and behind them of the second ratios that
    rows ask for. A difference of ratios is a ratio here, and its second ratio is another. firsts: the rows of these, in
    the order of second ratios.
    """

    where: str
    table: pa.Table
    kinds: list[str]
    shares: list[Fraction | None]
    firsts: Int64s
    terms: pa.Table

    @property
    def seconds(self) -> Int64s:
        """The places of second ratios."""
        return int(self.table.num_rows) + np.arange(self.firsts.size, dtype=np.int64)


def wanted_statistics(given: object) -> WantedStatistics:
    """The wanted statistics in a file or in a table. Raises: InputError with every problem of it."""
    table = _read(Path(given)) if is_path(given) else arrow_table("wanted", given)
    where = str(given) if is_path(given) else described("wanted", given)
    missing = [name for name in ("KIND", *GROUP) if name not in table.column_names]
    taken = [name for name in ANSWERS if name in table.column_names]
    lacks = f"missing columns {', '.join(missing)}"
    has = f"has columns {', '.join(taken)}, which the answers will have"
    refuse([Problem(where, lacks, _FIX)] if missing else [])
    refuse([Problem(where, has, "rename them")] if taken else [])
    columns = {name: _texts(table, name) for name in COLUMNS}
    refuse(list(_problems(where, columns)))
    shares = [
        _share(share) if kind == "quantile" else None
        for kind, share in zip(columns["KIND"], columns["SHARE"], strict=True)
    ]
    firsts = np.array([row for row, kind in enumerate(columns["KIND"]) if kind == _TWO_RATIOS], dtype=np.int64)
    kinds = ["ratio" if kind == _TWO_RATIOS else kind or "" for kind in columns["KIND"]] + ["ratio"] * firsts.size
    terms = _terms(columns, kinds, firsts)
    return WantedStatistics(where, table, kinds, [*shares, *[None] * firsts.size], firsts, terms)


def _read(path: Path) -> pa.Table:
    try:
        if path.suffix == ".parquet":
            return parquet.read_table(path)
        texts = csv.ConvertOptions(
            column_types=dict.fromkeys(COLUMNS, pa.string()), strings_can_be_null=True, null_values=[""]
        )
        return csv.read_csv(path, convert_options=texts)
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error}", "name a CSV or Parquet file")]) from error
    except pa.ArrowException as error:
        raise InputError([Problem(str(path), f"no table: {error}", "name a CSV or Parquet file")]) from error


def _texts(table: pa.Table, name: str) -> list[str | None]:
    """A column as texts; NULL where it is not there. `*` means all, as NULL does."""
    if name not in table.column_names:
        return [None] * int(table.num_rows)
    values = compute.cast(table[name], pa.string()).to_pylist()
    is_code = name.endswith(GROUP) or name == "KIND"
    return [value if is_code or value != "*" else None for value in values]


def _problems(where: str, columns: dict[str, list[str | None]]) -> Iterator[Problem]:
    """What cannot be asked for, by column, each with the first rows."""
    checks: Sequence[tuple[Sequence[str], Callable[[str | None], bool], str]] = (
        (("KIND",), lambda value: value in KINDS, f"write one of {', '.join(KINDS)}"),
        (GROUP, lambda value: value is not None, "name the group of each statistic"),
        (_prefixed("SEX"), lambda value: value in (None, "1", "2"), "write 1, 2, or * for both"),
        (
            _prefixed("AGESTART", "AGEEND"),
            lambda value: value is None or (value.isdigit() and len(value) <= 3),
            "write an age in years, or * for all",
        ),
        (("SHARE",), lambda value: value is None or _share(value) is not None, "write a decimal above 0 and below 1"),
    )
    for names, is_right, fix in checks:
        for name in names:
            wrong = [row for row, value in enumerate(columns[name], start=1) if not is_right(value)]
            if wrong:
                shown = ", ".join(f"row {row}: {str(columns[name][row - 1])[:40]!r}" for row in wrong[:3])
                yield Problem(f"{where} {name}", f"{len(wrong):,} values cannot be used; {shown}", fix)


def _prefixed(*names: str) -> tuple[str, ...]:
    return tuple(prefix + name for prefix in PREFIXES for name in names)


def _share(text: str | None) -> Fraction | None:
    """A share of a quantile, one half where none is named; None where it is none."""
    share = exact_decimal(text or _HALF)
    return share if share is not None and 0 < share < 1 and share.denominator <= MOST_BINS_SHARE else None


def _terms(columns: dict[str, list[str | None]], kinds: Sequence[str], firsts: Int64s) -> pa.Table:
    """Table `asked_terms` of sql/tools/statistics. A count has the group of the one before it, where it names none."""
    pairs = np.array([place for place, kind in enumerate(kinds) if kind in ("difference", "ratio")], dtype=np.int64)
    rows = np.concatenate([np.arange(len(kinds), dtype=np.int64), pairs])
    is_other = np.arange(rows.size) >= len(kinds)
    names = ("region_type", "region_id", "iteration_code", "sex", "age_start", "age_end")
    made = {"statistic_number": pa.array(rows), "is_other": pa.array(is_other)}
    for name, own in zip(names, OF_TERM, strict=True):
        one, other, second, second_other = (columns[prefix + own] for prefix in PREFIXES)
        if own in GROUP:
            other, second = _or_else(other, one), _or_else(second, one)
            second_other = _or_else(second_other, second)
        ones = [*one, *(second[row] for row in firsts.tolist())]
        others = [*other, *(second_other[row] for row in firsts.tolist())]
        texts = pa.array([*ones, *(others[place] for place in pairs.tolist())], pa.string())
        made[name] = compute.cast(texts, pa.int16()) if name.startswith("age_") else texts
    return pa.table(made)


def _or_else(given: Sequence[str | None], usual: Sequence[str | None]) -> list[str | None]:
    return [usual_one if one is None else one for one, usual_one in zip(given, usual, strict=True)]
