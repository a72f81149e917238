"""Commands around the making of a release: `validate`, `plan`, `targets`, `account`, `run` and `schema`."""

import sys
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from safetab_sql.commands.options import (
    Engine,
    InputsOrTable,
    Ledger,
    LoggedMachine,
    Out,
    Reader,
    SaidLimit,
    decimal,
    decimal_of,
    json_text,
    number_of,
    refused,
    said_limit,
)
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.words import exact_text
from safetab_sql.settings.budgets import DELTA, UNITS, PrivacyDefinition


def validate(*, inputs: InputsOrTable, json: bool = False, machine: LoggedMachine, engine: Engine) -> None:
    """Check the inputs and report every problem.

    example: INPUTS
    """
    from safetab_sql.jobs.run import validate

    with machine.used() as used:
        warnings = validate(inputs.paths, spark=engine.spark, **used)
    # One person can change a warning, so stdout is the same with and without it: see refusals.md.
    print(json_text({"errors": 0}) if json else "no errors")
    if warnings:
        print(f"{len(warnings)} warning(s), which refuse no run.", file=sys.stderr)


def plan(
    *,
    parameters: Path,
    code_lists: str | None = None,
    geography: str | None = None,
    people: Annotated[int | None, number_of("people")] = None,
    json: bool = False,
) -> None:
    """Show the noise, the size and the privacy loss of a run, from public files alone.

    example: --parameters sim/parameters.toml --code-lists sim/code-lists --geography sim/geography.parquet

    geography F: one row per block; without it, no regions are counted
    people N: number of people, a public figure, for estimates of the size
    """
    from safetab_sql.jobs.plan import plan, plan_json, plan_text

    seen = plan(parameters, geography=geography, code_lists=code_lists)
    print(json_text(plan_json(seen, people)) if json else plan_text(seen, people))


def run(
    *, inputs: InputsOrTable, folder: Out, ledger: Ledger, json: bool = False, machine: LoggedMachine, engine: Engine
) -> None:
    """Count, add noise and publish the tables.

    example: INPUTS --out release

    json: print the folder, the loss and the digests of the files as JSON
    """
    from safetab_sql.jobs.run import run

    spark, keep = engine.spark, ledger.file
    with machine.used() as used:
        made = run(inputs.paths, folder.out, spark=spark, overwrite=folder.overwrite, ledger_file=keep, **used)
    manifest = made.manifest
    loss = {name: manifest["ledger"][name] for name in ("privacy_definition", "totals")}
    answer = {"out": made.out, "releasable": manifest["releasable"], **loss, "files": manifest["files"]}
    print(json_text(answer) if json else folder.out)


Name = Literal[
    "parameters", "bottom-up", "synthesize", "strategy", "manifest", "bottom-up-manifest", "synthesize-manifest"
]


def schema(name: Name) -> None:
    """Print the JSON Schema of a kind of file, with which editors complete and check it.

    example: parameters

    name: which file: parameters of `run`, the specification of a method, or a manifest
    """
    from safetab_sql.jobs.schema import schema_text

    print(schema_text(name), end="")


Decimal = Annotated[Fraction | None, decimal]


def _named_whole(what: str, like: str, least: int = 0, unknown: str | None = None) -> Reader:
    """A reader of a name and a whole number. what: the name is of. least: of the number. unknown: the word for none."""

    def read(option: str, text: str) -> tuple[str, int | None]:
        name, _, number = text.partition("=")
        if number == unknown:
            return name, None
        if not (number.isascii() and number.isdigit() and len(number) < 10 and int(number) >= least):
            raise refused(f"{option} {text}", f"not {what} and a whole number", f"say it like {like}")
        return name, int(number)

    return read


_margin = _named_whole("a level", "COUNTY-2=11")
_most = _named_whole("a kind of record", "stay=5, or stay=any", 1, "any")


def targets(
    *,
    moe: Annotated[tuple[tuple[str, int], ...], _margin] = (),
    epsilon: Decimal = None,
    delta: Decimal = None,
    parameters: Path | None = None,
    code_lists: Path | None = None,
    privacy_definition: PrivacyDefinition | None = None,
    rule: Literal["exact", "paper"] | None = None,
    gamma: Annotated[Fraction, decimal] = Fraction(1, 10),
    stability: int = 9,
    out: Path | None = None,
    overwrite: bool = False,
    json: bool = False,
) -> None:
    """Write a parameter file with the margins you want, or the largest budgets within a loss.

    example: --privacy-definition zcdp --moe USA-2=6 --moe COUNTY-2=11 --out wanted.toml

    moe LEVEL=N: the wanted 95 % margin of error of the cells of a level, whole persons; repeat for several levels
    epsilon E: in place of --moe: the largest budgets with which one person's loss is at most E
    delta X: with --epsilon: delta of the loss; default: that of the parameters
    parameters P: set the budgets of levels of this parameter file; --out is laid over it, in the same folder
    code_lists DIR: with --parameters: folder of the code lists; default: code-lists beside P
    privacy_definition: without --parameters: zcdp: rho; puredp: epsilon
    rule: with --moe: exact margins (the default), or as the paper's Table 1
    gamma X: without --parameters: share of the budget for stage 1
    stability N: without --parameters: groups of a level one record can be in
    out FILE: TOML file to make; not for --epsilon alone
    overwrite: with --out: replace the file if it exists
    """
    from safetab_sql.jobs import targets as job
    from safetab_sql.kit.whole_folders import write_whole_file

    if bool(moe) == (epsilon is not None):
        fix = "say what is wanted: margins of error, or a loss"
        raise refused("targets", "one of --moe and --epsilon is needed", fix)
    if out is not None and not moe and parameters is None:
        raise refused("--out", "has no effect here: it belongs to --parameters", "leave it out")
    if moe and out is None:
        raise refused("--out", "is missing", "name the TOML file to make")
    named = Counter(f"--moe {name}" for name, _ in moe)
    refuse([Problem(each, f"given {n} times", "give it once") for each, n in named.items() if n > 1])
    if parameters and out and out.absolute().parent.resolve() != parameters.absolute().parent.resolve():
        what = f"lies in another folder than {parameters}, over which it is to be laid"
        raise refused(f"--out {out}", what, "name a file beside it")
    if parameters is not None:
        settings = job.settings_of(parameters, code_lists)
    elif privacy_definition is not None:
        settings = job.census_settings(privacy_definition, gamma, stability)
    else:
        fix = "say zcdp or puredp, or name a parameter file: --parameters"
        raise refused("--privacy-definition", "is missing", fix)
    if epsilon is None:
        found: job.Targets | job.LossTarget = job.targets(settings, dict(moe), rule or "exact")
    else:
        found = job.loss_target(settings, epsilon, delta)
    if out is not None:
        write_whole_file(out, job.targets_toml(found), overwrite=overwrite)
    written = {} if out is None else {"out": out}
    told = "\n".join([job.targets_text(found), *map(str, written.values())])
    print(json_text({**written, **job.targets_json(found)}) if json else told)


_delta = decimal_of("not between 0 and 1", "say it like 1e-10", lambda delta: 0 < delta < 1)


def account(
    *,
    parameters: Path | None = None,
    code_lists: str | None = None,
    ledger: Path | None = None,
    set_limit: Annotated[SaidLimit | None, said_limit] = None,
    limit_of: str | None = None,
    records_of_a_person: Annotated[tuple[tuple[str, int | None], ...], _most] = (),
    delta: Annotated[Fraction | None, _delta] = None,
    json: bool = False,
) -> None:
    """Show the privacy loss of a run, level by level and in (epsilon, delta).

    example: --parameters sim/parameters.toml --code-lists sim/code-lists

    code_lists DIR: with --parameters: folder of the code lists; default: code-lists beside P, or P
    ledger FILE: add up the runs of a custodian's ledger instead
    set_limit LIMIT: with --ledger: enter another limit, 'rho 10', or of pure DP runs 'epsilon 2': of a person or RECORD
    limit_of RECORD: with --set-limit: whose loss it bounds, in the words of the ledger, such as stay; default: person
    records_of_a_person RECORD=N: with --ledger: the most that a person has, such as stay=5, of records whose runs do
        not say it; kept with --set-limit; stay=any: no bound is known, and so no total of a person; repeat for several
    delta X: delta of the (epsilon, delta) totals; default: that of the parameters, or the smallest of the runs
    json: as JSON, every number exact
    """
    from safetab_sql.accounting.charges import charges_json, charges_text, mixed_problems, with_bounds
    from safetab_sql.accounting.ledger_file import kind_problems, read_ledger
    from safetab_sql.jobs.plan import account, account_json, account_text

    if (parameters is None) == (ledger is None):
        fix = "name the parameters of one run, or the ledger of many"
        raise refused("account", "one of --parameters and --ledger is needed", fix)
    if parameters is not None:
        costs = account(parameters, code_lists=code_lists, delta=delta)
        print(json_text(account_json(costs)) if json else account_text(costs))
    elif ledger is not None:
        most = dict(records_of_a_person)
        known = {record: number for record, number in most.items() if number is not None}
        if set_limit is not None:
            _set_limit(ledger, set_limit, limit_of, known)
        found = read_ledger(ledger)
        refuse(kind_problems(ledger, None, most, found.charges))
        charges = with_bounds(found.charges, {**({} if found.limit is None else found.limit.most), **known})
        delta = delta or min((each.delta for each in charges), default=DELTA)
        refuse(mixed_problems(ledger, charges, most))
        told = (charges, found.limit)
        print(json_text(charges_json(*told, delta=delta)) if json else charges_text(*told, delta=delta))


def _set_limit(ledger: Path, said: SaidLimit, record: str | None, most: Mapping[str, int]) -> None:
    """Enter a limit, and say on stderr if no run fits any more. Raises: InputError where it has no unit."""
    from safetab_sql.accounting.charges import Limit
    from safetab_sql.accounting.ledger_file import set_limit

    if said.definition is None:
        amount = exact_text(said.amount)
        raise refused("--set-limit", f"'{amount}' has no unit", f"say it like 'rho {amount}' or 'epsilon {amount}'")
    limit = Limit(said.amount, said.definition, None if record == "person" else record, most)
    total = set_limit(ledger, limit)
    if total > limit.amount:
        what = f"the limit is {limit.text}, and the ledger has spent {UNITS[limit.definition]} {exact_text(total)}"
        print(f"warning: {what}: every later run is refused", file=sys.stderr)
