"""Check a run against EXACT counts, on public or synthetic data only.

example: stability INPUTS
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from safetab_sql.commands.options import (
    PUBLIC_ONLY,
    CodeLists,
    Inputs,
    Json,
    LoggedMachine,
    Machine,
    ParameterFile,
    PersonId,
    TotalsArePublic,
    decimal_of,
    exact_answer,
    members,
    misplaced,
    missing,
    number_of,
)
from safetab_sql.commands.signatures import Means, OneOf
from safetab_sql.kit.errors import Problem, refuse

if TYPE_CHECKING:
    from safetab_sql.public.inputs import InputPaths

_BUDGET = decimal_of("not a budget", "give a decimal above 0, such as 1", lambda budget: budget > 0)
_LOSS = decimal_of(  # a smaller one cannot be simulated
    "no loss that can be tested",
    "give a decimal of at least 0.0001, such as 0.25",
    lambda epsilon: epsilon >= Fraction(1, 10_000),
)


def stability(*, inputs: Inputs, people: int = 20, json: Json = False, machine: LoggedMachine) -> None:
    """Leave people out, one at a time, and compare every EXACT count, of public or synthetic data only.

    example: INPUTS

    people N: how many people to leave out: half those in the most groups of a level, half spread over the rest
    """
    from safetab_sql.evaluation.audit_stability import audit_stability, stability_text
    from safetab_sql.settings.parameters import load_parameters

    with machine.used() as used:
        audit = audit_stability(inputs.paths(), people, **used)
    print(f"The audit compares EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    unit = load_parameters(inputs.records.parameters).unit
    print(exact_answer(members(audit) if json else stability_text(audit, unit)))
    _end(audit.violations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Noisy and exact counts in a table.

    table F: instead of releases: a Parquet file with noisy and exact counts
    noisy COLUMN: with --table: its column of noisy counts, whole numbers
    exact COLUMN: with --table: its column of exact counts, whole numbers
    epsilon E: with --table: the stated loss of one count
    """

    table: Path | None = None
    noisy: str | None = None
    exact: str | None = None
    epsilon: Annotated[Fraction | None, _LOSS] = None

    def __post_init__(self) -> None:
        """Refuse a table without its columns and loss, and these without a table."""
        others = {"noisy": self.noisy, "exact": self.exact, "epsilon": self.epsilon}
        refuse(missing("audit epl", others) if self.table is not None else misplaced("--table", others))


def epl(
    releases: tuple[Path, ...] = (),
    *,
    ground_truth: Path | None = None,
    code_lists: Path | None = None,
    given: Counts,
    json: Annotated[bool, Means("as JSON, with the loss at every x")] = False,
    figures: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Compare the empirical privacy loss of residuals (noisy minus EXACT) with the stated loss.

    example: demo/release --ground-truth truth --code-lists demo/nation/code-lists

    releases OUT: releases, or folders of `reconcile`, of the same people with the same parameters; residuals are pooled
    ground_truth DIR: folder that `ground-truth` made of the same people
    code_lists DIR: the four code lists of the releases
    figures DIR: folder to make, with figures as SVG: density of the residuals and loss at every x; with --table, counts
        too
    overwrite: replace the folder of --figures if it exists
    """
    from safetab_sql.evaluation.audit_epl import losses_json
    from safetab_sql.evaluation.audited_counts import (
        audited_losses,
        counts_of_releases,
        counts_of_table,
        explained_losses,
        failures,
        write_loss_figures,
    )
    from safetab_sql.kit.extras import DRAWING, missing_extras

    problems = missing_extras(DRAWING) if figures is not None else misplaced("--figures", {"overwrite": overwrite})
    if bool(releases) == (given.table is not None):
        what = "needs either releases or --table, and got " + ("both" if releases else "neither")
        problems.append(Problem("audit epl", what, "give one of them"))
    of_releases = {"ground_truth": ground_truth, "code_lists": code_lists}
    problems += missing("audit epl", {"ground_truth": ground_truth}) if releases else misplaced("releases", of_releases)
    refuse(problems)
    if given.table is None:
        counts = counts_of_releases(releases, ground_truth or Path(), code_lists)
    else:
        counts = counts_of_table(given.table, given.noisy or "", given.exact or "", given.epsilon or Fraction(0))
    audits = audited_losses(counts)
    print(f"The audit compares EXACT counts: {PUBLIC_ONLY}{counts.note}", file=sys.stderr)
    if figures is not None:
        write_loss_figures(figures, audits, counts, overwrite=overwrite)
    print(exact_answer(losses_json(audits, counts.tests) if json else explained_losses(audits, counts.tests)))
    _end(failures(audits))


def _end(violations: Sequence[str]) -> None:
    """End badly where an audit found something."""
    if violations:
        print("\n".join(violations), file=sys.stderr)
        raise SystemExit(1)


_OF = OneOf()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """The records of a run: public ones, or simulated ones where none are named.

    persons F: public people, as in `run`; default: simulated ones, and their places
    geography F: with --persons: one row per block
    totals F: with --persons: published totals, where they pick the tables
    """

    code_lists: CodeLists = None
    persons: str | None = None
    geography: str | None = None
    person_id: PersonId = None
    totals: str | None = None
    totals_are_public: TotalsArePublic = False

    def problems(self, command: str) -> list[Problem]:
        """Options of a command that belong together, and are not."""
        others = {name: value for name, value in members(self).items() if name not in ("code_lists", "persons")}
        if self.persons is None:
            return misplaced("--persons", others)
        return missing(command, {"geography": self.geography})

    def paths(self, parameters: Path) -> "InputPaths":
        """What names the inputs to a job; no persons where they are to be simulated."""
        from safetab_sql.public.inputs import InputPaths

        given = {**members(self), "persons": self.persons or "", "geography": self.geography or ""}
        return InputPaths(parameters, **given)


def replay(
    *,
    parameters: Annotated[Path | None, _OF] = None,
    bottom_up: Annotated[Path | None, _OF] = None,
    synthesize: Annotated[Path | None, _OF] = None,
    extract: Extract,
    data: str | None = None,
    people: Annotated[int, number_of("people")] = 2_000,
    records: Annotated[int, number_of("neighbours", 1_000)] = 8,
    json: Json = False,
    machine: Machine,
) -> None:
    """Release people and neighbours of them, with noise that hides the difference, and compare every byte that leaves.

    example: --parameters configs/ladders.toml

    parameters P: audit `run` in each format, and `parts` and Spark where they can count: TOML, or a production
        parameter directory
    bottom_up S: audit `bottom-up run` with this specification
    synthesize S: audit `synthesize run` with this specification
    data F: public records of --bottom-up or --synthesize; default: simulated ones
    people N: how many records are simulated
    records N: how many neighbours are tried, in at most 60 seconds
    """
    from safetab_sql.jobs.audit_replay import Replayed, audit_replay, replay_text

    others = {name: value for name, value in members(extract).items() if value is not False}
    problems = extract.problems("audit replay") if parameters is not None else misplaced("--parameters", others)
    problems += misplaced("--bottom-up and --synthesize", {"data": data}) if parameters is not None else []
    refuse(problems)
    if parameters is not None:
        audited = Replayed("run", parameters, extract.paths(parameters), people=people)
    else:
        method: Literal["bottom-up", "synthesize"] = "synthesize" if bottom_up is None else "bottom-up"
        audited = Replayed(method, bottom_up or synthesize or Path(), data=data, people=people)
    with machine.used() as used:
        audit = audit_replay(audited, records, **used)
    print(f"The audit reads EXACT records: {PUBLIC_ONLY}", file=sys.stderr)
    print(exact_answer(members(audit) if json else replay_text(audit)))
    _end(audit.violations)


def canaries(
    *,
    parameters: ParameterFile,
    extract: Extract,
    canaries: Annotated[int, number_of("canaries", 1_500)] = 1_000,
    budget: Annotated[tuple[Fraction, ...], _BUDGET] = (),
    json: Json = False,
    machine: Machine,
) -> None:
    """Show from one run, in which many records are there or not by chance, how much is lost at least.

    example: --parameters configs/ladders.toml --budget 1 --budget 4 --budget 8

    canaries N: how many records the coin is tossed for
    budget X: total rho or epsilon of a record, shared by the levels as in the file; repeat for several; default: the
        file's
    """
    from safetab_sql.evaluation.audit_canaries import audit_canaries, canaries_text

    refuse(extract.problems("audit canaries"))
    with machine.used() as used:
        audits = audit_canaries(extract.paths(parameters), canaries, budget, **used)
    print(f"The audit reads EXACT records: {PUBLIC_ONLY}", file=sys.stderr)
    print(exact_answer({"audits": audits} if json else canaries_text(audits)))
    _end([audit.failure for audit in audits if not audit.passes])


ACTIONS = (stability, epl, replay, canaries)
