"""`run --ledger` enters every run that may have drawn noise, under one limit; `account` and `targets` price runs."""

import fcntl
import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from safetab_sql import Resources, run
from safetab_sql.accounting.charges import Charge, PartLoss
from safetab_sql.accounting.ledger_file import LedgerFile, read_ledger
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.words import exact_text
from tests.accounting.settings import reserve
from tests.cli.command import PROGRAM, Result, call, finished, inputs, refusal, wait_for
from tests.cli.nations import PERSONS, paths
from tests.conftest import REPOSITORY

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
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen([*PROGRAM, *map(str, arguments)], **pipes, text=True))
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


IMPOSSIBLE = {
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


@pytest.mark.parametrize(("options", "words"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
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


# --- what a run costs, from public files alone, and the file of wanted margins ---

CONFIGS = REPOSITORY / "configs"
PAPER_MOES = ("USA-1=50", "USA-2=6", "STATE-1=50", "STATE-2=6", "COUNTY-1=50", "COUNTY-2=11", "AIANNH-2=11")


def target_options(*moes: str) -> list[str]:
    return [part for moe in moes for part in ("--moe", moe)]


@pytest.fixture(scope="module")
def paper_zcdp() -> Result:
    return call("account", "--parameters", CONFIGS / "paper-zcdp.toml")


def row(text: str, start: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(start)]
    return line.removeprefix(start).split()


def test_the_ledger_has_a_row_a_level(paper_zcdp):
    assert (paper_zcdp.code, paper_zcdp.stderr) == (0, "")
    thresholds = ["471", "/", "971", "/", "6,971"]
    assert row(paper_zcdp.stdout, "USA-2 ") == [
        *("US", "9", "0.534", "0.0593334", "0.00593334", "0.0534", "3.06", "±6"),
        *thresholds,
    ]


@pytest.mark.parametrize(
    ("accountant", "epsilon"),
    [
        *(("zCDP, best Renyi order (paper eq. 7)", "12.1774"), ("zCDP, paper's orders (eq. 7)", "12.1774")),
        *(("zCDP, closed form (paper eq. 8)", "12.8059"), ("privacy loss distribution", "11.7036")),
    ],
)
def test_every_accountant_prices_the_papers_setting(paper_zcdp, accountant, epsilon):
    assert row(paper_zcdp.stdout, accountant) == [epsilon, "1e-10", "upper", "bound"]


def test_a_printed_formula_that_is_no_bound_is_not_called_one():
    text = call("account", "--parameters", CONFIGS / "paper-puredp.toml").stdout
    words = row(text, "RDP as printed (eq. 17), paper's orders")
    assert words[:5] == ["13.5464", "1e-10", "not", "an", "upper"]
    assert row(text, "pure DP, delta 0") == ["15.29", "0", "upper", "bound"]


def test_json_holds_the_exact_ledger_and_every_total(nation):
    result = call(
        *("account", "--parameters", nation / "parameters.toml", "--json", "--delta", "1e-6"),  # lists stand beside it
    )
    read = json.loads(result.stdout)
    assert Fraction(read["totals"]["us"]["exact"]) == Fraction("4.944")
    assert read["stability_from"] == "the code lists"
    totals = read["approximate_dp"]["one_person"]
    assert {Fraction(total["delta"]["exact"]) for total in totals} == {Fraction(1, 10**6)}
    assert totals[-1]["rule"] == "privacy loss distribution"
    assert totals[-1]["epsilon_upper_bound"] < min(total["epsilon_upper_bound"] for total in totals[:-1])


@pytest.mark.parametrize("delta", ["0", "1", "-1e-3", "small", "nan"])
def test_a_delta_that_is_none_is_refused(delta):
    said = refusal("account", "--parameters", CONFIGS / "paper-zcdp.toml", f"--delta={delta}")
    assert said.startswith("--delta: ")


@pytest.mark.parametrize("definition", ["zcdp", "puredp"])
def test_the_papers_parameter_files_are_the_output_of_targets(definition, tmp_path):
    out = tmp_path / "made.toml"
    options = ("--privacy-definition", definition, "--rule", "paper", "--gamma", "0.1", "--stability", "9")
    assert call("targets", *options, *target_options(*PAPER_MOES), "--out", out).code == 0
    schema, _, made = (CONFIGS / f"paper-{definition}.toml").read_text(encoding="utf-8").partition("\n")
    assert (schema, out.read_text(encoding="utf-8")) == ("#:schema schemas/parameters.json", made)


def test_targets_says_what_it_found(tmp_path):
    out = tmp_path / "made.toml"
    result = call("targets", "--privacy-definition", "puredp", *target_options("PR-STATE-2=6", "USA-2=6"), "--out", out)
    told = f"""level       wanted MOE95  exact  epsilon
USA-2                 ±6     ±6     4.57
PR-STATE-2            ±6     ±6     4.57
US: epsilon 4.57 of these levels
PR: epsilon 4.57 of these levels
{out}
"""
    assert result == Result(0, told, "")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--moe", "USA-3=6"], "--moe USA-3: no such level"),
        (["--moe", "USA-2"], "--moe USA-2: not a level and a whole number"),
        (["--moe", "USA-2=1.5"], "--moe USA-2=1.5: not a level and a whole number"),
        (["--moe", "USA-2=0"], "--moe USA-2: a margin of error of 0 is out of range"),
        (["--moe", "USA-2=10001"], "--moe USA-2: a margin of error of 10,001 is out of range"),
        (["--moe", "USA-2=6", "--moe", "USA-2=7"], "--moe USA-2: given 2 times"),
        (["--moe", "USA-2=500", "--rule", "paper"], "--moe USA-2=500: the paper's rounding leaves no budget"),
        (["--moe", "USA-2=6", "--gamma", "1"], "--gamma: 1 is not a share"),
        (["--moe", "USA-2=6", "--gamma", "x"], "--gamma: 'x' is not a decimal number"),
        (["--moe", "USA-2=6", "--gamma", "1e-30"], "--gamma: no run accepts its USA-2"),
        (["--moe", "USA-2=6", "--stability", "0"], "--stability: a stability of 0 is out of range"),
    ],
)
def test_targets_refuses_what_it_cannot_aim_at(options, problem, tmp_path):
    said = refusal("targets", "--privacy-definition", "zcdp", *options, "--out", tmp_path / "made.toml")
    assert (said.startswith(problem), list(tmp_path.iterdir())) == (True, []), said


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "targets: one of --moe and --epsilon is needed"),
        (["--moe", "USA-2=6", "--epsilon", "1"], "targets: one of --moe and --epsilon is needed"),
        (["--moe", "USA-2=6", "--delta", "1e-6", "--out", "x.toml"], "--delta: has no effect here"),
        (["--moe", "USA-2=6"], "--out: is missing"),
        (["--epsilon", "1", "--out", "x.toml"], "--out: has no effect here: it belongs to --parameters"),
        (["--epsilon", "1", "--rule", "paper"], "--rule: has no effect here: it belongs to --moe"),
        (["--epsilon", "0"], "--epsilon: 0 is out of range"),
        (["--epsilon", "1", "--delta", "1"], "--delta: 1 is not between 0 and 1"),
        (["--epsilon", "1", "--stability", "0"], "--stability: a stability of 0 is out of range"),
    ],
)
def test_targets_refuses_options_that_do_not_go_together(options, problem):
    assert refusal("targets", "--privacy-definition", "zcdp", *options).startswith(problem)


LIMITS = {
    "no unit": (["--set-limit", "3"], "'3' has no unit"),
    "nothing": (["--set-limit", "rho 0"], "'rho 0' is not a limit"),
    "another unit": (["--set-limit", "delta 1"], "'delta 1' is not a limit"),
    "a record that no run has": (["--set-limit", "rho 3", "--limit-of", "stay"], "name one of person"),
    "epsilon after a zCDP run": (["--set-limit", "epsilon 50"], "say the limit in rho: 'rho 14.586' implies"),
    "a record without a limit": (["--limit-of", "stay"], "--limit-of"),
}


@pytest.mark.parametrize(("options", "words"), LIMITS.values(), ids=LIMITS)
@pytest.mark.each_time("another unit")
def test_a_limit_is_entered_as_it_was_said_or_not_at_all(tmp_path, options, words):
    kept = tmp_path / "ledger"
    reserve(LedgerFile(kept, Fraction(1)), EARLIER)
    before = kept.read_bytes()
    assert words in refusal("account", "--ledger", kept, *options)
    assert kept.read_bytes() == before
    told = call("account", "--ledger", kept, "--set-limit", "rho = 2.5")
    assert (told.code, "Limit: rho 2.5 for one person" in told.stdout, told.stderr) == (0, True, "")


def test_the_epsilon_of_a_ledger_is_at_the_smallest_delta_of_its_runs(tmp_path):
    for number, (delta, said) in enumerate(((Fraction(1, 10**6), "1e-6"), (Fraction(1, 10**8), "1e-8"))):
        run = replace(EARLIER, run=f"{number:032x}", parts={"US": PartLoss(Fraction(1), Fraction(1))}, delta=delta)
        reserve(LedgerFile(tmp_path / "ledger"), run)
        told = call("account", "--ledger", tmp_path / "ledger").stdout
        assert f" at delta {said} " in told
        assert ("at different deltas, from 1e-8" in told) == (number == 1)


def test_a_ledger_says_how_many_more_releases_of_a_series_its_limit_pays_for(tmp_path):
    """Five releases are planned under one limit; the sixth is refused."""
    kept = tmp_path / "ledger"
    limited = LedgerFile(kept, Fraction("1.25"))
    said = []
    for year in range(5):
        one = {"US": PartLoss(Fraction("0.25"), Fraction("0.25"))}
        reserve(limited, replace(EARLIER, run=f"{year:032x}", parts=one, records_sha256=""))
        said.append(call("account", "--ledger", kept).stdout.partition("; left: ")[2].partition("\n")[0])
        limit = json.loads(call("account", "--ledger", kept, "--json").stdout)["limit"]
        assert (limit["left"]["decimal"], limit["more_runs_like_the_last"]) == (f"{1 - year / 4:g}", 4 - year)
    counts = ("4 more runs", "3 more runs", "2 more runs", "1 more run", "0 more runs")
    assert said == [f"rho {1 - year / 4:g}, for {count} like the last one" for year, count in enumerate(counts)]
    with pytest.raises(InputError, match=r"from rho 1.25 to rho 1.5"):
        reserve(limited, replace(EARLIER, run=f"{9:032x}", parts=one, records_sha256=""))


STAY_RUN = replace(EARLIER, run=f"{2:032x}", record="stay", parts={"US": PartLoss(Fraction(1), None)})
PERSON_RUN = replace(EARLIER, parts={"US": PartLoss(Fraction(1), Fraction(1))})


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    for one in (PERSON_RUN, STAY_RUN):
        reserve(LedgerFile(tmp_path / "ledger"), one)
    return tmp_path / "ledger"


def test_a_ledger_of_several_units_is_added_up_with_a_stated_bound_that_serves_later_accounts(mixed):
    refused = refusal("account", "--ledger", mixed)
    assert "the loss of one stay is not added to the loss of one person" in refused
    assert "--records-of-a-person 'stay=5'" in refused
    stated = call("account", "--ledger", mixed, "--records-of-a-person", "stay=5")
    assert "    one person: rho 26\n" in stated.stdout
    assert "In the total of one person, the loss of one stay counts 25 times." in stated.stdout
    assert stated.stdout.count("In the total of one person") == 1  # nobody is told that a person counts once
    unbounded = call("account", "--ledger", mixed, "--records-of-a-person", "stay=any")
    assert (unbounded.code, "    one person: rho" in unbounded.stdout) == (0, False)
    assert "    one stay: rho 1\n" in unbounded.stdout
    limit = ("--set-limit", "rho 30", "--records-of-a-person", "stay=5")
    assert call("account", "--ledger", mixed, *limit).code == 0
    said = json.loads(call("account", "--ledger", mixed, "--json").stdout)
    assert said["zcdp"]["one_person"]["total"]["exact"] == "26"
    assert said["limit"]["records_of_a_person"] == {"stay": 5}
    assert [run["records_of_a_person"] for run in said["runs"]] == [None, 5]


@pytest.mark.parametrize("wrong", ["stay", "stay=0", "stay=-1", "stay=1.5", "visit=2"])
def test_a_bound_of_the_records_of_a_person_is_a_kind_of_record_and_a_number(tmp_path, wrong):
    reserve(LedgerFile(tmp_path / "ledger"), STAY_RUN)
    said = refusal("account", "--ledger", tmp_path / "ledger", "--records-of-a-person", wrong)
    assert "--records-of-a-person" in said
