"""`plan`: what a run will do and cost, before a person record is opened."""

from typing import Annotated

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import CodeLists, Json, ParameterFile, number_of


def plan(
    *,
    parameters: ParameterFile,
    code_lists: CodeLists = None,
    geography: str | None = None,
    people: Annotated[int | None, number_of("people")] = None,
    json: Json = False,
) -> None:
    """Show what a run will do and cost, from public files alone.

    example: --parameters sim/parameters.toml --code-lists sim/code-lists --geography sim/geography.parquet

    geography F: one row per block; without it, no regions are counted
    people N: number of people, a public figure, for estimates of the size
    """
    from safetab_sql.jobs.plan import plan, plan_json, plan_text

    seen = plan(parameters, geography=geography, code_lists=code_lists)
    print(json_text(plan_json(seen, people)) if json else plan_text(seen, people))
