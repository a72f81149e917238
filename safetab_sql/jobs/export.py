"""`export`: a finished release, or a reconciled one, in another format. No record is read, and no budget spent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import groupby
from pathlib import Path

from safetab_sql.export.contents import REGION, Contents, Names
from safetab_sql.export.formats import Format, folder_contents, format_problems, write_export
from safetab_sql.kit.database import Resources, claimed_folder, open_database, scratch_folder
from safetab_sql.kit.errors import Problem, nearest, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.whole_folders import whole_folder
from safetab_sql.public.gate import public_source
from safetab_sql.public.inputs import attempt
from safetab_sql.public.readers import REGION_COLUMNS, region_names_table
from safetab_sql.public.text_files import parquet_files, source_columns
from safetab_sql.published.file_notes import file_differences
from safetab_sql.release.folder import RELEASE_FIX, open_folder
from safetab_sql.settings.ladders import CODES

_LABELS = {"COLUMN": "column", "CODE": "code", "MEANING": "meaning"}
_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Exported:
    """A folder with a release in another format. files: their places in it."""

    out: Path
    format: Format
    files: tuple[str, ...]


def export(
    release: str | Path,
    out: str | Path,
    *,
    format: Format,
    names: Sequence[str | Path] = (),
    overwrite: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> Exported:
    """Write the release in folder `release`, which `run` or `reconcile` made, in another format into folder `out`.

    names: public files that name regions (REGION_TYPE, REGION_ID, NAME) or codes (COLUMN, CODE, MEANING), over the
    names that the release has. Raises: InputError with every problem; then nothing is written.
    """
    opened, out = open_folder(Path(release), or_reconciled=True), Path(out)
    facts = opened.facts
    contents = Contents(opened.folder, facts)
    may_hold = folder_contents(contents.parameters)
    claimed = claimed_folder(out, may_hold, resources, overwrite=overwrite)
    with claimed as found, scratch_folder(resources.scratch) as scratch:
        problems = found + format_problems(format, contents.parameters, f"--format {format}")
        problems += opened.problems or file_differences(opened.folder, facts.files)
        progress.stage("reading names")
        if not (opened.folder / CODES / "STATISTIC.csv").is_file():
            problems.append(Problem(str(opened.folder / CODES), "holds no code lists", RELEASE_FIX))
        given = [attempt(problems, partial(_names, each, contents, resources, scratch)) for each in names]
        refuse(problems)
        contents = replace(contents, names={key: name for each in given if each for key, name in each.items()})
        progress.stage("writing files")
        with whole_folder(out, may_hold, overwrite=overwrite, day=date.fromisoformat(facts.made_on)) as folder:
            write_export(format, contents, folder, resources, scratch)
            files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return Exported(out, format, tuple(files))


def _names(given: str | Path, contents: Contents, resources: Resources, scratch: Path) -> Names:
    """The names in a file. Raises: InputError where it is no such file, or names what the release does not have."""
    public = public_source("names", given)
    is_of_regions = "REGION_ID" in source_columns(public)
    with open_database(scratch, public.files, [], resources) as database:
        files = parquet_files(database, public, scratch, "names")
        table = region_names_table(public.given, files, REGION_COLUMNS if is_of_regions else _LABELS)
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    found = {(REGION, one, two) if is_of_regions else (one, "", two): name for one, two, name in rows}
    refuse(list(_problems(public.given, found, contents)))
    return found


def _problems(where: str, found: Names, contents: Contents) -> Iterator[Problem]:
    """Columns, region types and codes that the release does not have, and types of which it has no region at all."""
    for (column, kind), keys in groupby(sorted(found), key=lambda key: key[:2]):
        fix = f"name what {contents.folder} has, or leave these rows out"
        known = _known(column, kind, contents)
        if known is None:
            near = nearest(kind or column, [*contents.codes, *(each.name for each in contents.parameters.region_types)])
            what = f"region type {kind}" if kind else f"column {column}, or no list of its codes"
            yield Problem(where, f"the release has no {what}", f"did you mean {near}?" if near else fix)
            continue
        given = [code for *_, code in keys]
        unknown = [code for code in given if code not in known]
        if unknown and (column != REGION or unknown == given):  # a file may name all regions of a country
            shown = ", ".join(unknown[:_MOST_SHOWN]) + (", ..." if len(unknown) > _MOST_SHOWN else "")
            yield Problem(where, f"{len(unknown):,} code(s) of {kind or column} are in no list: {shown}", fix)


def _known(column: str, kind: str, contents: Contents) -> set[str] | None:
    """The codes of a column, or the regions of a type: the published ones where there is no list of regions."""
    if column != REGION:
        return {row[0] for row in contents.codes[column]} if column in contents.codes else None
    if kind not in {each.name for each in contents.parameters.region_types}:
        return None
    listed = [(row[2], row[0]) for row in contents.codes.get(REGION) or ()] or contents.regions
    return {region for region_type, region in listed if region_type == kind}
