"""Questions of several columns, and everybody, in plain loops: written from tabulation.md alone.

It imports nothing of the package. A record is a row of text; '' is no code.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

Row = dict[str, str]
ANCESTRY, LANGUAGE = ("ANC1", "ANC2", "ANC3"), ("LANG1", "LANG2")
BANDS = ((0, 17), (18, 64), (65, 110))


def codes(record: Row, columns: Sequence[str]) -> set[str]:
    """The codes of an answer."""
    return {record[column] for column in columns} - {""}


def iterations(record: Row, groups: Iterable[Row], members: Iterable[Row]) -> dict[str, set[str]]:
    """By level, the iterations of a record: of ancestry from lists, of language and sex by value, everybody."""
    held = defaultdict(set)
    for row in members:
        held[row["ITERATION_CODE"]].add(row["CODE"])
    given, found = codes(record, ANCESTRY), defaultdict(set)
    for row in groups:
        own = held[row["ITERATION_CODE"]]
        if given <= own if row["ALONE"] == "True" else given & own:
            found[row["LEVEL"]].add(row["ITERATION_CODE"])
    found["language"] = codes(record, LANGUAGE)
    found["1"].add(record["SEX"])
    found["ALL"] = {"ALL"}
    return dict(found)


def population_groups(found: dict[str, set[str]], province: str) -> set[tuple[str, str, str]]:
    """The groups of a record, by region type, region and iteration; provinces have none of level 2."""
    here = {("COUNTRY", "1", each) for own in found.values() for each in own}
    return here | {("PROVINCE", province, each) for level in found if level != "2" for each in found[level]}


def exact_tables(
    records: Sequence[Row],
    groups: Sequence[Row],
    members: Sequence[Row],
    provinces: dict[str, str],
    *,
    most_records: int | None = None,
) -> dict[tuple[str, ...], int]:
    """Counts above 0 by region type, region, iteration, sex and age, `*` for all.

    most_records: of a person, so many count, the first ones by WHEN.
    """
    by_person = defaultdict(list)
    for number, record in enumerate(records):
        by_person[record["PERSON"] if most_records else number].append(record)
    counts: Counter[tuple[str, ...]] = Counter()
    for own in by_person.values():
        for record in sorted(own, key=lambda row: row["WHEN"])[:most_records]:
            (band,) = (f"{first}-{last}" for first, last in BANDS if first <= int(record["AGE"]) <= last)
            for group in population_groups(iterations(record, groups, members), provinces[record["TOWN"]]):
                counts.update((*group, *cell) for cell in (("*", "*"), (record["SEX"], "*"), (record["SEX"], band)))
    return dict(counts)
