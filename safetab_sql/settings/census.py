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

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.settings.ladders import Ladder, WrittenLevel
from safetab_sql.settings.markers import Fix, Means, Named, Sized, Switch, Text, Whole, once
from safetab_sql.settings.questions import MOST_CODES
from safetab_sql.settings.reading import MOST_GUESSES, Document, Read, merged, read_as, read_toml
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
    problems = [*short.problems, *_short_problems(document, short)]
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


def _short_problems(document: Document, short: Read[ShortForm]) -> Iterator[Problem]:
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


Levels = dict[str, dict[str, object]]

# Production's name and our name of each setting that does not belong to a level.
_OUR_NAMES: Mapping[str, str] = {
    "max_race_codes": "max_race_codes",
    "privacy_budget_p_stage_1_fraction": "gamma",
    "zero_suppression_chance": "zero_suppression_chance",
    "allow_negative_counts": "allow_negative_counts",
    "run_us": "run_us",
    "run_pr": "run_pr",
    "state_filter_us": "state_filter_us",
    "privacy_defn": "privacy_definition",
}
_PRODUCTION_NAMES: Mapping[str, str] = {ours: theirs for theirs, ours in _OUR_NAMES.items()}
# Keys of the household tables of the Detailed DHC-B: a budget and thresholds of each level, of T3 and of T4.
_HOUSEHOLD_BUDGET = re.compile(r"privacy_budget_h_(t3|t4)_level_([0-9]+)_([a-z][a-z0-9_]*)")
_HOUSEHOLD_THRESHOLDS = {"thresholds_h_t3": "T3", "thresholds_h_t4": "T4"}
_HOUSEHOLDS = packaged_folder("configs") / "dhcb-2020.toml"
_IGNORED = "reader"  # which of production's record readers to use; it has no meaning here
_THRESHOLDS = "thresholds_p"
_BUDGET_KEY = re.compile(r"privacy_budget_p_level_([0-9]+)_([a-z][a-z0-9_]*)")
_THRESHOLDS_KEY = re.compile(r"\(([A-Z][A-Z0-9-]*), ([0-9]+)\)")


@dataclass(frozen=True, slots=True)
class CensusConfig:
    """A config.json, unchecked.

    document: what our TOML file would hold: our names, and one table for each level under `levels`. repeated: keys that
    occur twice in one object. unknown: keys that production does not know.
    """

    document: Mapping[str, object]
    repeated: tuple[str, ...]
    unknown: tuple[str, ...]


def census_config(text: str) -> CensusConfig:
    """The config.json in `text`. Raises ValueError (JSONDecodeError has the line) where it is malformed.

    Numbers with a decimal point or exponent stay text, so that no binary float stands between the file and
    a budget.
    """
    repeated: list[str] = []

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        seen: dict[str, object] = {}
        for key, value in pairs:
            if key in seen:
                repeated.append(key)
            seen[key] = value
        return seen

    parsed = json.loads(text, parse_float=str, parse_constant=str, object_pairs_hook=members)
    config = _object(parsed, "the file")
    settings = {ours: config[theirs] for theirs, ours in _OUR_NAMES.items() if theirs in config}
    if any(_HOUSEHOLD_BUDGET.fullmatch(key) or key in _HOUSEHOLD_THRESHOLDS for key in config):
        tables, unknown = _household_tables(config)
        return CensusConfig({**settings, **tables}, tuple(repeated), tuple(unknown))
    levels, unknown = _levels(config)
    return CensusConfig({**settings, "levels": levels}, tuple(repeated), tuple(unknown))


def census_document(path: Path, text: str) -> tuple[Document, list[Problem]]:
    """A config.json as the tables of our file, and its keys that stand twice or that production does not know.

    Raises: InputError where it is malformed.
    """
    try:
        config = census_config(text)
    except json.JSONDecodeError as error:
        raise InputError(
            [Problem(f"{path}, line {error.lineno}", f"not JSON: {error.msg}", "correct the line")]
        ) from error
    except RecursionError as error:
        raise InputError([Problem(str(path), "nested too deeply", "no setting is three tables deep")]) from error
    except ValueError as error:
        raise InputError([Problem(str(path), f"cannot be parsed: {error}", "correct the line")]) from error
    document = Document(path, config.document, setting_name=production_name, table_name=production_name)
    known = known_names() if config.unknown else []
    repeated = [document.problem((), f"key '{key}' stands twice", "keep one of them") for key in config.repeated]
    unknown = [
        document.unknown_key((), key, known, is_guessed=number < MOST_GUESSES)
        for number, key in enumerate(config.unknown)
    ]
    return document, [*repeated, *unknown]


def _object(value: object, name: str) -> Mapping[str, object]:
    if isinstance(value, Mapping):
        return value
    raise ValueError(f"{name} is no JSON object, {{ ... }}")


def _household_tables(config: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """The unit, the attributes and the ladders T3 and T4, and the unknown keys.

    Every level of a part that is run states a budget and thresholds of both ladders.
    """
    ours: Mapping[str, Any] = read_toml(_HOUSEHOLDS).tables
    levels: dict[str, Levels] = {name: _levels_of_parts(config) for name in ours["ladders"]}
    unknown = []
    for key, value in config.items():
        budget = _HOUSEHOLD_BUDGET.fullmatch(key)
        if budget is not None:
            level = f"{budget[3].upper().replace('_', '-')}-{budget[2]}"
            levels[budget[1].upper()].setdefault(level, {})["budget"] = value
        elif key in _HOUSEHOLD_THRESHOLDS:
            unknown += _add_thresholds(levels[_HOUSEHOLD_THRESHOLDS[key]], _object(value, key), key)
        elif key not in {*_OUR_NAMES, _IGNORED}:
            unknown.append(key)
    ladders = {
        name: {**ladder, "levels": [{"each": [level], **stated} for level, stated in levels[name].items()]}
        for name, ladder in ours["ladders"].items()
    }
    return {"unit": ours["unit"], "attributes": ours["attributes"], "ladders": ladders}, unknown


def _levels_of_parts(config: Mapping[str, object]) -> Levels:
    """An empty table for every level of the parts that are run."""
    parts = [part for part, key in (("US", "run_us"), ("PR", "run_pr")) if config.get(key) is True]
    return {level: {} for part in parts for level in _level_names(part)}


def _level_names(*parts: str) -> list[str]:
    """The levels of these parts in the 2020 Census."""
    census: Mapping[str, Any] = read_toml(CENSUS).tables
    kinds = [name for name, kind in census["region_types"].items() if kind["part"] in parts]
    return [f"{name}-{level}" for name in kinds for level in census["lists"]["levels"]]


def _levels(config: Mapping[str, object]) -> tuple[Levels, list[str]]:
    """Budgets and thresholds by level name, and the unknown keys.

    Production states a budget (0: not tabulated) for every level of a part that it runs. A level that `config` forgets
    gets an empty table here, so that the missing budget is noticed.
    """
    levels = _levels_of_parts(config)
    unknown = []
    for key, value in config.items():
        budget = _BUDGET_KEY.fullmatch(key)
        if budget is not None:
            region_type = budget[2].upper().replace("_", "-")
            levels.setdefault(f"{region_type}-{budget[1]}", {})["budget"] = value
        elif key not in {*_OUR_NAMES, _IGNORED, _THRESHOLDS}:
            unknown.append(key)
    thresholds = config.get(_THRESHOLDS, {})
    return levels, unknown + _add_thresholds(levels, _object(thresholds, _THRESHOLDS), _THRESHOLDS)


def _add_thresholds(levels: Levels, thresholds: Mapping[str, object], name: str) -> list[str]:
    unknown = []
    for key, value in thresholds.items():
        level = _THRESHOLDS_KEY.fullmatch(key)
        if level is None:
            unknown.append(f'{name} "{key}"')
        else:
            levels.setdefault(f"{level[1]}-{level[2]}", {})["thresholds"] = value
    return unknown


def production_name(place: tuple[str, ...]) -> str:
    """What config.json calls the setting that our TOML file has at `place`, such as (levels, USA-1, budget).

    The place of a level itself, (levels, USA-1), has the name that thresholds_p uses: (USA, 1).
    """
    if len(place) == 1:
        return _PRODUCTION_NAMES.get(place[0], place[0])
    if place[0] != "levels":  # of household tables: (ladders, T3, levels, USA-1, budget)
        return " ".join(part for part in place[1:] if part != "levels")
    region_type, _, iteration_level = place[1].rpartition("-")
    level = f"({region_type}, {iteration_level})"
    if len(place) == 2:
        return level
    if place[2] == "budget":
        return f"privacy_budget_p_level_{iteration_level}_{region_type.lower().replace('-', '_')}"
    return f'{_THRESHOLDS} "{level}"'


def known_names() -> list[str]:
    """Every key that config.json may hold, for "did you mean"."""
    names = _level_names("US", "PR")
    places = [("levels", name, key) for name in names for key in ("budget", "thresholds")]
    of_people = list(map(production_name, places))
    of_households = [
        key.replace("_p_", f"_h_{table}_")
        for table in ("t3", "t4")
        for key in of_people
        if not key.startswith(_THRESHOLDS)
    ]
    return [*_OUR_NAMES, _IGNORED, _THRESHOLDS, *of_people, *_HOUSEHOLD_THRESHOLDS, *of_households]
