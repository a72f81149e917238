"""What the report reads of a release: its manifest, and summaries of its tables that sql/tools/report makes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

import duckdb
import pyarrow.compute as pc

from safetab_sql.accounting.statement import ReleasedLevel
from safetab_sql.evaluation.quality import Check, has_nation, quality_checks
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.words import said
from safetab_sql.public.gate import public_code_lists
from safetab_sql.public.inputs import read_lists
from safetab_sql.public.values import publishing_values, rows_of
from safetab_sql.published.states import STATE_NAMES
from safetab_sql.release.folder import (
    RELEASE_FIX,
    ReleaseFacts,
    open_folder,
    public_problems,
    released_codes,
    released_table,
    table_files,
)
from safetab_sql.report.sections import LABELS, WORDS, Row, Rows, Values
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.labels import Labels
from safetab_sql.settings.ladders import GROUP_INDEX, MEASUREMENTS, Ladder, attributes_of
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.unit import Unit

Total = tuple[str, str, str, str]  # what a total is of: ladder, region type, region, iteration

_NATION, _STATES = "USA", ("STATE", "PR-STATE")
_GROUP = ("REGION_ID", "REGION_TYPE", "ITERATION_CODE")
_MARGINS = ("VARIANCE", "MOE95", "LOW95", "HIGH95")
_BEFORE = "NOISY_COUNT"  # column of reconciled tables: the count as it was released
_ITERATION = "ITERATION_CODE"
ENDS = ("least", "median", "most")  # of the margins of error of the groups of a kind
_NONE: Values = MappingProxyType({})
_NO_LABELS: Labels = MappingProxyType({})
MOST_ROWS = 200_000  # of tables that a page shows group by group: about a megabyte


@dataclass(frozen=True, slots=True)
class Names:
    """iterations: names by code. regions: by region type and id, as a file of names gave them to the run.

    labels: of the release, which may name region types.
    """

    iterations: Mapping[str, str] = field(default_factory=dict)
    regions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    labels: Labels = field(default_factory=dict)

    def iteration(self, code: str) -> str:
        """The name of an iteration; its code where nobody gave a name."""
        return self.iterations.get(code) or code

    def region(self, region_type: str, region_id: str) -> str:
        """The name of a region, with type and id where other regions may have the same name.

        Without a given name: of the nation and of states their own, of any other region its type and id.
        """
        given = self.regions.get((region_type, region_id))
        title = type_title(region_type, self.labels)
        is_only = region_id.casefold() in ("all", title.casefold())
        code = title if is_only else f"{title} {region_id}"
        if region_type == _NATION:
            return given or "United States"
        if region_type in _STATES:
            return given or STATE_NAMES.get(region_id, code)
        return f"{given} · {code}" if given and not is_only else given or code

    def group(self, row: Row) -> tuple[str, str]:
        """The names of the iteration and of the region of a row of reported_groups."""
        return self.iteration(row["iteration_code"]), self.region(row["region_type"], row["region_id"])


@dataclass(frozen=True, slots=True)
class LadderTables:
    """The published tables of one ladder.

    kinds: rows of reported_kinds, in the order of levels, then of tables. level: the name of each, after the name of
    the ladder where there are several; cells: of its table, 0 for a total alone.

    words: what a page calls each table, by its name, a total alone first. groups: rows of reported_groups, of the
    region types that are shown. intervals, gains: rows of reported_intervals and stage_1_gains; none of reconciled
    tables, and no gains without measurements of stage 1.
    """

    ladder: Ladder
    attributes: tuple[Attribute, ...]
    words: Mapping[str, str]
    kinds: Rows
    intervals: Rows
    gains: Rows
    groups: Rows


@dataclass(frozen=True, slots=True)
class Reported:
    """What a report shows. tables: of each ladder that counts. names: of iterations, and of the regions that are shown.

    sums: the tables of each ladder that adds up amounts.
    hidden_types: the region types whose groups are too many to be shown one by one. quality: of totals and sex by age.
    """

    facts: ReleaseFacts
    tables: tuple[LadderTables, ...]
    names: Names
    hidden_types: tuple[str, ...] = ()
    quality: tuple[Check, ...] = ()
    sums: tuple[LadderTables, ...] = ()

    @property
    def levels(self) -> tuple[ReleasedLevel, ...]:
        """The levels of the ladders that count."""
        added = {each.ladder.name for each in self.sums}
        return tuple(level for level in self.facts.levels if level.ladder not in added)

    @property
    def unit(self) -> Unit:
        """What a record is."""
        return self.facts.parameters.unit

    @property
    def values(self) -> dict[str, Any]:
        """What the sentences of a section say."""
        return {"release": self, **nouns(self.unit)}

    def label(self, name: str, values: Values = _NONE) -> str:
        """A label with its values."""
        return said(LABELS[name], {**self.values, **values})

    @property
    def kinds(self) -> Rows:
        """The kinds of groups of all ladders."""
        return tuple(kind for each in self.tables for kind in each.kinds)


def type_title(region_type: str, labels: Labels = _NO_LABELS) -> str:
    """What a page calls regions of a type: as they are labelled, Nation for USA, Municipality for MUNICIPALITY."""
    if label := labels.get("REGION_TYPE", {}).get(region_type):
        return label
    return str(WORDS["region_types"].get(region_type, region_type.replace("_", " ").capitalize()))


def titles_of_levels(facts: ReleaseFacts) -> dict[str, str]:
    """What a page calls levels and region types, by their names."""
    has_details = len({level.level.iteration_level for level in facts.levels}) > 1
    labels = facts.parameters.labels
    titles = {name: type_title(name, labels) for name in facts.region_types}
    for each in facts.levels:
        detail = each.level.iteration_level
        known = labels.get("everybody", {}).get(detail) or WORDS["script"].get(f"detail_{detail}", detail)
        shown = f", {known}" if has_details else ""
        ladder = labels.get("TABLE", {}).get(str(each.ladder), each.ladder)
        prefix = f"{ladder}: " if each.ladder is not None else ""
        titles[each.name] = f"{prefix}{titles[each.region_type]}{shown}"
    return titles


def folder_names(folders: Sequence[Path]) -> list[str]:
    """The last parts of the paths of folders, as few as tell them apart."""
    parts = [each.absolute().parts for each in folders]
    named = ([str(PurePosixPath(*own[-size:])) for own in parts] for size in count(1))
    return next(names for names in named if len(set(names)) == len(set(parts)))


def order_of_ids(region: str) -> tuple[bool, int, str]:
    """A sort key of the ids of regions: 2 before 10."""
    is_number = region.isascii() and region.isdigit()
    return not is_number, len(region) if is_number else 0, region


def nouns(unit: Unit) -> dict[str, str]:
    """What records are called: people or many, and one of them."""
    return {"one": unit.one, "many": unit.many, "people": unit.people, "records": "records"}


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a release, in folder `out`, in a database that summarises them. scratch: a folder for its files."""

    database: Database
    scratch: Path
    out: Path
    facts: ReleaseFacts

    def show(self, ladder: Ladder, region_types: Sequence[str], *, is_there: bool = False) -> None:
        """Make reported_tables of one ladder, of some region types. Raises: InputError where a table lacks a column.

        is_there: whether the tables that all region types share are in the database, from the call before.
        """
        if not is_there:
            _show_ladder(self.database, self.out, self.facts, ladder)
        self.database.set_values({"picked_types": list(region_types)})
        self.database.create(sql_files()["reported_tables"])

    def made(self, name: str) -> list[dict[str, Any]]:
        """The rows of a statement of sql/tools/report."""
        self.database.create(sql_files()[name])
        rows: list[dict[str, Any]] = self.database.table(name).to_pylist()
        return rows


@contextmanager
def opened_tables(out: Path, facts: ReleaseFacts, more: Sequence[Path] = ()) -> Iterator[Tables]:
    """The tables of a release in a database. more: files that it may read beside them."""
    files = [file for table in (*facts.folders, MEASUREMENTS, GROUP_INDEX) for file in table_files(out / table)]
    with scratch_folder(None) as scratch, open_database(scratch, [*files, *more], [], Resources()) as database:
        yield Tables(database, scratch, out, facts)


def read_release(out: Path, code_lists: Path | None = None) -> Reported:
    """The release in folder `out`, or what `reconcile` made of one, with the names of its iterations.

    code_lists: a folder of those that the release was made with; without it the names are those in the release.
    Raises: InputError where either is not what it should be.
    """
    opened = open_folder(out, or_reconciled=True)
    refuse(list(opened.problems))
    facts = opened.facts
    lists = {} if code_lists is None else public_code_lists(code_lists, facts.parameters.questions.lists)
    refuse(public_problems(lists, facts))
    with opened_tables(out, facts, [file for source in lists.values() for file in source.files]) as tables:
        codes: Mapping[str, str] = {} if lists else released_codes(out, _ITERATION)
        if lists:
            names = [each.source for each in facts.parameters.questions.all if each.source in lists]
            read_lists(tables.database, {name: lists[name] for name in names}, tables.scratch, facts.parameters)
            tables.database.create(sql_files()["iteration_rows"])
            codes = {row["iteration_code"]: row["iteration_name"] for row in tables.made("iteration_names")}
        try:
            return _read(tables, codes)
        except duckdb.ConversionException as error:
            raise InputError([Problem(str(out), f"not the tables of a release: {error}", RELEASE_FIX)]) from error


def _read(held: Tables, codes: Mapping[str, str]) -> Reported:
    """The release whose iterations have the names `codes`."""
    facts, parameters, is_reconciled = held.facts, held.facts.parameters, held.facts.reconciled is not None
    summaries = []
    for ladder in parameters.ladders:
        totals = released_table(held.out / (ladder.totals_folder or ladder.folder))
        types = pc.unique(totals.to_table(columns=["REGION_TYPE"])["REGION_TYPE"]).to_pylist()
        held.show(ladder, types)
        kinds = _kinds(held.made("reported_kinds"), facts, ladder)
        intervals = [] if is_reconciled else held.made("reported_intervals")
        measured = [file for file in table_files(held.out / MEASUREMENTS) if file.stem in ladder.folders]
        if measured and not is_reconciled:
            held.database.show("measured_groups", measured)
        gains = held.made("stage_1_gains") if measured and not is_reconciled else []
        summaries.append((ladder, kinds, intervals, gains))
    shown, hidden = _shown_types(parameters, [kind for _, kinds, *_ in summaries for kind in kinds])
    tables = []
    for ladder, kinds, intervals, gains in summaries:
        held.show(ladder, shown, is_there=len(summaries) == 1)
        used, words = attributes_of(ladder, parameters.attributes), table_words(parameters, ladder)
        tables.append(LadderTables(ladder, used, words, kinds, intervals, gains, held.made("reported_groups")))
    named = held.made("reported_region_names")
    regions = {(row["region_type"], row["region_id"]): row["region_name"] for row in named}
    quality: tuple[Check, ...] = ()
    if parameters.is_sex_by_age:
        is_as_drawn = not is_reconciled and not facts.is_clipped
        quality = quality_checks(held.database, is_as_drawn, has_nation(parameters.region_types))
    counts, sums = (tuple(each for each in tables if (each.ladder.sum is None) == is_so) for is_so in (True, False))
    return Reported(facts, counts, Names(codes, regions, parameters.labels), hidden, quality, sums)


def _show_ladder(database: Database, out: Path, facts: ReleaseFacts, ladder: Ladder) -> None:
    """What reported_tables reads of a ladder."""
    used = attributes_of(ladder, facts.parameters.attributes)
    totals = ladder.totals_folder or ladder.folder
    for name, folder in {GROUP_INDEX: GROUP_INDEX, "t1": totals, "t2": ladder.folder}.items():
        database.show(name, table_files(out / folder), {ladder.counted: "COUNT"} if ladder.sum is not None else {})
    codes = {column: attribute.total for attribute in used for column in attribute.publish}
    values = {
        "total_name": ladder.total_name,
        "columns_of_totals": {} if ladder.totals_folder is not None else codes,
        "released_column": "COUNT" if facts.reconciled is None else _BEFORE,
    }
    database.set_values(publishing_values(facts.parameters, ladder) | values)
    for name in ("ladder_rows", "ladder_statistics", "statistic_cells", "group_levels"):
        database.create(sql_files()[name])


def table_words(parameters: Parameters, ladder: Ladder) -> dict[str, str]:
    """What a page calls a total alone and each table of a ladder, by their names: names that publish codes are said."""
    words = {name: name for name in (ladder.total_name, *(statistic.name for statistic in ladder.statistics))}
    if parameters.is_sex_by_age:
        ages = next(attribute for attribute in parameters.attributes if not attribute.is_listed)
        for statistic in ladder.statistics:
            groups = ages.grouping(dict(statistic.cells)[ages.name]).codes
            words[statistic.name] = said(LABELS["sex_by_ages"], {"number": len(groups)})
    labels = parameters.labels.get("STATISTIC", {})
    return {name: labels.get(name, word) for name, word in words.items()}


def _shown_types(parameters: Parameters, kinds: Rows) -> tuple[list[str], tuple[str, ...]]:
    """The region types whose groups are shown one by one, and those whose groups are not.

    All are shown, as far as a page has room for their rows. Those that suppress nothing come first, like nation and
    states; they always have room.
    """
    sizes: dict[str, int] = {}
    for row in kinds:
        rows = row["population_groups"] * max(row["cells"], 1)
        sizes[row["region_type"]] = sizes.get(row["region_type"], 0) + rows
    shown: list[str] = []
    ordered = [kind for kind in sorted(parameters.region_types, key=lambda kind: kind.suppress) if kind.name in sizes]
    for each in ordered:
        if not each.suppress or sum(sizes[name] for name in [*shown, each.name]) <= MOST_ROWS:
            shown.append(each.name)
    return shown, tuple(each.name for each in ordered if each.name not in shown)


def _kinds(rows: Rows, facts: ReleaseFacts, ladder: Ladder) -> Rows:
    """The kinds of groups in the order of levels, then of tables. Raises: as `ReleaseFacts.level_called`."""
    sizes = dict(zip((each.name for each in ladder.statistics), rows_of(facts.parameters, ladder).sizes, strict=True))
    levels = [facts.level_called(ladder.name, row["level_name"]).name for row in rows]
    called = zip(rows, levels, strict=True)
    kinds = [{**row, "level": level, "cells": sizes.get(row["statistic"], 0)} for row, level in called]
    order = {level.name: place for place, level in enumerate(facts.levels)}
    names = [ladder.total_name, *sizes]
    return sorted(kinds, key=lambda row: (order[row["level"]], names.index(row["statistic"]), not row["is_total_only"]))
