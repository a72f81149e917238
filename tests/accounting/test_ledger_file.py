"""Budgets across releases: what runs come to together, and a file that never forgets one of them."""

import fcntl
import json
import math
import os
import resource
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.accounting import charges
from safetab_sql.accounting.charges import _NO_PURE_DP, Charge, Limit, PartLoss, charges_text, mixed_problems, spent
from safetab_sql.accounting.ledger_file import LedgerFile, check_limit, mark_released, read_ledger, set_limit
from safetab_sql.accounting.statement import Loss
from safetab_sql.kit.errors import InputError
from safetab_sql.kit.words import exact_text
from safetab_sql.published.new_release import ledger_file_problems, new_charge
from safetab_sql.settings.unit import Unit
from tests.accounting.settings import reserve
from tests.properties.drawn import examples

DELTA = Fraction(1, 10**10)
MILLIONTHS = st.integers(0, 10**8)
BUDGETS = st.one_of(
    st.decimals(0, 10**13, places=20).map(Fraction), st.fractions(0, 10**6), st.just(Fraction(f"0.{'0' * 88}1"))
)


DEFINED_ALIKE = "d" * 64
PERSON = Unit()
STAY = Unit("stay", "stays", records_of_a_person=None)
DIGEST, OTHER_DIGEST = "e" * 64, "f" * 64


def losses(us: object, pr: object, definition: str = "zcdp", unit: Unit = PERSON) -> dict[str, PartLoss]:
    """The losses of two parts."""
    found = {name: Loss(unit, definition, Fraction(amount)) for name, amount in (("US", us), ("PR", pr))}
    return {name: PartLoss(loss.of_record, loss.of_person) for name, loss in found.items()}


def release(
    number: int = 0, us: object = "1", pr: object = "0", definition: str = "zcdp", unit: Unit = PERSON
) -> Charge:
    """A run on the same records as every other one. number: its name."""
    return Charge(
        run=f"{number:032x}",
        state="reserved",
        when="2026-11-21T11:22:33Z",
        out="release",
        parameters_sha256="0" * 64,
        privacy_definition=definition,
        record=unit.one,
        parts=losses(us, pr, definition, unit),
        most=unit.records_of_a_person,
        records_sha256=DEFINED_ALIKE,
    )


RUNS = st.lists(st.tuples(st.sampled_from(["zcdp", "puredp"]), MILLIONTHS, MILLIONTHS), max_size=8)


def releases_of(runs: list[tuple[str, int, int]]) -> list[Charge]:
    """Runs with budgets in millionths."""
    millionth = Fraction(1, 10**6)
    return [release(number, us * millionth, pr * millionth, kind) for number, (kind, us, pr) in enumerate(runs)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.jsonl"


@pytest.fixture
def kept(path: Path) -> Path:
    """A ledger of two runs, the first of which is released."""
    reserve(LedgerFile(path), release(1, us="1.41"))
    mark_released(LedgerFile(path), release(1, us="1.41"), DIGEST)
    reserve(LedgerFile(path), release(2, pr="0.5"))
    return path


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """What is done meanwhile leaves the file as it was."""
    before = path.read_bytes()
    yield
    assert path.read_bytes() == before


@given(RUNS)
def test_a_zcdp_total_adds_rho_and_half_the_square_of_each_epsilon(runs):
    """Beside whole numbers: rho in units of 5e-13, of which an epsilon of n millionths takes n * n."""
    units = {"zcdp": lambda budget: 2 * 10**6 * budget, "puredp": lambda budget: budget * budget}
    us = sum(units[definition](budget) for definition, budget, _ in runs)
    pr = sum(units[definition](budget) for definition, _, budget in runs)
    assert {total * 2 * 10**12 for total in spent(releases_of(runs), "zcdp").values()} == {max(us, pr)}


@given(RUNS)
def test_a_pure_dp_total_adds_epsilons_and_exists_only_without_zcdp(runs):
    total = spent(releases_of(runs), "puredp")
    if any(definition == "zcdp" for definition, _, _ in runs):
        assert total is None
    else:
        assert total[None] * 10**6 == max(sum(us for _, us, _ in runs), sum(pr for _, _, pr in runs))


@given(RUNS)
def test_runs_of_which_nothing_says_that_their_records_are_the_same_add(runs):
    """Somebody may be in the worst part of each."""
    unknown = [replace(each, records_sha256="") for each in releases_of(runs)]
    worst = sum((spent([each], "zcdp")[None] for each in unknown), Fraction(0))
    assert spent(unknown, "zcdp")[None] == worst >= spent(releases_of(runs), "zcdp")[None]


@pytest.mark.parametrize("other", [DIGEST, ""], ids=["other records", "unknown records"])
def test_parts_of_one_name_in_other_records_add(other):
    one, two = release(1, us="0", pr="1"), release(2, us="1", pr="0")
    assert spent([one, two], "zcdp")[None] == 1
    assert spent([one, replace(two, records_sha256=other)], "zcdp")[None] == 2


def test_the_loss_of_a_person_is_unknown_once_one_run_protects_a_record_alone():
    """Two years of stays: rho 1.992 for one stay, and nobody knows what for a person with 31 of them."""
    runs = [release(number, us="0.996", unit=STAY) for number in range(2)]
    assert spent(runs, "zcdp") == {None: None, "stay": Fraction("0.996") * 2}
    assert spent([*runs, release(3)], "zcdp") == {None: None, "stay": Fraction("1.992"), "person": Fraction(1)}
    text = charges_text(runs, None, delta=DELTA)
    assert "the loss of a person is unknown: whoever has k records, each of them one stay, loses up to k^2" in text
    assert ("one stay: rho 1.992\n" in text, "one person" in text) == (True, False)
    said = charges.charges_json(runs, None, delta=DELTA)["zcdp"]
    assert "one_record" not in said
    alone = said["by_runs_on_such_records_alone"]
    assert (said["one_person"], alone["one stay"]["total"]["exact"]) == (None, "249/125")


@given(RUNS)
def test_a_reserved_run_counts_like_a_released_one(runs):
    releases = releases_of(runs)
    released = [replace(each, state="released") for each in releases]
    assert spent(released, "zcdp") == spent(releases, "zcdp")


@given(
    st.lists(st.integers(1, 4 * 10**6), min_size=1, max_size=5), st.lists(MILLIONTHS, max_size=3), st.floats(1.01, 50)
)
def test_the_zcdp_total_of_mixed_runs_bounds_their_renyi_divergence(epsilons, rhos, alpha):
    """Beside the worst mechanisms: randomised response is the worst of epsilon, the Gaussian the worst of rho."""
    divergence = sum(rho / 10**6 * alpha for rho in rhos)
    for epsilon in (millionths / 10**6 for millionths in epsilons):
        yes, no = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
        moment = yes**alpha * no ** (1 - alpha) + no**alpha * yes ** (1 - alpha)
        divergence += math.log(moment) / (alpha - 1)
    runs = [("puredp", epsilon, 0) for epsilon in epsilons] + [("zcdp", rho, 0) for rho in rhos]
    assert divergence <= float(spent(releases_of(runs), "zcdp")[None]) * alpha * (1 + 1e-9) + 1e-9


@given(BUDGETS)
def test_the_text_of_a_rational_is_exact_and_without_exponent(value):
    text = exact_text(value)
    assert (Fraction(text), set(text) <= set("0123456789./")) == (value, True)


def test_the_totals_survive_the_journey_through_json():
    runs = [release(1, us="0.1", pr="3"), release(2, us="0.2", definition="puredp")]
    read = json.loads(json.dumps(charges.charges_json(runs, Limit(Fraction(4), "zcdp", None), delta=DELTA)))
    assert Fraction(read["zcdp"]["one_person"]["total"]["exact"]) == 3
    assert read["limit"] == {
        "amount": {"exact": "4", "decimal": "4"},
        "budget_unit": "rho",
        "of": "one person",
        "records_of_a_person": {},
        "left": {"exact": "1", "decimal": "1"},
        "more_runs_like_the_last": 194,  # of US alone: 195 would spend 0.1 + 196 * 0.02 there
    }
    assert read["puredp"] == {"rule": _NO_PURE_DP}
    assert [run["parts"]["US"]["one_record"]["exact"] for run in read["runs"]] == ["1/10", "1/5"]
    assert read["different_records"][0]["runs"] == [each.run for each in runs]


def test_the_text_for_people_shows_every_run_the_exact_total_and_what_was_taken_as_disjoint():
    runs = [release(1, us="1.41"), replace(release(2, us="1.41", pr="0.3"), state="released", out="second")]
    text = charges_text(runs, None, delta=DELTA)
    assert "one person: rho 2.82\n" in text
    assert "Parts of release, second hold different records: their person files, geography file" in text
    assert [word in text for word in (_NO_PURE_DP, "reserved", "released", "Limit: none", f"{2:032x}")] == [True] * 5
    alone = [replace(each, records_sha256="") for each in runs]
    assert "hold different records:" not in charges_text(alone, None, delta=DELTA)


@pytest.mark.parametrize(("most", "one_person"), [(12, ["one person: rho 145"]), (None, [])])
def test_the_figure_of_a_person_is_of_all_runs_and_never_of_those_on_persons_alone(most, one_person):
    stay = Unit("stay", "stays", records_of_a_person=most)
    text = charges_text([release(1, us="1"), release(2, us="1", unit=stay)], None, delta=DELTA)
    said = [line.strip() for line in text.splitlines() if line.startswith("    one person: rho")]
    assert said == one_person
    assert "one person, by the runs on persons alone: rho 1\n" in text


def test_the_file_is_readable_by_its_owner_alone_and_nothing_lies_beside_it(path):
    mask = os.umask(0)
    try:
        reserve(LedgerFile(path), release())
    finally:
        os.umask(mask)
    assert (stat.S_IMODE(path.stat().st_mode), list(path.parent.iterdir())) == (0o600, [path])


@pytest.mark.parametrize(
    "changed",
    [{}, {"out": "another"}, {"parameters_sha256": "1" * 64}, {"parts": losses(2, 0)}, {"records_sha256": DIGEST}],
)
def test_a_charge_serves_the_run_that_it_was_entered_for_once_and_no_other(path, changed):
    reserve(LedgerFile(path), release())
    other = replace(release(), **changed)
    with unchanged(path), pytest.raises(InputError, match="was charged before, and may have drawn its noise"):
        reserve(LedgerFile(path), other)
    if changed:
        with unchanged(path), pytest.warns(RuntimeWarning, match="spends something else"):
            mark_released(LedgerFile(path), other, DIGEST)


@given(us=BUDGETS, pr=BUDGETS, definition=st.sampled_from(["zcdp", "puredp"]), out=st.text(min_size=1).map(repr))
@examples(2)
def test_a_run_survives_the_journey_through_the_file(tmp_path_factory, us, pr, definition, out):
    path = tmp_path_factory.mktemp("ledger") / "ledger"
    entered = replace(release(us=us, pr=pr, definition=definition), out=out)
    reserve(LedgerFile(path), entered)
    assert [replace(each, when=entered.when) for each in read_ledger(path).charges] == [entered]


def test_a_total_equal_to_the_limit_is_allowed_in_exact_decimals(path):
    """In binary floats 0.1 + 0.1 + 0.1 is above 0.3."""
    for number in range(3):
        reserve(LedgerFile(path, Fraction("0.3")), release(number, us="0.1"))
    assert spent(read_ledger(path).charges, "zcdp")[None] == Fraction("0.3")


@pytest.mark.parametrize("enter", [check_limit, reserve], ids=["checked", "reserved"])
def test_the_least_excess_is_refused_and_leaves_the_file_as_it_was(path, enter):
    ledger_file = LedgerFile(path, Fraction("0.3"))
    reserve(ledger_file, release(1, us="0.2"))
    with unchanged(path), pytest.raises(InputError) as refused:
        enter(ledger_file, release(2, us="0.1000000000000000000000000000000000000001"))
    assert "from rho 0.2 to rho 0.3000000000000000000000000000000000000001\n" in str(refused.value)
    assert f"account --ledger {path} --set-limit 'rho X'" in str(refused.value)


@pytest.mark.parametrize(("limit", "rho"), [("2", "0.049986"), ("1000000", "990450")])
def test_a_limit_in_epsilon_is_refused_after_any_zcdp_run_with_the_limit_in_rho(path, limit, rho):
    reserve(LedgerFile(path), release(1, us="0", pr="0.001"))
    with pytest.raises(InputError, match=rf"is zCDP, and no rho .*\n.*'rho {rho}' implies epsilon {limit} at"):
        reserve(LedgerFile(path, Fraction(limit)), release(2, us="0.5", definition="puredp"))
    assert len(read_ledger(path).charges) == 1


def test_the_limit_of_the_first_run_binds_every_later_one_with_the_option_or_without(path):
    reserve(LedgerFile(path, Fraction("1.5")), release(1))
    assert read_ledger(path).limit == Limit(Fraction("1.5"), "zcdp", None)
    for enter in (check_limit, reserve):
        with pytest.raises(InputError, match=r"limit rho 1\.5 for one person: .* from rho 1 to rho 2\n"):
            enter(LedgerFile(path), release(2))
        with pytest.raises(InputError, match="--ledger-limit says another limit, rho 2\n"):
            enter(LedgerFile(path, Fraction(2)), release(2, us="0.1"))
        with pytest.raises(InputError, match=r"--ledger-limit says another limit, epsilon 1\.5\n"):
            enter(LedgerFile(path, Fraction("1.5")), release(2, us="0.1", definition="puredp"))
    reserve(LedgerFile(path, Fraction("1.5"), "zcdp"), release(2, us="0.5"))
    reserve(LedgerFile(path, Fraction("1.5"), "zcdp"), release(3, us="0", definition="puredp"))
    assert len(read_ledger(path).charges) == 3


def test_a_limit_is_changed_by_a_line(path):
    reserve(LedgerFile(path, Fraction(1)), release(1))
    set_limit(path, Limit(Fraction(2), "zcdp", None))
    reserve(LedgerFile(path), release(2))
    assert [json.loads(line).get("limit") for line in path.read_text().splitlines()] == [None, "1", None, "2", None]


def test_a_limit_that_can_bound_nothing_is_not_entered(path):
    reserve(LedgerFile(path), release(1, unit=STAY))
    wrong: list[tuple[str, str | None, str]] = [("puredp", "stay", "say the limit in rho")]
    wrong += [("zcdp", None, "--limit-of 'stay'")]
    wrong += [("zcdp", record, "name one of person, stay") for record in ("visit", "", "a\nb")]
    for definition, record, fix in wrong:
        with unchanged(path), pytest.raises(InputError, match=fix):
            set_limit(path, Limit(Fraction(50), definition, record))
    reserve(LedgerFile(path), release(2))
    with pytest.raises(InputError, match="protects one person, not one stay"):
        set_limit(path, Limit(Fraction(50), "zcdp", "stay"))


@pytest.mark.parametrize(("first", "second"), [(STAY, PERSON), (PERSON, STAY)], ids=["of a stay", "of a person"])
def test_no_refusal_because_of_a_limit_advises_another_ledger(path, first, second):
    """The people of both ledgers would lose more than either limit."""
    reserve(LedgerFile(path, Fraction(100)), release(1, unit=first))
    with pytest.raises(InputError) as run:
        reserve(LedgerFile(path), release(2, unit=second))
    reserve(LedgerFile(path.with_name("both")), release(1, unit=first))
    reserve(LedgerFile(path.with_name("both")), release(2, unit=second))
    with pytest.raises(InputError) as limit:
        set_limit(path.with_name("both"), Limit(Fraction(100), "zcdp", None))
    assert [error for error in map(str, (run.value, limit.value)) if "ledger" in error.split("\n    ")[1]] == []


def test_a_limit_of_a_person_admits_no_run_whose_loss_of_a_person_is_unknown(path):
    reserve(LedgerFile(path, Fraction(100)), release(1))
    with pytest.raises(InputError, match=r"this run protects one stay, .*\n.*\[unit\] records_of_a_person"):
        reserve(LedgerFile(path), release(2, unit=STAY))
    reserve(LedgerFile(path), release(2, unit=replace(STAY, records_of_a_person=2)))
    assert spent(read_ledger(path).charges, "zcdp")[None] == 5


def test_a_limit_of_a_stay_admits_runs_on_stays_alone(path):
    reserve(LedgerFile(path, Fraction(2)), release(1, unit=STAY))
    assert read_ledger(path).limit == Limit(Fraction(2), "zcdp", "stay")
    reserve(LedgerFile(path), release(2, unit=replace(STAY, records_of_a_person=5)))
    with pytest.raises(InputError, match="this run protects one person, not one stay"):
        reserve(LedgerFile(path), release(3, us="0"))
    with pytest.raises(InputError, match="total of one stay from rho 2 to rho 3"):
        reserve(LedgerFile(path), release(3, unit=STAY))


def test_a_release_has_one_manifest_and_its_run_draws_nothing_more(path):
    kept = LedgerFile(path)
    reserve(kept, release(1))
    mark_released(kept, release(1), DIGEST)
    with unchanged(path), pytest.raises(InputError, match="was charged before"):
        reserve(kept, release(1))
    with unchanged(path), pytest.warns(RuntimeWarning, match="has another release than this one"):
        mark_released(kept, release(1), OTHER_DIGEST)
    assert [each.manifest_sha256 for each in read_ledger(path).charges] == [DIGEST]
    path.write_text(path.read_text() + path.read_text().splitlines(True)[-1].replace(DIGEST, OTHER_DIGEST))
    assert "line 4: differs from an earlier line" in problems(path)[0]


@pytest.mark.parametrize(
    ("limit", "runs", "entered"), [(None, [1] * 16, 1), (3, range(32), 3)], ids=["one run", "many"]
)
def test_of_many_at_once_exactly_those_that_fit_are_entered(path, limit, runs, entered):
    """Such as the copies of a process that was frozen. The file does not exist before. Locks exclude threads too."""

    def fits(number: int) -> bool:
        try:
            reserve(LedgerFile(path, limit and Fraction(limit)), release(number))
        except InputError:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        found = sum(pool.map(fits, runs))
    assert (found, len(read_ledger(path).charges), list(path.parent.iterdir())) == (entered, entered, [path])


def test_a_ledger_replaced_while_a_run_waits_is_the_one_that_it_enters(kept, tmp_path):
    """As an editor saves: under another name first, then renamed."""
    with ThreadPoolExecutor(1) as pool, kept.open("rb") as old:
        fcntl.flock(old, fcntl.LOCK_EX)
        waiting = pool.submit(reserve, LedgerFile(kept), release(3))
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.2)
        (tmp_path / "edited").write_bytes(kept.read_bytes())
        (tmp_path / "edited").rename(kept)
        fcntl.flock(old, fcntl.LOCK_UN)
        waiting.result(timeout=10)
    assert [each.run for each in read_ledger(kept).charges] == [f"{number:032x}" for number in (1, 2, 3)]


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Every write beyond `size` bytes of a file fails, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_line_that_the_disk_does_not_hold_is_taken_back(kept, monkeypatch):
    too_large = pytest.raises(OSError, match=r"File too large.*ledger\.jsonl")
    with unchanged(kept), largest_file(len(kept.read_bytes()) + 10), too_large:
        reserve(LedgerFile(kept), release(3))
    monkeypatch.setattr(os, "fsync", lambda file: stat.S_ISDIR(os.fstat(file).st_mode) or os.read(-1, 1))
    with unchanged(kept), pytest.raises(OSError, match="Bad file descriptor"):
        reserve(LedgerFile(kept), release(3))


def test_a_new_ledger_that_the_disk_does_not_hold_is_not_made(path):
    with largest_file(10), pytest.raises(OSError, match="File too large"):
        reserve(LedgerFile(path), release())
    assert list(path.parent.iterdir()) == []


def test_a_release_that_cannot_be_marked_is_warned_of_and_counts(kept):
    with largest_file(len(kept.read_bytes()) + 10), pytest.warns(RuntimeWarning, match="is complete, but its run"):
        mark_released(LedgerFile(kept), release(2, pr="0.5"), DIGEST)
    assert [each.state for each in read_ledger(kept).charges] == ["released", "reserved"]


def problems(path: Path) -> list[str]:
    """What a run would be told, which is what whoever reads the file is told."""
    with pytest.raises(InputError) as refused:
        read_ledger(path)
    found = ledger_file_problems(LedgerFile(path), path.parent / "out")
    assert tuple(found) == refused.value.problems
    return [str(problem) for problem in found]


@pytest.mark.parametrize("cut", [1, 2, 100, -2])
def test_a_torn_last_line_is_found_and_the_fix_named(kept, cut):
    """cut: bytes that never reached the disk; -2 leaves two of the line."""
    whole = kept.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    kept.write_bytes(whole[: len(whole) - (cut if cut > 0 else len(last) + cut)])
    (found,) = problems(kept)
    assert [word in found for word in ("line 4: ends in the middle", "remove this last line")] == [True, True]


def test_nothing_is_appended_to_a_torn_line_and_no_release_is_marked_in_it(kept):
    kept.write_bytes(kept.read_bytes()[:-20])
    with unchanged(kept), pytest.raises(InputError, match="ends in the middle"):
        reserve(LedgerFile(kept), release(3))
    with unchanged(kept), pytest.warns(RuntimeWarning, match="line 4: ends in the middle"):
        mark_released(LedgerFile(kept), release(1, us="1.41"), DIGEST)


def with_part(entry: dict[str, object], part: str, loss: object) -> str:
    """A line with another loss of a part."""
    return json.dumps({**entry, "parts": {**entry["parts"], part: {"one_record": loss, "one_person": loss}}})


SPOILT = {
    "no JSON": (lambda entry: "{", "is not JSON"),
    "an empty line": (lambda entry: "", "is not JSON"),
    "bytes that are no text": (lambda entry: "\udcff\udcfe", "is not JSON"),
    "JSON too deep": (lambda entry: "[" * 100_000, "is not JSON"),
    "a list": (lambda entry: "[1]", "does not hold exactly run, state, when"),
    "a key too few": (lambda entry: json.dumps({**entry, "run": None}).replace('"run": null, ', ""), "does not hold"),
    "a key too many": (lambda entry: json.dumps({**entry, "note": "x"}), "does not hold exactly"),
    "a budget that is a float": (lambda entry: with_part(entry, "US", 1.41), "parts is not of the form"),
    "a budget below 0": (lambda entry: with_part(entry, "PR", "-1"), "parts is not of the form"),
    "a budget with an exponent": (lambda entry: with_part(entry, "US", "1e999999999"), "parts is not"),
    "a budget over 0": (lambda entry: with_part(entry, "US", "1/0"), "parts is not"),
    "digits of another script": (lambda entry: with_part(entry, "US", "١"), "parts is not"),
    "no parts": (lambda entry: json.dumps({**entry, "parts": {}}), "parts is not"),
    "a part without a name": (lambda entry: with_part(entry, "", "1"), "parts is not"),
    "losses of nobody": (lambda entry: json.dumps({**entry, "parts": {"US": "1"}}), "parts is not"),
    "an unknown loss of a record": (lambda entry: with_part(entry, "US", None), "parts is not"),
    "a record without a name": (lambda entry: json.dumps({**entry, "record": ""}), "record is not"),
    "a run taken back": (lambda entry: json.dumps({**entry, "state": "reserved"}), "differs from an earlier line"),
    "an unknown state": (lambda entry: json.dumps({**entry, "state": "failed"}), "state is not"),
    "another definition": (lambda entry: json.dumps({**entry, "privacy_definition": "rdp"}), "privacy_definition is"),
    "another budget": (lambda entry: with_part(entry, "US", "0"), "differs from an earlier line of the same run"),
}


@pytest.mark.parametrize(("spoil", "words"), SPOILT.values(), ids=SPOILT)
def test_a_line_that_is_no_entry_is_named(kept, spoil, words):
    lines = kept.read_text().splitlines()
    line = spoil(json.loads(lines[2]))
    text = "\n".join([*lines[:2], line, *lines[3:]]) + "\n"
    kept.write_bytes(text.encode(errors="surrogateescape"))
    found = problems(kept)
    assert (len(found), f"{kept} line 3: " in found[0], words in found[0], "copy" in found[0]) == (1, True, True, True)


FOREIGN = {
    "persons": "QAGE|QSEX\n34|1\n",
    "nothing": "",
    "one long line": "34|1" * 10**5,
    "version 3": '{"file": "safetab-sql ledger", "version": 3}\n',
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_file_is_refused_and_not_quoted(path, text):
    path.write_text(text)
    found = problems(path)
    assert ("line 1: is not the first line of a ledger" in found[0], "34|1" in found[0]) == (True, False)
    with pytest.raises(InputError):
        reserve(LedgerFile(path), release())
    assert path.read_text() == text


def test_a_symbolic_link_to_nothing_is_refused_and_not_followed(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a symbolic link"):
        reserve(LedgerFile(tmp_path / "link"), release())
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_a_folder_is_refused_and_so_is_a_pipe_which_is_not_waited_for(path, make):
    make(path)
    assert f"{path}: is not a plain file" in problems(path)[0]


PLACES = {
    **dict.fromkeys(("out", "out/ledger", "out/t1/ledger", "out/../out/ledger"), "lies in --out"),
    **{"nowhere/ledger": "make that folder first", **dict.fromkeys(("ledger", "outer", "out.jsonl"), "")},
}


@pytest.mark.parametrize(("place", "said"), PLACES.items())
def test_a_ledger_lies_in_a_folder_and_never_in_the_release(tmp_path, place, said):
    found = ledger_file_problems(LedgerFile(tmp_path / place), tmp_path / "out")
    assert [said in str(problem) for problem in found] == ([True] if said else [])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("closed", ["ledger.jsonl", "."])
def test_a_ledger_that_may_not_be_written_is_refused(kept, closed):
    place = kept if closed != "." else kept.parent / "new"
    (kept.parent / closed).chmod(0o500)
    found = ledger_file_problems(LedgerFile(place), kept.parent / "out")
    (kept.parent / closed).chmod(0o700)
    assert ["no permission to write" in str(problem) for problem in found] == [True]


@pytest.mark.parametrize(("definition", "total"), [("zcdp", 26), ("puredp", 6)])
def test_a_stated_bound_counts_a_stay_k_or_k_squared_times_in_the_total_of_a_person(definition, total):
    runs = [release(1, definition=definition), release(2, definition=definition, unit=STAY)]
    assert spent(runs, definition)[None] is None
    stated = charges.with_bounds(runs, {"stay": 5})
    assert spent(stated, definition) == {None: Fraction(total), "person": Fraction(1), "stay": Fraction(1)}
    assert stated[0] == runs[0]  # the run says of itself that a person has one


def test_runs_of_several_units_have_no_total_of_a_person_until_a_bound_is_stated():
    runs = [release(1), release(2, unit=STAY), release(3, unit=Unit("visit", "visits", None))]
    found = list(map(str, mixed_problems("L", runs, ())))
    assert ["--records-of-a-person 'stay=5'" in found[0], "--records-of-a-person 'visit=5'" in found[1]] == [True, True]
    assert len(mixed_problems("L", runs, ["stay"])) == 1
    assert mixed_problems("L", charges.with_bounds(runs, {"stay": 5, "visit": 2}), ()) == []
    assert mixed_problems("L", runs[1:2], ()) == []  # of one unit: its own total is shown


@dataclass(frozen=True)
class Spends:
    parts: dict[str, Loss]
    caveat: str = ""
    delta: Fraction = Fraction(1, 10**10)


def test_runs_that_keep_records_of_a_person_say_so_and_add_whatever_their_parts():
    """A run of one part and a run of another may each keep five stays of the same person."""
    units = Unit("stay", "stays", person="PATIENT", most_records=5), STAY
    spent_by = [Spends({name: Loss(unit, "zcdp", Fraction(1)) for name in ("US", "PR")}) for unit in units]
    one, other = (new_charge(Path("out"), {}, each, DIGEST) for each in spent_by)
    assert (one.records_sha256, other.records_sha256) == ("", DIGEST)
    assert (one.record, one.most, one.parts["US"]) == ("person", 5, PartLoss(Fraction(1), Fraction(1)))


def test_a_limit_of_a_person_keeps_the_bounds_that_the_custodian_states(path):
    reserve(LedgerFile(path), release(1))
    reserve(LedgerFile(path), release(2, unit=STAY))
    with pytest.raises(InputError, match="--records-of-a-person 'stay=5'"):
        set_limit(path, Limit(Fraction(60), "zcdp", None))
    assert set_limit(path, Limit(Fraction(60), "zcdp", None, {"stay": 5})) == 26
    reserve(LedgerFile(path), release(3, unit=STAY))
    with pytest.raises(InputError, match="total of one person from rho 51 to rho 76"):
        reserve(LedgerFile(path), release(4, unit=STAY))
    assert read_ledger(path).limit == Limit(Fraction(60), "zcdp", None, {"stay": 5})


def test_a_bound_of_a_record_that_no_run_has_is_refused(path):
    reserve(LedgerFile(path), release(1, unit=STAY))
    with pytest.raises(InputError, match=r"--records-of-a-person: no run of .* protects one visit"):
        set_limit(path, Limit(Fraction(60), "zcdp", None, {"stay": 5, "visit": 2}))
    assert read_ledger(path).limit is None
