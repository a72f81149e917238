"""`audit replay`: whether releases of people who differ are equal to the byte where noise hides the difference.

For public or simulated people. Each command is called as a user calls it, with random bits that make the noisy counts
of all extracts equal: whatever else differs is no noise. What the difference costs is added up from what is drawn, and
compared with the loss that the manifest states.
"""

import io
import json
import runpy
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree, which
from typing import Any, Literal

from safetab_sql.accounting.loss import ONE_PERSON, ONE_RECORD
from safetab_sql.export.formats import format_problems
from safetab_sql.histograms.public.bottom_up_spec import load_bottom_up_spec
from safetab_sql.histograms.public.domains import Domain, Weight
from safetab_sql.histograms.public.synthesis_spec import load_synthesis_spec
from safetab_sql.kit.database import Resources, scratch_folder
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.inputs import InputPaths
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.published.tables import Format
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.settings.unit import Unit
from tests.audit.compensated_histograms import (
    coded_records,
    compensated_cells,
    compensated_groups,
    compensated_tree,
    made_up_records,
)
from tests.audit.compensated_run import compensated_run, counted_extract
from tests.audit.compensation import Noise, Recording, replayed
from tests.audit.extracts import (
    Extract,
    RecordFile,
    in_few_files,
    read_extract,
    simulated_inputs,
    write_extract,
)
from tests.audit.neighbours import Neighbour, neighbours

MOST_SECONDS = 60  # nothing is begun that would probably end later
_COUNTING, _FEWEST = 6, 3  # neighbours are counted for one part in 6 of the time, but for the first of them
_START = 0.1  # part of the time that the program takes before the audit, and to tidy up
_MARGIN = 1.5  # what is begun may take so many times as long as it ever took
_FORMATS: tuple[Format, ...] = ("census", "api")  # functions of the released tables, as all formats are
_OUT, _LEDGER, _PERSONS = "out", "ledger", "persons"  # in the folder where commands are called
_OWN = ("run", "when", "records_sha256")  # of a line of the ledger
_MOST_NAMES = 5  # of outputs that differ, in one sentence
_INPUTS = ("parameters", "persons", "geography", "code_lists", "totals", "region_names")
_TOTALS_ARE_PUBLIC = ("--totals-are-public",)
# What is called, in this order: the fastest first, since they share the time. Words in capitals are several options.
_LINES: Mapping[str, Sequence[str]] = {
    "run": ("run INPUTS OUT MACHINE",),
    **{f"run --format {each}": (f"run INPUTS OUT MACHINE --format {each}",) for each in _FORMATS},
    "bottom-up": ("bottom-up run INPUTS OUT MACHINE",),
    "synthesize": ("synthesize run INPUTS OUT MACHINE",),
    "spark": ("run INPUTS OUT MACHINE --engine spark --master local[1]",),
}

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
    differs: dict[str, tuple[str, ...]]

    @property
    def is_hopeless(self) -> bool:
        """Whether the difference is so dear that hardly any noise hides it."""
        return self.cost > 2 * self.bound

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
    """outputs: how many things of each command were compared. untried: neighbours that some command had no time for.

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


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An audit that is about to begin.

    extract: the records. commands: command lines by name. count: of the records in a folder. noise: of all that was
    counted.
    """

    extract: Extract
    commands: Mapping[str, Lines]
    count: Callable[[], Any]
    noise: Callable[[Sequence[Any]], Noise]


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a manifest states: the loss of whatever neighbours differ by, in all and by level or histogram."""

    definition: str
    loss: Fraction
    parts: Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class _Replays:
    """Runs commands on extracts, with noise of their own. took: the most seconds of each command so far."""

    prepared: _Prepared
    extracts: Sequence[tuple[Neighbour, Any]]
    noise: Noise
    scratch: Path
    took: dict[str, float] = field(default_factory=dict)

    def outputs(self, name: str, number: int, end: float) -> Outputs | None:
        """What a command leaves of an extract; None if it would probably end too late: a new one has to run twice.

        The first is run in any case.
        """
        began, neighbour, counted = time.monotonic(), *self.extracts[number]
        if self.took and began + _MARGIN * self.took.get(name, 2 * max(self.took.values())) > end:
            return None
        _put(neighbour.files, self.scratch)
        outputs = _outputs(self.prepared.commands[name], self.noise.bits(counted), self.scratch)
        self.took[name] = max(self.took.get(name, 0.0), time.monotonic() - began)
        return outputs


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
    end = time.monotonic() + MOST_SECONDS * (1 - _START)
    with scratch_folder(resources.scratch) as scratch:
        progress.stage("preparing the records")
        prepared = (_run if audited.method == "run" else _histogram)(audited, scratch, resources)
        found = [Neighbour("", 0, prepared.extract), *neighbours(prepared.extract, records)]
        progress.stage("counting the records of all neighbours")
        extracts = list(zip(found, _counts(prepared, found, scratch, _share(end, _COUNTING)), strict=False))
        noise = prepared.noise([counted for _, counted in extracts])
        replays = _Replays(prepared, extracts, noise, scratch)
        progress.stage("releasing all records")
        made = {name: replays.outputs(name, 0, end) for name in prepared.commands}
        first = {name: outputs for name, outputs in made.items() if outputs is not None}
        stated = _stated(first)
        progress.stage("releasing the neighbours")
        trials = [_trial(tried, noise.costs(extracts[0][1], counted), stated) for tried, counted in extracts]
        for place, name in enumerate(first):  # they share the time; the slowest command has what the others leave
            _compare(replays, name, first[name], trials, _share(end, len(first) - place))
    violations = (*_misled(first), *(said for trial in trials for said in trial.violations))
    sizes = {name: len(outputs) for name, outputs in first.items()}
    tried = tuple(trial for trial in trials[1:] if trial.differs or trial.violations)
    untried = len(found) - 1 - sum(trial.is_hopeless or len(trial.differs) == len(made) for trial in tried)
    return ReplayAudit(stated.definition, stated.loss, sizes, tried, untried, violations)


def _share(end: float, parts: int) -> float:
    """When the first of so many equal parts of the time that is left ends."""
    now = time.monotonic()
    return now + (end - now) / parts


def _counts(prepared: _Prepared, found: Sequence[Neighbour], scratch: Path, end: float) -> Iterator[Any]:
    """The counts of the extracts; after the first three, until the time is over."""
    for number, each in enumerate(found):
        if number < _FEWEST or time.monotonic() < end:
            _put(each.files, scratch)
            yield prepared.count()


def _compare(replays: _Replays, name: str, one: Outputs, trials: Sequence[Trial], end: float) -> None:
    """Put what differs between a command's outputs into the trials, until the time is over."""
    for number, trial in enumerate(trials):
        if number and not trial.is_hopeless:
            if (other := replays.outputs(name, number, end)) is None:
                return
            trial.differs[name] = tuple(each for each in {**one, **other} if one.get(each) != other.get(each))


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
        what = "neighbours that not every command was tried with"
        lines.append(f"{what}, because {MOST_SECONDS} seconds did not suffice: {audit.untried}")
    clean = "noise is all that tells them apart" if audit.trials else "nothing was compared"
    verdict = f"{len(audit.violations)} violations" if audit.violations else clean
    return "\n".join([*lines, f"neighbours tried: {len(audit.trials)}; {verdict}"])


def _word(differs: tuple[str, ...] | None) -> str:
    return "not tried" if differs is None else "differs" if differs else "equal"


def _trial(tried: Neighbour, costs: Mapping[str, Fraction], stated: _Stated) -> Trial:
    """A neighbour before it is replayed."""
    parts = {name: tried.times * each for name, each in stated.parts.items()}
    above = tuple(name for name, cost in costs.items() if name in parts and cost > parts[name])
    return Trial(tried.what, sum(costs.values(), Fraction(0)), tried.times * stated.loss, above, {})


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
    for one in ledger.get("choices", ()):
        parts |= {f"choice {turn} of {one['of']}": one["budget_of_each"] for turn in range(1, 1 + one["choices"])}
    for level in ledger.get("levels", ()):
        parts[level["level"]] = level["budget"]
    exact = {name: Fraction(budget["exact"]) for name, budget in parts.items()}
    return _Stated(ledger["privacy_definition"], Fraction((of_record or of_person)["exact"]), exact)


def _outputs(lines: Lines, bits: bytes, scratch: Path) -> Outputs:
    """Everything that command lines leave: files with their modes and times, what they print, exit codes, ledger."""
    rmtree(scratch / _OUT, ignore_errors=True)
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


def _put(files: Extract, scratch: Path) -> None:
    rmtree(scratch / _PERSONS, ignore_errors=True)
    write_extract(files, scratch / _PERSONS)


def _run(audited: Replayed, scratch: Path, resources: Resources) -> _Prepared:
    """`run` in each format, and `run --engine spark` where Spark is installed."""
    parameters, inputs = load_parameters(audited.file), audited.inputs or InputPaths(audited.file, "", "")
    given = inputs if str(inputs.persons) else simulated_inputs(parameters, inputs, audited.people, scratch)
    extract = read_extract(str(given.persons), parameters.unit, parameters.unit.id, resources)
    extract = extract if given is inputs else in_few_files(extract)
    read = replace(given, persons=_where(extract, scratch))
    can = {f"run --format {each}": not format_problems(each, parameters, "") for each in _FORMATS}
    can |= {"spark": bool(find_spec("pyspark") and which("java"))}
    options = [*_given({name: getattr(read, name) for name in _INPUTS}), *_TOTALS_ARE_PUBLIC * read.totals_are_public]
    commands = _commands([name for name in _LINES if can.get(name, name == "run")], options, scratch, resources)
    return _Prepared(extract, commands, partial(counted_extract, read, resources), compensated_run)


def _histogram(audited: Replayed, scratch: Path, resources: Resources) -> _Prepared:
    """`bottom-up run`, or `synthesize run`."""
    domains, unit, weight, noise = (_bottom_up if audited.method == "bottom-up" else _synthesize)(audited.file)
    if audited.data is None:
        made = made_up_records(domains, unit, weight, audited.people, seed=0)
        extract: Extract = (RecordFile("records.parquet", made, unit.person),)
    else:
        extract = read_extract(audited.data, unit, None, resources)
    read = _where(extract, scratch)
    commands = _commands([audited.method], _given({"spec": audited.file, "data": read}), scratch, resources)
    count = partial(coded_records, read, domains, unit, weight, resources)
    return _Prepared(extract, commands, count, noise)


_Said = tuple[tuple[Domain, ...], Unit, Weight | None, Callable[[Sequence[Any]], Noise]]


def _bottom_up(file: Path) -> _Said:
    spec = load_bottom_up_spec(file)
    return spec.domains, spec.said.unit, spec.weight, partial(compensated_cells, spec)


def _synthesize(file: Path) -> _Said:
    spec = load_synthesis_spec(file)
    noise = partial(compensated_groups if spec.groups else compensated_tree, spec)
    return spec.domains, spec.said.unit, None, noise


def _where(extract: Extract, scratch: Path) -> Path:
    """What a command is told to read: the file, or the folder of several."""
    return scratch / _PERSONS / extract[0].name if len(extract) == 1 else scratch / _PERSONS


def _commands(names: Sequence[str], inputs: Sequence[str], scratch: Path, resources: Resources) -> dict[str, Lines]:
    """The command lines of these names."""
    out, ledger = (str(scratch / name) for name in (_OUT, _LEDGER))
    machine = {name: getattr(resources, name) for name in ("threads", "memory_limit", "scratch")}
    words = {"OUT": ("--out", out, "--ledger", ledger), "MACHINE": _given(machine)}
    words["INPUTS"] = inputs
    return {
        name: [[word for each in line.split() for word in words.get(each, (each,))] for line in _LINES[name]]
        for name in names
    }


def _given(values: Mapping[str, object]) -> list[str]:
    """The options that have a value, and their values."""
    options = {f"--{name.replace('_', '-')}": value for name, value in values.items() if value is not None}
    return [word for option, value in options.items() for word in (option, str(value))]
