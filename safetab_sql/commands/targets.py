"""`targets`: the budgets that give wanted margins of error."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from safetab_sql.commands.answers import json_text, members
from safetab_sql.commands.options import Json, Replace, decimal, misplaced, refused
from safetab_sql.kit.errors import Problem, refuse

PrivacyDefinition = Literal["zcdp", "puredp"]
Rule = Literal["exact", "paper"]
Decimal = Annotated[Fraction | None, decimal]
Margin = tuple[str, int]  # a level, and its margin of error


def _margin(option: str, text: str) -> Margin:
    """A level and its margin. Raises: InputError where it is none."""
    name, _, moe = text.partition("=")
    if not (moe.isascii() and moe.isdigit() and len(moe) < 10):
        raise refused(f"{option} {text}", "not a level and a whole number", "say it like COUNTY-2=11")
    return name, int(moe)


def targets(
    *,
    moe: Annotated[tuple[Margin, ...], _margin] = (),
    epsilon: Decimal = None,
    delta: Decimal = None,
    parameters: Path | None = None,
    code_lists: Path | None = None,
    privacy_definition: PrivacyDefinition | None = None,
    rule: Rule | None = None,
    gamma: Decimal = None,
    stability: int | None = None,
    out: Path | None = None,
    overwrite: Replace = False,
    json: Json = False,
) -> None:
    """Write a parameter file with the margins of error you want, or the largest budgets within a loss.

    example: --privacy-definition zcdp --moe USA-2=6 --moe COUNTY-2=11 --out wanted.toml

    moe LEVEL=N: the wanted 95 % margin of error of the cells of a level, whole persons; repeat for several levels
    epsilon E: in place of --moe: the largest budgets with which one person's loss is at most E at --delta
    delta X: with --epsilon: delta of the loss; default: 1e-10
    parameters P: set the budgets of levels of this parameter file; --out is laid over it, in the same folder
    code_lists DIR: with --parameters: folder of the code lists; default: code-lists beside P
    privacy_definition: zcdp: rho; puredp: epsilon; needed without --parameters
    rule: exact margins (the default), or as the paper's Table 1
    gamma X: share of the budget for stage 1; default: 0.1
    stability N: groups of a level one person can be in; default: 9
    out FILE: TOML file to make; not for --epsilon alone
    """
    from safetab_sql.kit.whole_folders import write_whole_file

    if bool(moe) == (epsilon is not None):
        fix = "say what is wanted: margins of error, or a loss"
        raise refused("targets", "one of --moe and --epsilon is needed", fix)
    if parameters is not None:
        level = {"privacy_definition": privacy_definition, "gamma": gamma, "stability": stability}
        refuse(misplaced("targets without --parameters", level))
        _refuse_other_folder(out, parameters)
    else:
        refuse(misplaced("--parameters", {"code_lists": code_lists}))
        if privacy_definition is None:
            fix = "say zcdp or puredp, or name a parameter file: --parameters"
            raise refused("--privacy-definition", "is missing", fix)
    budget = parameters or _Level(
        privacy_definition or "zcdp", Fraction(1, 10) if gamma is None else gamma, 9 if stability is None else stability
    )
    if epsilon is None:
        refuse(misplaced("--epsilon", {"delta": delta}))
        if out is None:
            raise refused("--out", "is missing", "name the TOML file to make")
        made = _margins(budget, moe, rule or "exact", code_lists)
    else:
        refuse(misplaced("--moe", {"rule": rule}))
        refuse(misplaced("--parameters", {"out": out, "overwrite": overwrite}) if parameters is None else [])
        made = _loss(budget, epsilon, Fraction(1, 10**10) if delta is None else delta, code_lists)
    if out is not None:
        write_whole_file(out, made.toml, overwrite=overwrite)
    wrote = {"out": out} if epsilon is None else {}
    print(json_text({**wrote, **made.answer}) if json else made.text)
    if out is not None and not json:
        print(out)


@dataclass(frozen=True, slots=True)
class _Level:
    """The budget of one level, without a parameter file."""

    definition: PrivacyDefinition
    gamma: Fraction
    stability: int


@dataclass(frozen=True, slots=True)
class _Made:
    """What was found: the parameter file, the answer for programs, and the answer for people."""

    toml: str
    answer: Mapping[str, object]
    text: str


def _refuse_other_folder(out: Path | None, parameters: Path) -> None:
    """Raises: InputError where the file to make would not lie beside the parameter file that it is laid over."""
    if out is not None and out.absolute().parent.resolve() != parameters.absolute().parent.resolve():
        what = f"lies in another folder than {parameters}, over which it is to be laid"
        raise refused(f"--out {out}", what, "name a file beside it")


def _margins(budget: Path | _Level, moe: Sequence[Margin], rule: Rule, code_lists: Path | None) -> _Made:
    """From margins of error to budgets."""
    from safetab_sql.jobs import targets as job
    from safetab_sql.settings.parameters import load_parameters

    counts = Counter(name for name, _ in moe)
    refuse([Problem(f"--moe {name}", f"given {n} times", "give it once") for name, n in counts.items() if n > 1])
    if isinstance(budget, Path):
        found = job.targets_of(budget, dict(moe), rule=rule, code_lists=code_lists)
        read = load_parameters(budget)
        definition, unit, toml = read.privacy_definition, read.unit, job.overlay_toml(budget, found)
    else:
        wanted = job.Wanted(budget.definition, rule, dict(moe), budget.gamma, budget.stability)
        found = job.targets(wanted)
        definition, unit, toml = budget.definition, None, job.parameters_toml(wanted, found)
    return _Made(toml, job.targets_json(found, definition), job.targets_text(found, definition, unit))


def _loss(budget: Path | _Level, epsilon: Fraction, delta: Fraction, code_lists: Path | None) -> _Made:
    """From a loss to budgets: of the levels of a parameter file, or of one level."""
    from safetab_sql.jobs import loss_targets as job

    if isinstance(budget, Path):
        found = job.loss_target_of(budget, epsilon, delta, code_lists=code_lists)
        toml = job.loss_overlay_toml(budget, found)
    else:
        toml = ""
        found = job.loss_target(budget.definition, epsilon, delta, gamma=budget.gamma, stability=budget.stability)
    return _Made(toml, members(found, without="unit"), job.loss_target_text(found))
