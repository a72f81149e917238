"""`semantics`: what a budget means for one record, in tables, figures and sentences."""

from pathlib import Path
from typing import Annotated

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import CodeLists, ParameterFile
from safetab_sql.commands.signatures import Means


def semantics(
    *,
    manifest: Path | None = None,
    parameters: ParameterFile | None = None,
    code_lists: CodeLists = None,
    rho: str | None = None,
    epsilon: str | None = None,
    level: tuple[str, ...] = (),
    json: Annotated[bool, Means("as JSON, with every digit and both bounds")] = False,
    figures: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Say what a budget means for whom it protects: tests, beliefs, and what protects each attribute.

    example: --rho 2.63

    manifest F: manifest.json of a release, or its folder
    rho R: a budget of zero-concentrated differential privacy
    epsilon E: a budget of pure differential privacy
    level X: level of a test: chance of a wrong accusation; repeat for several; default: 0.01 0.05 0.10
    figures DIR: folder to make, with the figures as SVG
    overwrite: replace the folder of --figures if it exists
    """
    from safetab_sql.jobs.semantics import BudgetSource, semantics, summary_json, summary_text

    source = BudgetSource(manifest, parameters, code_lists, rho, epsilon)
    found = semantics(source, figures, levels=level, overwrite=overwrite)
    print(json_text(summary_json(found)) if json else summary_text(found))
