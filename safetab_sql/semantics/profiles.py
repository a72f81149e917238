"""The budgets that protect one record, and those that protect parts of it: of a run, an allocation, or one number.

If two inputs differ only in some attributes of one record, a measurement that depends on none of these attributes has
the same answer for both, and costs nothing. Source: Kifer, Per-Attribute Semantics ("only queries affected by those
attributes are relevant"). Budgets of measurements are for inputs that differ in *one changed record* (Kifer's bounded
neighbours, with noise of variance 1 / rho). A measurement made for neighbours by adding or removing a record, with
variance 1 / (2 rho), costs twice its budget when one record changes: the person leaves one count and joins another, so
two counts change by 1 each, and zCDP adds squares (pure DP adds absolute values). All arithmetic is exact.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Annotated, ClassVar

from safetab_sql.accounting import statement
from safetab_sql.accounting.accountants import GroupCalls
from safetab_sql.accounting.statement import quoted
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.words import listed
from safetab_sql.settings.budgets import LARGEST_BUDGET, UNITS, PrivacyDefinition, stage_budgets
from safetab_sql.settings.ladders import attributes_of
from safetab_sql.settings.markers import Texts, Words, decimal, otherwise, text
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.reading import Document, Place, read_as, read_toml
from safetab_sql.settings.tables import sized_table, table, via
from safetab_sql.settings.unit import Unit

ADDED, CHANGED, UNSTATED = "added or removed", "changed", "unstated"  # what neighbours differ by
_NATIONS, _STATES = {"USA"}, {"STATE", "PR-STATE"}
_COUNTIES, _TRACTS = {"COUNTY", "PR-COUNTY"}, {"TRACT", "PR-TRACT"}
_OWN_TOTALS = {statement.ONE_RECORD, statement.ONE_PERSON, "sum"}  # totals of a ledger that are of no part


@dataclass(frozen=True, slots=True)
class Measurement:
    """Noisy answers to one query, each person in one of its counts.

    budget: rho or epsilon of one record changed. attributes: what of a record the answer depends on.
    """

    name: str
    budget: Fraction
    attributes: frozenset[str]


def budget_against(measurements: Iterable[Measurement], changed: Set[str]) -> Fraction:
    """The sum of budgets of measurements whose answers `changed` attributes may change. Source: Kifer, as above."""
    return sum((each.budget for each in measurements if each.attributes & changed), Fraction(0))


@dataclass(frozen=True, slots=True)
class Profile:
    """The budgets that protect one record, or one person with all records: rho (zcdp) or epsilon (puredp), exact.

    budget: for `neighbours`. changed: for one changed record. levels: name and budget, for `neighbours`. secrets: name
    and budget if only the attributes of the secret change. calls: of the groups that one record may be in; none where
    the noise is not known. unit: what a record is. delta: of an (epsilon, delta) guarantee of which the budget is the
    epsilon. order: of a Renyi divergence, of which it is a bound. quoted: the (epsilon, delta) quoted of a release.
    """

    title: str
    definition: PrivacyDefinition
    neighbours: str
    budget: Fraction
    changed: Fraction
    levels: tuple[tuple[str, Fraction], ...] = ()
    secrets: tuple[tuple[str, Fraction], ...] = ()
    calls: tuple[GroupCalls, ...] = ()
    unit: Unit = field(default_factory=Unit)
    delta: Fraction = Fraction(0)
    order: Fraction | None = None
    quoted: str = ""

    @property
    def guarantee(self) -> str:
        """What the budget is of: puredp or zcdp; approximate with a delta, renyi with an order."""
        return "renyi" if self.order else "approximate" if self.delta else self.definition

    @property
    def compared(self) -> str:
        """What the inputs differ by that the budget is about."""
        known = {ADDED: statement.difference(self.unit), CHANGED: "one record changed"}
        return known.get(self.neighbours, "the neighbours for which the budget was computed")

    @property
    def loss(self) -> statement.Loss:
        """The budget as a loss; of a person where neighbours differ by a record added or removed."""
        return statement.Loss(self.unit, self.definition, self.budget)


def budget_profile(
    definition: PrivacyDefinition, budget: Fraction, delta: Fraction = Fraction(0), order: Fraction | None = None
) -> Profile:
    """The profile of a budget alone: the noise is not known. delta, order: see `Profile`."""
    said = [f"{UNITS[definition]} = {budget}", *([f"delta = {float(delta):g}"] if delta else [])]
    said += [f"Renyi order = {order}"] if order else []
    return Profile(", ".join(said), definition, UNSTATED, budget, budget, delta=delta, order=order)


def run_profile(ledger: statement.RunStatement, parameters: Parameters, title: str) -> Profile:
    """The profile of a run."""
    levels = ledger.levels
    named = {level.part.lower(): level.part for level in levels}
    totals = {
        named.get(name, name): total or Fraction(0)
        for name, total in ledger.loss.totals.items()
        if name not in _OWN_TOTALS
    }
    larger = max(totals, key=lambda part: totals[part])
    secrets: dict[str, Fraction] = {}
    for part, total in totals.items():
        if total > 0:
            measurements = _measurements([level for level in levels if level.part == part], parameters)
            for name, changed in _secrets(parameters, part).items():
                cost = budget_against(measurements, changed)
                # An amount alone changes one number a group, by no more than a record that is added or removed does.
                cost /= 2 if changed <= _amounts(parameters) - _attributes(parameters) else 1
                secrets[name] = max(cost, secrets.get(name, Fraction(0)))
    # Where a record or person changes a count by more than 1, what is said rests on the loss alone.
    most = parameters.unit.most_change * max(level.calls.stage_2.sensitivity for level in levels)
    of_larger = [level for level in levels if level.part == larger and most == 1]
    return Profile(
        title=title,
        definition=ledger.loss.privacy_definition,
        neighbours=ADDED,
        budget=totals[larger],
        changed=2 * totals[larger],
        levels=tuple((level.name, level.budget) for level in levels),
        secrets=tuple(secrets.items()),
        calls=tuple(GroupCalls(level.bound, level.calls.budgets) for level in of_larger),
        unit=parameters.unit,
        quoted=quoted(ledger.loss.of(parameters.unit), parameters.delta),
    )


def _measurements(levels: Sequence[statement.ReleasedLevel], parameters: Parameters) -> list[Measurement]:
    """For each level, the totals and the cells of all groups that a record can be in, for one changed record.

    Their budgets are twice the ledger's, which are for one record added or removed: see the module. The totals (stage
    1) do not depend on attributes; the cells (stage 2) do, on the columns of the ladder's. Both depend on an amount
    that is added up. A group that only gets a total spends on it what other groups spend in both stages; it depends on
    no attribute. Source: tabulation.md section 5.
    """
    found = []
    for level in levels:
        where = frozenset({level.region_type, f"iteration level {level.level.iteration_level}"})
        where |= _amounts(parameters, level.ladder)
        totals, cells = (2 * level.bound * each for each in (level.calls.budgets.stage_1, level.calls.budgets.stage_2))
        found.append(Measurement(f"{level.name} totals", totals, where))
        found.append(Measurement(f"{level.name} cells", cells, where | _attributes(parameters, level.ladder)))
    return found


def _named(columns: Iterable[str]) -> frozenset[str]:
    return frozenset(f"column {name.upper()}" for name in columns)  # capitals make no difference


def _attributes(parameters: Parameters, ladder: str | None = None) -> frozenset[str]:
    """The columns that the cells of a ladder depend on, of any ladder without a name: some statistic breaks down by."""
    wanted = [each for each in parameters.ladders if ladder in (None, each.name)]
    used = (attribute for each in wanted for attribute in attributes_of(each, parameters.attributes))
    return _named(attribute.column for attribute in used)


def _amounts(parameters: Parameters, ladder: str | None = None) -> frozenset[str]:
    """The columns that are added up: by one ladder, by all without a name."""
    wanted = [each.sum for each in parameters.ladders if ladder in (None, each.name)]
    return _named(each.column for each in wanted if each is not None)


def _secrets(parameters: Parameters, part: str) -> dict[str, frozenset[str]]:
    """What a person of one part may want to hide, and the attributes in which the two inputs may differ then.

    All of them, where the secret decides whether a record counts, or which records of a person are kept: any value may,
    for the order of records ends with a hash of all values. Source: semantics.md section 4.2.
    """
    found, unit = _hidden(parameters, part), parameters.unit
    usable = {"codes": parameters.questions.columns, "place": tuple(each.name for each in parameters.geography.place)}
    usable |= {each.name.lower(): (each.column,) for each in parameters.attributes}
    usable |= {each.name.lower(): (each.sum.column,) for each in parameters.ladders if each.sum is not None}
    decides = _named([*unit.where, *(name for each in unit.leave_out for name in usable.get(each, ()))])
    whole = frozenset[str]().union(*found.values())
    return {name: whole if unit.person is not None or changed & decides else changed for name, changed in found.items()}


def _hidden(parameters: Parameters, part: str) -> dict[str, frozenset[str]]:
    """The secrets, each with its own attributes.

    A region type that a parameter file declares may divide even a tract, so it counts as changed with every "where".
    Where none is a nation or a state, or a place may be none, only "where" as a whole is a secret: all of them count.
    """
    kinds = frozenset(kind.name for kind in parameters.region_types if kind.part == part)
    questions = parameters.questions
    asked = questions.shared.levels
    numbers = {level.level.iteration_level for level in parameters.levels} | set(asked)
    levels = frozenset(f"iteration level {number}" for number in numbers)
    answers, place = _named(questions.columns), _named(each.name for each in parameters.geography.place)

    def all_of(columns: Iterable[str]) -> frozenset[str]:
        """What these columns decide: an attribute may answer a question, too."""
        return _named(columns) | (levels if _named(columns) & answers else set())

    names = " and ".join(question.name for question in questions.asked)
    attributes = _attributes(parameters)
    own = {each.name: each.column for each in parameters.attributes if _named([each.column]) <= attributes}
    together = all_of(own.values())
    secrets = {
        "the whole record, replaced by another": kinds | levels | together | _amounts(parameters),
        names if asked else "the answers to all questions": levels | answers,
    }
    if len(asked) == 2 and numbers == set(asked):
        secrets[f"the detailed {names}, given the regional one"] = answers | {f"iteration level {asked[1]}"}
    # Every table of sex by age depends on both.
    if parameters.is_sex_by_age:
        secrets["sex and age"] = together
    else:
        secrets |= {name: all_of([column]) for name, column in own.items()}
        secrets |= {listed(list(own)): together} if len(own) > 1 else {}
    for column in [each.sum.column for each in parameters.ladders if each.sum is not None]:
        if not _named([column]) <= attributes:
            secrets[column] = secrets.get(column, frozenset()) | _named([column])
    if parameters.geography.null or not kinds & (_NATIONS | _STATES):
        return {**secrets, "where": kinds | place}
    below_state = kinds - _NATIONS - _STATES
    return {
        **secrets,
        **({"where in the nation": place | kinds - _NATIONS} if part == "US" else {}),
        "where in the state": place | below_state,
        "where in the county": place | below_state - _COUNTIES,
        "where in the tract": place | below_state - _COUNTIES - _TRACTS,
    }


# An allocation of one's own: how the rho of noisy histograms is shared by levels of geography and by queries, exactly:
# the rho of a measurement is the product of its shares. The file: semantics.md section 4.3. Source: Kifer, TopDown.

_ABOUT_SHARES = 'write a list with a share for each level, such as ["0", "1/3", "0.25"]'
_Share = Annotated[str, text(r"\d{1,18}(/[1-9]\d{0,17}|\.\d{1,18})?", _ABOUT_SHARES)]
_Shares = Annotated[
    tuple[Fraction, ...], via(tuple[_Share, ...], lambda said: tuple(map(Fraction, said))), otherwise(_ABOUT_SHARES)
]


@table
class Universe:
    """What is counted together, such as persons. levels: shares of rho. queries: shares of the rho of each level."""

    rho: Annotated[Fraction, decimal(0, LARGEST_BUDGET, "write a decimal above 0", without_least=True)]
    levels: _Shares
    queries: Annotated[Mapping[str, _Shares], sized_table(1, fix="write the share of a query, of each level")]


@table
class Allocation:
    """The keys of the file."""

    title: Words = ""
    levels: Texts = ()
    universes: Mapping[str, Universe] = field(default_factory=dict, hash=False)
    secrets: Mapping[str, Texts] = field(default_factory=dict, hash=False)
    required: ClassVar = ("title", "levels", "universes")

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One for each universe, level and query with a share above 0, named by these."""
        return tuple(
            Measurement(
                f"{name}/{level}/{query}", budget, frozenset(query.replace("*", " ").split()) - {"TOTAL"} | {level}
            )
            for name, universe in self.universes.items()
            for place, level in enumerate(self.levels)
            for query, shares in universe.queries.items()
            if (budget := universe.rho * universe.levels[place] * shares[place])
        )


def load_allocation(path: Path) -> Allocation:
    """The allocation in a TOML file. Raises: InputError with every problem, such as shares that do not add up to 1."""
    document = read_toml(path)
    read = read_as(Allocation, document)
    refuse(read.problems)
    said, levels = read.found, read.found.levels
    refuse([problem for name, each in said.universes.items() for problem in _wrong(document, levels, name, each)])
    known = frozenset(levels).union(*(each.attributes for each in said.measurements))
    unknown = {name: sorted(set(changed) - known) for name, changed in said.secrets.items()}
    wrong = [f"{name}: nothing depends on {', '.join(each)}" for name, each in unknown.items() if each]
    refuse([document.problem(("secrets",), what, "name words of queries, or levels") for what in wrong])
    return said


def _wrong(document: Document, levels: Sequence[str], name: str, universe: Universe) -> Iterator[Problem]:
    """Rows of another length than the levels, and shares that do not add up to 1."""
    place: Place = ("universes", name)
    rows = {"levels": universe.levels, **universe.queries}
    if short := [row for row, shares in rows.items() if len(shares) != len(levels)]:
        yield document.problem(place, f"{', '.join(short)}: not one share for each level", _ABOUT_SHARES)
        return
    columns = zip(levels, zip(*universe.queries.values(), strict=True), strict=True)
    for what, shares in (("levels", universe.levels), *((f"queries at {level}", column) for level, column in columns)):
        if sum(shares) != 1:
            yield document.problem(place, f"the shares of {what} add up to {sum(shares)}", "make them add up to 1")


def allocation_profile(allocation: Allocation) -> Profile:
    """The profile of a release with noise of variance 1 / rho on every cell, for neighbours with one changed record.

    Two cells of each histogram change by 1: two calls, each discrete Gaussian with half the rho. Source: Kifer, TDA
    simplification.
    """
    measurements = allocation.measurements
    total = sum((each.budget for each in measurements), Fraction(0))

    def costs(changed: Mapping[str, Sequence[str]]) -> tuple[tuple[str, Fraction], ...]:
        return tuple((name, budget_against(measurements, frozenset(each))) for name, each in changed.items())

    return Profile(
        title=allocation.title,
        definition="zcdp",
        neighbours=CHANGED,
        budget=total,
        changed=total,
        levels=costs({level: (level,) for level in allocation.levels}),
        secrets=costs(allocation.secrets),
        calls=tuple(GroupCalls(2, stage_budgets(each.budget, 2, Fraction(0))) for each in measurements),
    )
