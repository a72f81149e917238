"""Parameters of a run: frozen dataclasses, and the checks of the file that they are read from."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import cast, get_args

from safetab_sql.kit.errors import refuse
from safetab_sql.kit.guesses import nearest
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.public.about import ABOUT_KEYS, NOTHING_SAID, About, about_at
from safetab_sql.public.budgets import LARGEST_BUDGET, PrivacyDefinition, exact_decimal, noise_is_countable
from safetab_sql.public.levels import (
    ITERATION_LEVELS,
    STANDARD_REGION_TYPES,
    Part,
    PopulationGroupLevel,
    RegionType,
)
from safetab_sql.public.settings import (
    Place,
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    is_true,
    one_of,
    read_settings,
    share_at,
    shown,
    table_at,
    text_at,
)
from safetab_sql.public.states import PUERTO_RICO, US_STATES

_CONFIG = "config.json"
_A_CODE_LIST = "race-and-ethnicity-codes"
_REQUIRED = ("privacy_definition", "max_race_codes", "gamma", "allow_negative_counts", "run_us", "run_pr")
_OPTIONAL = ("zero_suppression_chance", "state_filter_us", "levels", "region_types")
_A_COLUMN_A_REGION_TYPE = "{{ region_types }}"  # how the headers of statements write it
_REGION_TYPE_NAME = re.compile(r"[A-Z][A-Z0-9_-]{0,31}")
_LARGEST_THRESHOLD = 2**62  # thresholds are compared with int64 counts


@dataclass(frozen=True, slots=True)
class LevelParameters:
    """Parameters of one population group level.

    budget: whole level, rho (zcdp) or epsilon (puredp). thresholds: noisy persons, non-decreasing.
    """

    level: PopulationGroupLevel
    budget: Fraction
    thresholds: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Parameters:
    """Everything that decides a run, except the data.

    gamma: fraction of each level's budget that stage 1 spends. zero_suppression_chance: chance that the
    total of an empty sub-state population group is suppressed, 0 for none. region_types: the ten standard region types,
    then those that the file declares. levels: the levels with a budget above 0, in order: US before PR, region types as
    above, iteration level 1 before 2. source: the file, which is ignored in comparisons. about: public text about the
    release, which does not affect the run.
    """

    privacy_definition: PrivacyDefinition
    max_race_codes: int
    gamma: Fraction
    zero_suppression_chance: Fraction
    allow_negative_counts: bool
    run_us: bool
    run_pr: bool
    state_filter_us: tuple[str, ...]
    region_types: tuple[RegionType, ...]
    levels: tuple[LevelParameters, ...]
    source: Path = field(compare=False)
    about: About = NOTHING_SAID


def tabulated_levels(parameters: Parameters) -> tuple[LevelParameters, ...]:
    """The levels that the run tabulates: a budget above 0, and a region type whose part is being run."""
    parts = {kind.name: kind.part for kind in parameters.region_types}
    run = {"US": parameters.run_us, "PR": parameters.run_pr}
    wanted = [level for level in parameters.levels if level.budget > 0 and run[parts[level.level.region_type]]]
    return tuple(sorted(wanted, key=lambda level: _position(level.level, parameters.region_types)))


def requested_states(parameters: Parameters) -> tuple[str, ...]:
    """Codes of the states whose people are tabulated, sorted; Puerto Rico is 72."""
    states = parameters.state_filter_us if parameters.run_us else ()
    return tuple(sorted({*states, *([PUERTO_RICO.code] if parameters.run_pr else [])}))


def _position(level: PopulationGroupLevel, region_types: tuple[RegionType, ...]) -> tuple[bool, int, int]:
    names = [kind.name for kind in region_types]
    order = names.index(level.region_type)
    return region_types[order].part == "PR", order, level.iteration_level


def default_code_lists(path: Path) -> Path | None:
    """The production parameter directory that `path` is, or whose config.json it is, if it has code lists."""
    folder = path if path.is_dir() else path.parent
    is_production = path.is_dir() or path.name == _CONFIG
    has_lists = any(folder.glob(f"{_A_CODE_LIST}.*"))
    return folder if is_production and has_lists and (folder / _CONFIG).is_file() else None


def load_parameters(path: str | Path) -> Parameters:
    """The parameters in a TOML file, in a config.json, or in the config.json of a production directory.

    Raises InputError, with every problem of the file.
    """
    file = Path(path)
    settings = read_settings(file / _CONFIG if file.is_dir() else file)
    parameters = _checked_parameters(settings)
    refuse(settings.problems)
    return parameters


def _checked_parameters(settings: Settings) -> Parameters:
    """The parameters in `settings`. A wrong setting adds a complaint to them and gets some valid value."""
    document = settings.document
    complain_unknown(settings, (), document, (*_REQUIRED, *_OPTIONAL, *ABOUT_KEYS))
    complain_missing(settings, (), _REQUIRED, document)
    definition = _definition(settings)
    gamma = share_at(settings, ("gamma",), document.get("gamma", "0.5"), is_zero_allowed=False)
    region_types = _region_types(settings)
    parameters = Parameters(
        privacy_definition=definition,
        max_race_codes=_max_race_codes(settings),
        gamma=gamma,
        zero_suppression_chance=share_at(
            settings,
            ("zero_suppression_chance",),
            document.get("zero_suppression_chance", 0),
            is_zero_allowed=True,
        ),
        allow_negative_counts=_flag(settings, "allow_negative_counts"),
        run_us=_flag(settings, "run_us"),
        run_pr=_flag(settings, "run_pr"),
        state_filter_us=_state_filter(settings),
        region_types=region_types,
        levels=_levels(settings, region_types, definition, gamma),
        source=settings.path,
        about=about_at(settings),
    )
    _complain_empty_run(settings, parameters)
    return parameters


def _definition(settings: Settings) -> PrivacyDefinition:
    key, allowed = "privacy_definition", get_args(PrivacyDefinition)
    name = one_of(settings, (key,), settings.document.get(key, allowed[0]), allowed)
    return cast(PrivacyDefinition, name)


def _flag(settings: Settings, key: str) -> bool:
    return is_true(settings, (key,), settings.document.get(key, False))


def _max_race_codes(settings: Settings) -> int:
    value = settings.document.get("max_race_codes", 1)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 8:
        return value
    complain_value(settings, ("max_race_codes",), value, "write an integer from 1 to 8")
    return 1


def _state_filter(settings: Settings) -> tuple[str, ...]:
    """The requested states. A run of Puerto Rico alone needs no state_filter_us."""
    place = ("state_filter_us",)
    value = settings.document.get(place[0], [])
    codes: list[object] = value if isinstance(value, list) else []
    if not isinstance(value, list):
        complain_value(settings, place, value, 'write a list of two-digit state codes, such as ["01", "02"]')
    elif not codes and settings.document.get("run_us") is True:
        complain(settings, (), "state_filter_us names no state", "list the states, or set run_us = false")
    for code, count in Counter(map(shown, codes)).items():
        if count > 1:
            complain(settings, (), f"state_filter_us has {code} {count} times", "name each state once")
    for other in [code for code in codes if code not in US_STATES]:
        fix = "write two-digit codes of the 50 states and DC, in quotes; Puerto Rico has run_pr = true instead"
        complain(settings, (), f"state_filter_us has {shown(other)}: no such state", fix)
    return tuple(code for code in US_STATES if code in codes)


def _region_types(settings: Settings) -> tuple[RegionType, ...]:
    tables = table_at(settings, ("region_types",), settings.document.get("region_types", {}))
    own = [
        _region_type(settings, name, table_at(settings, ("region_types", name), table))
        for name, table in tables.items()
    ]
    return (*STANDARD_REGION_TYPES, *own)


def declaration(name: str) -> str:
    """How to declare a new region type called `name`; with an example name if `name` cannot be used."""
    name = name if _REGION_TYPE_NAME.fullmatch(name) and name.upper() not in _taken_names() else "SCHOOL"
    return (
        f"a region type of your own is a table [region_types.{name}] in the parameter file, with is_sub_state = true "
        'or false and an id over the columns of the geography, such as id = "TABBLKST || SDELM"'
    )


def _region_type(settings: Settings, name: str, table: Mapping[str, object]) -> RegionType:
    place = ("region_types", name)
    if not _REGION_TYPE_NAME.fullmatch(name):
        fix = "use capitals, digits, - and _, a capital first, at most 32 characters"
        complain(settings, place, f"'{name}' is no name for a region type", fix)
    if name in [kind.name for kind in STANDARD_REGION_TYPES]:
        complain(settings, place, f"{name} is a standard region type", "choose another name")
    if name.upper() in _taken_names():
        fix = "choose another name, such as that name with an S"
        complain(settings, place, f"'{name}' is the name of a column of ours beside which its regions stand", fix)
    required, optional = ("id", "is_sub_state"), ("none_id", "part")
    complain_unknown(settings, place, table, (*required, *optional))
    complain_missing(settings, place, required, table)
    none_id = table.get("none_id")
    return RegionType(
        name=name,
        id=text_at(settings, (*place, "id"), table.get("id", "'1'")),
        part=cast(Part, one_of(settings, (*place, "part"), table.get("part", "US"), get_args(Part))),
        is_sub_state=is_true(settings, (*place, "is_sub_state"), table.get("is_sub_state", False)),
        none_id=None if none_id is None else text_at(settings, (*place, "none_id"), none_id),
    )


def _taken_names() -> set[str]:
    """The columns, in capitals, of all statements that have one column for each region type; SQL ignores case."""
    tables = [file.columns for file in sql_files().values()]
    names = [[column.name for column in columns] for columns in tables]
    return {name.upper() for row in names if _A_COLUMN_A_REGION_TYPE in row for name in row}


def _levels(
    settings: Settings, region_types: tuple[RegionType, ...], definition: PrivacyDefinition, gamma: Fraction
) -> tuple[LevelParameters, ...]:
    """The levels with a budget above 0, in the order of `Parameters.levels`."""
    levels = []
    for name, value in table_at(settings, ("levels",), settings.document.get("levels", {})).items():
        place = ("levels", name)
        table = table_at(settings, place, value)
        complain_unknown(settings, place, table, ("budget", "thresholds"))
        level = _level(settings, place, [kind.name for kind in region_types])
        budget = _budget(settings, place, table)
        thresholds = _thresholds(settings, place, table, is_required=budget > 0)
        if budget > 0 and not noise_is_countable(budget, gamma, definition):
            fix = "raise it (or write 0): some noise would have a standard deviation above 1e12 persons"
            complain_value(settings, (*place, "budget"), table["budget"], fix)
        if budget > 0 and level is not None:
            levels.append(LevelParameters(level, budget, thresholds))
    return tuple(sorted(levels, key=lambda level: _position(level.level, region_types)))


def _level(settings: Settings, place: Place, region_types: Sequence[str]) -> PopulationGroupLevel | None:
    """The level that the table at `place` is named for."""
    region_type, _, iteration_level = place[1].rpartition("-")
    if region_type not in region_types:
        name = region_type or place[1]
        near = nearest(name, region_types)
        guess = f"did you mean {near}? " if near else ""
        own = "" if settings.is_production or name in region_types else f"; {declaration(name)}"
        fix = f"{guess}A level is named region type, hyphen, 1 or 2, such as COUNTY-2{own}"
        complain(settings, place, f"unknown region type '{name}'", fix)
    elif iteration_level not in map(str, ITERATION_LEVELS):
        complain(settings, place, f"iteration level '{iteration_level}'", "use 1 (regional) or 2 (detailed)")
    else:
        return PopulationGroupLevel(region_type, int(iteration_level))
    return None


def _budget(settings: Settings, place: Place, table: Mapping[str, object]) -> Fraction:
    """The level's budget; 1 if it is refused, so that there is no second complaint that the level has no budget."""
    complain_missing(settings, place, ("budget",), table)
    value = table.get("budget", 1)
    budget = exact_decimal(value)
    if budget is not None and 0 <= budget <= LARGEST_BUDGET:
        return budget
    fix = "write a decimal such as 0.159, from 0 (level not tabulated) to 1e12, of at most 50 characters"
    complain_value(settings, (*place, "budget"), value, fix)
    return Fraction(1)


def _thresholds(
    settings: Settings, place: Place, table: Mapping[str, object], *, is_required: bool
) -> tuple[int, int, int]:
    """The level's thresholds; a level that is not tabulated needs none."""
    if is_required:
        complain_missing(settings, place, ("thresholds",), table)
    value = table.get("thresholds", [0, 0, 0])
    numbers = [number for number in value if _is_threshold(number)] if isinstance(value, list) else []
    if numbers == value and len(numbers) == 3 and numbers == sorted(numbers):
        return numbers[0], numbers[1], numbers[2]
    fix = "write three integers, none below the one before it, such as [471, 971, 6971]"
    complain_value(settings, (*place, "thresholds"), value, fix)
    return 0, 0, 0


def _is_threshold(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST_THRESHOLD


def _complain_empty_run(settings: Settings, parameters: Parameters) -> None:
    """Complain if the run, or a part of it, tabulates nothing."""
    run = {"US": parameters.run_us, "PR": parameters.run_pr}
    if not any(run.values()):
        complain(settings, (), "neither run_us nor run_pr is true", "set at least one of them to true")
    parts = {kind.name: kind.part for kind in parameters.region_types}
    with_budget = {parts[level.level.region_type] for level in parameters.levels}
    for part in [part for part in run if run[part] and part not in with_budget]:
        what = f"run_{part.lower()} is true, but every budget of its levels is zero"
        complain(settings, (), what, "give at least one of its levels a budget above 0")
