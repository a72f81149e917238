"""Every check of the inputs of a run: `safetab-sql validate`."""

from safetab_sql.confidential.counts import read_people
from safetab_sql.confidential.inputs import checked_inputs
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.public.catalog import build_catalog
from safetab_sql.public.inputs import InputPaths, changed_inputs


def validate(
    inputs: InputPaths,
    *,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> tuple[Problem, ...]:
    """Run every check of the inputs and write nothing; the warnings.

    Raises: InputError with every problem. Source: tabulation.md section 8.
    """
    with checked_inputs(inputs, resources, progress) as intake:
        build_catalog(intake.database, intake.parameters)
        read_people(intake)
        refuse(changed_inputs(intake))
        return intake.warnings
