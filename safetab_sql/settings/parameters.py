"""Parameters of a run, and the file that they are read from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from pathlib import Path
from typing import Annotated, get_args

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.settings import ladder_checks as checks
from safetab_sql.settings.about import NOTHING_SAID, About
from safetab_sql.settings.attributes import Attribute, Attributes
from safetab_sql.settings.budgets import DELTA, PrivacyDefinition
from safetab_sql.settings.census import CENSUS, ShortForm, census_document, census_tables, general, keys_needed
from safetab_sql.settings.geography import Geography, Places, RegionType, geography_of, geography_problems
from safetab_sql.settings.labels import Labels, WrittenLabels, label_problems, labelled_codes, labels_of
from safetab_sql.settings.ladders import COARSER, MOST_LADDERS, Cells, Ladder, LevelParameters, amounts
from safetab_sql.settings.markers import Base, Switch, among, decimal, otherwise, whole
from safetab_sql.settings.questions import Asked, Questions, question_problems, questions_of
from safetab_sql.settings.reading import Document, Problems, Read, read_as, read_toml, text_of
from safetab_sql.settings.tables import INLINE, REQUIRED, Means, Named, Sized, shown, table
from safetab_sql.settings.unit import UNIT_KEY, Unit, unit_problems

LARGEST_SUPPRESSED = 1_000_000  # noisy count
CONFIG = "config.json"
_ONCE = "name every column once; capitals make no difference"
_SHARE = decimal(0, 1, "write a decimal number above 0 and below 1", without_least=True, without_most=True)
# What statements call the columns of a record that are of no place, answer or attribute.
_COLUMNS_OF_RECORDS = ("PERSON_FILE", "PERSON_ROW", "PERSON_ID", "PERSON_KEY", "PLACE_MAPPED")


@table
class ParameterFile:
    """The keys of a parameter file."""

    privacy_definition: Annotated[
        PrivacyDefinition,
        otherwise(among(get_args(PrivacyDefinition))),
        REQUIRED,
        Means("zcdp: budgets are rho, for Gaussian noise; puredp: epsilon, for two-sided geometric noise"),
    ] = "zcdp"
    gamma: Annotated[
        Fraction,
        _SHARE,
        Means("fraction of each budget that the noisy total spends that picks a table; required where one picks it"),
    ] = Fraction(1, 2)
    delta: Annotated[
        Fraction, _SHARE, Means("delta of the (epsilon, delta) that commands, the manifest and the report quote")
    ] = DELTA
    zero_suppression_chance: Annotated[
        Fraction,
        decimal(0, 1, "write a decimal number of at least 0 and below 1", without_most=True),
        Means("chance that the total of a group with nobody in it is left out, in regions with `suppress`"),
    ] = Fraction(0)
    suppress_below: Annotated[
        int | None,
        whole(1, LARGEST_SUPPRESSED, f"write a whole number from 1 to {LARGEST_SUPPRESSED:,}, such as 30"),
        Means("in regions with `suppress`, totals alone whose noisy count is below this are left out too"),
    ] = None
    allow_negative_counts: Annotated[
        Switch,
        Means("false: counts below 0 are published as 0, which makes sums too large; required in the short form"),
    ] = True
    intervals_from_zero: Annotated[
        Switch, Means("true: LOW95 and HIGH95 below 0 are published as 0; the counts stay as they are")
    ] = False
    publish_stage_1: Annotated[
        Switch, Means("true: also the noisy totals that pick tables; needs allow_negative_counts = true")
    ] = False
    places: Annotated[Places, INLINE] = Places()
    asked: Annotated[Asked, INLINE] = Asked()
    unit: Annotated[Unit, Means("the kind of record, and which records count")] = Unit()
    attributes: Annotated[Attributes, Means("columns that tables break down by; required with `ladders`")] = ()
    labels: Annotated[
        Mapping[str, WrittenLabels],
        Means("names of codes of an attribute, or of values of a question: a table, or a CSV file"),
    ] = field(default_factory=dict, hash=False)
    ladders: Annotated[
        tuple[Ladder, ...],
        Named(),
        Sized(1, MOST_LADDERS, what="{} ladders", fix=f"declare 1 to {MOST_LADDERS}"),
        Means("the tables; required without `levels`"),
    ] = ()
    short: Annotated[ShortForm, INLINE] = ShortForm()
    about: Annotated[About, INLINE] = NOTHING_SAID
    base: Base = None


@dataclass(frozen=True)  # without slots, for what is computed once
class Parameters:
    """Everything that decides a run, except the data.

    gamma: 0 where no ladder has a stage 1. ladders: each with its levels that have a budget above 0, in the order of
    their parts, region types and iteration levels. attributes: the columns that the ladders break down by. source: the
    file, which is ignored in comparisons. labels: by attribute, what its published codes are called.
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
    attributes: tuple[Attribute, ...] = ()
    intervals_from_zero: bool = False
    publish_stage_1: bool = False
    labels: Labels = field(default_factory=dict, hash=False)
    suppress_below: int | None = None
    delta: Fraction = DELTA

    @property
    def region_types(self) -> tuple[RegionType, ...]:
        """The region types of all parts, whether they have a budget or not."""
        return self.geography.region_types

    @property
    def levels(self) -> tuple[LevelParameters, ...]:
        """The levels of all ladders, ladder by ladder."""
        return tuple(level for ladder in self.ladders for level in ladder.levels)

    @cached_property
    def is_sex_by_age(self) -> bool:
        """Whether the tables are T1 and T2 of the 2020 Census: totals, and sex by 4, 9 or 23 age groups."""
        ladder, of_2020 = census_tables()
        attributes = sorted(self.attributes, key=lambda attribute: attribute.name)
        return _shape(self.ladders, attributes) == _shape([ladder], of_2020)

    @cached_property
    def meanings(self) -> Mapping[str, Mapping[str, str]]:
        """By published column of attributes, what codes mean that do not say it themselves."""
        found: dict[str, dict[str, str]] = {}
        if self.is_sex_by_age:
            found["SEX"] = {"*": "both", "1": "male", "2": "female"}
        for attribute in self.attributes:
            own = {**found.get(attribute.publish[0], {}), **self.labels.get(attribute.name, {})}
            found |= {attribute.publish[0]: own} if own else {}
        return found


def _shape(ladders: Sequence[Ladder], attributes: Sequence[Attribute]) -> tuple[object, ...]:
    """What decides the rows of published tables: their names, columns and codes."""
    by_name = {attribute.name: attribute for attribute in attributes}

    def codes(cells: Cells) -> dict[str, object]:
        return {name: by_name[name].grouping(grouping).codes for name, grouping in cells}

    tables = [
        (
            *(ladder.name, ladder.totals, ladder.total_name, ladder.choose, ladder.sum, ladder.beside),
            [(each.name, codes(each.cells)) for each in ladder.statistics],
            None if ladder.subtotals == COARSER else [codes(cells) for cells in ladder.subtotals],
        )
        for ladder in ladders
    ]
    return tables, [(each.name, each.publish, each.total, each.other, each.null) for each in attributes]


def flags_read(parameters: Parameters) -> tuple[str, ...]:
    """The True/False columns of the lists of iterations that decide where an iteration is tabulated."""
    flags = [*(each.total_only for each in parameters.ladders), *(each.without for each in parameters.region_types)]
    return tuple(dict.fromkeys(filter(None, flags)))


def load_parameters(path: str | Path) -> Parameters:
    """The parameters in a TOML file, in a config.json, or in the config.json of a production directory.

    Raises InputError, with every problem of the file.
    """
    read = _loaded(Path(path))
    if not read.is_sex_by_age:
        return read
    # The columns of production, however a file orders the two attributes.
    return replace(read, attributes=tuple(sorted(read.attributes, key=lambda attribute: attribute.name)))


def _loaded(path: Path) -> Parameters:
    given, problems = parameter_document(path)
    document, short, found = general(given)
    read = read_as(ParameterFile, document)
    parameters = _parameters(read.found, document)
    gamma = ["gamma"] if any(ladder.choose == "stage 1" for ladder in parameters.ladders) else []
    missing = [key for key in keys_needed(given.tables) + gamma if key not in given.tables]
    problems += [*found, *read.problems, *(given.missing_key((), key) for key in missing)]
    problems += _problems(document, replace(read, wrong=read.wrong | short.wrong), parameters)
    if not problems:
        problems += checks.size_problems(document, parameters.ladders, parameters.attributes)
    refuse(problems)
    return replace(parameters, labels=labels_of(read.found.labels, document.path.parent))


@cache
def census() -> Parameters:
    """The parameters of the 2020 Detailed DHC-A: configs/census-2020.toml."""
    return _loaded(CENSUS)


def parameter_document(path: Path) -> tuple[Document, list[Problem]]:
    """The tables of a file; config.json is translated into the tables of our TOML file."""
    file = path / CONFIG if path.is_dir() else path
    if file.suffix != ".json":
        return read_toml(file), []
    return census_document(file, text_of(file))


def _parameters(file: ParameterFile, document: Document) -> Parameters:
    levels = {level.level.iteration_level for ladder in file.ladders for level in ladder.levels}
    geography, questions = geography_of(file.places), questions_of(file.asked, levels)
    besides = [checks.beside(ladder, file.ladders) for ladder in file.ladders]
    ladders = tuple(replace(ladder, levels=checks.tabulated(ladder.levels, geography)) for ladder in besides)
    said = {each.name: getattr(file, each.name) for each in fields(Parameters) if hasattr(file, each.name)}
    said |= {"questions": questions, "geography": geography, "ladders": ladders, "source": document.path, "labels": {}}
    gamma = file.gamma if any(each.choose == "stage 1" for each in ladders) else Fraction(0)
    return Parameters(**{**said, "gamma": gamma, "attributes": checks.used_attributes(ladders, file.attributes)})


def _problems(document: Document, read: Read[ParameterFile], parameters: Parameters) -> Problems:
    file = read.found
    yield from geography_problems(document, file.places, has_parts=read.is_sound(("parts",)))
    yield from question_problems(document, file.asked)
    yield from checks.attribute_problems(document, file.attributes)
    codes = labelled_codes(file.attributes, parameters.questions.all, file.ladders, parameters.region_types)
    yield from label_problems(document, file.labels, codes)
    yield from checks.ladder_problems(document, file.ladders, file.attributes, parameters, read.is_sound)
    declared = document.tables.get(checks.ATTRIBUTES_KEY, {})
    names = [*(each.name for each in file.attributes), *(declared if isinstance(declared, Mapping) else ())]
    names += [amount.ladder for amount in amounts(file.ladders)]
    yield from unit_problems(document, file.unit, list(dict.fromkeys(names)))
    yield from _sum_problems(document, parameters)
    if parameters.publish_stage_1 and not parameters.allow_negative_counts:
        fix = "write allow_negative_counts = true: estimates from both stages need the counts as noise left them"
        yield document.problem((), "publish_stage_1 is true, and allow_negative_counts is false", fix)
    run = parameters.geography.run
    if file.unit.person is not None and len(run) > 1:  # parts hold different records, and not different people
        what = f"the parts {' and '.join(run)} are run together, and a person may have records in both"
        yield document.problem((UNIT_KEY,), what, "run each part by itself: what a person loses by both adds up")
    has_list = any(question.iterations for question in parameters.questions.all)
    for flag in () if has_list else flags_read(parameters):
        what = f"no question has a list of iterations, so none of them has the flag {shown(flag)}"
        yield document.problem((), what, "take out `total_only` and `without`, or give a question a list")
    yield from _shared_columns(document, parameters)
    yield from _empty_runs(document, read, parameters)


def _sum_problems(document: Document, parameters: Parameters) -> Problems:
    """Amounts that are codes: of places, answers or persons."""
    codes = [column.name for column in parameters.geography.place]
    codes += [*parameters.questions.columns, *filter(None, (parameters.unit.person, parameters.unit.id))]
    codes += [each.column for each in parameters.attributes if each.is_listed or each.is_mapped]
    for amount in [each for each in amounts(parameters.ladders) if each.column.upper() in map(str.upper, codes)]:
        what = f"{amount.column} is a column of codes, and a sum adds up whole numbers"
        yield document.problem(("ladders", amount.ladder, "sum", "column"), what, "name a column of whole numbers")


def _shared_columns(document: Document, parameters: Parameters) -> Problems:
    """Columns with two roles, and such as are called like a column of ours. An answer may be an attribute too."""
    asked, unit, attributes = parameters.questions.columns, parameters.unit, parameters.attributes
    places = [column.name for column in parameters.geography.place]
    roles = [(each.column, each.name) for each in attributes]
    roles += [(unit.person, "the person")] if unit.person is not None else []
    roles += [*((name, "the place") for name in places), *((name, "the answer") for name in asked)]
    for (one, role), (other, second) in combinations(roles, 2):
        is_answer = second == "the answer" and not role.startswith("the ")
        if one.upper() != other.upper() or role == second or (is_answer and one == other):
            continue
        what = f"{one} is the column of {role}, and {'' if one == other else f'{other} '}of {second} too"
        table = (UNIT_KEY,) if role == "the person" else () if second.startswith("the ") else (checks.ATTRIBUTES_KEY,)
        yield document.problem(table, what, "write it with the same capitals in both places" if is_answer else _ONCE)
    single = [*(each.column for each in attributes), *unit.where, unit.id]
    for name in [each.list_column for each in parameters.questions.several if each.list_column in single]:
        yield document.problem((), f"{name} holds lists of answers, and stands for a single value, too", _ONCE)
    taken = [name.upper() for each in attributes for name in (each.number, each.given, each.mapped)]
    taken += [name.upper() for each in amounts(parameters.ladders) for name in (each.name, each.given)]
    for name in dict.fromkeys([*asked, *places]):
        if name.upper() in (*_COLUMNS_OF_RECORDS, *taken):
            yield document.problem((), f"{name} is the name of a column of ours", "rename it in the files")


def _empty_runs(document: Document, read: Read[ParameterFile], parameters: Parameters) -> Problems:
    geography = parameters.geography
    doubtful = []  # region types of levels that have a problem
    for place in read.wrong:
        match place:
            case ("levels", name, *_) | ("ladders", _, "levels", name, *_):
                doubtful.append(name.rpartition("-")[0])
    parts = {kind.name: kind.part for kind in geography.region_types}
    with_budget = {parts[level.level.region_type] for level in parameters.levels}
    with_budget |= {parts[region_type] for region_type in doubtful if region_type in parts}
    for part in [part for part in geography.run if part not in with_budget]:
        what = f"part {part} is run, but every budget of its levels is zero"
        yield document.problem((), what, "give at least one of its levels a budget above 0")
