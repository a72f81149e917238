"""Ladders: a total, and tables of increasing detail of which each population group gets one."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from safetab_sql.public.attributes import AGE, EACH, SEX, SEX_GROUPING, Attribute
from safetab_sql.public.levels import PopulationGroupLevel

Choose = Literal["stage 1", "always", "published"]
Cells = tuple[tuple[str, str], ...]  # attribute and grouping, of each of some attributes
# Folders of a release that no ladder may have: of tables about the totals of ladders.
GROUP_INDEX, SUPPRESSED, MEASUREMENTS = "group_index", "suppressed", "measurements"
BESIDE = (GROUP_INDEX, SUPPRESSED, MEASUREMENTS)
CODES = "codes"  # the folder of the code lists of a release
COARSER: Literal["coarser"] = "coarser"


@dataclass(frozen=True, slots=True)
class LevelParameters:
    """What a ladder does at one population group level.

    budget: whole level, rho (zcdp) or epsilon (puredp). thresholds: one a statistic, of noisy counts, non-decreasing;
    none where nothing is chosen. is_total_only: whether no group of the level gets a table. total_only: the iterations
    whose groups get none, by their codes, beside those that the lists say by a flag. shares: in which proportions the
    groups of each kind of iteration spend, by kind, where they spend unequally.
    """

    level: PopulationGroupLevel
    budget: Fraction
    thresholds: tuple[int, ...]
    is_total_only: bool = False
    total_only: tuple[str, ...] = ()
    shares: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class Statistic:
    """A table: the product of one grouping each of some attributes, whose cells are measured."""

    name: str
    cells: Cells


@dataclass(frozen=True, slots=True)
class Ladder:
    """A total and an ordered list of statistics, coarse to fine, with budgets and thresholds by level.

    choose: what picks the statistic of a group: a noisy total, nothing (there is one, for every group), or a published
    total. subtotals: sums that are published with each statistic that refines them; "coarser": the cells of the
    statistics before. totals: folder of the totals; None where they are rows of the table. total_name: the name of the
    statistic that is a total alone. total_only: flag of the iterations that get a total alone.
    """

    name: str
    statistics: tuple[Statistic, ...]
    levels: tuple[LevelParameters, ...]
    choose: Choose = "stage 1"
    subtotals: tuple[Cells, ...] | Literal["coarser"] = ()
    totals: str | None = None
    total_name: str = "total"
    total_only: str | None = None

    @property
    def folder(self) -> str:
        """The folder of its table in a release, and the name of the file in it."""
        return self.name.lower()

    @property
    def totals_folder(self) -> str | None:
        """The folder of its totals, if they have one."""
        return None if self.totals is None else self.totals.lower()

    @property
    def folders(self) -> tuple[str, ...]:
        """Its folders in a release."""
        return (self.folder,) if self.totals_folder is None else (self.totals_folder, self.folder)


def sex_by_age(levels: tuple[LevelParameters, ...], total_only: str | None, *, has_sexes: bool = False) -> Ladder:
    """T2 of the 2020 Census, and T1, its totals. has_sexes: whether values are grouped into the two sexes.

    Source: tabulation.md section 5.4; paper Algorithm 2, lines 20-31.
    """
    sex = (SEX.name, SEX_GROUPING if has_sexes else EACH)
    return Ladder(
        name="T2",
        statistics=tuple(Statistic(name, (sex, (AGE.name, name))) for name in AGE.groups),
        levels=levels,
        subtotals=((sex,),),
        totals="T1",
        total_only=total_only,
    )


def is_sex_by_age(ladders: Sequence[Ladder], attributes: Sequence[Attribute]) -> bool:
    """Whether these are T1 and T2 of the 2020 Census, however a file says so."""
    by_name = {attribute.name: attribute for attribute in attributes}
    if len(ladders) != 1 or by_name.keys() != {AGE.name, SEX.name}:
        return False
    age, sex, ladder = by_name[AGE.name], by_name[SEX.name], ladders[0]
    grouping = SEX_GROUPING if sex.groups else EACH
    wanted = sex_by_age(ladder.levels, ladder.total_only, has_sexes=bool(sex.groups))
    return (
        ladder == wanted
        and (age.minimum, age.maximum, age.publish, age.groups) == (AGE.minimum, AGE.maximum, AGE.publish, AGE.groups)
        and sex.publish == SEX.publish
        and set(sex.groups) <= {SEX_GROUPING}
        and tuple(code for (code,) in sex.grouping(grouping).codes) == SEX.values
        and attributes[0] == age
        and {each for attribute in (age, sex) for each in (attribute.other, attribute.null)} == {None}
        and {age.total, sex.total} == {AGE.total}
    )


def attributes_of(ladder: Ladder, attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes of a ladder, in the order of the parameters."""
    used = {name for statistic in ladder.statistics for name, _ in statistic.cells}
    return tuple(attribute for attribute in attributes if attribute.name in used)
