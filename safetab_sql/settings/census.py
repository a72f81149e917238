"""The 2020 Census: the short form of parameters, and config.json of production, which is translated into it.

Keys of the short form stand for keys of configs/census-2020.toml, the 2020 Detailed DHC-A.

run_us = true; run_pr = false       # run = ["US"]
state_filter_us = ["01", "02"]      # parts.US.where.TABBLKST
max_race_codes = 8                  # questions.race.at_most
[levels.COUNTY-2]                   # an element of ladders.T2.levels, with each = ["COUNTY-2"]
budget = 0.159
thresholds = [971, 4971, 19971]

A file has the geography of the census unless it says `place`, `parts` or `run`; with it, or with max_race_codes, the
questions of the census unless it says `questions` or `lists`; and ladder T2 of the census unless it says `ladders`.
Its region types and attributes are then laid over the census's region types and attributes. Beside [levels] it may say
more of T2, such as other statistics, which is laid over the census's T2, and have further ladders, such as of sums.
Nothing else knows of the short form.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from safetab_sql.kit.errors import Problem
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.settings.attributes import Attribute, Attributes
from safetab_sql.settings.geography import REQUIRED
from safetab_sql.settings.ladders import Ladder, WrittenLevel
from safetab_sql.settings.markers import Switch, Word, once, otherwise, whole
from safetab_sql.settings.questions import MOST_CODES
from safetab_sql.settings.reading import MOST_GUESSES, Document, Place, Read, merged, parsed, read_as, read_toml
from safetab_sql.settings.tables import adapter, keys_of, named, repeated, sized, table

CENSUS = packaged_folder("configs") / "census-2020.toml"
_census = cache(partial(read_toml, CENSUS))
REQUIRED_IN_SHORT = ("allow_negative_counts", "run_us", "run_pr")
GEOGRAPHY_KEYS, QUESTION_KEYS, TABLE_KEYS = ("place", "parts", "run"), ("questions", "lists"), ("ladders",)
# The keys of the short form, with the keys that say the same in general.
TWINS = (
    (("run_us", "run_pr", "state_filter_us"), GEOGRAPHY_KEYS),
    (("max_race_codes",), QUESTION_KEYS),
    (("levels", "total_only"), TABLE_KEYS),
)
_ABOUT_STATES = 'write a list of two-digit state codes in quotes, such as ["01", "02"]'
_STATES, _CODES = ("parts", "US", "where", "TABBLKST"), ("questions", "race", "at_most")
_LADDER = "T2"
_LEVELS = ("ladders", _LADDER, "levels")


@table
class ShortForm:
    """The keys of the short form."""

    run_us: Annotated[Switch, "required in the short form: whether the states and DC are tabulated"] = False
    run_pr: Annotated[Switch, "required in the short form: whether Puerto Rico is tabulated"] = False
    state_filter_us: Annotated[
        tuple[str, ...],
        sized(0, fix=_ABOUT_STATES),
        otherwise(_ABOUT_STATES),
        once("name each state once"),
        "codes of the states that are tabulated; required if run_us is true",
    ] = ()
    max_race_codes: Annotated[
        int,
        whole(1, MOST_CODES, f"write an integer from 1 to {MOST_CODES}"),
        "required in the short form: how many race codes are read, from QRACE1 on",
    ] = 1
    total_only: Annotated[
        Word, "short form: True/False column of the lists; iterations with True there get a total and no table"
    ] = None
    levels: Annotated[
        tuple[WrittenLevel, ...], named("each", is_list=True), "short form: a table for each level, such as COUNTY-2"
    ] = ()


def is_short(tables: Mapping[str, object], keys: Collection[str]) -> bool:
    """Whether a file says none of these keys, and so means what the census has there."""
    return not any(key in tables for key in keys) or (keys == TABLE_KEYS and bool(_beside_levels(tables)))


def keys_needed(tables: Mapping[str, object]) -> list[str]:
    """The keys that a file must have beside those that every file must have."""
    needed = REQUIRED_IN_SHORT if is_short(tables, GEOGRAPHY_KEYS) else REQUIRED
    return [*needed, *([] if is_short(tables, TABLE_KEYS) else ["attributes"])]


def _beside_levels(tables: Mapping[str, object]) -> Mapping[str, object]:
    """The ladders of a file with [levels], none of which has the levels of the ladder of the census."""
    ladders = tables.get("ladders") if "levels" in tables else None
    said = ladders if isinstance(ladders, Mapping) else {}
    over = said.get(_LADDER, {})
    return said if isinstance(over, Mapping) and "levels" not in over else {}


def general(document: Document) -> tuple[Document, Read[ShortForm], list[Problem]]:
    """A file without the short form, what its short form says, and what is wrong between the two."""
    tables, known = document.tables, keys_of(ShortForm)
    short = read_as(ShortForm, replace(document, tables={key: tables[key] for key in known if key in tables}))
    problems = [*short.problems, *_short_problems(document, short)]
    found = {key: value for key, value in tables.items() if key not in known}
    if is_short(tables, GEOGRAPHY_KEYS) or is_short(tables, TABLE_KEYS):
        census: Mapping[str, Any] = _census().tables
        has_places = is_short(tables, GEOGRAPHY_KEYS)
        has_questions = is_short(tables, QUESTION_KEYS) and (has_places or "max_race_codes" in tables)
        found |= _geography(census, tables, short.found) if has_places else {}
        if has_questions:
            race = {"race": {"at_most": short.found.max_race_codes}}
            found |= {"questions": merged(census["questions"], race), "lists": census["lists"]}
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


def _tables(
    census: Mapping[str, Any], tables: Mapping[str, object], short: Read[ShortForm], *, has_questions: bool
) -> dict[str, object]:
    """The attributes and the ladder, with the levels that could be read."""
    given, ladder = tables.get("attributes", {}), census_tables()[0]
    flag = short.found.total_only or (ladder.total_only if has_questions else None)
    sound = [each for each in short.found.levels if short.is_sound(("levels", each.each[0]))]
    levels = tuple(level for each in sound for level in each.levels)
    own: object = replace(ladder, levels=levels, total_only=flag)
    ladders = _beside_levels(tables)
    over = ladders.get(_LADDER)
    if isinstance(over, Mapping):
        base = {key: each for key, each in census["ladders"][ladder.name].items() if key != "total_only" or flag}
        own = merged(base, {"levels": sound, **({"total_only": flag} if flag else {}), **over})
    return {
        "attributes": merged(census["attributes"], given) if isinstance(given, Mapping) else given,
        "ladders": {ladder.name: own, **{name: each for name, each in ladders.items() if name != ladder.name}},
    }


@cache
def census_tables() -> tuple[Ladder, tuple[Attribute, ...]]:
    """The tables of the 2020 Census, with all of their levels, also those with no budget, and their attributes."""
    said: Mapping[str, Any] = read_toml(CENSUS).tables
    ladder = adapter(Ladder).validate_python({"name": _LADDER, **said["ladders"][_LADDER]})
    return ladder, adapter(Attributes).validate_python(said["attributes"], context=said)


def _short_problems(document: Document, short: Read[ShortForm]) -> Iterator[Problem]:
    """What the short form says beside the same in general, and a census without a part or a state."""
    tables = document.tables
    for ours, others in TWINS:
        both = [[key for key in keys if key in tables] for keys in (ours, others)]
        if all(both) and not is_short(tables, others):
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
    if place[: len(_LEVELS)] == _LEVELS:
        return ("levels", *place[len(_LEVELS) :])
    return {_STATES: ("state_filter_us",), _CODES: ("max_race_codes",)}.get(place, place)


# Production's config.json is translated into the short form. Its name and our name of each setting of no level.
_ALIKE = ("max_race_codes", "zero_suppression_chance", "allow_negative_counts", "run_us", "run_pr", "state_filter_us")
_OTHERS = {"privacy_budget_p_stage_1_fraction": "gamma", "privacy_defn": "privacy_definition"}
_OUR_NAMES: Mapping[str, str] = {**dict(zip(_ALIKE, _ALIKE, strict=True)), **_OTHERS}
_IGNORED = "reader"  # which of production's record readers to use; it has no meaning here
# The tables that a key is of: tables of people, or the household tables T3 and T4 of the Detailed DHC-B.
_OF_PEOPLE, _OF_HOUSEHOLDS = "p", {"h_t3": "T3", "h_t4": "T4"}
_BUDGET_KEY = re.compile(r"privacy_budget_(p|h_t3|h_t4)_level_([0-9]+)_([a-z][a-z0-9_]*)")
_THRESHOLDS_KEY = re.compile(r"thresholds_(p|h_t3|h_t4)")
_LEVEL = re.compile(r"\(([A-Z][A-Z0-9-]*), ([0-9]+)\)")


def census_document(path: Path, text: str) -> tuple[Document, list[Problem]]:
    """A config.json as the tables of our file, and its keys that stand twice or that production does not know.

    Its household tables come from configs/dhcb-2020.toml, with the levels of the config.json. Raises: InputError
    where it is malformed.
    """
    twice: list[str] = []

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        twice.extend(repeated(key for key, _ in pairs))
        return dict(pairs)

    # Numbers with a decimal point or exponent stay text, so that no binary float stands between the file and a budget.
    read = partial(json.loads, parse_float=str, parse_constant=str, object_pairs_hook=members)
    tables, unknown = parsed(path, lambda: _translated(_object(read(text), "the file")))
    document, known = Document(path, tables, translated=_production_name), [*_OUR_NAMES, _IGNORED]
    for of in (_OF_PEOPLE, *_OF_HOUSEHOLDS) if unknown else ():
        known.append(f"thresholds_{of}")
        known += [_name(of, level, key) for level in _level_names("US", "PR") for key in ("budget", "thresholds")]
    return document, [
        *(document.problem((), f"key '{key}' stands twice", "keep one of them") for key in twice),
        *(document.unknown_key((), key, known, is_guessed=place < MOST_GUESSES) for place, key in enumerate(unknown)),
    ]


def _object(value: object, name: str) -> Mapping[str, object]:
    if isinstance(value, Mapping):
        return value
    raise ValueError(f"{name} is no JSON object, {{ ... }}")


def _translated(config: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """What our TOML file would hold, and the keys that production does not know.

    Production states a budget (0: not tabulated) for every level of a part that it runs, in each of its tables. A level
    that `config` forgets gets an empty table here, so that the missing budget is noticed.
    """
    named = {match[1] for key in config if (match := _BUDGET_KEY.fullmatch(key) or _THRESHOLDS_KEY.fullmatch(key))}
    tables = tuple(_OF_HOUSEHOLDS) if named & _OF_HOUSEHOLDS.keys() else (_OF_PEOPLE,)
    parts = [part for part, key in (("US", "run_us"), ("PR", "run_pr")) if config.get(key) is True]
    levels: dict[str, dict[str, dict[str, object]]]
    levels = {table: {name: {} for name in _level_names(*parts)} for table in tables}
    unknown = []
    for key, value in sorted(config.items(), key=lambda item: bool(_THRESHOLDS_KEY.fullmatch(item[0]))):
        budget, thresholds = _BUDGET_KEY.fullmatch(key), _THRESHOLDS_KEY.fullmatch(key)
        if budget is not None and budget[1] in tables:
            region_type = budget[3].upper().replace("_", "-")
            levels[budget[1]].setdefault(f"{region_type}-{budget[2]}", {})["budget"] = value
        elif thresholds is not None and thresholds[1] in tables:
            for name, numbers in _object(value, key).items():
                if level := _LEVEL.fullmatch(name):
                    levels[thresholds[1]].setdefault(f"{level[1]}-{level[2]}", {})["thresholds"] = numbers
                else:
                    unknown.append(f'{key} "{name}"')
        elif key not in {*_OUR_NAMES, _IGNORED}:
            unknown.append(key)
    settings = {ours: config[theirs] for theirs, ours in _OUR_NAMES.items() if theirs in config}
    if len(tables) == 1:
        return {**settings, "levels": levels[_OF_PEOPLE]}, unknown
    households: Mapping[str, Any] = read_toml(packaged_folder("configs") / "dhcb-2020.toml").tables
    stated = {_OF_HOUSEHOLDS[table]: of_table for table, of_table in levels.items()}
    ladders = {
        name: {**ladder, "levels": [{"each": [level], **said} for level, said in stated[name].items()]}
        for name, ladder in households["ladders"].items()
    }
    said = {key: households[key] for key in ("unit", "attributes")}
    return {**settings, **said, "ladders": ladders}, unknown


def _level_names(*parts: str) -> list[str]:
    census: Mapping[str, Any] = read_toml(CENSUS).tables
    kinds = [name for name, kind in census["region_types"].items() if kind["part"] in parts]
    return [f"{name}-{level}" for name in kinds for level in census["lists"]["levels"]]


def _production_name(place: Place) -> str:
    """What config.json calls the setting that our TOML file has at `place`, such as (levels, USA-1, budget).

    The place of a level itself, (levels, USA-1), has the name that thresholds_p uses: (USA, 1).
    """
    if len(place) == 1:
        return next((theirs for theirs, ours in _OUR_NAMES.items() if ours == place[0]), place[0])
    if place[0] != "levels":  # of household tables: (ladders, T3, levels, USA-1, budget)
        return " ".join(part for part in place[1:] if part != "levels")
    return _name(_OF_PEOPLE, place[1], place[2] if len(place) > 2 else "")


def _name(table: str, level: str, key: str) -> str:
    """What config.json calls a setting of a level; with no key, the level itself."""
    region_type, _, number = level.rpartition("-")
    if key == "budget":
        return f"privacy_budget_{table}_level_{number}_{region_type.lower().replace('-', '_')}"
    return f'thresholds_{table} "({region_type}, {number})"' if key else f"({region_type}, {number})"
