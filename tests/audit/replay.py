"""Whether releases of people who differ are equal to the byte where noise hides the difference.

For public or made-up people. Each command is called as a user calls it, with random bits that make the noisy counts
of all extracts equal: whatever else differs is no noise. What the difference costs is added up from what is drawn, and
compared with the loss that the manifest states.
"""

import io
import json
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree, which
from typing import Any, Literal
from unittest.mock import patch

from safetab_sql.accounting.statement import ONE_PERSON, ONE_RECORD
from safetab_sql.histograms.public.bottom_up_spec import load_bottom_up_spec
from safetab_sql.histograms.public.synthesis_spec import load_synthesis_spec
from safetab_sql.kit.database import scratch_folder
from safetab_sql.public.inputs import InputPaths
from safetab_sql.published.manifest import MANIFEST
from safetab_sql.settings.parameters import load_parameters
from tests.audit.compensated_histograms import (
    coded_records,
    compensated_cells,
    compensated_groups,
    compensated_tree,
    made_up_records,
)
from tests.audit.compensated_run import compensated_run, counted_extract
from tests.audit.compensation import Noise, Recording, replayed
from tests.audit.neighbours import (
    Extract,
    Neighbour,
    RecordFile,
    neighbours,
    read_extract,
    simulated_inputs,
    write_extract,
)

_OUT, _LEDGER, _PERSONS = "out", "ledger", "persons"  # in the folder where commands are called
_OWN = ("run", "when", "records_sha256")  # of a line of the ledger
_INPUTS = ("parameters", "persons", "geography", "code_lists", "totals", "region_names")
Outputs = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What is audited, and on whom.

    file: parameters of `run`, or the specification of another method. inputs: of a run, without persons where these are
    to be made up. data: records of another method. people: how many are made up where no records are named.
    """

    method: Literal["run", "bottom-up", "synthesize"]
    file: Path
    inputs: InputPaths | None = None
    data: str | None = None
    people: int = 2_000


@dataclass(frozen=True, slots=True)
class Trial:
    """One neighbour. cost: the loss that hiding the difference takes, and bound: what is stated for it, rho or epsilon.

    above: levels or histograms whose cost is above what is stated for them. differs: outputs that differ, by command;
    empty where the difference is so dear that hardly any noise hides it.
    """

    what: str
    cost: Fraction
    bound: Fraction
    above: tuple[str, ...]
    differs: Mapping[str, Sequence[str]]

    @property
    def violations(self) -> list[str]:
        """A sentence for each way in which the release is not what it says."""
        said = [f"{name}: {self.what}: {', '.join(what)} differ" for name, what in self.differs.items() if what]
        if self.cost > self.bound:
            costs = f"noise hides it at a loss of {float(self.cost):g}, and {float(self.bound):g} is stated"
            said.append(f"{self.what}: {costs}")
        elif self.above:
            said.append(f"{self.what}: noise hides it at a larger loss than is stated for {', '.join(self.above)}")
        return said


@dataclass(frozen=True, slots=True)
class ReplayAudit:
    """commands: those that were called."""

    commands: tuple[str, ...]
    trials: tuple[Trial, ...]
    violations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """commands: command lines by name. count: counts the records in a folder. noise: of all counts."""

    extract: Extract
    commands: Mapping[str, Sequence[str]]
    count: Callable[[], Any]
    noise: Callable[[Sequence[Any]], Noise]


@dataclass(frozen=True, slots=True)
class _Stated:
    """What a manifest states: the loss of whatever neighbours differ by, in all and by level or histogram."""

    loss: Fraction
    parts: Mapping[str, Fraction]


def audit_replay(audited: Replayed, number: int = 8) -> ReplayAudit:
    """Release the records and so many neighbours, each with noise that hides the difference, and compare everything."""
    with scratch_folder(None) as scratch:
        prepared = (_run if audited.method == "run" else _histogram)(audited, scratch)
        found = [Neighbour("", 0, prepared.extract), *neighbours(prepared.extract, number)]
        counts = list[Any]()
        for each in found:
            write_extract(each.files, scratch / _PERSONS)
            counts.append(prepared.count())
        noise = prepared.noise(counts)
        first = _released(prepared, found[0], noise.bits(counts[0]), scratch)
        stated, trials = _stated(first), list[Trial]()
        for tried, its in zip(found, counts, strict=True):
            costs = noise.costs(counts[0], its)
            cost, bound = sum(costs.values(), Fraction(0)), tried.times * stated.loss
            limits = {name: tried.times * limit for name, limit in stated.parts.items()}
            above = tuple(name for name, each in costs.items() if name in limits and each > limits[name])
            differs = {}
            if tried is not found[0] and cost <= 2 * bound:
                made = _released(prepared, tried, noise.bits(its), scratch)
                differs = {name: _differences(first[name], made[name]) for name in made}
            trials.append(Trial(tried.what, cost, bound, above, differs))
    violations = (*_misled(first), *(said for trial in trials for said in trial.violations))
    return ReplayAudit(tuple(first), tuple(trials[1:]), violations)


def _released(prepared: _Prepared, neighbour: Neighbour, bits: bytes, scratch: Path) -> dict[str, Outputs]:
    write_extract(neighbour.files, scratch / _PERSONS)
    return {name: _outputs(line, bits, scratch) for name, line in prepared.commands.items()}


def _differences(one: Outputs, other: Outputs) -> list[str]:
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]


def _misled(first: Mapping[str, Outputs]) -> list[str]:
    """What went wrong with the records themselves: every command ends well, and draws what is expected."""
    said = []
    for name, seen in first.items():
        if seen["exit code"] != b"0":
            said.append(f"{name}: the command fails where noise is replayed: {seen['stderr'].decode()[-500:].strip()}")
        elif seen["random bytes left"] != b"0":
            left = seen["random bytes left"].decode()
            said.append(f"{name}: other noise is drawn than the specification says: {left} random bytes are not read")
    return said


def _stated(outputs: Mapping[str, Outputs]) -> _Stated:
    """What the manifest of the first release states; nothing where no command makes one, which `_misled` tells."""
    manifests = [seen[MANIFEST] for seen in outputs.values() if MANIFEST in seen]
    if not manifests:
        return _Stated(Fraction(0), {})
    ledger = json.loads(manifests[0].partition(b"\n")[2])["ledger"]
    of_record, of_person = (ledger["totals"].get(name) for name in (ONE_RECORD, ONE_PERSON))
    parts = {each["histogram"]: each["budget"] for each in ledger.get("histograms", ())}
    for one in ledger.get("choices", ()):
        parts |= {f"choice {turn} of {one['of']}": one["budget_of_each"] for turn in range(1, 1 + one["choices"])}
    parts |= {each["level"]: each["budget"] for each in ledger.get("levels", ())}
    exact = {name: Fraction(budget["exact"]) for name, budget in parts.items()}
    return _Stated(Fraction((of_record or of_person)["exact"]), exact)


def _outputs(line: Sequence[str], bits: bytes, scratch: Path) -> Outputs:
    """Everything that a command line leaves: files with their modes and times, what it prints, exit code, ledger."""
    out = scratch / _OUT
    rmtree(out, ignore_errors=True)
    (scratch / _LEDGER).unlink(missing_ok=True)
    recording, stdout, stderr = Recording(bits), io.StringIO(), io.StringIO()
    with replayed(recording), redirect_stdout(stdout), redirect_stderr(stderr):
        code = _called(line)
    seen = {
        "exit code": str(code).encode(),
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
    with (
        patch("sys.argv", ["safetab-sql", *line]),
        patch("safetab_sql.kit.stops.end", sys.exit),
    ):  # which ends this process
        try:
            runpy.run_module("safetab_sql", run_name="__main__")
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception as error:  # what the program does not explain, it shows with a traceback
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            return 1
    return 0


def _ledger_lines(file: Path) -> list[dict[str, object]]:
    """The lines of the ledger without names, times, and digests of what is confidential."""
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines() if file.exists() else ())
    return [{name: value for name, value in line.items() if name not in _OWN} for line in lines]


def _run(audited: Replayed, scratch: Path) -> _Prepared:
    """`run`, and `run --engine spark` where Spark is installed."""
    parameters, inputs = load_parameters(audited.file), audited.inputs or InputPaths(audited.file, "", "")
    given = inputs if str(inputs.persons) else simulated_inputs(parameters, inputs, audited.people, scratch)
    extract = read_extract(str(given.persons), parameters.unit)
    read = replace(given, persons=_where(extract, scratch))
    options = [*_options({name: getattr(read, name) for name in _INPUTS}), *_out(scratch)]
    options += ["--totals-are-public"] * read.totals_are_public
    commands = {"run": ["run", *options]}
    if find_spec("pyspark") and which("java"):
        commands["spark"] = [*commands["run"], "--engine", "spark", "--master", "local[1]"]
    return _Prepared(extract, commands, partial(counted_extract, read), compensated_run)


def _histogram(audited: Replayed, scratch: Path) -> _Prepared:
    if audited.method == "bottom-up":
        cells = load_bottom_up_spec(audited.file)
        domains, unit, weight, noise = cells.domains, cells.said.unit, cells.weight, partial(compensated_cells, cells)
    else:
        rows = load_synthesis_spec(audited.file)
        domains, unit, weight = rows.domains, rows.said.unit, None
        noise = partial(compensated_groups if rows.groups else compensated_tree, rows)
    if audited.data is None:
        made = made_up_records(domains, unit, weight, audited.people, seed=0)
        extract: Extract = (RecordFile("records.parquet", made, unit.person),)
    else:
        extract = read_extract(audited.data, unit)
    read = _where(extract, scratch)
    line = [audited.method, "run", *_options({"spec": audited.file, "data": read}), *_out(scratch)]
    count = partial(coded_records, read, domains, unit, weight)
    return _Prepared(extract, {audited.method: line}, count, noise)


def _where(extract: Extract, scratch: Path) -> Path:
    """What a command is told to read: the file, or the folder of several."""
    return scratch / _PERSONS / extract[0].name if len(extract) == 1 else scratch / _PERSONS


def _out(scratch: Path) -> list[str]:
    return ["--out", str(scratch / _OUT), "--ledger", str(scratch / _LEDGER)]


def _options(values: Mapping[str, object]) -> list[str]:
    options = {f"--{name.replace('_', '-')}": value for name, value in values.items() if value is not None}
    return [word for option, value in options.items() for word in (option, str(value))]
