"""OUT/manifest.json: what was run, with which public inputs, at what privacy loss. It says nothing about people."""

import json
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

from safetab_sql.accounting.conversions import exact_json
from safetab_sql.accounting.written import as_json, members_of
from safetab_sql.kit.database_tables import table_digest
from safetab_sql.kit.objects import sha256_of
from safetab_sql.public.gate import Public
from safetab_sql.settings.attributes import Attribute
from safetab_sql.settings.geography import Geography, Part, PlaceColumn, RegionType
from safetab_sql.settings.ladders import COARSER, Ladder, LevelParameters, Statistic, level_of_name
from safetab_sql.settings.markers import Checked, Text
from safetab_sql.settings.parameters import Parameters
from safetab_sql.settings.questions import Lists, Question, Questions
from safetab_sql.settings.tables import table
from safetab_sql.settings.unit import Unit
from safetab_sql.settings.wrong import Wrong

MANIFEST = "manifest.json"
PACKAGES = ("safetab-sql", "duckdb", "numpy", "pyarrow", "jinja2")
_SWITCHES = ("intervals_from_zero", "publish_stage_1")  # parameters that manifests name where they are true
_EXACT = re.compile(r"[0-9]{1,300}(/[1-9][0-9]{0,299})?")  # Fraction("1e999999999") would never end


def _no_day(text: str) -> Iterator[Wrong]:
    try:
        date.fromisoformat(text)
    except ValueError:
        yield Wrong(f"{{key}} {text} is in no calendar", "write a day such as 2026-11-21")


@table
class Digest:
    """A file, and its SHA-256."""

    file: str
    sha256: Annotated[str, Text("[0-9a-f]{64}")]


Digests = tuple[Digest, ...]


@table
class Envelope:
    """What every manifest says of how its folder was made.

    software: versions. date: the day on which the command began (UTC), YYYY-MM-DD, and no other time: the duration of a
    run would tell how many records it read.
    """

    software: Mapping[str, str]
    date: Annotated[str, Text("[0-9]{4}-[0-9]{2}-[0-9]{2}"), Checked(_no_day)]


@dataclass(frozen=True, slots=True)
class Made:
    """A folder that a job made. manifest: what its manifest.json holds."""

    out: Path
    manifest: Mapping[str, Any]


def parameters_json(parameters: Parameters) -> dict[str, object]:
    """The parameters as JSON; every rational is exact."""
    return {
        "privacy_definition": parameters.privacy_definition,
        "questions": asdict(parameters.questions),
        "gamma": exact_json(parameters.gamma),
        "zero_suppression_chance": exact_json(parameters.zero_suppression_chance),
        "allow_negative_counts": parameters.allow_negative_counts,
        **{key: True for key in _SWITCHES if getattr(parameters, key)},
        **_geography_json(parameters.geography),
        "region_types": [asdict(kind) for kind in parameters.region_types],
        "unit": asdict(parameters.unit),
        "attributes": [asdict(attribute) for attribute in parameters.attributes],
        "ladders": [_ladder_json(ladder) for ladder in parameters.ladders],
    }


def parameters_from_json(settings: Mapping[str, Any], source: Path) -> Parameters:
    """The parameters that `parameters_json` wrote. Raises: LookupError, TypeError or ValueError where it did not."""
    return Parameters(
        privacy_definition=settings["privacy_definition"],
        questions=_questions_from_json(settings["questions"]),
        gamma=exact_from_json(settings["gamma"]),
        zero_suppression_chance=exact_from_json(settings["zero_suppression_chance"]),
        allow_negative_counts=settings["allow_negative_counts"],
        geography=_geography_from_json(settings),
        ladders=tuple(map(_ladder_from_json, settings["ladders"])),
        source=source,
        unit=unit_from_json(settings["unit"]),
        attributes=tuple(map(_attribute, settings["attributes"])),
        **{key: settings.get(key, False) for key in _SWITCHES},
    )


def _ladder_json(ladder: Ladder) -> dict[str, object]:
    """A ladder, with dictionaries in place of pairs."""
    return {
        **asdict(ladder),
        "subtotals": COARSER if ladder.subtotals == COARSER else [dict(cells) for cells in ladder.subtotals],
        "statistics": [{"name": each.name, "cells": dict(each.cells)} for each in ladder.statistics],
        "levels": [_level_json(level) for level in ladder.levels],
    }


def _level_json(level: LevelParameters) -> dict[str, object]:
    return {
        "level": level.level.name,
        "budget": exact_json(level.budget),
        "thresholds": list(level.thresholds),
        **_total_only_json(level),
        **({"shares": {kind: exact_json(share) for kind, share in level.shares}} if level.shares else {}),
    }


def _ladder_from_json(said: Mapping[str, Any]) -> Ladder:
    """The ladder that `_ladder_json` wrote. Raises: as `parameters_from_json`."""
    is_coarser = said["subtotals"] == COARSER
    lists = {
        "statistics": tuple(Statistic(each["name"], tuple(each["cells"].items())) for each in said["statistics"]),
        "subtotals": COARSER if is_coarser else tuple(tuple(cells.items()) for cells in said["subtotals"]),
        "levels": tuple(map(_level_from_json, said["levels"])),
    }
    return Ladder(**{**said, **lists})


def _level_from_json(said: Mapping[str, Any]) -> LevelParameters:
    return LevelParameters(
        level_of_name(said["level"]),
        exact_from_json(said["budget"]),
        tuple(said["thresholds"]),
        said.get("total_only") is True,
        () if said.get("total_only") is True else tuple(said.get("total_only", ())),
        tuple((kind, exact_from_json(share)) for kind, share in said.get("shares", {}).items()),
    )


def unit_from_json(said: Mapping[str, Any]) -> Unit:
    """The unit that `parameters_json` wrote; the usual one of nothing. Raises: as `parameters_from_json`."""
    where = {column: tuple(listed) for column, listed in said.get("where", {}).items()}
    return Unit(**{**said, "where": where, "leave_out": tuple(said.get("leave_out", ()))})


def _attribute(said: Mapping[str, Any]) -> Attribute:
    groups = {
        name: tuple(groups)
        if isinstance(groups, list | tuple)
        else {code: tuple(each) for code, each in groups.items()}
        for name, groups in said["groups"].items()
    }
    lists = {name: tuple(said[name]) for name in ("publish", "values", "unknown")}
    return Attribute(**{**said, **lists, "groups": groups})


def _total_only_json(level: LevelParameters) -> dict[str, object]:
    """What the level says of groups that get a total alone; nothing where it says nothing."""
    if level.is_total_only:
        return {"total_only": True}
    return {"total_only": list(level.total_only)} if level.total_only else {}


def _questions_from_json(asked: Mapping[str, Any]) -> Questions:
    several = None if asked["several"] is None else _question(asked["several"])
    lists = {key: tuple(asked["shared"][key]) for key in ("levels", "untabulated")}
    shared = Lists(**{**asked["shared"], **lists})
    return Questions(several, tuple(map(_question, asked["single"])), shared)


def _question(asked: Mapping[str, Any]) -> Question:
    return Question(**{**asked, "columns": tuple(asked["columns"]), "values": tuple(asked["values"])})


def _geography_json(geography: Geography) -> dict[str, object]:
    """The geography without its region types."""
    return {
        "place": {column.name: column.digits or "text" for column in geography.place},
        "parts": {part.name: {name: list(listed) for name, listed in part.where.items()} for part in geography.parts},
        "run": list(geography.run),
        "elsewhere": geography.elsewhere,
    }


def _geography_from_json(settings: Mapping[str, Any]) -> Geography:
    """The geography that `_geography_json` wrote. Raises: as `parameters_from_json`."""
    kinds = tuple(RegionType(**kind) for kind in settings["region_types"])
    return Geography(
        place=tuple(
            PlaceColumn(name, None if digits == "text" else int(digits)) for name, digits in settings["place"].items()
        ),
        parts=tuple(
            Part(name, {column: tuple(listed) for column, listed in where.items()})
            for name, where in settings["parts"].items()
        ),
        run=tuple(settings["run"]),
        region_types=kinds,
        elsewhere={column: tuple(listed) for column, listed in settings["elsewhere"].items()},
    )


def exact_from_json(value: Mapping[str, Any]) -> Fraction:
    """The rational, at least 0, that `exact_json` wrote. Raises: LookupError, TypeError or ValueError if it did not."""
    text = value["exact"]
    if not isinstance(text, str) or _EXACT.fullmatch(text) is None:
        raise ValueError(f"{str(text)[:60]!r} is no exact budget")
    return Fraction(text)


def source_digests(public: Public) -> Digests:
    """Name and SHA-256 of each file of a public input; of a table of a database, of the table alone."""
    source = public.source
    if source.table is None:
        return tuple(Digest(file.name, sha256_of(file)) for file in source.files)
    (file,) = source.files
    return (Digest(f"{file.name}::{'.'.join(source.table)}", table_digest(file, source.table)),)


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
