"""The short form of parameters: keys that stand for those of configs/census-2020.toml, the 2020 Detailed DHC-A.

run_us = true; run_pr = false       # run = ["US"]
state_filter_us = ["01", "02"]      # parts.US.where.TABBLKST
max_race_codes = 8                  # questions.race.at_most
[levels.COUNTY-2]                   # an element of ladders.T2.levels, with each = ["COUNTY-2"]
budget = 0.159
thresholds = [971, 4971, 19971]

A file has the geography of the census unless it says `place`, `parts` or `run`; with it, or with max_race_codes, the
questions of the census unless it says `questions` or `lists`; and ladder T2 of the census unless it says `ladders`.
Its region types and attributes are then laid over those of the census. Nothing else knows of the short form.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any

from safetab_sql.kit.errors import Problem
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.public.ladders import Ladder, WrittenLevel
from safetab_sql.public.questions import MOST_CODES
from safetab_sql.settings.markers import Fix, Means, Named, Sized, Switch, Text, Whole, once
from safetab_sql.settings.reading import Document, Read, merged, read_as, read_toml
from safetab_sql.settings.tables import keys_of, table
from safetab_sql.settings.wrong import Place

CENSUS = packaged_folder("configs") / "census-2020.toml"
REQUIRED_IN_SHORT = ("allow_negative_counts", "run_us", "run_pr")
GEOGRAPHY_KEYS, QUESTION_KEYS, TABLE_KEYS = ("place", "parts", "run"), ("questions", "lists"), ("ladders",)
# The keys of the short form, with the keys that say the same in general.
_TWINS = (
    (("run_us", "run_pr", "state_filter_us"), GEOGRAPHY_KEYS),
    (("max_race_codes",), QUESTION_KEYS),
    (("levels", "total_only"), TABLE_KEYS),
)
_ABOUT_STATES = 'write a list of two-digit state codes in quotes, such as ["01", "02"]'
_STATES, _CODES = ("parts", "US", "where", "TABBLKST"), ("questions", "race", "at_most")
_LEVELS = ("ladders", "T2", "levels")


@table
class ShortForm:
    """The keys of the short form."""

    run_us: Annotated[Switch, Means("tabulate the fifty states and DC")] = False
    run_pr: Annotated[Switch, Means("tabulate Puerto Rico")] = False
    state_filter_us: Annotated[
        tuple[str, ...],
        Sized(0, fix=_ABOUT_STATES),
        Fix(_ABOUT_STATES),
        once("name each state once"),
        Means("states to tabulate"),
    ] = ()
    max_race_codes: Annotated[
        int,
        Whole(1, MOST_CODES, f"write an integer from 1 to {MOST_CODES}"),
        Means("race codes that are read of a person"),
    ] = 1
    total_only: Annotated[str | None, Text(), Means("flag of the iterations that get a total alone")] = None
    levels: Annotated[
        tuple[WrittenLevel, ...],
        Named("each", is_list=True),
        Means("budget and thresholds by level, such as COUNTY-2"),
    ] = ()


def is_short(tables: Mapping[str, object], keys: Collection[str]) -> bool:
    """Whether a file says none of these keys, and so means what the census has there."""
    return not any(key in tables for key in keys)


def general(document: Document) -> tuple[Document, Read[ShortForm], list[Problem]]:
    """A file without the short form, what its short form says, and what is wrong between the two."""
    tables, known = document.tables, keys_of(ShortForm)
    short = read_as(ShortForm, replace(document, tables={key: tables[key] for key in known if key in tables}))
    problems = [*short.problems, *_problems(document, short)]
    found = {key: value for key, value in tables.items() if key not in known}
    if is_short(tables, GEOGRAPHY_KEYS) or is_short(tables, TABLE_KEYS):
        census: Mapping[str, Any] = read_toml(CENSUS).tables
        has_places = is_short(tables, GEOGRAPHY_KEYS)
        has_questions = is_short(tables, QUESTION_KEYS) and (has_places or "max_race_codes" in tables)
        found |= _geography(census, tables, short.found) if has_places else {}
        found |= _questions(census, short.found) if has_questions else {}
        found |= _tables(census, tables, short, has_questions=has_questions) if is_short(tables, TABLE_KEYS) else {}
    return replace(document, tables=found, written=_written), short, problems


def _geography(census: Mapping[str, Any], tables: Mapping[str, object], said: ShortForm) -> dict[str, object]:
    states = {"US": {"where": {"TABBLKST": sorted(said.state_filter_us)}}} if said.state_filter_us else {}
    given = tables.get("region_types", {})
    own = {
        name: {"part": "US", **kind} if isinstance(kind, Mapping) and name not in census["region_types"] else kind
        for name, kind in (given.items() if isinstance(given, Mapping) else ())
    }
    return {
        "place": census["place"],
        "parts": merged(census["parts"], states),
        "run": [part for part, is_run in (("US", said.run_us), ("PR", said.run_pr)) if is_run] or ["US"],
        "region_types": merged(census["region_types"], own) if isinstance(given, Mapping) else given,
    }


def _questions(census: Mapping[str, Any], said: ShortForm) -> dict[str, object]:
    race = {"race": {"at_most": said.max_race_codes}}
    return {"questions": merged(census["questions"], race), "lists": census["lists"]}


def _tables(
    census: Mapping[str, Any], tables: Mapping[str, object], short: Read[ShortForm], *, has_questions: bool
) -> dict[str, object]:
    """The attributes and the ladder, with the levels that could be read."""
    given = tables.get("attributes", {})
    ladder: Ladder = read_as(_Ladders, Document(CENSUS, {"ladders": census["ladders"]})).found.ladders[0]
    flag = short.found.total_only or (ladder.total_only if has_questions else None)
    sound = [each for each in short.found.levels if short.is_sound(("levels", each.each[0]))]
    levels = tuple(level for each in sound for level in each.levels)
    return {
        "attributes": merged(census["attributes"], given) if isinstance(given, Mapping) else given,
        "ladders": {ladder.name: replace(ladder, levels=levels, total_only=flag)},
    }


@table
class _Ladders:
    ladders: Annotated[tuple[Ladder, ...], Named()] = ()


def _problems(document: Document, short: Read[ShortForm]) -> Iterator[Problem]:
    """What the short form says beside the same in general, and a census without a part or a state."""
    tables = document.tables
    for ours, others in _TWINS:
        both = [[key for key in keys if key in tables] for keys in (ours, others)]
        if all(both):
            fix = f"keep {', '.join(others)}; {', '.join(ours)} are the short form of the 2020 Census"
            yield document.problem((), f"{both[1][0]} and {both[0][0]} stand in one file", fix)
    if not is_short(tables, GEOGRAPHY_KEYS):
        return
    if is_short(tables, QUESTION_KEYS) and "max_race_codes" not in tables:
        yield document.missing_key((), "max_race_codes")
    said, are_flags = short.found, short.is_sound(("run_us",)) and short.is_sound(("run_pr",))
    if are_flags and not said.run_us and not said.run_pr:
        yield document.problem((), "neither run_us nor run_pr is true", "set at least one of them to true")
    if said.run_us and not said.state_filter_us and short.is_sound(("state_filter_us",)):
        yield document.problem((), "state_filter_us names no state", "list the states, or set run_us = false")


def _written(place: Place) -> Place:
    """Where the short form says what stands at a place."""
    if place[: len(_LEVELS)] == _LEVELS:
        return ("levels", *place[len(_LEVELS) :])
    return {_STATES: ("state_filter_us",), _CODES: ("max_race_codes",)}.get(place, place)
