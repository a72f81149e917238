"""OUT/manifest.json: what was run, with which public inputs, at what privacy loss. It says nothing about people.

The manifests of releases are dataclasses, written and read, that make their JSON Schemas.
"""

import json
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass
from datetime import date
from fractions import Fraction
from functools import cache
from importlib import metadata
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from safetab_sql.accounting.conversions import Exact, as_json, exact_json, members_of
from safetab_sql.accounting.statement import RunSpending, RunStatement, run_statement
from safetab_sql.kit.database import table_digest
from safetab_sql.kit.whole_folders import sha256_of
from safetab_sql.public.gate import Public, release_of
from safetab_sql.public.inputs import Intake
from safetab_sql.public.readers import TOTALS
from safetab_sql.public.sources import footer_of
from safetab_sql.settings.about import About
from safetab_sql.settings.ladders import COARSER, Ladder, LevelParameters, PopulationGroupLevel, level_of_name
from safetab_sql.settings.markers import Switch, text
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.tables import INLINE, Wrong, adapter, checked, shown, table
from safetab_sql.settings.unit import Unit

MANIFEST = "manifest.json"
PACKAGES = ("safetab-sql", "duckdb", "numpy", "pyarrow", "jinja2")
_WHERE_SAID = ("labels", "suppress_below")  # parameters that manifests name where they say anything
_SWITCHES = ("intervals_from_zero", "publish_stage_1")  # parameters that manifests name where they are true


def _no_day(text: str) -> Iterator[Wrong]:
    try:
        date.fromisoformat(text)
    except ValueError:
        yield Wrong(f"{text} is in no calendar", "write a day such as 2026-11-21")


@table
class Digest:
    """A file, and its SHA-256."""

    file: str
    sha256: Annotated[str, text("[0-9a-f]{64}")]


Digests = tuple[Digest, ...]


@table
class Envelope:
    """What every manifest says of how its folder was made.

    software: versions. date: the day on which the command began (UTC), YYYY-MM-DD, and no other time: the duration of a
    run would tell how many records it read.
    """

    software: Mapping[str, str]
    date: Annotated[str, text("[0-9]{4}-[0-9]{2}-[0-9]{2}"), checked(_no_day)]


@table
class Published:
    """What the manifest of every noisy release says of how it was made.

    releasable: whether all noise came from the system's generator. accounted: whether it stands in a custodian's
    ledger. files: every other file of the folder.
    """

    releasable: Switch
    accounted: Switch
    files: Digests
    made: Annotated[Envelope, INLINE]


@table
class Run:
    """What a run says of itself. public_inputs: by name. parameters: see `parameters_from_json`."""

    command: Literal["run"]
    about: About
    parameters: Mapping[str, Any]
    public_inputs: Mapping[str, Digests]
    ledger: RunStatement


@table
class RunManifest:
    """The manifest of `run`."""

    published: Annotated[Published, INLINE]
    run: Annotated[Run, INLINE]


@table
class ReconciledCounts:
    """What was done to a release. divisions: region type -> the region type that it divides and adds up to.

    integers: whether its counts are whole numbers. stage_1: whether stage-1 totals were used.
    """

    method: str
    privacy: str
    divisions: Mapping[str, str]
    nested_iterations: int
    stage_1: Switch
    public_inputs: Mapping[str, Digests]
    integers: Switch
    moe95: str
    survived_suppression: str
    rows_are_independent: Switch


@table
class ReconcileRun:
    """What `reconcile` says of itself. release: the manifest of the release, unchanged."""

    command: Literal["reconcile"]
    about: About
    reconciled: ReconciledCounts
    release: RunManifest


@table
class ReconciledManifest:
    """The manifest of `reconcile`."""

    files: Digests
    made: Annotated[Envelope, INLINE]
    run: Annotated[ReconcileRun, INLINE]


ReleaseManifest = RunManifest | ReconciledManifest


@dataclass(frozen=True, slots=True)
class Made:
    """A folder that a job made. manifest: what its manifest.json holds."""

    out: Path
    manifest: Mapping[str, Any]


def parameters_json(parameters: Parameters) -> dict[str, object]:
    """The parameters as JSON; every rational is exact."""
    geography = parameters.geography
    return {
        "privacy_definition": parameters.privacy_definition,
        "questions": asdict(parameters.questions, dict_factory=lambda of: {k: v for k, v in of if v != ""}),
        **{key: exact_json(getattr(parameters, key)) for key in ("gamma", "delta", "zero_suppression_chance")},
        "allow_negative_counts": parameters.allow_negative_counts,
        **{key: True for key in _SWITCHES if getattr(parameters, key)},
        "place": {column.name: column.digits or "text" for column in geography.place},
        "parts": {part.name: {name: list(of) for name, of in part.where.items()} for part in geography.parts},
        **{"run": list(geography.run), "elsewhere": geography.elsewhere},
        **({"no_place": {"null": list(geography.null), "other": geography.other}} if geography.null else {}),
        "region_types": [asdict(kind) for kind in parameters.region_types],
        "unit": asdict(parameters.unit),
        "attributes": [asdict(attribute) for attribute in parameters.attributes],
        **{key: said for key in _WHERE_SAID if (said := getattr(parameters, key))},
        "ladders": [_ladder_json(ladder) for ladder in parameters.ladders],
    }


def parameters_from_json(settings: Mapping[str, Any], source: Path) -> Parameters:
    """The parameters that `parameters_json` wrote. Raises: LookupError, TypeError or ValueError where it did not."""
    of_places = ("place", "parts", "run", "elsewhere", "no_place")
    said = {key: each for key, each in settings.items() if key not in of_places}
    places = [{"name": name, "digits": None if of == "text" else of} for name, of in settings["place"].items()]
    geography = {
        "place": places,
        "parts": [{"name": name, "where": where} for name, where in settings["parts"].items()],
        "run": settings["run"],
        "region_types": said.pop("region_types"),
        "elsewhere": settings["elsewhere"],
        **settings.get("no_place", {}),
    }
    return Parameters(source=source, **_fields(Parameters, {**said, "geography": geography}))


def unit_from_json(said: Mapping[str, Any]) -> Unit:
    """The unit that `parameters_json` wrote; the usual one of nothing. Raises: as `parameters_from_json`."""
    return Unit(**_fields(Unit, said))


def _level_from_json(said: Mapping[str, Any]) -> LevelParameters:
    is_total_only = said.get("total_only") is True
    codes = () if is_total_only else said.get("total_only", ())
    return LevelParameters(**_fields(LevelParameters, {**said, "is_total_only": is_total_only, "total_only": codes}))


_READERS: Mapping[Any, Callable[[Any], object]] = {
    PopulationGroupLevel: level_of_name,
    LevelParameters: _level_from_json,
}


_hints = cache(get_type_hints)


def _fields(kind: Any, said: Mapping[str, Any]) -> dict[str, Any]:
    hints, found = _hints(kind), {}
    for name, each in dict(said).items():
        try:
            found[name] = _value(hints.get(name), each)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}: {error}") from error
    return found


def _value(kind: Any, said: Any) -> Any:
    """The value of a type that JSON holds. Raises: as `parameters_from_json`."""
    if kind is Fraction:
        with suppress(ValueError):
            return adapter(Exact).validate_python(said)
    if kind in _READERS:
        return _READERS[kind](said)
    if is_dataclass(kind):
        return kind(**_fields(kind, said))  # type: ignore[operator]
    if get_origin(kind) in (Union, UnionType):
        for each in get_args(kind):
            with suppress(LookupError, TypeError, ValueError):
                return _value(each, said)
    if said in get_args(kind) if get_origin(kind) is Literal else type(said) is kind:
        return said
    return _several(kind, said)


def _several(kind: Any, said: Any) -> object:
    """The values of a tuple or a mapping; a tuple of pairs is an object in JSON. Raises: as `parameters_from_json`."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple and isinstance(said, list | tuple):
        return tuple(_value(inner[0], each) for each in said)
    if origin in (tuple, Mapping) and isinstance(said, Mapping):
        of = get_args(inner[0])[1] if origin is tuple else inner[1]
        pairs = tuple((name, _value(of, each)) for name, each in said.items())
        return dict(pairs) if origin is Mapping else pairs
    raise TypeError(f"{shown(said)} is not of its type")


def _ladder_json(ladder: Ladder) -> dict[str, object]:
    return {
        **{key: each for key, each in asdict(ladder).items() if key not in ("sum", "beside") or each is not None},
        "subtotals": COARSER if ladder.subtotals == COARSER else [dict(cells) for cells in ladder.subtotals],
        "statistics": [{"name": each.name, "cells": dict(each.cells)} for each in ladder.statistics],
        "levels": [_level_json(level) for level in ladder.levels],
    }


def _level_json(level: LevelParameters) -> dict[str, object]:
    total_only = level.is_total_only or list(level.total_only)
    return {
        "level": level.level.name,
        "budget": exact_json(level.budget),
        "thresholds": list(level.thresholds),
        **({"margins": level.margins} if level.margins else {}),
        **({"total_only": total_only} if total_only else {}),
    }


def source_digests(public: Public) -> Digests:
    """Name and SHA-256 of each file of a public input; of a table of a database, of the table alone."""
    if public.table is None:
        return tuple(Digest(file.name, sha256_of(file)) for file in public.files)
    (file,) = public.files
    return (Digest(f"{file.name}::{'.'.join(public.table)}", table_digest(file, public.table)),)


@cache
def software_versions() -> dict[str, str]:
    """The versions of the software that makes a release."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in PACKAGES}}


def dated(manifest: Mapping[str, object], day: date) -> dict[str, object]:
    """`manifest` in its envelope. day: on which the command began (UTC)."""
    return {**manifest, **members_of(Envelope(software_versions(), day.isoformat()))}


def write_manifest(path: Path, manifest: Mapping[str, object], day: date) -> Mapping[str, Any]:
    """Write `manifest` in its envelope; what was written. manifest: with the command that makes its folder."""
    text = json.dumps(dated(as_json(manifest), day), indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    written: dict[str, Any] = json.loads(text)
    return written


def are_releasable(totals: Public) -> bool:
    """Whether the totals are of a release that may be published: its manifest says so, and no file says the reverse."""
    manifest = release_of(totals)
    are_denied = totals.is_parquet and any(map(is_denied, totals.files))
    return manifest is not None and manifest.get("releasable") is True and not are_denied


def is_denied(file: Path) -> bool:
    """Whether a Parquet file says of itself that it is of no release to be published."""
    return (footer_of(file).metadata or {}).get(b"releasable") == b"false"


def manifest_of_run(data: Intake, ledger: RunSpending) -> dict[str, object]:
    """The manifest of the release. It holds nothing about person files, not even their names."""
    is_releasable = TOTALS not in data.public or are_releasable(data.public[TOTALS])
    said = Run(
        command="run",
        about=data.parameters.about,
        parameters=parameters_json(data.parameters),
        public_inputs={name: source_digests(each) for name, each in data.public.items()},
        ledger=run_statement(ledger),
    )
    return {**({} if is_releasable else {"releasable": False}), **members_of(said)}
