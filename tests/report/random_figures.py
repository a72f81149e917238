"""Random statistics of releases, asked of the page and of `statistics`: both must print the same.

A sum of several regions or groups is a code of its own here, which stands for the counts that it adds up.
"""

import base64
import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from safetab_sql.statistics.evaluator import LEVEL
from safetab_sql.statistics.names import opened_releases
from safetab_sql.statistics.wanted import wanted_statistics
from safetab_sql.statistics.wanted_statistics import answers_to, counts_of, shown_ladders
from tests.report.browser import Browser

KINDS = ("count", "count", "difference", "ratio", "ratio", "growth", "quantile")
SHARES = ("0.1", "0.25", "0.5", "0.75", "0.9")
PREFIXES = ("", "OTHER_")
DIGITS = {"count": 0, "difference": 0, "ratio": 4, "growth": 4, "quantile": 2}
_REGIONS, _GROUPS = 3, 3  # at most so many are added up, and a few that are many more

Asked = dict[str, Any]


def index_of(page: Path) -> dict[str, Any]:
    """What a page holds of counts, with the pieces that lie beside it."""
    text = re.search(r'id="data-counts">"([^"]+)"', page.read_text(encoding="utf-8"))
    assert text is not None, "the page holds no counts"
    index: dict[str, Any] = _unsqueezed(text[1])
    for file in (page.parent / index["folder"]).glob("*.js") if not index["pieces"] else ():
        _, name, _, piece, _ = file.read_text(encoding="utf-8").split('"')
        index["pieces"][name] = _unsqueezed(piece)
    return index


def _unsqueezed(text: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(text)))


class Figures:
    """Statistics of what a page holds: `index` of its counts, with all pieces."""

    def __init__(self, index: Mapping[str, Any], random: Random, most: int = 4) -> None:
        self.index, self.random = index, random
        self.codes = [code for code, *_ in index["iterations"]]
        used: set[str] = set()
        regions: dict[str, list[str]] = {}
        for number, kind in enumerate(index["releases"][0]["types"]):
            ids = [each for each in index["pieces"][f"0-{number}"]["ids"] if each not in used]
            used |= set(ids)
            regions |= self._partition(f"{kind['name']}+", ids, most)
        self.unions = {"group": self._partition("G", self.codes, most), "region": regions}

    def _partition(self, prefix: str, codes: Sequence[str], most: int) -> dict[str, list[str]]:
        """About half of the codes, in unions of some."""
        left, found = self.random.sample(list(codes), len(codes)), dict[str, list[str]]()
        while len(left) > len(codes) / 2:
            size = self.random.randint(2, most)
            found[f"{prefix}{len(found)}"] = left[:size]
            left = left[size:]
        return {name: own for name, own in found.items() if len(own) > 1}

    def asked(self, number: int) -> list[Asked]:
        """So many statistics."""
        return [self._one(self.random.choice(KINDS)) for _ in range(number)]

    def _one(self, kind: str) -> Asked:
        first = self._count(0)
        if kind == "quantile":
            ladder = self.index["releases"][0]["ladders"][first["ladder"]]
            numbers = [each["name"] for each in ladder["attributes"] if each["isOfNumbers"]]
            if not numbers:
                return self._one("count")
            first["regions"], first["groups"] = first["regions"][:1], first["groups"][:1]
            first["union"] = {"region": first["regions"][0], "group": first["groups"][0]}
            attribute = self.random.choice(numbers)
            share = self.random.choice(SHARES)
            return {"kind": kind, "counts": [first], "attribute": attribute, "share": share}
        if kind == "count":
            return {"kind": kind, "counts": [first]}
        return {"kind": kind, "counts": [first, self._other(first, kind)]}

    def _other(self, first: Asked, kind: str) -> Asked:
        releases = len(self.index["releases"])
        if kind == "growth" and releases > 1:
            return {**first, "release": 1}
        how = self.random.random()
        if how < 0.5:
            return {**first, "values": {}}
        if how < 0.7:
            return {**first, "values": self._values(first["ladder"])}
        other = self._count(0, first["ladder"], first["type"])
        return {**other, "values": first["values"]} if how < 0.9 else other

    def _count(self, release: int, ladder: int | None = None, kind: int | None = None) -> Asked:
        own, random = self.index["releases"][release], self.random
        ladder = random.randrange(len(own["ladders"])) if ladder is None else ladder
        types = own["ladders"][ladder]["types"]
        having = [place for place, each in enumerate(types) if each["kinds"]["of"]]
        kind = random.choice(having) if kind is None else kind
        piece = self.index["pieces"][f"{release}-{kind}"]
        place = random.randrange(len(piece["ids"]))
        groups = [self.codes[each] for each, _ in types[kind]["kinds"]["of"]]
        present = self._present(release, kind, ladder, place)
        tabulated = [code for code, level in present if level]
        likely = tabulated if tabulated and random.random() < 0.6 else [code for code, _ in present]
        code = random.choice(likely if likely and random.random() < 0.85 else groups)
        region, regions = self._union("region", piece["ids"][place])
        group, codes = self._union("group", code)
        return {
            **{"release": release, "ladder": ladder, "type": kind, "regions": regions, "groups": codes},
            **{"values": self._values(ladder), "union": {"region": region, "group": group}},
        }

    def _present(self, release: int, kind: int, ladder: int, place: int) -> list[tuple[str, int]]:
        """The groups with a published count in a region, and the stat level of each."""
        own = self.index["releases"][release]
        starts = own["types"][kind]["starts"]
        block = max(number for number, start in enumerate(starts) if start <= place)
        flat = self.index["pieces"][f"{release}-{kind}-{ladder}-{block}"]["groups"][place - starts[block]]
        sizes, at, found = own["ladders"][ladder]["sizes"], 0, list[tuple[str, int]]()
        while at < len(flat):
            found.append((self.codes[flat[at]], flat[at + 1]))
            at += 2 + sizes[flat[at + 1]]
        return found

    def _union(self, kind: str, code: str) -> tuple[str, list[str]]:
        union = next(((name, own) for name, own in self.unions[kind].items() if code in own), None)
        return union if union and self.random.random() < 0.5 else (code, [code])

    def _values(self, ladder: int) -> dict[str, str]:
        found: dict[str, str] = {}
        if self.random.random() < 0.4:
            return found
        for each in self.index["releases"][0]["ladders"][ladder]["attributes"]:
            if self.random.random() < 0.4:
                continue
            if each["options"] and (not each["isOfNumbers"] or self.random.random() < 0.1):
                found[each["name"]] = self.random.choice(each["options"])[0]
            elif each["isOfNumbers"] and len(each["starts"]) > 1:
                ends = [*(start - 1 for start in each["starts"][1:]), each["maximum"]]
                coarse = [0, *range(0, len(ends), max(1, len(ends) // 4))]
                first = self.random.choice(coarse if self.random.random() < 0.5 else range(len(ends)))
                last = self.random.choice([len(ends) - 1, self.random.randrange(first, len(ends))])
                found[each["name"]] = f"{each['starts'][first]}-{ends[last]}"
        return found

    def codes_of(self, kind: str, code: str) -> list[str]:
        """The codes that a code adds up."""
        return self.unions[kind].get(code, [code])


def wanted_table(index: Mapping[str, Any], asked: Sequence[Asked]) -> pa.Table:
    """The statistics as `statistics` reads them. Releases are numbered with the oldest first."""
    rows = [_row(index, each) for each in asked]
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: pa.array([row.get(name) for row in rows], pa.string()) for name in names})


def _row(index: Mapping[str, Any], each: Asked) -> dict[str, str]:
    row = {"KIND": each["kind"], "SHARE": each.get("share"), "ATTRIBUTE": each.get("attribute")}
    for prefix, count in zip(PREFIXES, each["counts"], strict=False):
        own = index["releases"][count["release"]]
        ladder = own["ladders"][count["ladder"]]
        row[f"{prefix}RELEASE"] = str(len(index["releases"]) - count["release"])
        row[f"{prefix}TABLE"] = ladder["name"]
        row[f"{prefix}REGION_TYPE"] = own["types"][count["type"]]["name"]
        row[f"{prefix}REGION_ID"] = count["union"]["region"]
        row[f"{prefix}ITERATION_CODE"] = count["union"]["group"]
        for attribute in ladder["attributes"]:
            text = count["values"].get(attribute["name"]) or "*"
            columns = attribute["columns"]
            ends = [text] if len(columns) == 1 or text == "*" else text.split("-")
            row |= {f"{prefix}{column}": end for column, end in zip(columns, ends * 2, strict=False)}
    return row


def answers(releases: Sequence[Path], figures: Figures, asked: Sequence[Asked]) -> Iterator[list[Any]]:
    """ESTIMATE, LOW, HIGH, P_VALUE of `statistics`, and NOTE. releases: the oldest first."""
    opened = opened_releases(releases)
    wanted = wanted_statistics(wanted_table(figures.index, asked), opened)
    expanded = tuple(replace(own, terms=_of_codes(own.terms, figures)) for own in wanted.ladders)
    counts = counts_of(expanded, shown_ladders(opened))
    found, notes = answers_to(wanted.asked, counts, opened.facts, LEVEL)
    for *figures_of_one, note in zip(found.estimates, found.lows, found.highs, found.p_values, notes, strict=True):
        yield [*(each.item() if math.isfinite(each) else None for each in figures_of_one), note]


def _of_codes(terms: pa.Table, figures: Figures) -> pa.Table:
    """The counts, a row for each of those that they add up."""
    codes = [terms[name].to_pylist() for name in ("region_id", "iteration_code")]
    listed = [
        (row, *both)
        for row, (region, group) in enumerate(zip(*codes, strict=True))
        for both in product(figures.codes_of("region", region), figures.codes_of("group", group))
    ]
    rows, *columns = (list(each) for each in zip(*listed, strict=True)) if listed else ([], [], [])
    found = terms.take(pa.array(rows, pa.int64()))
    for name, values in zip(("region_id", "iteration_code"), columns, strict=True):
        found = found.set_column(found.column_names.index(name), name, pa.array(values, pa.string()))
    place = found.column_names.index("term_number")
    return found.set_column(place, "term_number", pa.array(range(len(rows)), pa.int64()))


def answers_of_page(browser: Browser, asked: Sequence[Asked]) -> list[dict[str, Any]]:
    """The same of the page that is open, each with `ms`, how long it took."""
    return browser.value(f"safetab.answers({json.dumps(list(asked))})")


def differing(asked: Sequence[Asked], ours: Sequence[Any], theirs: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The statistics of which some figure is not the same to the printed digit. theirs: of the page."""

    def printed_of(kind: str, numbers: Any) -> list[str]:
        return [*(printed(kind, number) for number in numbers[:3]), printed("p", numbers[3])]

    both = [(each, own[:4], page) for each, own, page in zip(asked, ours, theirs, strict=True)]
    return [one for one in both if printed_of(one[0]["kind"], one[1]) != printed_of(one[0]["kind"], one[2])]


def printed(kind: str, number: float | None) -> str:
    """A figure as the page prints it."""
    if number is None or math.isnan(number):
        return "-"
    text = f"{number:.{DIGITS.get(kind, 4)}f}"
    return text.removeprefix("-") if float(text) == 0 else text
