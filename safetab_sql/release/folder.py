"""A release read from its folder: what its manifest says, and its published tables. No other module reads them."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.accounting.plan import level_name
from safetab_sql.accounting.statement import Loss, ReleasedLevel, quoted
from safetab_sql.kit.database import TYPES, Database
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import sql_files
from safetab_sql.kit.whole_folders import is_litter, is_marked, sha256_of
from safetab_sql.public.expressions import region_expression_problems
from safetab_sql.public.gate import Public, public_code_lists
from safetab_sql.public.readers import geography_values
from safetab_sql.public.sources import Source, stored_types
from safetab_sql.public.text_files import parquet_files
from safetab_sql.public.values import ladder_levels, parameter_values
from safetab_sql.published import manifest as manifests
from safetab_sql.published.file_notes import denials, described, ladder_files
from safetab_sql.settings.about import About
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.ladders import CODES
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.tables import adapter, shown, wrongs_of

if TYPE_CHECKING:
    from pyarrow import dataset

RELEASE_FIX = "name a folder that `safetab-sql run` made, as it made it"
_VERSION_FIX = f"{RELEASE_FIX}; if another version made it, read it with that version, or make the release anew"
NO_RELEASE = "not the manifest of a release"
_KINDS: Mapping[str, type] = {"run": manifests.RunManifest, "reconcile": manifests.ReconciledManifest}
# What takes the folders of the other commands that write a manifest.
_TAKERS: Mapping[str, str] = {
    "bottom-up run": (
        "its rows state their own margins of error: for other sums name more margins in its spec; `semantics "
        "--epsilon` takes its epsilon"
    ),
    "synthesize run": "`synthesize score` takes its rows, and `semantics --epsilon` its epsilon",
    "bottom-up curve": "`report --curve` takes this folder",
    "evaluate": "`report --evaluation` takes this folder",
    "ground-truth": "`evaluate --ground-truth` and `epl --ground-truth` take this folder",
}
_MOST_PROBLEMS = 5  # of a manifest; it is written by a program, and whoever changed a word of it changed one
_LARGEST_FILE = 2**26  # bytes; a manifest of every level has 60,000


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """A release, or what `reconcile` made of one.

    manifest: of the run, also where its counts were reconciled. where: the file that holds it. parameters: of the run.
    files: of the folder. made_on: the day on which the folder was made, YYYY-MM-DD. reconciled: what was done to its
    counts; None for a folder of `run`.
    """

    manifest: manifests.RunManifest
    where: Path
    parameters: Parameters
    files: manifests.Digests
    made_on: str
    reconciled: manifests.ReconciledCounts | None = None

    @property
    def run(self) -> manifests.Run:
        """What the run says of itself."""
        return self.manifest.run

    @property
    def levels(self) -> tuple[ReleasedLevel, ...]:
        """The levels of the ledger."""
        return self.run.ledger.levels

    @property
    def is_clipped(self) -> bool:
        """Whether counts below 0 became 0."""
        return not self.parameters.allow_negative_counts

    @property
    def definition(self) -> PrivacyDefinition:
        """The privacy definition of the noise."""
        return self.run.ledger.loss.privacy_definition

    @property
    def loss(self) -> Loss:
        """The loss of one record, and of one person."""
        return self.run.ledger.loss.of(self.parameters.unit)

    @property
    def quoted(self) -> str:
        """The (epsilon, delta) that is quoted of the release."""
        return quoted(self.loss, self.parameters.delta)

    @property
    def region_types(self) -> tuple[str, ...]:
        """The region types of the levels, in the order of the levels."""
        return tuple(dict.fromkeys(level.region_type for level in self.levels))

    def levels_of(self, ladder: str) -> tuple[ReleasedLevel, ...]:
        """The levels of a ladder."""
        return tuple(level for level in self.levels if level.ladder in (None, ladder))

    def suppressed_types(self, ladder: str | None = None) -> frozenset[str]:
        """Region types whose small totals are not published: in a ladder, or in any."""
        levels = self.levels if ladder is None else self.levels_of(ladder)
        return frozenset(each.region_type for each in levels if each.suppression_threshold is not None)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of its tables."""
        return tuple(folder for ladder in self.parameters.ladders for folder in ladder.folders)

    @property
    def day(self) -> str:
        """The day of the run."""
        return self.manifest.published.made.date

    @property
    def about(self) -> About:
        """Title, publisher, contact and note of the release."""
        return self.run.about

    def level_called(self, ladder: str, name: str | None) -> ReleasedLevel:
        """A level of a ladder by its name in the index of groups. Raises: as `level_among`."""
        return level_among(self.levels_of(ladder), name)


def level_among(levels: Iterable[ReleasedLevel], name: str | None) -> ReleasedLevel:
    """The level of one ladder that the index of groups calls `name`; None for a group that is not there.

    Raises: InputError where there is no such level.
    """
    for level in levels:
        if level.level.name == name:
            return level
    what = f"names level {name}, which the manifest does not have"
    raise InputError([Problem("group_index", "a published group is not listed" if name is None else what, RELEASE_FIX)])


def release_facts(manifest: object, where: Path = Path(manifests.MANIFEST)) -> ReleaseFacts:
    """The facts of a manifest, of `run` or of `reconcile`.

    Raises: InputError where another command or version wrote it, or a file of the release denies its word.
    """
    refuse_others(manifest, where)
    kind = _KINDS[cast(Mapping[str, Any], manifest)["command"]]
    try:
        read = adapter(kind).validate_python(manifest)
    except ValueError as error:
        said = [f"{NO_RELEASE}: {'.'.join(map(str, each.place))} {each.what}" for each in wrongs_of(error)]
        raise InputError([Problem(str(where), each, RELEASE_FIX) for each in said[:_MOST_PROBLEMS]]) from error
    run: manifests.RunManifest = read.run.release if isinstance(read, manifests.ReconciledManifest) else read
    with understood(where, "does not hold the parameters of a release"):
        parameters = replace(manifests.parameters_from_json(run.run.parameters, where), about=run.run.about)
    facts = ReleaseFacts(run, where, parameters, run.published.files, run.published.made.date)
    if isinstance(read, manifests.ReconciledManifest):
        facts = replace(facts, files=read.files, made_on=read.made.date, reconciled=read.run.reconciled)
    refuse([*_contradictions(facts)][:_MOST_PROBLEMS])
    refuse(denials(where.parent, facts.files) if run.published.releasable else [])
    return facts


def _contradictions(facts: ReleaseFacts) -> Iterator[Problem]:
    """Where the ledger of a manifest states other noise than its parameters, which may state thresholds in margins."""
    of_run, words = facts.parameters, "budget {}, thresholds {}"
    stated = {each.name: words.format(each.budget, each.thresholds) for each in facts.levels}
    thresholds, own = {each.name: each.thresholds for each in facts.levels}, dict[str, str]()
    for ladder, level in [(of, each) for of in of_run.ladders for each in ladder_levels(of_run, of)]:
        name = level_name(of_run, ladder, level)
        own[name] = words.format(level.budget, thresholds.get(name) if level.margins else level.thresholds)
    stated |= {"privacy_definition": facts.definition}
    own |= {"privacy_definition": of_run.privacy_definition}
    for key in [key for key in stated | own if stated.get(key) != own.get(key)]:
        found = [
            f"{said.get(key, 'nothing')} in its {place}" for said, place in ((stated, "ledger"), (own, "parameters"))
        ]
        yield Problem(str(facts.where), f"contradicts itself: {key} has {', '.join(found)}", RELEASE_FIX)


def refuse_others(manifest: object, where: Path) -> None:
    """Raises: InputError where this version of `run` or `reconcile` did not write the manifest: who did, and a cure."""
    if not isinstance(manifest, Mapping):
        raise InputError([Problem(str(where), f"{NO_RELEASE}: an object is wanted", RELEASE_FIX)])
    command, software = str(manifest.get("command")), manifest.get("software")
    if command in _TAKERS:
        fix = f"{RELEASE_FIX}; {_TAKERS[command]}"
        raise InputError([Problem(str(where), f"{NO_RELEASE}: `safetab-sql {command}` made it", fix)])
    if "command" not in manifest and isinstance(software, Mapping) and "safetab-sql" in software:
        version = shown(software["safetab-sql"])
        what = f"{NO_RELEASE} as this version writes it: it does not say which command of safetab-sql {version} made it"
        raise InputError([Problem(str(where), what, "read it with that version, or make the release anew")])
    if command not in _KINDS:
        raise InputError([Problem(str(where), f"{NO_RELEASE}: no command of safetab-sql made it", RELEASE_FIX)])


@contextmanager
def understood(where: Path, what: str = NO_RELEASE) -> Iterator[None]:
    """A block that reads values of a manifest. Raises: InputError with `what` where a value is not as it should be."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        said = str(error) if isinstance(error, ValueError) else f"{type(error).__name__} {error}"
        raise InputError([Problem(str(where), f"{what}: {said}", RELEASE_FIX)]) from error


@dataclass(frozen=True, slots=True)
class ReleaseFolder:
    """A folder that `run` made, or `reconcile` of such a folder. problems: tables or columns that are not there."""

    folder: Path
    facts: ReleaseFacts
    problems: tuple[Problem, ...]


def open_folder(folder: Path, *, or_reconciled: bool = False) -> ReleaseFolder:
    """The release in a folder. or_reconciled: whether the folder may be one that `reconcile` made.

    Raises: InputError where its manifest is not of a release.
    """
    facts = release_facts(read_manifest(folder / manifests.MANIFEST), folder / manifests.MANIFEST)
    if facts.reconciled is not None and not or_reconciled:
        raise InputError([Problem(str(facts.where), f"{NO_RELEASE}, but of what `reconcile` made of one", RELEASE_FIX)])
    return ReleaseFolder(folder, facts, tuple(_table_problems(folder, facts)))


def table_files(table: Path) -> list[Path]:
    """The Parquet files of a folder of tables, such as t1, in their order."""
    return [file.resolve() for file in sorted(table.glob("*.parquet")) if not is_litter(Path(file.name))]


def released_table(table: Path) -> "dataset.Dataset":
    """A folder of tables, such as t1, as one table."""
    from pyarrow import dataset  # noqa: PLC0415  (few commands read tables with it, and it takes long to load)

    return dataset.dataset(list(map(str, table_files(table))), format="parquet")


def released_codes(folder: Path, column: str) -> dict[str, str]:
    """What the codes of a column mean, as the folder of a release lists them; none in a folder without such a list.

    Codes without a meaning are left out. Raises: as `code_rows`.
    """
    file = folder / CODES / f"{column}.csv"
    return {code: meaning for code, meaning, *_ in (code_rows(file) if file.is_file() else ()) if meaning}


def code_rows(file: Path) -> list[list[str]]:
    """The rows of a list of codes and meanings. Raises: InputError where the list is not one that `run` wrote."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream, strict=True))
    except (OSError, ValueError, csv.Error) as error:
        raise InputError([Problem(str(file), f"is no list of codes and meanings: {error}", RELEASE_FIX)]) from error
    if {len(row) for row in rows} not in ({2}, {3}, {4}):  # of regions their type, of iterations level and kind
        raise InputError([Problem(str(file), "is no list of codes and meanings: its rows differ", RELEASE_FIX)])
    return rows[1:]


def read_geography(database: Database, geography: Source, parameters: Parameters, scratch: Path) -> None:
    """Make table `geo_units` from a geography file. Raises: InputError where it cannot be read."""
    files = parquet_files(database, geography, scratch, "geography")
    types = stored_types(geography, files)
    refuse(region_expression_problems(parameters, list(types[0])))
    database.set_values(parameter_values(parameters))
    database.set_values(geography_values(geography.given, [str(file) for file in files], types, parameters))
    for name in ("geography_rows", "geography_areas", "area_regions", "geo_units"):
        database.create(sql_files()[name])


def _table_problems(folder: Path, facts: ReleaseFacts) -> Iterator[Problem]:
    """What is wrong with the tables of a release: each has the columns that this version writes, and may have more."""
    columns, parameters = dict[str, dict[str, pa.DataType]](), facts.parameters
    made = "" if facts.reconciled is None else "whole_" if facts.reconciled.integers else "reconciled_"
    for ladder in parameters.ladders:
        for place, statement in ladder_files(parameters, ladder, made).items():
            own = described(statement, parameters, ladder)[1]
            columns[place.partition("/")[0]] = {each.name: TYPES[each.type] for each in own}
    for table, kinds in columns.items():
        files, exact = table_files(folder / table), "says of itself that it was made from exact counts"
        yield from [] if files else [Problem(str(folder / table), "holds no Parquet file", RELEASE_FIX)]
        for file in files:
            yield from [Problem(str(file), exact, "take the release as it was made, whole")] if is_marked(file) else []
            yield from file_problems(file, kinds, _VERSION_FIX)


def file_problems(file: Path, columns: Mapping[str, pa.DataType | None], fix: str) -> list[Problem]:
    """Why a Parquet file cannot be read, which columns it lacks, and which have another type than these."""
    try:
        found = {each.name: each.type for each in pq.read_schema(file)}
    except (OSError, pa.ArrowException) as error:
        return [Problem(str(file), f"cannot be read: {error}", fix)]
    missing = [name for name in columns if name not in found]
    wrong = [name for name in columns if name in found and columns[name] not in (None, found[name])]
    said = [f"missing columns {', '.join(missing)}"] if missing else []
    said += [f"column {name} is {found[name]}, not {columns[name]}" for name in wrong]
    return [Problem(str(file), each, fix) for each in said]


def read_manifest(path: Path, fix: str = RELEASE_FIX) -> Any:
    """The contents of a manifest; `release_facts` tells whose it is. Raises: InputError where it cannot be read."""
    try:
        return json.loads(_content(path))
    except (OSError, ValueError, RecursionError) as error:
        what = f"cannot be read: {error.strerror if isinstance(error, OSError) else error}"
        raise InputError([Problem(str(path), what, fix)]) from error


def _content(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise ValueError("not a file")
    with path.open("rb") as stream:
        content = stream.read(_LARGEST_FILE + 1)
    if len(content) > _LARGEST_FILE:
        raise ValueError("larger than any manifest")
    return content


def public_problems(public: Mapping[str, Public], facts: ReleaseFacts) -> list[Problem]:
    """Which of the public inputs, by their names in the manifest, differ in SHA-256 from the files of the release."""
    problems = []
    for name, given in public.items():
        made_with = facts.run.public_inputs.get(name)
        if made_with is None:
            what = f"does not hold the digest of the {name} that the release was made with"
            problems.append(Problem(str(facts.where), what, RELEASE_FIX))
        elif {file.sha256 for file in manifests.source_digests(given)} != {file.sha256 for file in made_with}:
            what = f"is not the {name} of this release: its digest differs from that in {facts.where}"
            names = ", ".join(file.file for file in made_with)
            fix = f"name what the release was made with ({names}), unchanged, or leave it out"
            problems.append(Problem(given.given, what, fix))
    return problems


def manifest_digest(folder: Path) -> str:
    """SHA-256 of the manifest of a folder, which identifies the release. The manifest must exist."""
    return sha256_of(folder / manifests.MANIFEST)


def code_lists_of_release(code_lists: str | Path | None, parameters: Parameters) -> dict[str, Public]:
    """The code lists that a release was made with, in the folder `code_lists`; none where its questions need none.

    Raises: InputError where a list, or the folder, is missing.
    """
    wanted = parameters.questions.lists
    if not wanted:
        return {}
    if code_lists is None:
        fix = "name the folder of the code lists that the release was made with"
        raise InputError([Problem("--code-lists", "not given", fix)])
    return public_code_lists(code_lists, wanted)
