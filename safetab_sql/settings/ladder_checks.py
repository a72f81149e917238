"""What is checked of attributes, ladders and levels together: of those that can be read, whatever file says them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

from safetab_sql.kit.errors import nearest
from safetab_sql.settings.attributes import EACH, LARGEST_DOMAIN, Attribute
from safetab_sql.settings.budgets import noise_is_countable
from safetab_sql.settings.geography import Geography, declaration
from safetab_sql.settings.ladders import (
    BESIDE,
    COARSER,
    CODES,
    Cells,
    Ladder,
    LevelParameters,
    PopulationGroupLevel,
    about_thresholds,
    attributes_of,
    finest_cells,
    ladder_rows,
    refines,
)
from safetab_sql.settings.reading import Document, Place, Problems
from safetab_sql.settings.tables import repeated

if TYPE_CHECKING:
    from safetab_sql.settings.parameters import Parameters

ATTRIBUTES_KEY, LADDERS_KEY = "attributes", "ladders"
MOST_FINEST_CELLS = 4_096


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


def _name_problems(document: Document, place: Place, level: PopulationGroupLevel, run: "Parameters") -> Problems:
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
    document: Document, place: Place, ladder: Ladder, level: LevelParameters, run: "Parameters"
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
    run: "Parameters",
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
            ladder_rows(ladder, used, finest)
        except ValueError as error:
            fix = "let a published code stand for the same values in every grouping of the ladder"
            yield document.problem((LADDERS_KEY, ladder.name), str(error), fix)


def used_attributes(ladders: Sequence[Ladder], attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes that some ladder uses, in the order of the parameters; no other column is read."""
    used = {attribute for ladder in ladders for attribute in attributes_of(ladder, attributes)}
    return tuple(attribute for attribute in attributes if attribute in used)
