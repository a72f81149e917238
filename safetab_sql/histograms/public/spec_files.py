"""The files that a specification of synthetic data names; those that are public pass the gate."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.public.gate import Confidential, Public, public_file, records_at
from safetab_sql.public.inputs import attempt
from safetab_sql.settings.reading import Document

_PURPOSES = {"groups_file": "groups", "pairs_file": "pairs"}  # what the gate calls them


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """The files of a specification: itself, those that it names, by key, and its private data.

    records: all that is confidential: the private data, and the data that the user names, although one of them is read.
    """

    spec: Public
    public: Mapping[str, Public]
    private: Path | None
    records: Confidential


def spec_files(
    document: Document,
    written: Mapping[str, str],
    data: str | Path | None,
    resources: Resources,
    problems: list[Problem],
) -> SpecFiles:
    """The files that a specification names. data: the records that the command line names, if any.

    problems: gets what is wrong with the private data. Raises: InputError with every file that may not pass the gate.
    """
    named = {key: document.path.parent / file for key, file in written.items()}
    private = named.pop("private_data", None)
    records = records_at(data, private, resources=resources)
    public, refused = dict[str, Public](), list[Problem]()
    if private is not None and not records_at(private, resources=resources).sources:
        what = f"names {private}, which cannot be found, so no public file can be compared with it"
        fix = "name the file of the records, or take the line out and name it with --data"
        problems.append(Problem(f"{document.path} [private_data]", what, fix))
    for key, file in {"spec": document.path, **named}.items():
        found = attempt(refused, partial(public_file, _PURPOSES.get(key, key), file, records))
        public |= {} if found is None else {key: found}
    refuse([*problems, *refused] if refused else [])
    return SpecFiles(public.pop("spec"), public, private, records)
