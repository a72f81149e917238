"""The independent noisy counts of releases, packed for the page's calculator: page_files/counts.js reads them.

Small releases are in the page. The counts of large ones lie beside it in pieces, scripts that each hold a text: a page
that was opened as a file may load nothing else. It asks for the pieces of the regions that a reader picks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.laws.noise import DiscreteGaussian, Law, is_tabulable
from safetab_sql.public.values import rows_of
from safetab_sql.release.folder import ReleaseFacts, released_codes, released_table, table_files
from safetab_sql.report.groups import Codes, as_shown, cell_rows, counts_of, labelled, words
from safetab_sql.report.release import Names, Reported, Tables, folder_names, opened_tables, order_of_ids, type_title
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.ladders import GROUP_INDEX, MEASUREMENTS, SUPPRESSED, Ladder, all_cells, attributes_of
from safetab_sql.settings.parameters import Parameters
from safetab_sql.statistics.names import NamedReleases
from safetab_sql.statistics.wanted_statistics import limit_of

MOST_IN_PAGE = 400_000  # counts in the page itself: less than a megabyte
MOST_IN_PIECE = 125_000  # counts in a piece beside it, unless one region has more
_GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
_ENDS = ("ESTIMATE", "LOW95", "HIGH95")
_TOTAL = {"count": "noisy_count", "low": "total_low95", "high": "total_high95"}


@dataclass(frozen=True, slots=True)
class Counts:
    """What the page holds of the counts of releases, and what lies beside it, by name.

    index: the releases, the reported one first, their ladders, the laws of their noise and the names of their groups;
    see `packed_counts`.
    """

    index: Mapping[str, Any]
    pieces: Mapping[str, Any]

    @property
    def is_small(self) -> bool:
        """Whether all counts have room in the page."""
        sizes = (sum(map(len, own.get("groups", ()))) + len(own.get("ids", ())) for own in self.pieces.values())
        return sum(sizes) <= MOST_IN_PAGE


@dataclass(slots=True)
class _Numbers:
    """The numbers by which the page knows groups, laws, and laws with the limit of publication, as they are met."""

    iterations: dict[str, str] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    about: dict[str, tuple[str, str]] = field(default_factory=dict)  # level and kind
    laws: dict[Law, int] = field(default_factory=dict)
    kinds: dict[tuple[int, int | None], int] = field(default_factory=dict)

    def iteration(self, code: str) -> int:
        return self.places.setdefault(code, len(self.places))

    def kind(self, law: Law, above: int | None) -> int:
        number = self.laws.setdefault(law, len(self.laws))
        return self.kinds.setdefault((number, above), len(self.kinds))


def packed_counts(releases: NamedReleases, release: Reported, titles: Sequence[str]) -> Counts | None:
    """The counts of the releases; None where the last one published nothing.

    release: the last one, as it is reported. titles: of the releases. Earlier ones are left out where the errors of
    their counts are not the noise that was drawn: such counts were reconciled, or cut at 0.
    """
    *_, last = releases.places
    if not any(each.groups for each in (*release.tables, *release.sums)):
        return None
    chosen = [place for place in dict.fromkeys([last, *reversed(releases.places)])]
    chosen = [place for place in chosen if place == last or _is_as_drawn(releases.facts[place])]
    numbers, pieces, packed = _Numbers(), dict[str, object](), []
    folders = folder_names([each.folder for each in releases.folders])
    for number, place in enumerate(chosen):
        folder = releases.folders[place]
        codes = {**released_codes(folder.folder, "ITERATION_CODE"), **release.names.iterations}
        with opened_tables(folder.folder, folder.facts) as tables:
            made, own = _release(tables, release, numbers, str(number))
        numbers.iterations |= {code: name for code, name in codes.items() if code in numbers.places}
        about = {"name": titles[releases.places.index(place)], "folder": folders[place]}
        packed.append({**about, "run": place, **made})
        pieces |= own
    shown = _as_picked(numbers.about)
    index = {
        "releases": packed,
        "many": release.unit.people,
        "iterations": [[code, *_said(code, numbers.iterations.get(code, ""), shown)] for code in numbers.places],
        "laws": [
            ("gaussian", float(law.rho)) if isinstance(law, DiscreteGaussian) else ("geometric", float(law.epsilon))
            for law in numbers.laws
        ],
        "kinds": list(numbers.kinds),
    }
    return Counts(index, pieces)


def _as_picked(about: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Level and kind of each code, where the kind is a question of one level that question in place of both."""
    levels: dict[str, set[str]] = {}
    for level, kind in about.values():
        levels.setdefault(kind, set()).add(level)
    questions = {kind for kind, own in levels.items() if len(own) == 1} - {"", "alone", "combination"}
    return {
        code: (words(kind).capitalize(), "") if kind in questions else (level, kind)
        for code, (level, kind) in about.items()
    }


def _said(code: str, name: str, shown: Mapping[str, tuple[str, str]]) -> tuple[str, str, str]:
    """The name of a code, with its question before it where it has none, its level and its kind."""
    level, kind = shown.get(code, ("", ""))
    return f"{level} {code}" if level and not kind and name in ("", code) else name, level, kind


def _is_as_drawn(facts: ReleaseFacts) -> bool:
    return facts.reconciled is None and not facts.is_clipped


def _is_exact(facts: ReleaseFacts, ladder: Ladder) -> bool:
    """Whether the page can compute with the noise of a ladder: a table of its law has room in memory."""
    levels = facts.levels_of(ladder.name)
    laws = [each.measured_law(is_total_only=is_so) for each in levels for is_so in (True, False)]
    return _is_as_drawn(facts) and all(map(is_tabulable, laws))


# --- one release ---


def _release(
    tables: Tables, release: Reported, numbers: _Numbers, prefix: str
) -> tuple[dict[str, object], dict[str, object]]:
    """What the index says of a release, and its pieces. prefix: of their names."""
    facts, parameters = tables.facts, tables.facts.parameters
    types = [kind.name for kind in parameters.region_types if kind.name in facts.region_types]
    regions = _regions(tables, types, release.names)
    chosen = [ladder for ladder in parameters.ladders if prefix == "0" or _is_exact(facts, ladder)]
    ladders = [_ladder(tables, ladder, types, numbers) for ladder in chosen]
    pieces, starts = dict[str, object](), list[list[int]]()
    for place, name in enumerate(types):
        ids = [region for region, _ in regions[name]]
        pieces[f"{prefix}-{place}"] = {"ids": ids, "names": [text for _, text in regions[name]]}
        lists = [
            {"groups": _flat(tables, ladder, name, ids, numbers, is_there=place > 0 and len(chosen) == 1)}
            if _is_exact(facts, ladder)
            else _with_ends(release, ladder, name, ids, numbers)
            for ladder in chosen
        ]
        sizes = [sum(map(len, each)) for each in zip(*(own["groups"] for own in lists), strict=True)]
        blocks = [size // MOST_IN_PIECE for size in accumulate(sizes)]
        starts.append([place for place, block in enumerate(blocks) if place == 0 or block != blocks[place - 1]])
        for number, (ladder, own) in enumerate(zip(chosen, lists, strict=True)):
            totals = _both_stages(tables, ladder, name, ids, numbers) if _is_exact(facts, ladder) else []
            held = own | ({"totals": totals} if totals else {})
            for block, (first, end) in enumerate(pairwise([*starts[-1], len(ids)])):
                piece = {key: values[first:end] for key, values in held.items()}
                pieces[f"{prefix}-{place}-{number}-{block}"] = piece
    listed = [
        {"name": name, "title": type_title(name, parameters.labels), "starts": each}
        for name, each in zip(types, starts, strict=True)
    ]
    return {"types": listed, "ladders": ladders, "isFromZero": parameters.intervals_from_zero}, pieces


def _with_ends(
    release: Reported, ladder: Ladder, region_type: str, ids: Sequence[str], numbers: _Numbers
) -> dict[str, list[Any]]:
    """Of each region its groups as `_flat` has them, the total before the cells, and the ends of their intervals.

    For counts whose errors are no noise of a law that the page knows, of the region types that are shown.
    """
    each = next(own for own in (*release.tables, *release.sums) if own.ladder.name == ladder.name)
    cells = {own.name: [codes for _, codes in cell_rows(each.attributes, own.cells)] for own in ladder.statistics}
    levels = [ladder.total_name, *cells]
    found: dict[str, dict[str, list[Any]]] = {name: {region: [] for region in ids} for name in ("groups", "ends")}
    for group in each.groups:
        if group["region_type"] == region_type:
            rows, total = counts_of(group), {name: group[column] for name, column in _TOTAL.items()}
            own = [total, *(rows[codes] for codes in cells.get(group["statistic"], ()))]
            head = [numbers.iteration(group["iteration_code"]), levels.index(group["statistic"])]
            found["groups"][group["region_id"]] += [*head, *(as_shown(row["count"]) for row in own)]
            found["ends"][group["region_id"]] += [as_shown(row[end]) for row in own for end in ("low", "high")]
    return {name: list(own.values()) for name, own in found.items()}


def _regions(tables: Tables, types: Sequence[str], names: Names) -> dict[str, list[tuple[str, str]]]:
    """The regions with a published count, by type: id and name, in the order of their ids, 2 before 10."""
    index = released_table(tables.out / GROUP_INDEX)
    listed = index.to_table(["REGION_TYPE", "REGION_ID", "REGION_NAME"])
    rows = listed.group_by(["REGION_TYPE", "REGION_ID"]).aggregate([("REGION_NAME", "max")]).to_pylist()
    given = {(row["REGION_TYPE"], row["REGION_ID"]): row["REGION_NAME_max"] for row in rows if row["REGION_NAME_max"]}
    known = replace(names, regions={**given, **names.regions})
    ids = {name: [row["REGION_ID"] for row in rows if row["REGION_TYPE"] == name] for name in types}
    return {name: _named(name, sorted(own, key=order_of_ids), known) for name, own in ids.items()}


def _named(region_type: str, ids: Sequence[str], known: Names) -> list[tuple[str, str]]:
    """The regions of a type with their names: with its id where others are called so, or where nobody gave one."""
    named = [known.region(region_type, each).partition(" · ")[0] for each in ids]
    times = Counter(named)
    pairs = zip(ids, named, strict=True)
    return [(each, name if times[name] == 1 else f"{name} · {each}") for each, name in pairs]


def _flat(
    tables: Tables, ladder: Ladder, region_type: str, ids: Sequence[str], numbers: _Numbers, *, is_there: bool
) -> list[list[int]]:
    """Of each region its groups, one behind the other: number of the iteration, stat level, counts."""
    tables.show(ladder, [region_type], is_there=is_there)
    tables.database.create(sql_files()["reported_counts"])
    table = tables.database.table("reported_counts").combine_chunks()
    found: dict[str, list[int]] = {each: [] for each in ids}
    if not table.num_rows:
        return list(found.values())
    codes = [numbers.iteration(code) for code in table["iteration_code"].to_pylist()]
    levels, lists = table["stat_level"].to_numpy(), table["counts"].combine_chunks()
    ends, values = lists.offsets.to_numpy(), lists.values.to_numpy()
    heads = np.stack([codes, levels], axis=1).ravel()
    flat = np.insert(values, np.repeat(ends[:-1], 2), heads)
    region_ids = table["region_id"].to_pylist()
    start = row = 0
    for region, rows in groupby(region_ids):
        row += sum(1 for _ in rows)
        end = int(ends[row]) + 2 * row
        found[region] = flat[start:end].tolist()
        start = end
    return list(found.values())


def _both_stages(
    tables: Tables, ladder: Ladder, region_type: str, ids: Sequence[str], numbers: _Numbers
) -> list[dict[int, list[float]]]:
    """Of each region the estimates of totals that rest on both stages, and their ends; nothing where none do."""
    rows = _beside(tables, ladder, MEASUREMENTS, (*_GROUP, *_ENDS), region_type)
    found: dict[str, dict[int, list[float]]] = {each: {} for each in ids}
    for row in rows:
        found[row["REGION_ID"]][numbers.iteration(row["ITERATION_CODE"])] = [row[name] for name in _ENDS]
    return list(found.values()) if rows else []


def _beside(
    tables: Tables, ladder: Ladder, table: str, columns: Sequence[str], region_type: str
) -> list[dict[str, Any]]:
    """The rows of a region type in a table about the totals of a ladder; none where there is no such table."""
    files = [file for file in table_files(tables.out / table) if file.stem in ladder.folders]
    if not files:
        return []
    own = pa.concat_tables(pq.read_table(file, columns=list(columns)) for file in files)
    return own.filter(pc.equal(own["REGION_TYPE"], region_type)).to_pylist()  # type: ignore[no-any-return]


# --- one ladder ---


def _ladder(tables: Tables, ladder: Ladder, types: Sequence[str], numbers: _Numbers) -> dict[str, object]:
    """What the index says of a ladder.

    sizes: of the table of each stat level, counts. types: of each region type, `kinds` and `limits` of its groups: the
    law of their noise and up to which total they are not published, of those that may have a row and of those without.
    """
    parameters = tables.facts.parameters
    used = attributes_of(ladder, parameters.attributes)
    places = {attribute.name: place for place, attribute in enumerate(used)}
    return {
        "name": ladder.name,
        "title": parameters.labels.get("TABLE", {}).get(ladder.name) or words(ladder.name).capitalize(),
        "isSum": ladder.sum is not None,
        "isExact": _is_exact(tables.facts, ladder),
        "decimals": 0 if ladder.sum is None else ladder.sum.decimals,
        "many": parameters.unit.people if ladder.sum is None else ladder.sum.column,
        "one": parameters.unit.one,
        "beside": ladder.beside,
        "totals": ladder.totals,
        "tables": [each.name for each in ladder.statistics],
        "hasSubranges": _has_subranges(ladder),
        "sizes": [1, *rows_of(parameters, ladder).sizes],
        "attributes": [_attribute(attribute, ladder, parameters) for attribute in used],
        "statistics": [[[places[name], how] for name, how in each.cells] for each in ladder.statistics],
        "types": [
            {"kinds": _kinds(tables, ladder, name, numbers), "limits": _limits(tables, ladder, name, numbers)}
            for name in types
        ],
    }


def _has_subranges(ladder: Ladder) -> bool:
    """Whether a table has rows of wider groups of an attribute than its cells are of."""
    cells = [each.cells for each in ladder.statistics]
    subtotals = cells if ladder.subtotals == "coarser" else ladder.subtotals
    pairs = ((own, other) for each in cells for own in each for wider in subtotals for other in wider)
    return any(own[0] == other[0] and own[1] != other[1] for own, other in pairs)


def _attribute(attribute: Attribute, ladder: Ladder, parameters: Parameters) -> dict[str, object]:
    """How an attribute is asked for. options: code, meaning and values; of numbers, those that are none.

    groupings: of each, the group and the length of each run of values; classes: its groups. starts: of the ranges of
    any table.
    """
    meanings = parameters.meanings.get(attribute.publish[0], {})
    names = dict.fromkeys(how for cells in all_cells([ladder]) for name, how in cells if name == attribute.name)
    groupings = {name: attribute.grouping(name) for name in names}
    options: dict[str, list[int]] = {}
    classes = {}
    for name, grouping in groupings.items():
        values: dict[int, list[int]] = {}
        for value, group in enumerate(grouping.members):
            values.setdefault(group, []).append(value)
        own = [_class(attribute, meanings, codes, values[group]) for group, codes in enumerate(grouping.codes)]
        options |= {codes[0]: values[group] for group, codes in enumerate(grouping.codes) if "first" not in own[group]}
        classes[name] = own
    starts = {each["first"] for own in classes.values() for each in own if "first" in each}
    return {
        "name": attribute.name,
        "title": words(attribute.name),
        "columns": list(attribute.publish),
        "total": attribute.total,
        "isOfNumbers": not attribute.is_listed,
        "minimum": attribute.minimum,
        "maximum": attribute.maximum,
        "size": attribute.size,
        "beside": list(attribute.beside),
        "options": [[code, labelled(meanings, (code,)), values] for code, values in options.items()],
        "starts": sorted(starts),
        "groupings": {
            name: [[group, sum(1 for _ in run)] for group, run in groupby(grouping.members)]
            for name, grouping in groupings.items()
        },
        "classes": classes,
    }


def _class(attribute: Attribute, meanings: Mapping[str, str], codes: Codes, values: Sequence[int]) -> dict[str, Any]:
    """A group of values: its code, what it is asked for as, its name and first value; of a range, both ends."""
    first, last = (attribute.minimum + value for value in (values[0], values[-1]))
    known: dict[str, Any] = {"code": "-".join(codes), "place": values[0]}
    if attribute.is_listed or last > attribute.maximum:
        return known | {"text": codes[0], "label": labelled(meanings, codes[:1])}
    label = f"{first}" if first == last else f"{first}+" if last == attribute.maximum else f"{first}–{last}"
    return known | {"text": f"{first}-{last}", "label": label, "first": first, "last": last}


def _kinds(tables: Tables, ladder: Ladder, region_type: str, numbers: _Numbers) -> dict[str, object]:
    """The law and the limit of the groups of a region type that have a row, by iteration."""
    names = ("REGION_TYPE", "LADDER", "ITERATION_CODE", "LEVEL", "IS_TOTAL_ONLY", "ITERATION_KIND")
    index = released_table(tables.out / GROUP_INDEX)
    is_own = (pc.field("LADDER") == ladder.name) & (pc.field("REGION_TYPE") == region_type)
    found = []
    for row in index.to_table(list(names[2:]), filter=is_own).group_by(list(names[2:])).aggregate([]).to_pylist():
        level = tables.facts.level_called(ladder.name, row["LEVEL"])
        is_alone = row["IS_TOTAL_ONLY"]
        threshold = level.total_only_threshold if is_alone else level.suppression_threshold
        kind = numbers.kind(level.measured_law(is_total_only=is_alone), threshold)
        found.append([numbers.iteration(row["ITERATION_CODE"]), kind])
        detail = row["LEVEL"].removeprefix(f"{region_type}-")
        numbers.about.setdefault(row["ITERATION_CODE"], (detail, row["ITERATION_KIND"] or ""))
    return {"of": sorted(found)}


def _limits(tables: Tables, ladder: Ladder, region_type: str, numbers: _Numbers) -> dict[str, object]:
    """The same of the groups without a row, as far as the release says how many they have at most."""
    found = []
    columns = ("REGION_TYPE", "ITERATION_CODE", "SUPPRESSED_UP_TO", "HIGH95")
    for row in _beside(tables, ladder, SUPPRESSED, columns, region_type):
        limit = limit_of(tables.facts, ladder.name, region_type, row["SUPPRESSED_UP_TO"])
        if limit is not None and row["HIGH95"] is not None:
            found.append([numbers.iteration(row["ITERATION_CODE"]), numbers.kind(*limit)])
    return {"of": sorted(found)}
