"""The ladders of a parameter file: their statistics, and their budgets and thresholds by level.

[ladders.EDU]
choose = "stage 1"            # or always: the one statistic for every group; or published: by the totals of --totals
total_only = "TOTAL_ONLY"     # flag of the iterations that get a total alone
totals = "SUMS"               # a folder of its own for totals; else they are rows of the table
total_name = "total"          # STATISTIC of a group that gets a total alone
subtotals = [{ EDUCATION = "two" }]   # or "coarser": the cells of the statistics before
statistics = [{ name = "education", cells = { EDUCATION = "two" } },
              { name = "age by education", cells = { AGE = "three", EDUCATION = "each" } }]
levels = [{ each = ["COUNTRY-region"], budget = 0.5, thresholds = [50, 500] }]
"""

import re
from collections.abc import Sequence
from math import prod
from typing import Literal, cast, get_args

from safetab_sql.kit.guesses import nearest
from safetab_sql.public.attribute_settings import ATTRIBUTES_KEY
from safetab_sql.public.attributes import EACH, LARGEST_DOMAIN, Attribute
from safetab_sql.public.ladder_rows import finest_cells, ladder_rows, refines
from safetab_sql.public.ladders import (
    BESIDE,
    COARSER,
    CODES,
    Cells,
    Choose,
    Ladder,
    LevelParameters,
    Statistic,
    attributes_of,
)
from safetab_sql.public.level_settings import (
    LEVEL_KEYS,
    LEVELS_KEY,
    LevelRules,
    Needed,
    in_order,
    level_named,
    levels_with_budget,
)
from safetab_sql.public.settings import (
    Place,
    Settings,
    complain,
    complain_missing,
    complain_unknown,
    complain_value,
    one_of,
    shown,
    table_at,
    text_at,
    texts_at,
)

LADDERS_KEY = "ladders"
MOST_FINEST_CELLS = 4_096
_MOST_LADDERS, _MOST_STATISTICS = 20, 20
LADDER_KEYS = ("choose", "total_only", "subtotals", "totals", "total_name", "statistics", "levels")
STATISTIC_KEYS, LISTED_LEVEL_KEYS = ("name", "cells"), ("each", *LEVEL_KEYS)
LADDER_NAME = re.compile(r"[A-Z][A-Z0-9_-]{0,31}")
STATISTIC_NAME = re.compile(r"[^\x00-\x1f\x7f|\"/\\.][^\x00-\x1f\x7f|\"/\\]{0,59}")


def ladders_at(settings: Settings, attributes: Sequence[Attribute], rules: LevelRules) -> tuple[Ladder, ...]:
    """The ladders in the file. A wrong setting adds a complaint; a ladder that cannot be understood is left out."""
    tables = table_at(settings, (LADDERS_KEY,), settings.document.get(LADDERS_KEY, {}))
    if not tables or len(tables) > _MOST_LADDERS:
        complain(settings, (LADDERS_KEY,), f"{len(tables)} ladders", f"declare 1 to {_MOST_LADDERS}")
        return ()
    if LEVELS_KEY in settings.document:
        fix = f"write the levels of each ladder into it: [{LADDERS_KEY}.{next(iter(tables))}] levels = [...]"
        complain(settings, (LEVELS_KEY,), "stands beside ladders", fix)
    read = [_ladder(settings, name, each, attributes, rules) for name, each in tables.items()]
    found = tuple(each for each in read if each is not None)
    folders = [folder for ladder in found for folder in ladder.folders]
    for folder in sorted({*BESIDE, CODES} & set(folders)):
        fix = "choose another name: a release has a folder of this name beside its tables"
        complain(settings, (LADDERS_KEY,), f"a table is called '{folder}'", fix)
    for folder in sorted({folder for folder in folders if folders.count(folder) > 1}):
        fix = "give each ladder, and its totals, a name of its own; capitals make no difference"
        complain(settings, (LADDERS_KEY,), f"two tables are called '{folder}'", fix)
    if not settings.problems:
        _complain_size(settings, found, attributes)
    if not settings.problems:
        _complain_rows(settings, found, attributes)
    return found


def _ladder(
    settings: Settings, name: str, value: object, attributes: Sequence[Attribute], rules: LevelRules
) -> Ladder | None:
    place = (LADDERS_KEY, name)
    table = table_at(settings, place, value)
    complain_unknown(settings, place, table, LADDER_KEYS)
    complain_missing(settings, place, ("statistics", "levels"), table)
    for label, given in (("ladder", name), *((("folder of totals", table["totals"]),) if "totals" in table else ())):
        if not isinstance(given, str) or not LADDER_NAME.fullmatch(given):
            fix = "use capitals, digits, _ and -, a capital first, at most 32 characters"
            complain(settings, place, f"{shown(given)} is no name for a {label}", fix)
    choose = cast(Choose, one_of(settings, (*place, "choose"), table.get("choose", "stage 1"), get_args(Choose)))
    total_name = _statistic_name(settings, (*place, "total_name"), table.get("total_name", "total"))
    statistics = _statistics(settings, place, table.get("statistics", []), attributes)
    for repeated in {each.name for each in statistics if each.name == total_name}:
        complain(settings, place, f"a statistic is called '{repeated}', as the total is", "rename one of them")
    if choose == "always" and len(statistics) > 1:
        fix = "keep one: every group gets it, or say how a statistic is chosen"
        complain(settings, (*place, "statistics"), f'{len(statistics)} statistics, and choose is "always"', fix)
    needs = Needed(0 if choose == "always" else len(statistics), choose)
    ladder = Ladder(
        name=name,
        statistics=statistics,
        levels=_levels(settings, place, table.get("levels", []), needs, rules),
        choose=choose,
        subtotals=_subtotals(settings, place, table.get("subtotals", []), attributes),
        totals=cast(str, table["totals"]) if isinstance(table.get("totals"), str) else None,
        total_name=total_name,
        total_only=text_at(settings, (*place, "total_only"), table["total_only"]) if "total_only" in table else None,
    )
    _complain_subtotals(settings, place, ladder, attributes)
    return ladder if statistics else None


def _statistics(
    settings: Settings, place: Place, value: object, attributes: Sequence[Attribute]
) -> tuple[Statistic, ...]:
    place = (*place, "statistics")
    if not isinstance(value, list) or not 1 <= len(value) <= _MOST_STATISTICS:
        fix = f'write 1 to {_MOST_STATISTICS} tables such as {{ name = "age", cells = {{ AGE = "each" }} }}'
        complain_value(settings, place, value, fix)
        return ()
    found = []
    for number, each in enumerate(value, start=1):
        here = (*place, str(number))
        table = table_at(settings, here, each)
        complain_unknown(settings, here, table, STATISTIC_KEYS)
        complain_missing(settings, here, STATISTIC_KEYS, table)
        name = _statistic_name(settings, (*here, "name"), table.get("name", f"{number}"))
        cells = _cells(settings, (*here, "cells"), table.get("cells", {}), attributes)
        if "cells" in table and not cells and not settings.problems:
            complain(settings, here, "cells name no attribute", 'name at least one, such as { AGE = "each" }')
        found.append(Statistic(name, cells))
    names = [each.name for each in found]
    for name in sorted({name for name in names if names.count(name) > 1}):
        complain(settings, place, f"two statistics are called '{name}'", "rename one of them")
    return tuple(found)


def _statistic_name(settings: Settings, place: Place, value: object) -> str:
    if isinstance(value, str) and STATISTIC_NAME.fullmatch(value):
        return value
    complain_value(settings, place, value, 'write 1 to 60 characters in quotes, no dot first, none of them | / \\ or "')
    return "statistic"


def _cells(settings: Settings, place: Place, value: object, attributes: Sequence[Attribute]) -> Cells:
    found = []
    by_name = {attribute.name: attribute for attribute in attributes}
    for name, grouping in table_at(settings, place, value).items():
        attribute = by_name.get(name)
        if attribute is None:
            declared = name in table_at(settings, (), settings.document.get(ATTRIBUTES_KEY, {}))
            near = nearest(name, by_name)
            fix = f"did you mean {near}?" if near else f"declare [{ATTRIBUTES_KEY}.{name}]"
            if not declared:  # otherwise it is wrong, and has its complaint
                complain(settings, place, f"no attribute is called '{name}'", fix)
        elif grouping != EACH and (not isinstance(grouping, str) or grouping not in attribute.groups):
            known = ", ".join([EACH, *attribute.groups])
            complain_value(settings, (*place, name), grouping, f"name a grouping of {name}: {known}")
        else:
            found.append((name, str(grouping)))
    return tuple(found)


def _subtotals(
    settings: Settings, place: Place, value: object, attributes: Sequence[Attribute]
) -> tuple[Cells, ...] | Literal["coarser"]:
    place = (*place, "subtotals")
    if value == COARSER:
        return COARSER
    if not isinstance(value, list) or len(value) > _MOST_STATISTICS:
        complain_value(settings, place, value, f'write "{COARSER}", or a list such as [{{ SEX = "each" }}]')
        return ()
    cells = [_cells(settings, (*place, str(number)), each, attributes) for number, each in enumerate(value, start=1)]
    if {} in value:
        fix = 'name at least one attribute, such as { SEX = "each" }; the total is published anyway'
        complain_value(settings, place, value, fix)
    return tuple(cells)


def _complain_subtotals(settings: Settings, place: Place, ladder: Ladder, attributes: Sequence[Attribute]) -> None:
    """Complain of subtotals that no statistic refines, and of "coarser" where one does not refine those before."""
    if any(not each.cells for each in ladder.statistics):
        return  # it has its complaint
    if ladder.subtotals != COARSER:
        for cells in filter(None, ladder.subtotals):
            if not any(refines(each.cells, cells, attributes) for each in ladder.statistics):
                what = f"no statistic refines {_shown_cells(cells)}"
                complain(settings, (*place, "subtotals"), what, "leave it out, or refine a statistic")
        return
    for earlier, later in zip(ladder.statistics, ladder.statistics[1:], strict=False):
        if not refines(later.cells, earlier.cells, attributes):
            what = f"'{later.name}' does not refine '{earlier.name}', so its cells do not add up to those"
            fix = f"let every group of {_shown_cells(later.cells)} lie in one of {_shown_cells(earlier.cells)}, or list"
            complain(settings, (*place, "subtotals"), what, f"{fix} the subtotals")


def _shown_cells(cells: Cells) -> str:
    return " by ".join(f"{name} {grouping}" for name, grouping in cells)


def _complain_size(settings: Settings, ladders: Sequence[Ladder], attributes: Sequence[Attribute]) -> None:
    """Complain of too many combinations of values, or of finest cells, and say which attribute has most."""
    used = used_attributes(ladders, attributes)
    values = prod(attribute.size for attribute in used)
    if values > LARGEST_DOMAIN:
        largest = max(used, key=lambda attribute: attribute.size)
        what = f"the attributes have {values:,} combinations of values, {largest.name} alone {largest.size:,}"
        fix = f"narrow {largest.name}, or split the run: at most {LARGEST_DOMAIN:,} are counted at once"
        complain(settings, (ATTRIBUTES_KEY,), what, fix)
        return
    finest = finest_cells(used, ladders)
    if finest.cells > MOST_FINEST_CELLS:
        sizes = {name: len(set(classes)) for name, classes in finest.classes.items()}
        largest_name = max(sizes, key=lambda name: sizes[name])
        what = f"the ladders have {finest.cells:,} finest cells, {largest_name} alone {sizes[largest_name]:,}"
        fix = f"group {largest_name}, or split the run: at most {MOST_FINEST_CELLS:,} are counted at once"
        complain(settings, (LADDERS_KEY,), what, fix)


def _complain_rows(settings: Settings, ladders: Sequence[Ladder], attributes: Sequence[Attribute]) -> None:
    used = used_attributes(ladders, attributes)
    for ladder in ladders:
        try:
            ladder_rows(ladder, used, finest_cells(used, ladders))
        except ValueError as error:
            fix = "let a published code stand for the same values in every grouping of the ladder"
            complain(settings, (LADDERS_KEY, ladder.name), str(error), fix)


def used_attributes(ladders: Sequence[Ladder], attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes that some ladder uses, in the order of the parameters; no other column is read."""
    used = {attribute for ladder in ladders for attribute in attributes_of(ladder, attributes)}
    return tuple(attribute for attribute in attributes if attribute in used)


def _levels(
    settings: Settings, place: Place, value: object, needs: Needed, rules: LevelRules
) -> tuple[LevelParameters, ...]:
    """The levels of one ladder that have a budget above 0."""
    place = (*place, "levels")
    if not isinstance(value, list) or not value or len(value) > 1_000:
        fix = 'write a list of tables such as { each = ["COUNTRY-1"], budget = 0.5 }'
        complain_value(settings, place, value, fix)
        return ()
    levels: list[LevelParameters] = []
    named: list[str] = []
    for number, each in enumerate(value, start=1):
        here = (*place, str(number))
        table = table_at(settings, here, each)
        if settings.is_production:  # each level is a table of its own
            here = (*place, *texts_at(settings, (*here, "each"), table["each"]))
        complain_unknown(settings, here, table, LISTED_LEVEL_KEYS)
        complain_missing(settings, here, ("each",), table)
        names = texts_at(settings, (*here, "each"), table["each"]) if "each" in table else ()
        own = [level_named(settings, here, name, rules) for name in names]
        levels += levels_with_budget(settings, here, table, own, needs, rules)
        named += names
    for name in sorted({name for name in named if named.count(name) > 1}):
        complain(settings, place, f"{name} stands twice", "keep it once")
    return in_order(levels, rules.geography)
