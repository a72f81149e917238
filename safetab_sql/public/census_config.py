"""Production's config.json, translated into the short form of our TOML file: see census.py.

Its household tables are those of configs/dhcb-2020.toml, with the levels of the config.json.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.public.census import CENSUS
from safetab_sql.settings.reading import MOST_GUESSES, Document, read_toml

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
