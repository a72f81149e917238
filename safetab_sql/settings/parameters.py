"""Parameters of a run, and the file that they are read from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from math import prod
from pathlib import Path
from typing import Annotated, ClassVar

from safetab_sql.kit.errors import Problem, nearest, refuse
from safetab_sql.settings.about import NOTHING_SAID, About
from safetab_sql.settings.attributes import EACH, LARGEST_DOMAIN, Attribute, Attributes
from safetab_sql.settings.budgets import DELTA, PrivacyDefinition, noise_is_countable
from safetab_sql.settings.census import CENSUS, ShortForm, census_document, census_tables, general, keys_needed
from safetab_sql.settings.geography import Geography, Places, RegionType, declaration, geography_of, geography_problems
from safetab_sql.settings.labels import Labels, WrittenLabels, label_problems, labelled_codes, labels_of
from safetab_sql.settings.ladders import (
    BESIDE,
    COARSER,
    CODES,
    MOST_LADDERS,
    Cells,
    Ladder,
    LevelParameters,
    PopulationGroupLevel,
    about_thresholds,
    amounts,
    attributes_of,
    finest_cells,
    ladder_rows,
    refines,
)
from safetab_sql.settings.markers import Base, Switch, decimal, whole
from safetab_sql.settings.questions import Asked, Questions, question_problems, questions_of
from safetab_sql.settings.reading import Document, Place, Problems, Read, read_as, read_toml, text_of
from safetab_sql.settings.tables import INLINE, named, repeated, shown, sized_table, table
from safetab_sql.settings.unit import UNIT_KEY, Unit, unit_problems

LARGEST_SUPPRESSED = 1_000_000  # noisy count
CONFIG = "config.json"
ATTRIBUTES_KEY, LADDERS_KEY = "attributes", "ladders"
MOST_FINEST_CELLS = 4_096
_ONCE = "name every column once; capitals make no difference"
_SHARE = decimal(0, 1, "write a decimal number above 0 and below 1", without_least=True, without_most=True)
# What statements call the columns of a record that are of no place, answer or attribute.
_COLUMNS_OF_RECORDS = ("PERSON_FILE", "PERSON_ROW", "PERSON_ID", "PERSON_KEY", "PLACE_MAPPED")


@table
class ParameterFile:
    """The keys of a parameter file."""

    privacy_definition: Annotated[
        PrivacyDefinition, "zcdp: budgets are rho, for Gaussian noise; puredp: epsilon, for two-sided geometric noise"
    ] = "zcdp"
    gamma: Annotated[
        Fraction,
        _SHARE,
        "fraction of each budget that the noisy total spends that picks a table; required where one picks it",
    ] = Fraction(1, 2)
    delta: Annotated[
        Fraction, _SHARE, "delta of the (epsilon, delta) that commands, the manifest and the report quote"
    ] = DELTA
    zero_suppression_chance: Annotated[
        Fraction,
        decimal(0, 1, "write a decimal number of at least 0 and below 1", without_most=True),
        "chance that the total of a group with nobody in it is left out, in regions with `suppress`",
    ] = Fraction(0)
    suppress_below: Annotated[
        int | None,
        whole(1, LARGEST_SUPPRESSED, f"write a whole number from 1 to {LARGEST_SUPPRESSED:,}, such as 30"),
        "in regions with `suppress`, totals alone whose noisy count is below this are left out too",
    ] = None
    allow_negative_counts: Annotated[
        Switch, "false: counts below 0 are published as 0, which makes sums too large; required in the short form"
    ] = True
    intervals_from_zero: Annotated[
        Switch, "true: LOW95 and HIGH95 below 0 are published as 0; the counts stay as they are"
    ] = False
    publish_stage_1: Annotated[
        Switch, "true: also the noisy totals that pick tables; needs allow_negative_counts = true"
    ] = False
    places: Annotated[Places, INLINE] = Places()
    asked: Annotated[Asked, INLINE] = Asked()
    unit: Annotated[Unit, "the kind of record, and which records count"] = Unit()
    attributes: Annotated[Attributes, "columns that tables break down by; required with `ladders`"] = ()
    labels: Annotated[
        Mapping[str, WrittenLabels],
        "names of codes of an attribute, or of values of a question: a table, or a CSV file",
    ] = field(default_factory=dict, hash=False)
    ladders: Annotated[
        tuple[Ladder, ...],
        named(),
        sized_table(1, MOST_LADDERS, what="{} ladders", fix=f"declare 1 to {MOST_LADDERS}"),
        "the tables; required without `levels`",
    ] = ()
    short: Annotated[ShortForm, INLINE] = ShortForm()
    about: Annotated[About, INLINE] = NOTHING_SAID
    base: Base = None
    required: ClassVar = ("privacy_definition",)


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
        problems += size_problems(document, parameters.ladders, parameters.attributes)
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
    besides = [beside(ladder, file.ladders) for ladder in file.ladders]
    ladders = tuple(replace(ladder, levels=tabulated(ladder.levels, geography)) for ladder in besides)
    said = {each.name: getattr(file, each.name) for each in fields(Parameters) if hasattr(file, each.name)}
    said |= {"questions": questions, "geography": geography, "ladders": ladders, "source": document.path, "labels": {}}
    gamma = file.gamma if any(each.choose == "stage 1" for each in ladders) else Fraction(0)
    return Parameters(**{**said, "gamma": gamma, "attributes": used_attributes(ladders, file.attributes)})


def _problems(document: Document, read: Read[ParameterFile], parameters: Parameters) -> Problems:
    file = read.found
    yield from geography_problems(document, file.places, has_parts=read.is_sound(("parts",)))
    yield from question_problems(document, file.asked)
    yield from attribute_problems(document, file.attributes)
    codes = labelled_codes(file.attributes, parameters.questions.all, file.ladders, parameters.region_types)
    yield from label_problems(document, file.labels, codes)
    yield from ladder_problems(document, file.ladders, file.attributes, parameters, read.is_sound)
    declared = document.tables.get(ATTRIBUTES_KEY, {})
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
        table = (UNIT_KEY,) if role == "the person" else () if second.startswith("the ") else (ATTRIBUTES_KEY,)
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


# What is checked of attributes, ladders and levels together: of those that can be read, whatever file says them.


def tabulated(levels: Sequence[LevelParameters], geography: Geography) -> tuple[LevelParameters, ...]:
    """The levels that have a budget above 0, in the order of `level_position`."""
    known = {kind.name for kind in geography.region_types}
    wanted = [level for level in levels if level.budget > 0 and level.level.region_type in known]
    return tuple(sorted(wanted, key=lambda level: level_position(level.level, geography)))


def level_position(level: PopulationGroupLevel, geography: Geography) -> tuple[int, int, str]:
    """Levels are in the order of their parts, of their region types, and of their iteration levels."""
    parts = [part.name for part in geography.parts]
    names = [kind.name for kind in geography.region_types]
    part, region_type = parts.index(geography.part_of(level.region_type)), names.index(level.region_type)
    return part, region_type, level.iteration_level


def _name_problems(document: Document, place: Place, level: PopulationGroupLevel, run: Parameters) -> Problems:
    known, region_types = run.questions.known_levels, [kind.name for kind in run.region_types]
    if level.region_type not in region_types:
        wanted = level.region_type or level.iteration_level
        near = nearest(wanted, region_types)
        guess = f"did you mean {near}? " if near else ""
        own = "" if wanted in region_types or document.translated else f"; {declaration(wanted, run.geography)}"
        example = f"{near or [*region_types, 'COUNTY'][0]}-{[*known, '1'][0]}"
        fix = f"{guess}A level is named region type, hyphen, level of the iterations, such as {example}{own}"
        yield document.problem(place, f"unknown region type '{wanted}'", fix)
    elif known and level.iteration_level not in known:
        what = f"no iteration has level '{level.iteration_level}'"
        yield document.problem(place, what, f"name one of their levels: {', '.join(known)}")


def _threshold_problems(
    document: Document, place: Place, ladder: Ladder, level: LevelParameters, run: Parameters
) -> Problems:
    """A level that is not tabulated, or publishes totals alone, needs none."""
    if level.margins and ladder.choose == "published":
        fix = "write integers: the totals are of another release, published before these margins were known"
        yield document.problem(place, 'the thresholds are margins, and choose is "published"', fix)
    elif ladder.choose in ("always", "beside"):
        if level.thresholds or level.margins:
            yield document.problem(place, f'there are thresholds, and choose is "{ladder.choose}"', "take them out")
    elif level.thresholds:
        if len(level.thresholds) != len(ladder.statistics):
            fix = about_thresholds(len(ladder.statistics))
            yield document.value_problem((*place, "thresholds"), list(level.thresholds), fix)
        suppressed = [kind.name for kind in run.region_types if kind.suppress and ladder.sum is None]
        first, least = level.thresholds[0], run.suppress_below or level.thresholds[0]
        if level.level.region_type in suppressed and first < least:
            what = f"groups get a table from {first} on, below suppress_below = {least}"
            fix = f"raise the first threshold to {least}: tables are not suppressed, and add up to a total"
            yield document.problem((*place, "thresholds"), what, fix)
    elif level.budget > 0 and not level.is_total_only and not level.margins:
        yield document.missing_key(place, "thresholds")


def attribute_problems(document: Document, attributes: Sequence[Attribute]) -> Problems:
    """Columns that two attributes publish."""
    columns = [column for each in attributes for column in each.publish]
    for column in sorted({column for column in columns if [*map(str.upper, columns)].count(column.upper()) > 1}):
        what = f"{column} is published by two attributes, or twice by one"
        yield document.problem((ATTRIBUTES_KEY,), what, "publish each column once; capitals make no difference")
    beside = {f"{column.upper()}_NAME": f"names of {column}" for column in columns}
    beside |= {column: f"numbers of {each.name}" for each in attributes for column in each.number_columns}
    for column in [column for column in columns if column.upper() in beside]:
        what = f"{column} is published, and is the column of the {beside[column.upper()]}"
        fix = "publish another name: every table has that column beside yours"
        yield document.problem((ATTRIBUTES_KEY,), what, fix)


def ladder_problems(
    document: Document,
    ladders: Sequence[Ladder],
    attributes: Sequence[Attribute],
    run: Parameters,
    is_sound: Callable[[Place], bool],
) -> Problems:
    """What is wrong with ladders of these attributes. is_sound: whether all that stands at a place could be read."""
    folders = [folder for ladder in ladders for folder in ladder.folders]
    for folder in sorted({*BESIDE, CODES} & set(folders)):
        fix = "choose another name: a release has a folder of this name beside its tables"
        yield document.problem((LADDERS_KEY,), f"a table is called '{folder}'", fix)
    for folder in sorted(repeated(folders)):
        fix = "give each ladder, and its totals, a name of its own; capitals make no difference"
        yield document.problem((LADDERS_KEY,), f"two tables are called '{folder}'", fix)
    for ladder in ladders:
        place = (LADDERS_KEY, ladder.name)
        bound = run.unit.bound(1, run.privacy_definition, ladder.most_change)
        gamma = run.gamma if ladder.choose == "stage 1" else Fraction(0)
        for level in ladder.levels:
            here = (*place, "levels", level.level.name.removeprefix("-"))
            yield from _name_problems(document, here, level.level, run)
            if is_sound(place):
                yield from _threshold_problems(document, here, ladder, level, run)
            if level.budget > 0 and not noise_is_countable(level.budget / bound, gamma, run.privacy_definition):
                fix = "raise it (or write 0): some noise would have a standard deviation above 1e12 persons"
                yield document.problem(here, "the budget is too small", fix)
        yield from _beside_problems(document, place, ladder, ladders)
        cells = list(_cell_problems(document, place, ladder, attributes))
        yield from cells or _subtotal_problems(document, place, ladder, attributes)


def beside(ladder: Ladder, ladders: Sequence[Ladder]) -> Ladder:
    """A ladder; one beside another gives totals alone where that one does."""
    other = next((each for each in ladders if each.name == ladder.beside), None)
    if other is None:
        return ladder
    known = {level.level: level for level in other.levels}
    levels = [
        replace(level, is_total_only=like.is_total_only, total_only=like.total_only)
        for level in ladder.levels
        for like in [known.get(level.level, level)]
    ]
    return replace(ladder, total_only=other.total_only, levels=tuple(levels))


def _beside_problems(document: Document, place: Place, ladder: Ladder, ladders: Sequence[Ladder]) -> Problems:
    """Why a ladder cannot have the groups and tables of another one."""
    if ladder.beside is None:
        return
    names = [each.name for each in ladders if each.beside is None]
    if ladder.beside not in names:
        fix = f"name a ladder that picks its tables itself: {', '.join(names) or 'there is none'}"
        yield document.value_problem((*place, "beside"), ladder.beside, fix)
        return
    other = next(each for each in ladders if each.name == ladder.beside)
    if len(ladder.statistics) != len(other.statistics):
        what = f"{len(ladder.statistics)} statistics; {other.name} has {len(other.statistics)}"
        yield document.problem((*place, "statistics"), what, "list as many: each goes with the one of its number there")
    known = {level.level: level for level in other.levels if level.budget > 0}
    for level in ladder.levels:
        here, like = (*place, "levels", level.level.name), known.get(level.level)
        if level.total_only or level.is_total_only:
            yield document.problem(here, "total_only stands in it", f"take it out: {other.name} says it")
        if level.budget > 0 and like is None:
            fix = f"give {other.name} a budget for this level, or take it out"
            yield document.problem(here, f"{other.name} does not tabulate it", fix)


def _cell_problems(document: Document, place: Place, ladder: Ladder, attributes: Sequence[Attribute]) -> Problems:
    by_name = {attribute.name: attribute for attribute in attributes}
    subtotals = () if ladder.subtotals == COARSER else ladder.subtotals
    tables = [
        *(((*place, "statistics", each.name), each.cells) for each in ladder.statistics),
        *(((*place, "subtotals"), cells) for cells in subtotals),
    ]
    for here, name, grouping in [(here, *each) for here, cells in tables for each in cells]:
        if name in by_name and grouping not in (EACH, *by_name[name].groups):
            known = ", ".join([EACH, *by_name[name].groups])
            yield document.value_problem((*here, name), grouping, f"name a grouping of {name}: {known}")
        elif name not in by_name and not document.declares(ATTRIBUTES_KEY, name):
            near = nearest(name, by_name)
            fix = f"did you mean {near}?" if near else f"declare [{ATTRIBUTES_KEY}.{name}]"
            yield document.problem(here, f"no attribute is called '{name}'", fix)


def _subtotal_problems(document: Document, place: Place, ladder: Ladder, attributes: Sequence[Attribute]) -> Problems:
    """Subtotals that no statistic refines, and "coarser" where one does not refine the one before it."""
    known = {attribute.name for attribute in attributes}
    if any(name not in known for each in ladder.statistics for name, _ in each.cells):
        return  # an attribute of it has its problem
    place = (*place, "subtotals")
    if ladder.subtotals != COARSER:
        for cells in ladder.subtotals:
            if not any(refines(each.cells, cells, attributes) for each in ladder.statistics):
                what = f"no statistic refines {_shown_cells(cells)}"
                yield document.problem(place, what, "leave it out, or refine a statistic")
        return
    for earlier, later in zip(ladder.statistics, ladder.statistics[1:], strict=False):
        if not refines(later.cells, earlier.cells, attributes):
            what = f"'{later.name}' does not refine '{earlier.name}', so its cells do not add up to those"
            fix = f"let every group of {_shown_cells(later.cells)} lie in one of {_shown_cells(earlier.cells)}, or list"
            yield document.problem(place, what, f"{fix} the subtotals")


def _shown_cells(cells: Cells) -> str:
    return " by ".join(f"{name} {grouping}" for name, grouping in cells)


def size_problems(document: Document, ladders: Sequence[Ladder], attributes: Sequence[Attribute]) -> Problems:
    """Too many combinations of values, or of finest cells, and published codes of two meanings, in sound ladders."""
    used = used_attributes(ladders, attributes)
    values = prod(attribute.size for attribute in used)
    if values > LARGEST_DOMAIN:
        largest = max(used, key=lambda attribute: attribute.size)
        what = f"the attributes have {values:,} combinations of values, {largest.name} alone {largest.size:,}"
        fix = f"narrow {largest.name}, or split the run: at most {LARGEST_DOMAIN:,} are counted at once"
        yield document.problem((ATTRIBUTES_KEY,), what, fix)
        return
    finest = finest_cells(used, ladders)
    if finest.cells > MOST_FINEST_CELLS:
        sizes = {name: len(set(classes)) for name, classes in finest.classes.items()}
        largest_name = max(sizes, key=lambda name: sizes[name])
        what = f"the ladders have {finest.cells:,} finest cells, {largest_name} alone {sizes[largest_name]:,}"
        fix = f"group {largest_name}, or split the run: at most {MOST_FINEST_CELLS:,} are counted at once"
        yield document.problem((LADDERS_KEY,), what, fix)
        return
    for ladder in ladders:
        try:
            ladder_rows(ladder, used, tuple(ladders))
        except ValueError as error:
            fix = "let a published code stand for the same values in every grouping of the ladder"
            yield document.problem((LADDERS_KEY, ladder.name), str(error), fix)


def used_attributes(ladders: Sequence[Ladder], attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes that some ladder uses, in the order of the parameters; no other column is read."""
    used = {attribute for ladder in ladders for attribute in attributes_of(ladder, attributes)}
    return tuple(attribute for attribute in attributes if attribute in used)
