"""`audit replay`: whether releases of people who differ are equal to the byte where noise hides the difference.

For public or simulated people. Each command is called as a user calls it, with random bits that make the noisy counts
of all extracts equal: whatever else differs is no noise. What the difference costs is added up from what is drawn, and
compared with the loss that the manifest states.
"""

import io
import json
import runpy
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol

from safetab_sql.accounting.loss import ONE_PERSON, ONE_RECORD
from safetab_sql.evaluation.compensated_histograms import (
    coded_records,
    compensated_cells,
    compensated_groups,
    compensated_tree,
    made_up_records,
)
from safetab_sql.evaluation.compensated_run import compensated_run, counted_extract
from safetab_sql.evaluation.compensation import Recording, replayed
from safetab_sql.evaluation.extracts import (
    Extract,
    RecordFile,
    named_records,
    read_extract,
    record_sources,
    simulated_inputs,
    write_extract,
)
from safetab_sql.evaluation.neighbours import Neighbour, neighbours
from safetab_sql.histograms.public.bottom_up_spec import load_bottom_up_spec
from safetab_sql.histograms.public.synthesis_spec import load_synthesis_spec
from safetab_sql.kit.database import Resources, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.inputs import InputPaths
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.settings.unit import Unit

MOST_SECONDS = 60  # no neighbour is begun that would probably end later
_OUT, _LEDGER, _WORK = "out", "ledger", "work"  # names in the folder where commands are called
_OWN = ("run", "when", "nonce", "records_sha256", "noise_sha256", "previous_line_sha256")  # of a line of the ledger
_PARTS = "2"
_MOST_NAMES = 5  # of outputs that differ, in one sentence

Method = Literal["run", "bottom-up", "synthesize"]
Lines = Sequence[Sequence[str]]
Outputs = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What is audited, and on whom.

    file: parameters of `run`, or the specification of another method. inputs: of a run, without persons where these are
    to be made up. data: records of another method. people: how many are made up where no records are named.
    """

    method: Method
    file: Path
    inputs: InputPaths | None = None
    data: str | None = None
    people: int = 2_000


@dataclass(frozen=True, slots=True)
class Trial:
    """One neighbour. cost: the loss that hiding the difference takes, and bound: what is stated for it, rho or epsilon.

    above: levels or histograms whose cost is above what is stated for them. differs: outputs that differ, by command.
    """

    what: str
    cost: Fraction
    bound: Fraction
    above: tuple[str, ...]
    differs: Mapping[str, tuple[str, ...]]

    @property
    def violations(self) -> list[str]:
        """A sentence for each way in which the release is not what it says."""
        said = [f"{name}: {self.what}: {_few(what)} differ" for name, what in self.differs.items() if what]
        if self.cost > self.bound:
            costs = f"noise hides it at a loss of {float(self.cost):g}, and {float(self.bound):g} is stated"
            said.append(f"{self.what}: {costs}")
        elif self.above:
            said.append(f"{self.what}: noise hides it at a larger loss than is stated for {', '.join(self.above)}")
        return said


@dataclass(frozen=True, slots=True)
class ReplayAudit:
    """outputs: how many things of each command were compared. untried: neighbours for which there was no time.

    stated: the loss of one neighbour, rho (zcdp) or epsilon (puredp).
    """

    definition: str
    stated: Fraction
    outputs: Mapping[str, int]
    trials: tuple[Trial, ...]
    untried: int
    violations: tuple[str, ...]


def _few(names: Sequence[str]) -> str:
    more = [f"and {len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    return ", ".join([*names[:_MOST_NAMES], *more])


class Noise(Protocol):
    """Noise that publishes the same counts of all extracts."""

    def bits(self, counted: Any, /) -> bytes:
        """What a run of one of them reads."""

    def costs(self, one: Any, other: Any, /) -> Mapping[str, Fraction]:
        """The loss of telling two of them apart, by level or histogram."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An audit that is about to begin.

    extract: the records. folder: where commands read them. commands: command lines by name. count: of the records that
    are there now. noise: of all that was counted. replaces: whether the stated loss bounds a changed person too.
    """

    extract: Extract
    folder: Path
    commands: Mapping[str, Lines]
    count: Callable[[], Any]
    noise: Callable[[Sequence[Any]], Noise]
    replaces: bool


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a manifest states: the loss of whatever neighbours differ by, in all and by level or histogram."""

    definition: str
    loss: Fraction
    parts: Mapping[str, Fraction]


def audit_replay(
    audited: Replayed,
    records: int = 8,
    *,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> ReplayAudit:
    """Release the records and neighbours of them, each with noise that hides the difference, and compare everything.

    records: how many neighbours. Raises: InputError with every problem of the inputs.
    """
    end = time.monotonic() + MOST_SECONDS
    with scratch_folder(resources.scratch) as scratch:
        progress.stage("preparing the records")
        prepared = (_run if audited.method == "run" else _histograms)(audited, scratch, resources)
        found = [Neighbour("", 0, prepared.extract), *neighbours(prepared.extract, records)]
        progress.stage("counting the records of all neighbours")
        counted = []
        for each in found:
            _put(each.files, prepared.folder)
            counted.append(prepared.count())
        noise, trials = prepared.noise(counted), list[Trial]()

        def seen(number: int) -> dict[str, Outputs]:
            progress.stage(f"replaying {number} of {len(found) - 1}")
            _put(found[number].files, prepared.folder)
            bits = noise.bits(counted[number])
            return {name: _outputs(lines, bits, scratch) for name, lines in prepared.commands.items()}

        first, took = seen(0), 0.0
        stated = _stated(first)
        for number, each in enumerate(found[1:], start=1):
            began = time.monotonic()
            if began + took > end:
                break
            trial = _trial(each, noise.costs(counted[0], counted[number]), stated, replaces=prepared.replaces)
            # What is much too dear has hardly any noise that hides it.
            others = {} if trial.cost > 2 * trial.bound else _differences(first, seen(number))
            trials.append(replace(trial, differs=others))
            took = time.monotonic() - began
    violations = (*_misled(first), *(said for trial in trials for said in trial.violations))
    sizes = {name: len(outputs) for name, outputs in first.items()}
    return ReplayAudit(stated.definition, stated.loss, sizes, tuple(trials), len(found) - 1 - len(trials), violations)


def replay_text(audit: ReplayAudit) -> str:
    """The audit as text: a row for each neighbour, what was compared, and a verdict."""
    unit = "rho" if audit.definition == "zcdp" else "epsilon"
    rows = [("neighbour", *audit.outputs, f"{unit} of the difference", "stated")]
    for trial in audit.trials:
        seen = [_word(trial.differs.get(name)) for name in audit.outputs]
        rows.append((trial.what, *seen, f"{float(trial.cost):.6g}", f"{float(trial.bound):.6g}"))
    compared = ", ".join(f"{number} of {name}" for name, number in audit.outputs.items())
    lines = [
        aligned(rows),
        f"compared: files with names, bytes, modes and times, console, exit codes, ledger lines ({compared})",
    ]
    if audit.untried:
        lines.append(f"neighbours not tried, because {MOST_SECONDS} seconds did not suffice: {audit.untried}")
    verdict = f"{len(audit.violations)} violations" if audit.violations else "noise is all that tells them apart"
    return "\n".join([*lines, f"neighbours tried: {len(audit.trials)}; {verdict}"])


def _word(differs: tuple[str, ...] | None) -> str:
    return "not tried" if differs is None else "differs" if differs else "equal"


def _trial(tried: Neighbour, costs: Mapping[str, Fraction], stated: _Stated, *, replaces: bool) -> Trial:
    """A neighbour before it is replayed."""
    times = min(tried.times, 1) if replaces else tried.times
    above = tuple(name for name, cost in costs.items() if name in stated.parts and cost > times * stated.parts[name])
    return Trial(tried.what, sum(costs.values(), Fraction(0)), times * stated.loss, above, {})


def _misled(first: Mapping[str, Outputs]) -> list[str]:
    """What went wrong with the records themselves: every command ends well, and draws what is expected."""
    said = []
    for name, seen in first.items():
        if seen["exit codes"] != bytes(len(seen["exit codes"])):
            said.append(f"{name}: the command fails where noise is replayed: {seen['stderr'].decode()[-500:].strip()}")
        elif seen["random bytes left"] != b"0":
            left = seen["random bytes left"].decode()
            said.append(f"{name}: other noise is drawn than the specification says: {left} random bytes are not read")
    return said


def _stated(outputs: Mapping[str, Outputs]) -> _Stated:
    """What the manifest of the first release states. Raises: InputError where no command makes one."""
    manifests = [seen[MANIFEST] for seen in outputs.values() if MANIFEST in seen]
    if not manifests:
        said = _misled(outputs) or ["no command makes a manifest"]
        raise InputError([Problem("audit replay", text, "see whether the command runs by itself") for text in said])
    ledger = json.loads(manifests[0].partition(b"\n")[2])["ledger"]
    of_record, of_person = (ledger["totals"].get(name) for name in (ONE_RECORD, ONE_PERSON))
    parts = {each["histogram"]: each["budget"] for each in ledger.get("histograms", ())}
    if (choice := ledger.get("choice")) is not None:
        parts |= {f"choice {turn} of a pair": choice["budget_of_each"] for turn in range(1, 1 + choice["choices"])}
    for level in ledger.get("levels", ()):
        whole = level.get("whole_level")
        ladder = f"{level['ladder']} " if whole and level.get("ladder") else ""
        parts[f"{ladder}{(whole or level)['level']}"] = (whole or level)["budget"]
    exact = {name: Fraction(budget["exact"]) for name, budget in parts.items()}
    return _Stated(ledger["privacy_definition"], Fraction((of_record or of_person)["exact"]), exact)


def _put(files: Extract, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    write_extract(files, folder)


def _outputs(lines: Lines, bits: bytes, scratch: Path) -> Outputs:
    """Everything that command lines leave: files with their modes and times, what they print, exit codes, ledger."""
    for name in (_OUT, _WORK):
        shutil.rmtree(scratch / name, ignore_errors=True)
    (scratch / _LEDGER).unlink(missing_ok=True)
    recording, stdout, stderr = Recording(bits), io.StringIO(), io.StringIO()
    with replayed(recording), redirect_stdout(stdout), redirect_stderr(stderr):
        codes = [_called(line) for line in lines]
    out = scratch / _OUT
    seen = {
        "exit codes": bytes(codes),
        "stdout": stdout.getvalue().encode(),
        "stderr": stderr.getvalue().encode(),
        "ledger": json.dumps(_ledger_lines(scratch / _LEDGER)).encode(),
        "random bytes left": str(len(recording.left)).encode(),
    }
    for path in sorted(out.rglob("*")):
        status = path.stat()
        about = f"{status.st_mode:o} {status.st_mtime_ns}\n".encode()
        seen[str(path.relative_to(out))] = about + (path.read_bytes() if path.is_file() else b"")
    return seen


def _called(line: Sequence[str]) -> int:
    """The exit code of the program, called in this process by its name."""
    before = sys.argv
    sys.argv = ["safetab-sql", *line]
    try:
        runpy.run_module("safetab_sql", run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception as error:  # what the program does not explain, it shows with a traceback
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
    finally:
        sys.argv = before
    return 0


def _ledger_lines(file: Path) -> list[dict[str, object]]:
    """The lines of the ledger without names, times, and digests of what is confidential."""
    if not file.exists():
        return []
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [{name: value for name, value in line.items() if name not in _OWN} for line in lines]


def _differences(first: Mapping[str, Outputs], other: Mapping[str, Outputs]) -> dict[str, tuple[str, ...]]:
    """What differs between the outputs of each command."""
    return {
        name: tuple(each for each in {**one, **other[name]} if one.get(each) != other[name].get(each))
        for name, one in first.items()
    }


def _run(audited: Replayed, scratch: Path, resources: Resources) -> _Prepared:
    """`run`, `parts`, and `run --engine spark` where Spark is installed."""
    parameters = load_parameters(audited.file)
    refuse(_other_ladders(parameters.ladders))
    inputs = audited.inputs or InputPaths(audited.file, "", "")
    given = inputs if str(inputs.persons) else simulated_inputs(parameters, inputs, audited.people, scratch)
    folder = scratch / "persons"
    below, sources = record_sources(parameters, str(given.persons))
    counted = parameters.unit if parameters.records is None else Unit()
    extract = read_extract(sources, below, counted, given.person_id or parameters.unit.id, resources)
    one = folder / extract[0].name if len(extract) == 1 and parameters.records is None else folder
    read = replace(given, persons=one)
    options, out, machine = _options(read), _outs(scratch), _machine(resources)
    commands: dict[str, Lines] = {"run": [("run", *options, *out, *machine)]}
    if parameters.records is None:
        work = ("--work", str(scratch / _WORK), *machine)
        counts = [
            [("parts", "count", what, *work, "--part", part) for part in ("1", "2")] for what in ("totals", "cells")
        ]
        prepare = ("parts", "prepare", *options, *out, *work, "--plain", "--parts", _PARTS)
        steps = [prepare, *counts[0], ("parts", "choose", *work), *counts[1], ("parts", "publish", *work)]
        commands["parts"] = steps
        if find_spec("pyspark") is not None and shutil.which("java") is not None:
            commands["spark"] = [("run", "--engine", "spark", "--master", "local[1]", *options, *out, *machine)]
    return _Prepared(
        extract,
        folder,
        commands,
        lambda: counted_extract(read, resources),
        compensated_run,
        parameters.unit.is_replaced,
    )


def _other_ladders(ladders: Sequence[Ladder]) -> list[Problem]:
    """Ladders whose recorded bits no rule moves yet: their counts may change by more than 1, or they choose nothing."""
    what = "is not replayed: bits are moved for counts that choose their own tables"
    fix = "audit a copy of the file without this ladder; audit stability audits its sums"
    given = ((each.name, "sum" if each.sum else "beside") for each in ladders if each.sum or each.beside)
    return [Problem(f"[ladders.{name}] {key}", what, fix) for name, key in given]


def _outs(scratch: Path) -> tuple[str, ...]:
    return ("--out", str(scratch / _OUT), "--ledger", str(scratch / _LEDGER))


def _machine(resources: Resources) -> list[str]:
    given = {"--threads": resources.threads, "--memory-limit": resources.memory_limit, "--scratch": resources.scratch}
    return [word for option, value in given.items() if value is not None for word in (option, str(value))]


def _options(inputs: InputPaths) -> list[str]:
    named = {
        "--parameters": inputs.parameters,
        "--persons": inputs.persons,
        "--geography": inputs.geography,
        "--code-lists": inputs.code_lists,
        "--person-id": inputs.person_id,
        "--totals": inputs.totals,
        "--region-names": inputs.region_names,
    }
    found = [word for option, value in named.items() if value is not None for word in (option, str(value))]
    return [*found, *(["--totals-are-public"] if inputs.totals_are_public else [])]


def _histograms(audited: Replayed, scratch: Path, resources: Resources) -> _Prepared:
    """`bottom-up run`, or `synthesize run`."""
    folder, file, weight = scratch / "persons", audited.file, None
    unit: Unit
    if audited.method == "bottom-up":
        bottom_up = load_bottom_up_spec(file)
        domains, unit, weight = bottom_up.domains, bottom_up.said.unit, bottom_up.weight

        def noise(tables: Sequence[Any]) -> Any:
            return compensated_cells(bottom_up, tables)

    else:
        synthesis = load_synthesis_spec(file)
        domains, unit = synthesis.domains, synthesis.said.unit

        def noise(tables: Sequence[Any]) -> Any:
            return (compensated_groups if synthesis.groups else compensated_tree)(synthesis, tables)

    if audited.data is None:
        made = made_up_records(domains, unit, weight, audited.people, seed=0)
        extract: Extract = (RecordFile("records.parquet", made, unit.person),)
    else:
        below, sources = named_records(audited.data, unit)
        extract = read_extract(sources, below, unit, None, resources)
    read = folder / extract[0].name if len(extract) == 1 else folder
    where = ("--spec", str(file), "--data", str(read), *_outs(scratch), *_machine(resources))
    return _Prepared(
        extract,
        folder,
        {audited.method: [(audited.method, "run", *where)]},
        lambda: coded_records(read, domains, unit, weight, resources),
        noise,
        unit.is_replaced,
    )
