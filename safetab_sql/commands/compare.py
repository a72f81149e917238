"""Commands that compare with exact counts, of public or synthetic data: `ground-truth` and `evaluate`, and attacks."""

import sys
from pathlib import Path
from typing import Annotated

from safetab_sql.commands.options import (
    PUBLIC_ONLY,
    CodeLists,
    Inputs,
    LoggedMachine,
    Out,
    ParameterFile,
    PersonId,
    TotalsArePublic,
    exact_answer,
    misplaced,
    missing,
)
from safetab_sql.commands.signatures import Means
from safetab_sql.kit.errors import Problem, refuse


def ground_truth(*, inputs: Inputs, dense: bool = False, folder: Out, machine: LoggedMachine) -> None:
    """Write the EXACT tables, of public or synthetic data only.

    example: INPUTS --out truth

    dense: write every zero too, as the Census tool does; without it, groups and cells with people alone
    """
    from safetab_sql.evaluation.ground_truth import ground_truth

    with machine.used() as used:
        ground_truth(inputs.paths(), folder.out, dense=dense, overwrite=folder.overwrite, **used)
    print(f"{folder.out} holds EXACT counts: {PUBLIC_ONLY}", file=sys.stderr)
    print(folder.out)


def evaluate(
    *,
    out_dirs: tuple[Path, ...] = (),
    ground_truth: Path | None = None,
    runs: int | None = None,
    most_records: tuple[int, ...] = (),
    parameters: ParameterFile | None = None,
    code_lists: CodeLists = None,
    persons: str | None = None,
    geography: str | None = None,
    person_id: PersonId = None,
    totals: str | None = None,
    totals_are_public: TotalsArePublic = False,
    folder: Out,
    json: Annotated[bool, Means("print the tables by_level, by_statistic, quality and bounds as JSON")] = False,
    machine: LoggedMachine,
) -> None:
    """Compare releases with EXACT counts, of public or synthetic data only.

    example: --runs 20 INPUTS --out evaluation

    out_dirs OUT...: releases, or `reconcile` folders, of the same people and parameters; needs --ground-truth and
        --code-lists
    ground_truth DIR: folder that `ground-truth` made of the same people
    runs N: instead of --out-dirs: count --persons once, and add noise to these counts in N runs
    most_records K...: with --runs: bounds of the records of a person to compare with the bound in the parameters
    persons F: with --runs: as in `run`
    geography F: with --runs: as in `run`
    totals F: with --runs: as in `run`
    """
    from safetab_sql.evaluation.evaluate import Runs, evaluate, evaluation_text
    from safetab_sql.public.inputs import InputPaths

    needed = {"parameters": parameters, "persons": persons, "geography": geography}
    only_runs = {"person_id": person_id, "totals": totals, "totals_are_public": totals_are_public}
    only_runs |= {"most_records": bool(most_records)}
    if (runs is None) != bool(out_dirs):
        fix = "name releases with --out-dirs, or say how many to make with --runs"
        refuse([Problem("evaluate", "needs either --out-dirs or --runs", fix)])
    if runs is None:
        log = {"confidential_log": machine.confidential_log}
        needs = missing("evaluate", {"ground_truth": ground_truth}, "--out-dirs")
        refuse(needs + misplaced("--runs", {**needed, **only_runs, **log}))
    else:
        refuse(missing("evaluate", needed, "--runs") + misplaced("--out-dirs", {"ground_truth": ground_truth}))
    given = parameters or "", persons or "", geography or "", code_lists, person_id, totals
    inputs = InputPaths(*given, totals_are_public=totals_are_public)
    with machine.used() as used:
        found = evaluate(
            inputs if runs is not None else out_dirs,
            folder.out,
            runs=Runs(runs or 0, most_records),
            ground_truth=ground_truth,
            code_lists=code_lists,
            overwrite=folder.overwrite,
            **used,
        )
    print(f"{folder.out} was made from EXACT counts, and holds some: {PUBLIC_ONLY}", file=sys.stderr)
    tables = {name: found.tables[name] for name in ("by_level", "by_statistic", "quality", "bounds")}
    print(exact_answer({"out": folder.out, **tables} if json else f"{evaluation_text(found)}\n{folder.out}"))


def evaluate_attacks(
    *,
    inputs: Inputs,
    folder: Out,
    json: Annotated[bool, Means("print the tables attacks and sums as JSON")] = False,
    machine: LoggedMachine,
) -> None:
    """Attack a release and other protections of its tables, with EXACT counts, of public or synthetic data only.

    example: INPUTS --out attacks
    """
    from safetab_sql.evaluation.evaluate_attacks import attacks_text, evaluate_attacks

    with machine.used() as used:
        found = evaluate_attacks(inputs.paths(), folder.out, overwrite=folder.overwrite, **used)
    print(f"{folder.out} was made from EXACT counts, and holds some: {PUBLIC_ONLY}", file=sys.stderr)
    tables = {"attacks": found.attacks, "sums": found.sums}
    print(exact_answer({"out": folder.out, **tables} if json else f"{attacks_text(found)}\n{folder.out}"))
