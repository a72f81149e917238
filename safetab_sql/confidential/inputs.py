"""The inputs of a run: public ones, and the person files beside them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from safetab_sql.confidential.handed_over import files_of_inputs, has_tables
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.public.inputs import InputPaths, Intake, Values, attempt, code_lists_of, opened_inputs
from safetab_sql.public.list_values import StoredTypes
from safetab_sql.public.parameters import Parameters, load_parameters
from safetab_sql.public.person_values import person_columns, person_values
from safetab_sql.public.published_totals import TOTALS, find_totals
from safetab_sql.public.region_names import REGION_NAMES
from safetab_sql.public.sources import Source, find_records, find_source


@contextmanager
def checked_inputs(
    paths: InputPaths,
    resources: Resources,
    progress: Progress = SILENT,
    problems: Sequence[Problem] = (),
) -> Iterator[Intake]:
    """Inputs that passed every check of tabulation.md section 8.

    problems: problems found before. Raises: InputError with every problem of files and parameters; if there is none,
    with every problem of the data. Problems of the data and warnings also go to the confidential log.
    """
    if has_tables(paths):
        refuse(problems)  # such as a scratch folder in OUT, where no record may be written
    with files_of_inputs(paths, resources) as files:
        try:
            parameters, person_id, sources = _found(files.paths, problems)
        except InputError as error:
            raise InputError([files.problem(problem) for problem in error.problems]) from error
        sources = {name: files.source(source) for name, source in sources.items()}
        reads = {"persons": partial(_person_values, parameters, person_id)}
        with opened_inputs(parameters, sources, resources, progress, reads) as intake:
            yield intake


def _found(paths: InputPaths, problems: Sequence[Problem]) -> tuple[Parameters, str | None, dict[str, Source]]:
    """The parameters, the column of ids and the files. Raises: InputError with `problems` and every further one."""
    found = list(problems)
    parameters = attempt(found, lambda: load_parameters(paths.parameters))
    person_id = attempt(found, lambda: _person_id(paths, parameters))
    wanted = {} if parameters is None else person_columns(parameters, person_id)
    persons = attempt(found, lambda: find_records(paths.persons, wanted))
    geography = attempt(found, lambda: find_source(paths.geography))
    lists = attempt(found, lambda: code_lists_of(paths.parameters, paths.code_lists, parameters))
    totals = None
    if parameters is not None and lists is not None:
        totals = attempt(found, lambda: find_totals(paths.totals, parameters, lists))
    names = attempt(found, lambda: _region_names(paths))
    if found or parameters is None or persons is None or geography is None or lists is None:
        raise InputError(found)
    sources = {"persons": persons, "geography": geography, **lists}
    sources |= ({} if totals is None else {TOTALS: totals}) | (names or {})
    return parameters, person_id, sources


def _region_names(paths: InputPaths) -> dict[str, Source]:
    return {} if paths.region_names is None else {REGION_NAMES: find_source(paths.region_names)}


def _person_id(paths: InputPaths, parameters: Parameters | None) -> str | None:
    """The column of ids: that of the option or of the parameters. Raises: InputError where they name two columns."""
    declared = None if parameters is None else parameters.unit.id
    if paths.person_id is not None and declared not in (None, paths.person_id):
        what = f"names {paths.person_id}, and unit.id in {paths.parameters} {declared}"
        raise InputError([Problem("--person-id", what, "name the column once")])
    return paths.person_id or declared


def _person_values(
    parameters: Parameters, person_id: str | None, where: str, paths: list[str], types: StoredTypes
) -> Values:
    """The statement values that read the person files."""
    values = person_values(where, paths, types, parameters, person_id)
    return {**values, "has_person_id": person_id is not None}
