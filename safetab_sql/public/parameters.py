"""Parameters of a run: frozen dataclasses, and the checks of the file that they are read from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import cast, get_args

from safetab_sql.kit.errors import refuse
from safetab_sql.kit.guesses import nearest
from safetab_sql.public.about import ABOUT_KEYS, NOTHING_SAID, About, about_at
from safetab_sql.public.attributes import ATTRIBUTES_KEY, Attributes, attributes_at
from safetab_sql.public.budgets import LARGEST_BUDGET, PrivacyDefinition, exact_decimal, noise_is_countable
from safetab_sql.public.geography import Geography
from safetab_sql.public.geography_settings import (
    OWN_KEYS,
    OWN_REQUIRED,
    STANDARD_KEYS,
    STANDARD_REQUIRED,
    declaration,
    geography_at,
    is_own,
)
from safetab_sql.public.levels import COARSE_ONLY, DETAILED_ONLY, ITERATION_LEVELS, PopulationGroupLevel, RegionType
from safetab_sql.public.questions import OWN_KEYS as QUESTION_KEYS
from safetab_sql.public.questions import STANDARD_KEY, Questions, questions_at
from safetab_sql.public.settings import (
    BASE,
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
    table_at,
)
from safetab_sql.public.unit import UNIT_KEY, Unit, unit_at

_CONFIG = "config.json"
CODE_LISTS = "code-lists"  # the folder beside a parameter file that holds the code lists, if none is named
_A_CODE_LIST = "race-and-ethnicity-codes"
_REQUIRED = ("privacy_definition", "gamma")
_NEGATIVES = "allow_negative_counts"
_FROM_ZERO = "intervals_from_zero"
_STAGE_1 = "publish_stage_1"
_OPTIONAL = (
    _NEGATIVES,
    _FROM_ZERO,
    _STAGE_1,
    "zero_suppression_chance",
    "levels",
    "region_types",
    UNIT_KEY,
    ATTRIBUTES_KEY,
    BASE,
)
# What statements call the columns of a record that are neither of its place nor answers.
_COLUMNS_OF_RECORDS = ("PERSON_FILE", "PERSON_ROW", "QAGE", "QSEX", "QAGE_GIVEN", "QSEX_GIVEN", "PERSON_ID")
_LARGEST_THRESHOLD = 2**62  # thresholds are compared with int64 counts


@dataclass(frozen=True, slots=True)
class LevelParameters:
    """Parameters of one population group level.

    budget: whole level, rho (zcdp) or epsilon (puredp). thresholds: three, of noisy persons, non-decreasing; none
    where no group gets a table. is_total_only: whether no group of the level gets a table. total_only: the iterations
    whose groups get none, by their codes, beside those that the lists say by a flag.
    """

    level: PopulationGroupLevel
    budget: Fraction
    thresholds: tuple[int, ...]
    is_total_only: bool = False
    total_only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameters:
    """Everything that decides a run, except the data.

    gamma: fraction of each level's budget that stage 1 spends. zero_suppression_chance: chance that the
    total of an empty population group is suppressed where its region type says so, 0 for none. levels: the levels with
    a budget above 0, in the order of their parts, region types and iteration levels. source: the file, which is ignored
    in comparisons. about: public text about the release, which does not affect the run. unit: which records count.
    attributes: the columns of sex and age. intervals_from_zero: whether published intervals are cut at 0.
    publish_stage_1: whether the stage-1 total of every published group is published too.
    """

    privacy_definition: PrivacyDefinition
    questions: Questions
    gamma: Fraction
    zero_suppression_chance: Fraction
    allow_negative_counts: bool
    geography: Geography
    levels: tuple[LevelParameters, ...]
    source: Path = field(compare=False)
    about: About = NOTHING_SAID
    unit: Unit = field(default_factory=Unit)
    attributes: Attributes = field(default_factory=Attributes)
    intervals_from_zero: bool = False
    publish_stage_1: bool = False

    @property
    def region_types(self) -> tuple[RegionType, ...]:
        """The region types of all parts, whether they have a budget or not."""
        return self.geography.region_types


def tabulated_levels(parameters: Parameters) -> tuple[LevelParameters, ...]:
    """The levels that the run tabulates: a budget above 0, and a region type whose part is being run."""
    geography = parameters.geography
    wanted = [
        level
        for level in parameters.levels
        if level.budget > 0 and geography.part_of(level.level.region_type) in geography.run
    ]
    return tuple(sorted(wanted, key=lambda level: _position(level.level, geography)))


def flags_read(parameters: Parameters) -> tuple[str, ...]:
    """The True/False columns of the lists of iterations that decide where an iteration is tabulated."""
    without = [kind.without for kind in parameters.region_types if kind.without is not None]
    questions = parameters.questions
    standard = [DETAILED_ONLY, COARSE_ONLY] if questions.is_standard else []
    return tuple(dict.fromkeys([*standard, *without, *([questions.total_only] if questions.total_only else [])]))


def iteration_levels(parameters: Parameters) -> tuple[str, ...]:
    """The levels of iterations that are tabulated, or that may be."""
    if parameters.questions.is_standard:
        return ITERATION_LEVELS
    return tuple(sorted({level.level.iteration_level for level in parameters.levels}))


def _position(level: PopulationGroupLevel, geography: Geography) -> tuple[int, int, str]:
    parts = [part.name for part in geography.parts]
    names = [kind.name for kind in geography.region_types]
    order = names.index(level.region_type)
    return parts.index(geography.part_of(level.region_type)), order, level.iteration_level


def default_code_lists(path: Path) -> Path | None:
    """The code lists of parameters: in a folder code-lists beside them, or in their production directory."""
    beside = path.parent / CODE_LISTS
    if not path.is_dir() and beside.is_dir():
        return beside
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
    complain_unknown(
        settings,
        (),
        document,
        (*_REQUIRED, *_OPTIONAL, *STANDARD_KEYS, *OWN_KEYS, STANDARD_KEY, *QUESTION_KEYS, *ABOUT_KEYS),
    )
    geography, questions = geography_at(settings), questions_at(settings, are_needed=not is_own(settings))
    asked = (STANDARD_KEY,) if questions.is_standard else ()
    required = (*_REQUIRED, *asked, *(OWN_REQUIRED if is_own(settings) else (_NEGATIVES, *STANDARD_REQUIRED)))
    complain_missing(settings, (), required, document)
    definition = _definition(settings)
    gamma = share_at(settings, ("gamma",), document.get("gamma", "0.5"), is_zero_allowed=False)
    parameters = Parameters(
        privacy_definition=definition,
        questions=questions,
        gamma=gamma,
        zero_suppression_chance=share_at(
            settings,
            ("zero_suppression_chance",),
            document.get("zero_suppression_chance", 0),
            is_zero_allowed=True,
        ),
        allow_negative_counts=is_true(settings, (_NEGATIVES,), document.get(_NEGATIVES, True)),
        geography=geography,
        levels=_levels(settings, geography, questions, definition, gamma),
        source=settings.path,
        about=about_at(settings),
        unit=unit_at(settings),
        attributes=attributes_at(settings),
        intervals_from_zero=is_true(settings, (_FROM_ZERO,), document.get(_FROM_ZERO, False)),
        publish_stage_1=is_true(settings, (_STAGE_1,), document.get(_STAGE_1, False)),
    )
    if parameters.publish_stage_1 and not parameters.allow_negative_counts:
        fix = f"write {_NEGATIVES} = true: estimates from both stages need the counts as noise left them"
        complain(settings, (), f"{_STAGE_1} is true, and {_NEGATIVES} is false", fix)
    _complain_shared_columns(settings, parameters)
    _complain_empty_run(settings, parameters)
    return parameters


def _definition(settings: Settings) -> PrivacyDefinition:
    key, allowed = "privacy_definition", get_args(PrivacyDefinition)
    name = one_of(settings, (key,), settings.document.get(key, allowed[0]), allowed)
    return cast(PrivacyDefinition, name)


def _levels(
    settings: Settings, geography: Geography, questions: Questions, definition: PrivacyDefinition, gamma: Fraction
) -> tuple[LevelParameters, ...]:
    """The levels with a budget above 0, in the order of `Parameters.levels`."""
    levels = []
    for name, value in table_at(settings, ("levels",), settings.document.get("levels", {})).items():
        place = ("levels", name)
        table = table_at(settings, place, value)
        complain_unknown(settings, place, table, ("budget", "thresholds", "total_only"))
        level = _level(settings, place, geography, questions)
        budget = _budget(settings, place, table)
        is_total_only, total_only = _total_only(settings, place, table)
        thresholds = _thresholds(settings, place, table, is_needed=budget > 0 and not is_total_only)
        if budget > 0 and not noise_is_countable(budget, gamma, definition):
            fix = "raise it (or write 0): some noise would have a standard deviation above 1e12 persons"
            complain_value(settings, (*place, "budget"), table["budget"], fix)
        if budget > 0 and level is not None:
            levels.append(LevelParameters(level, budget, thresholds, is_total_only, total_only))
    return tuple(sorted(levels, key=lambda level: _position(level.level, geography)))


def _level(settings: Settings, place: Place, geography: Geography, questions: Questions) -> PopulationGroupLevel | None:
    """The level that the table at `place` is named for."""
    region_types = [kind.name for kind in geography.region_types]
    region_type, _, iteration_level = place[1].rpartition("-")
    if region_type not in region_types:
        name = region_type or place[1]
        near = nearest(name, region_types)
        guess = f"did you mean {near}? " if near else ""
        own = "" if settings.is_production or name in region_types else f"; {declaration(name, geography)}"
        levels = "1 or 2" if questions.is_standard else "level of the iterations"
        fix = f"{guess}A level is named region type, hyphen, {levels}, such as {_an_example(geography, questions)}{own}"
        complain(settings, place, f"unknown region type '{name}'", fix)
    elif questions.is_standard and iteration_level not in ITERATION_LEVELS:
        complain(settings, place, f"iteration level '{iteration_level}'", "use 1 (regional) or 2 (detailed)")
    else:
        return PopulationGroupLevel(region_type, iteration_level)
    return None


def _an_example(geography: Geography, questions: Questions) -> str:
    own = geography.region_types[-1:] if not geography.is_standard else ()
    name = own[0].name if own else "COUNTY"
    return f"{name}-2" if questions.is_standard else f"{name}-1"


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


def _total_only(settings: Settings, place: Place, table: Mapping[str, object]) -> tuple[bool, tuple[str, ...]]:
    """Whether the level publishes totals alone, and the iterations of which it does."""
    value = table.get("total_only", False)
    if isinstance(value, bool):
        if value and "thresholds" in table:
            fix = "take thresholds out: they choose tables, and no group of this level gets one"
            complain(settings, place, "total_only is true, and there are thresholds", fix)
        return value, ()
    codes = [code for code in value if isinstance(code, str) and code] if isinstance(value, list) else []
    if codes and codes == value and len(set(codes)) == len(codes):
        return False, tuple(codes)
    fix = 'write true, or a list of iteration codes, each once and in quotes, such as ["1010", "1020"]'
    complain_value(settings, (*place, "total_only"), value, fix)
    return False, ()


def _thresholds(settings: Settings, place: Place, table: Mapping[str, object], *, is_needed: bool) -> tuple[int, ...]:
    """The level's thresholds; a level that is not tabulated, or publishes totals alone, needs none."""
    if "thresholds" not in table and not is_needed:
        return ()
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


def _complain_shared_columns(settings: Settings, parameters: Parameters) -> None:
    """Complain of a column of places or answers that is the sex or the age too, or has a name of ours."""
    places = [column.name for column in parameters.geography.place]
    asked = [name for question in parameters.questions.all for name in question.columns]
    attributes = {"sex": parameters.attributes.sex, "age": parameters.attributes.age}
    for name in (*places, *asked):
        for role in [role for role, column in attributes.items() if column.upper() == name.upper()]:
            what = f"{name} is the column of the {role}, and of the {'place' if name in places else 'answer'} too"
            complain(settings, (), what, "name every column once; capitals make no difference")
        if name.upper() in _COLUMNS_OF_RECORDS and name.upper() not in map(str.upper, attributes.values()):
            complain(settings, (), f"{name} is the name of a column of ours", "rename it in the files")
    if attributes["sex"].upper() == attributes["age"].upper():
        what = f"{attributes['sex']} is the column of the sex, and of the age too"
        complain(settings, (ATTRIBUTES_KEY,), what, "name every column once; capitals make no difference")


def _complain_empty_run(settings: Settings, parameters: Parameters) -> None:
    """Complain if the run, or a part of it, tabulates nothing."""
    geography = parameters.geography
    is_standard = geography.is_standard
    if not geography.run and is_standard:
        complain(settings, (), "neither run_us nor run_pr is true", "set at least one of them to true")
    with_budget = {geography.part_of(level.level.region_type) for level in parameters.levels}
    for part in [part for part in geography.run if part not in with_budget]:
        subject = f"run_{part.lower()} is true, but every" if is_standard else f"part {part} is run, but every"
        what = f"{subject} budget of its levels is zero"
        complain(settings, (), what, "give at least one of its levels a budget above 0")
