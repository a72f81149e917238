"""`targets`: the budgets that give wanted margins of error."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Json, Replace, decimal, misplaced, refused
from safetab_sql.kit.errors import Problem, refuse

if TYPE_CHECKING:
    from safetab_sql.jobs.targets import Settings

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
    if epsilon is None:
        refuse(misplaced("--epsilon", {"delta": delta}))
        if out is None:
            raise refused("--out", "is missing", "name the TOML file to make")
        counts = Counter(name for name, _ in moe)
        refuse([Problem(f"--moe {name}", f"given {n} times", "give it once") for name, n in counts.items() if n > 1])
    else:
        refuse(misplaced("--moe", {"rule": rule}))
        refuse(misplaced("--parameters", {"out": out, "overwrite": overwrite}) if parameters is None else [])

    from safetab_sql.jobs import targets as job

    _refuse_other_folder(out, parameters)
    settings = _settings(parameters, code_lists, privacy_definition, gamma, stability)
    if epsilon is None:
        by_margin = job.targets(settings, dict(moe), rule or "exact")
        toml, text = job.targets_toml(by_margin), job.targets_text(by_margin)
        answer = {"out": out, **job.targets_json(by_margin)}
    else:
        by_loss = job.loss_target(settings, epsilon, job.DELTA if delta is None else delta)
        toml, text = job.loss_target_toml(by_loss), job.loss_target_text(by_loss)
        answer = job.loss_target_json(by_loss)
    if out is not None:
        write_whole_file(out, toml, overwrite=overwrite)
    print(json_text(answer) if json else text)
    if out is not None and not json:
        print(out)


def _settings(
    parameters: Path | None,
    code_lists: Path | None,
    privacy_definition: PrivacyDefinition | None,
    gamma: Fraction | None,
    stability: int | None,
) -> "Settings":
    """What budgets are set in. Raises: InputError where it cannot be read, or options have no effect."""
    from safetab_sql.jobs.targets import GAMMA, STABILITY, census_settings, settings_of

    if parameters is not None:
        level = {"privacy_definition": privacy_definition, "gamma": gamma, "stability": stability}
        refuse(misplaced("targets without --parameters", level))
        return settings_of(parameters, code_lists)
    refuse(misplaced("--parameters", {"code_lists": code_lists}))
    if privacy_definition is None:
        fix = "say zcdp or puredp, or name a parameter file: --parameters"
        raise refused("--privacy-definition", "is missing", fix)
    return census_settings(
        privacy_definition, GAMMA if gamma is None else gamma, STABILITY if stability is None else stability
    )


def _refuse_other_folder(out: Path | None, parameters: Path | None) -> None:
    """Raises: InputError where the file to make would not lie beside the parameter file that it is laid over."""
    if parameters is None or out is None:
        return
    if out.absolute().parent.resolve() != parameters.absolute().parent.resolve():
        what = f"lies in another folder than {parameters}, over which it is to be laid"
        raise refused(f"--out {out}", what, "name a file beside it")
