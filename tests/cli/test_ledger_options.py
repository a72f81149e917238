"""`run --ledger`: every run that may have drawn noise is entered, no other is, and a limit is kept by all together."""

import fcntl
import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql import Resources, run
from safetab_sql.accounting.charges import Charge, PartLoss
from safetab_sql.accounting.ledger_file import LedgerFile, read_ledger
from safetab_sql.kit.words import exact_text
from safetab_sql.mechanisms.bits import system_bits
from tests.accounting.settings import reserve
from tests.cli.command import PROGRAM, Result, call, finished, inputs, wait_for
from tests.cli.nations import PERSONS, paths

pytestmark = pytest.mark.usefixtures("here")
Start = Callable[..., "subprocess.Popen[str]"]
NOTHING = PartLoss(Fraction(0), Fraction(0))
EARLIER = Charge(
    run=f"{1:032x}",
    state="reserved",
    when="2026-11-21T11:22:33Z",
    out="earlier",
    parameters_sha256="0" * 64,
    privacy_definition="zcdp",
    record="person",
    parts={"US": NOTHING, "PR": NOTHING},
)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a run with the ledger in a process of its own."""
    started = []

    def process(nation: Path, out: str, *options: str | Path) -> "subprocess.Popen[str]":
        arguments = ["run", *inputs(nation), "--out", out, "--ledger", "ledger.jsonl", *options]
        started.append(
            subprocess.Popen(
                [*PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
        return started[-1]

    yield process
    for each in started:
        each.kill()
        each.communicate()


@pytest.fixture(scope="module")
def budget(release: Path) -> Fraction:
    """What a run of the small nation costs one person, rho, as its manifest says."""
    ledger = json.loads((release / "manifest.json").read_text())["ledger"]
    assert ledger["budget_unit"] == "rho"
    return Fraction(ledger["totals"]["one_person"]["exact"])


def tabulate(nation: Path, out: str, *options: str | Path) -> Result:
    return call("run", *inputs(nation), "--out", out, "--quiet", "--ledger", "ledger.jsonl", *options)


def states(ledger: Path) -> list[str]:
    return [release.state for release in read_ledger(ledger).charges]


@contextmanager
def reading(ledger: Path) -> Iterator[None]:
    """While somebody reads the ledger nobody can write it, but anybody can read it."""
    with ledger.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def test_a_run_is_on_the_disk_before_its_first_random_bit_and_says_what_its_manifest_says(nation, ledger):
    seen = []

    def bits(count: int) -> bytes:
        if not seen:
            seen.append(states(ledger))
        return system_bits(count)

    run(paths(nation), Path("first"), bits=bits, ledger_file=LedgerFile(ledger), resources=Resources(threads=1))
    assert (seen, states(ledger)) == ([["reserved"]], ["released"])
    manifest = json.loads(Path("first/manifest.json").read_text())
    parameters = json.dumps(manifest["parameters"], sort_keys=True, separators=(",", ":"))
    (entered,) = read_ledger(ledger).charges
    assert (entered.out, entered.state, entered.privacy_definition) == ("first", "released", "zcdp")
    assert entered.parameters_sha256 == hashlib.sha256(parameters.encode()).hexdigest()
    totals = {name: Fraction(manifest["ledger"]["totals"][name]["exact"]) for name in ("us", "pr")}
    assert {name.lower(): loss.of_person for name, loss in entered.parts.items()} == totals
    assert entered.manifest_sha256 == hashlib.sha256(Path("first/manifest.json").read_bytes()).hexdigest()
    assert manifest["accounted"] is True
    assert totals["us"] > 0


@pytest.mark.slow
def test_a_run_that_fails_while_it_draws_noise_stays_reserved(nation, ledger):
    def bits(count: int) -> bytes:
        raise EOFError(f"{count} bytes are too many")

    with pytest.raises(EOFError):
        run(paths(nation), Path("out"), bits=bits, ledger_file=LedgerFile(ledger), resources=Resources(threads=1))
    assert (states(ledger), Path("out").exists()) == (["reserved"], False)


@pytest.mark.slow
def test_of_two_runs_at_once_the_one_that_does_not_fit_is_refused(nation, start, ledger, budget):
    """Both have found that they fit, have counted, and wait to be entered: only then does the reader leave."""
    reserve(LedgerFile(ledger), EARLIER)
    with reading(ledger):
        both = [start(nation, f"out{number}", "--ledger-limit", exact_text(budget)) for number in range(2)]
        for process in both:
            wait_for(process, "adding noise to totals")
    ended = sorted((finished(process) for process in both), key=lambda result: result.code)
    assert [result.code for result in ended] == [0, 2]
    assert f"to rho {exact_text(2 * budget)}\n" in ended[1].stderr
    assert (states(ledger), sorted(path.name for path in Path().glob("out*"))) == (
        ["reserved", "released"],
        [ended[0].stdout.strip()],
    )


@pytest.mark.slow
def test_a_run_killed_before_its_release_stands_counts(larger_nation, nation, start, ledger, budget):
    process = start(larger_nation, "out")
    wait_for(process, "counting tables")
    process.kill()
    finished(process)
    assert (states(ledger), Path("out").exists()) == (["reserved"], False)
    (entered,) = read_ledger(ledger).charges
    limit = exact_text(budget + max(loss.of_person for loss in entered.parts.values()) - Fraction(1, 10**9))
    assert tabulate(nation, "next", "--ledger-limit", limit).code == 2


OPTIONS = {
    "a limit of no ledger": (["--ledger-limit", "1"], "--ledger-limit: has no effect here: it belongs to --ledger"),
    "a limit in words": (["--ledger", "l", "--ledger-limit", "much"], "'much' is not a limit"),
    "a limit that is no decimal": (["--ledger", "l", "--ledger-limit", "1/3"], "'1/3' is not a limit"),
    "a limit of nothing": (["--ledger", "l", "--ledger-limit", "0"], "say a decimal above 0"),
    "a limit below 0": (["--ledger", "l", "--ledger-limit=-1"], "'-1' is not a limit"),
    "a limit without end": (["--ledger", "l", "--ledger-limit", "inf"], "'inf' is not a limit"),
    "a limit of gigabytes": (["--ledger", "l", "--ledger-limit", "1e999999999"], "is not a limit"),
    "a ledger in OUT": (["--ledger", "out/l"], "--ledger out/l: lies in --out out"),
    "a ledger in no folder": (["--ledger", "nowhere/l"], "make that folder first"),
}


@pytest.mark.parametrize(("options", "words"), OPTIONS.values(), ids=OPTIONS)
def test_impossible_ledgers_are_refused(nation, tmp_path, options, words):
    refused = call("run", *inputs(nation), "--out", "out", "--quiet", *options)
    assert (refused.code, refused.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert words in refused.stderr


def test_a_torn_ledger_is_reported_together_with_out_and_the_inputs(spoilt, ledger):
    reserve(LedgerFile(ledger), EARLIER)
    ledger.write_bytes(ledger.read_bytes()[:-1])
    (spoilt / PERSONS).unlink()
    Path("out").mkdir()
    refused = tabulate(spoilt, "out")
    words = ("out: exists already", "ledger.jsonl line 2: ends in the middle", "nation/persons: ", "3 problems")
    assert (refused.code, [word in refused.stderr for word in words]) == (2, [True] * 4), refused.stderr


def test_the_person_file_named_as_the_ledger_is_left_alone_and_not_quoted(spoilt):
    before = (spoilt / PERSONS).read_bytes()
    refused = call("run", *inputs(spoilt), "--out", "out", "--quiet", "--ledger", spoilt / PERSONS)
    assert (refused.code, "is not the first line of a ledger" in refused.stderr) == (2, True)
    assert ((spoilt / PERSONS).read_bytes() == before, "PAR1" in refused.stderr) == (True, False)
