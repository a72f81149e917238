"""Codes of groups and regions that changed between releases: a public file that says which old codes made a new one.

A count of a new code is the sum of the counts of its old ones, whose noise is independent. So an old code may become
one new code alone: what share of its people went elsewhere is not published, and a share has no exact law.
Source: change.md section 3.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from pyarrow import compute, csv

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.public.gate import public_file
from safetab_sql.release.folder import released_table
from safetab_sql.settings.decimals import exact_decimal
from safetab_sql.settings.ladders import GROUP_INDEX
from safetab_sql.statistics.releases import NamedReleases

_CODES = {"region": "REGION_ID", "group": "ITERATION_CODE"}  # the column of the codes of each kind
_COLUMNS = ("old", "new", "kind")
_NAMED = (*_COLUMNS, "release", "share")
_FIX = "write columns old, new and kind (group or region), and release where not every release but the last is meant"

Code = tuple[int, str, str]  # release, column of codes, code


@dataclass(frozen=True, slots=True)
class Crosswalk:
    """The old codes of each new code, by release and column of codes."""

    olds: Mapping[Code, tuple[str, ...]] = field(default_factory=dict)

    def codes(self, release: int, column: str, code: str) -> tuple[str, ...]:
        """The codes of a release that make up a code; itself where nothing is said of it."""
        return self.olds.get((release, column, code), (code,))


def crosswalk_of(given: str | Path | None, releases: NamedReleases) -> Crosswalk:
    """The crosswalk in a CSV file, of these releases. Raises: InputError with every problem of the file."""
    if given is None:
        return Crosswalk()
    where, rows = str(given), _rows(given)
    refuse(list(_problems(where, rows, releases)))
    olds: dict[Code, list[str]] = {}
    news: dict[Code, set[str]] = {}
    for row in rows:
        column = _CODES[str(row["kind"])]
        for release in _releases(row["release"], releases):
            olds.setdefault((release, column, str(row["new"])), []).append(str(row["old"]))
            news.setdefault((release, column, str(row["old"])), set()).add(str(row["new"]))
    refuse([*_divided(where, news, releases), *_unmentioned(where, olds, news, releases)])
    return Crosswalk({code: tuple(listed) for code, listed in olds.items()})


def _rows(given: str | Path) -> list[dict[str, str | None]]:
    """The rows of the file, with every column that is known. Raises: InputError where it is no such table."""
    path, fix = public_file("crosswalk", given).path, "name a CSV file"
    texts = csv.ConvertOptions(
        column_types=dict.fromkeys(_NAMED, pa.string()), strings_can_be_null=True, null_values=[""]
    )
    try:
        table = csv.read_csv(path, convert_options=texts)
    except OSError as error:
        raise InputError([Problem(str(given), f"cannot be read: {error}", fix)]) from error
    except pa.ArrowException as error:
        raise InputError([Problem(str(given), f"no table: {error}", fix)]) from error
    missing = [name for name in _COLUMNS if name not in table.column_names]
    refuse([Problem(str(given), f"missing columns {', '.join(missing)}", _FIX)] if missing else [])
    return [{name: row.get(name) for name in _NAMED} for row in table.to_pylist()]


def _releases(name: str | None, releases: NamedReleases) -> tuple[int, ...]:
    """The releases whose codes are old: the one that is named, else every one but the last, or the only one."""
    if name is not None:
        place = releases.place(name)
        return () if place is None else (place,)
    last = releases.places[-1]
    return tuple(dict.fromkeys(place for place in releases.places if place != last)) or (last,)


def _problems(where: str, rows: list[dict[str, str | None]], releases: NamedReleases) -> Iterator[Problem]:
    """What is wrong with single rows."""
    seen: set[tuple[str | None, ...]] = set()
    for number, row in enumerate(rows, start=1):
        place, key = f"{where} row {number}", tuple(row[name] for name in (*_COLUMNS, "release"))
        if row["old"] is None or row["new"] is None:
            yield Problem(place, "a code is missing", "write the old code and the new one")
        if row["kind"] not in _CODES:
            yield Problem(place, f"kind is {str(row['kind'])[:40]!r}", "write group or region")
        if row["release"] is not None and releases.place(row["release"]) is None:
            yield Problem(place, f"release is {row['release'][:40]!r}", releases.fix())
        if row["share"] is not None and exact_decimal(row["share"]) != 1:
            what = f"share is {row['share'][:40]!r}: what a part of a published count is, nobody knows exactly"
            yield Problem(place, what, "list whole codes alone, with share 1, or ask for a larger region or group")
        if key in seen:
            yield Problem(place, "stands twice, and would be counted twice", "write it once")
        seen.add(key)


def _divided(where: str, news: Mapping[Code, set[str]], releases: NamedReleases) -> Iterator[Problem]:
    """The old codes that became several."""
    for (release, column, old), found in news.items():
        if len(found) > 1:
            listed = sorted(found)
            what = (
                f"{column} {old}{releases.label(release)} became {' and '.join(listed)}: "
                "how its people were divided is not published"
            )
            fix = f"map {' and '.join(listed)} to {old} in the release that has them, and ask for {old}"
            yield Problem(where, what, fix)


def _unmentioned(
    where: str, olds: Mapping[Code, list[str]], news: Mapping[Code, set[str]], releases: NamedReleases
) -> Iterator[Problem]:
    """The new codes that are codes of the old release too, without a word on what became of these."""
    published = {
        (release, column): frozenset(compute.unique(index[column]).to_pylist())
        for release in {release for release, _, _ in olds}
        for index in [released_table(releases.folders[release].folder / GROUP_INDEX).to_table(list(_CODES.values()))]
        for column in _CODES.values()
    }
    for release, column, new in olds:
        if (release, column, new) not in news and new in published[release, column]:
            what = f"{column} {new} is a code{releases.label(release) or ' of the release'} already, and is no old code"
            yield Problem(where, what, f"say what became of it: {new},{new} if its people are still in {new}")
