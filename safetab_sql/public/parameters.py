"""Parameters of a run: frozen dataclasses, and the checks of the file that they are read from."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import cast, get_args

from safetab_sql.kit.errors import InputError, refuse
from safetab_sql.public.about import ABOUT_KEYS, NOTHING_SAID, About, about_at
from safetab_sql.public.attribute_settings import ATTRIBUTES_KEY, attributes_at, standard_attributes_at
from safetab_sql.public.attributes import STANDARD_ATTRIBUTES, Attribute, columns_of
from safetab_sql.public.budgets import PrivacyDefinition
from safetab_sql.public.geography import Geography
from safetab_sql.public.geography_settings import (
    OWN_KEYS,
    OWN_REQUIRED,
    STANDARD_KEYS,
    STANDARD_REQUIRED,
    geography_at,
    is_own,
)
from safetab_sql.public.ladder_settings import LADDERS_KEY, ladders_at, used_attributes
from safetab_sql.public.ladders import Ladder, LevelParameters, is_sex_by_age, sex_by_age
from safetab_sql.public.level_settings import LEVELS_KEY, LevelRules, level_position, standard_levels
from safetab_sql.public.levels import COARSE_ONLY, DETAILED_ONLY, ITERATION_LEVELS, PopulationGroupLevel, RegionType
from safetab_sql.public.questions import OWN_KEYS as OWN_QUESTION_KEYS
from safetab_sql.public.questions import STANDARD_KEY, Questions, questions_at
from safetab_sql.public.settings import (
    BASE,
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    is_true,
    one_of,
    read_settings,
    share_at,
    shown,
)
from safetab_sql.public.unit import UNIT_KEY, Unit, unit_at

_CONFIG = "config.json"
CODE_LISTS = "code-lists"  # the folder beside a parameter file that holds the code lists, if none is named
_A_CODE_LIST = "race-and-ethnicity-codes"
_GAMMA = "gamma"
_REQUIRED = ("privacy_definition",)
_NEGATIVES = "allow_negative_counts"
_FROM_ZERO = "intervals_from_zero"
_STAGE_1 = "publish_stage_1"
_OPTIONAL = (
    *(_GAMMA, _NEGATIVES, "zero_suppression_chance", "region_types", UNIT_KEY, ATTRIBUTES_KEY, LADDERS_KEY, LEVELS_KEY),
    *(_FROM_ZERO, _STAGE_1, BASE),
)
PARAMETER_KEYS = (*_REQUIRED, *_OPTIONAL, *STANDARD_KEYS, *OWN_KEYS, STANDARD_KEY, *OWN_QUESTION_KEYS, *ABOUT_KEYS)
# What statements call the columns of a record that are of no place, answer or attribute.
_COLUMNS_OF_RECORDS = ("PERSON_FILE", "PERSON_ROW", "PERSON_ID")


@dataclass(frozen=True, slots=True)
class Parameters:
    """Everything that decides a run, except the data.

    gamma: fraction of each level's budget that stage 1 spends; 0 where no ladder has one. zero_suppression_chance:
    chance that the total of an empty population group is suppressed where its region type says so, 0 for none. ladders:
    the tables, each with its levels that have a budget above 0, in the order of their parts, region types and iteration
    levels. attributes: the columns that the ladders break down by. source: the file, which is ignored in comparisons.
    about: public text about the release, which does not affect the run. unit: which records count. intervals_from_zero:
    whether published intervals are cut at 0. publish_stage_1: whether the stage-1 total of every published group is
    published too.
    """

    privacy_definition: PrivacyDefinition
    questions: Questions
    gamma: Fraction
    zero_suppression_chance: Fraction
    allow_negative_counts: bool
    geography: Geography
    ladders: tuple[Ladder, ...]
    source: Path = field(compare=False)
    about: About = NOTHING_SAID
    unit: Unit = field(default_factory=Unit)
    attributes: tuple[Attribute, ...] = STANDARD_ATTRIBUTES
    intervals_from_zero: bool = False
    publish_stage_1: bool = False

    @property
    def region_types(self) -> tuple[RegionType, ...]:
        """The region types of all parts, whether they have a budget or not."""
        return self.geography.region_types

    @property
    def levels(self) -> tuple[LevelParameters, ...]:
        """The levels of all ladders, ladder by ladder."""
        return tuple(level for ladder in self.ladders for level in ladder.levels)

    @property
    def is_sex_by_age(self) -> bool:
        """Whether the tables are T1 and T2 of the 2020 Census: totals, and sex by 4, 9 or 23 age groups."""
        return is_sex_by_age(self.ladders, self.attributes)

    @property
    def own_ladders(self) -> tuple[str, ...]:
        """The names of the ladders; none where the only one is sex by age."""
        return () if self.is_sex_by_age else tuple(ladder.name for ladder in self.ladders)


def ladder_levels(parameters: Parameters, ladder: Ladder) -> tuple[LevelParameters, ...]:
    """The levels that a ladder tabulates: a budget above 0, and a region type whose part is being run.

    A level with shares is one level for each kind of iteration; each has the budget of all of them.
    """
    geography = parameters.geography
    wanted = [
        part
        for level in ladder.levels
        for part in by_kind(level)
        if level.budget > 0 and geography.part_of(level.level.region_type) in geography.run
    ]
    return tuple(sorted(wanted, key=lambda level: level_position(level.level, geography)))


def by_kind(level: LevelParameters) -> tuple[LevelParameters, ...]:
    """A level, or its parts by kind of iteration where it has shares."""
    kinds = [replace(level.level, kind=kind) for kind, _ in level.shares]
    return tuple(replace(level, level=each) for each in kinds) or (level,)


def tabulated_levels(parameters: Parameters) -> tuple[PopulationGroupLevel, ...]:
    """The levels that the run tabulates in some ladder, each once."""
    levels = {each.level for ladder in parameters.ladders for each in ladder_levels(parameters, ladder)}
    return tuple(sorted(levels, key=lambda level: level_position(level, parameters.geography)))


def flags_read(parameters: Parameters) -> tuple[str, ...]:
    """The True/False columns of the lists of iterations that decide where an iteration is tabulated."""
    without = [kind.without for kind in parameters.region_types if kind.without is not None]
    questions = parameters.questions
    standard = [DETAILED_ONLY, COARSE_ONLY] if questions.is_standard else []
    total_only = [ladder.total_only for ladder in parameters.ladders if ladder.total_only]
    return tuple(dict.fromkeys([*standard, *without, *total_only]))


def iteration_levels(parameters: Parameters) -> tuple[str, ...]:
    """The levels of iterations that are tabulated, or that may be."""
    if parameters.questions.is_standard:
        return ITERATION_LEVELS
    return tuple(sorted({level.level.iteration_level for level in parameters.levels}))


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


def asks_the_census(path: Path) -> bool:
    """Whether parameters with problems ask the questions of the 2020 Census, as far as their file can be read."""
    try:
        settings = read_settings(path / _CONFIG if path.is_dir() else path)
    except InputError:
        return path.is_dir()
    return not is_own(settings) and not any(key in settings.document for key in OWN_QUESTION_KEYS)


def _checked_parameters(settings: Settings) -> Parameters:
    """The parameters in `settings`. A wrong setting adds a complaint to them and gets some valid value."""
    document = settings.document
    complain_unknown(settings, (), document, PARAMETER_KEYS)
    geography, questions = geography_at(settings), questions_at(settings, are_needed=not is_own(settings))
    asked = (STANDARD_KEY,) if questions.is_standard else ()
    required = (*_REQUIRED, *asked, *(OWN_REQUIRED if is_own(settings) else (_NEGATIVES, *STANDARD_REQUIRED)))
    complain_missing(settings, (), required, document)
    definition = _definition(settings)
    gamma = share_at(settings, (_GAMMA,), document.get(_GAMMA, "0.5"), is_zero_allowed=False)
    attributes, ladders = _tables(settings, LevelRules(geography, questions, definition, gamma))
    if any(ladder.choose == "stage 1" for ladder in ladders):
        complain_missing(settings, (), (_GAMMA,), document)
    parameters = Parameters(
        privacy_definition=definition,
        questions=questions,
        gamma=gamma if any(each.choose == "stage 1" for each in ladders) else Fraction(0),
        zero_suppression_chance=share_at(
            settings,
            ("zero_suppression_chance",),
            document.get("zero_suppression_chance", 0),
            is_zero_allowed=True,
        ),
        allow_negative_counts=is_true(settings, (_NEGATIVES,), document.get(_NEGATIVES, True)),
        geography=geography,
        ladders=ladders,
        source=settings.path,
        about=about_at(settings),
        unit=unit_at(settings, attributes),
        attributes=attributes,
        intervals_from_zero=is_true(settings, (_FROM_ZERO,), document.get(_FROM_ZERO, False)),
        publish_stage_1=is_true(settings, (_STAGE_1,), document.get(_STAGE_1, False)),
    )
    _complain_stage_1(settings, parameters)
    _complain_flags(settings, parameters)
    _complain_shared_columns(settings, parameters)
    _complain_empty_run(settings, parameters)
    return parameters


def _complain_stage_1(settings: Settings, parameters: Parameters) -> None:
    """Complain if stage 1 is to be published beside counts that are not as noise left them."""
    if parameters.publish_stage_1 and not parameters.allow_negative_counts:
        fix = f"write {_NEGATIVES} = true: estimates from both stages need the counts as noise left them"
        complain(settings, (), f"{_STAGE_1} is true, and {_NEGATIVES} is false", fix)


def _complain_flags(settings: Settings, parameters: Parameters) -> None:
    """Complain of flags where no list of iterations could have them."""
    if any(question.iterations for question in parameters.questions.all):
        return
    region_types = () if parameters.geography.is_standard else parameters.region_types
    flags = [*(kind.without for kind in region_types), *(ladder.total_only for ladder in parameters.ladders)]
    for flag in dict.fromkeys(filter(None, flags)):
        what = f"no question has a list of iterations, so none of them has the flag {shown(flag)}"
        complain(settings, (), what, "take out `total_only` and `without`, or give a question a list")


def _definition(settings: Settings) -> PrivacyDefinition:
    key, allowed = "privacy_definition", get_args(PrivacyDefinition)
    name = one_of(settings, (key,), settings.document.get(key, allowed[0]), allowed)
    return cast(PrivacyDefinition, name)


def _tables(settings: Settings, rules: LevelRules) -> tuple[tuple[Attribute, ...], tuple[Ladder, ...]]:
    """The ladders, and the attributes that they use; a file without ladders has that of sex by age."""
    if LADDERS_KEY in settings.document:
        attributes = attributes_at(settings)
        ladders = ladders_at(settings, attributes, rules)
        used = used_attributes(ladders, attributes)
        # Sex by age has the columns of production, in whichever order a file declares the two.
        in_order = tuple(sorted(used, key=lambda attribute: attribute.name))
        return in_order if is_sex_by_age(ladders, in_order) else used, ladders
    attributes = standard_attributes_at(settings)
    has_sexes = any(attribute.groups for attribute in attributes if attribute.is_listed)
    levels = standard_levels(settings, rules)
    return attributes, (sex_by_age(levels, rules.questions.total_only, has_sexes=has_sexes),)


def _complain_shared_columns(settings: Settings, parameters: Parameters) -> None:
    """Complain of a column of places or answers that is an attribute too, or has a name of ours."""
    places = [column.name for column in parameters.geography.place]
    asked = [name for question in parameters.questions.all for name in question.columns]
    columns = {attribute.name: attribute.column for attribute in parameters.attributes}
    ours = [*_COLUMNS_OF_RECORDS, *(name for attribute in columns for name in map(str.upper, columns_of(attribute)))]
    for name in (*places, *asked):
        for role in [role for role, column in columns.items() if column.upper() == name.upper()]:
            what = f"{name} is the column of {role}, and of the {'place' if name in places else 'answer'} too"
            complain(settings, (), what, "name every column once; capitals make no difference")
        if name.upper() in ours:
            complain(settings, (), f"{name} is the name of a column of ours", "rename it in the files")
    taken = [column.upper() for column in columns.values()]
    for role, column in columns.items():
        first = next(each for each, other in columns.items() if other.upper() == column.upper())
        if taken.count(column.upper()) > 1 and first != role:
            what = f"{column} is the column of {first}, and of {role} too"
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
