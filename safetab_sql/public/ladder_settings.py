"""What is checked of attributes and ladders together, and against the levels of the file that declares them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod

from safetab_sql.kit.errors import Problem, nearest
from safetab_sql.public.attributes import EACH, LARGEST_DOMAIN, Attribute
from safetab_sql.public.ladder_rows import finest_cells, ladder_rows, refines
from safetab_sql.public.ladders import BESIDE, COARSER, CODES, Cells, Ladder, attributes_of
from safetab_sql.public.level_settings import LevelRules, level_problems
from safetab_sql.settings.reading import Document
from safetab_sql.settings.wrong import Place

ATTRIBUTES_KEY = "attributes"
LADDERS_KEY = "ladders"
MOST_FINEST_CELLS = 4_096


def attribute_problems(document: Document, attributes: Sequence[Attribute]) -> Iterator[Problem]:
    """Columns that two attributes publish."""
    columns = [column for each in attributes for column in each.publish]
    for column in sorted({column for column in columns if [*map(str.upper, columns)].count(column.upper()) > 1}):
        what = f"{column} is published by two attributes, or twice by one"
        yield document.problem((ATTRIBUTES_KEY,), what, "publish each column once; capitals make no difference")
    numbers = {column: each.name for each in attributes for column in each.number_columns}
    for column in [column for column in columns if column.upper() in numbers]:
        what = f"{column} is published, and is the column of the numbers of {numbers[column.upper()]}"
        fix = "publish another name: every table has that column beside yours"
        yield document.problem((ATTRIBUTES_KEY,), what, fix)


def ladder_problems(
    document: Document,
    ladders: Sequence[Ladder],
    attributes: Sequence[Attribute],
    rules: LevelRules,
    is_sound: Callable[[Place], bool],
) -> Iterator[Problem]:
    """What is wrong with ladders of these attributes. is_sound: whether all that stands at a place could be read."""
    folders = [folder for ladder in ladders for folder in ladder.folders]
    for folder in sorted({*BESIDE, CODES} & set(folders)):
        fix = "choose another name: a release has a folder of this name beside its tables"
        yield document.problem((LADDERS_KEY,), f"a table is called '{folder}'", fix)
    for folder in sorted({folder for folder in folders if folders.count(folder) > 1}):
        fix = "give each ladder, and its totals, a name of its own; capitals make no difference"
        yield document.problem((LADDERS_KEY,), f"two tables are called '{folder}'", fix)
    for ladder in ladders:
        place = (LADDERS_KEY, ladder.name)
        thresholds = 0 if ladder.choose == "always" else len(ladder.statistics)
        own = replace(rules, thresholds=thresholds, choose=ladder.choose)
        yield from level_problems(document, (*place, "levels"), ladder.levels, own, is_sound)
        cells = list(_cell_problems(document, place, ladder, attributes))
        yield from cells or _subtotal_problems(document, place, ladder, attributes)


def _cell_problems(
    document: Document, place: Place, ladder: Ladder, attributes: Sequence[Attribute]
) -> Iterator[Problem]:
    """Attributes and groupings that the file does not have."""
    by_name = {attribute.name: attribute for attribute in attributes}
    declared = document.tables.get(ATTRIBUTES_KEY, {})
    subtotals = () if ladder.subtotals == COARSER else ladder.subtotals
    tables = [
        *(((*place, "statistics", each.name), each.cells) for each in ladder.statistics),
        *(((*place, "subtotals"), cells) for cells in subtotals),
    ]
    for here, name, grouping in [(here, *each) for here, cells in tables for each in cells]:
        if name in by_name and grouping not in (EACH, *by_name[name].groups):
            known = ", ".join([EACH, *by_name[name].groups])
            yield document.value_problem((*here, name), grouping, f"name a grouping of {name}: {known}")
        elif name not in by_name and not (isinstance(declared, dict) and name in declared):
            near = nearest(name, by_name)
            fix = f"did you mean {near}?" if near else f"declare [{ATTRIBUTES_KEY}.{name}]"
            yield document.problem(here, f"no attribute is called '{name}'", fix)


def _subtotal_problems(
    document: Document, place: Place, ladder: Ladder, attributes: Sequence[Attribute]
) -> Iterator[Problem]:
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


def size_problems(document: Document, ladders: Sequence[Ladder], attributes: Sequence[Attribute]) -> Iterator[Problem]:
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
