"""Bugs of other software, planted in ours: each is noticed by the test that docs/attacks names beside it.

Two ways to notice one: a release of neighbours whose noise makes up for their difference is no longer the same to the
byte (`Replay`), or a test of the suite, called here while the bug is there, fails (`failing`).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

from safetab_sql.accounting import charges, conversions, ledger_file, statement
from safetab_sql.confidential.counts import totals_between
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.progress import Progress
from safetab_sql.mechanisms import draw as drawing
from safetab_sql.mechanisms import tabulate
from safetab_sql.public import gate
from tests.accounting import test_conversions, test_ledger_file, test_statement
from tests.audit.compensated_run import compensated_run, counted_extract
from tests.audit.compensation import Recording
from tests.audit.test_compensating_bits import CLOCK
from tests.audit.test_planted_bugs import plant
from tests.histograms import test_histogram_counts, test_tree
from tests.mechanisms import test_bits, test_draw
from tests.nations import BLOCK_COLUMNS, Nation, sample_nation, write_nation
from tests.public import test_gate
from tests.statistics import geometric
from tests.trust import test_two_runs
from tests.trust.corruption import parquet_nation

__all__ = ["plant"]  # the fixture
algorithm = import_module("safetab_sql.algorithm")  # the package has a function of this name
ONE_THREAD = Resources(threads=1)
NOTICED = (AssertionError, pytest.fail.Exception)
Told = dict[str, bytes]  # every file of OUT, what was said, and how it ended


@dataclass(frozen=True)
class Replay:
    """Two extracts that differ by one move, and recorded bits with which their noisy counts are equal.

    The move empties population groups and fills others, some of which are published all the same.
    """

    nations: tuple[Nation, Nation]
    recorded: tuple[bytes, bytes]
    folder: Path

    def differences(self) -> set[str]:
        """What differs between the two runs, and the bits that a run left or lacked."""
        one, other = (self._told(place) for place in (0, 1))
        return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)} | {
            name for name in ("bits left", "bits lacked") if name in one.keys() | other.keys()
        }

    def _told(self, place: int) -> Told:
        bits, out, said = Recording(self.recorded[place]), self.folder / str(place), list[str]()
        told: Told = {}
        try:
            inputs = write_nation(self.nations[place], out)
            run(inputs, out / "out", bits=bits, resources=ONE_THREAD, progress=Progress(said.append))
        except EOFError:
            told["bits lacked"] = b""
        except InputError as error:
            told["exit code"] = str(error).encode()
        files = {str(path.relative_to(out)): path for path in (out / "out").rglob("*") if path.is_file()}
        told |= {name: CLOCK.sub(r"\1", path.read_bytes().decode("latin-1")).encode() for name, path in files.items()}
        return told | {"progress": "\n".join(said).encode()} | ({"bits left": b""} if bits.left else {})


def sparse_nation() -> Nation:
    """Levels below states alone, thresholds that nobody reaches by chance, and fifty tracts without people."""
    nation = sample_nation(120)
    empty = [{**nation.blocks[0], "TABBLKCOU": "101", "TABTRACTCE": f"{number:06d}"} for number in range(100, 150)]
    iterations = [{**row, "DETAILED_ONLY": False, "COARSE_ONLY": False} for row in nation.iterations]
    levels = {name: {"budget": 1, "thresholds": [4, 12, 30]} for name in ("COUNTY-1", "COUNTY-2", "TRACT-2")}
    return replace(nation, blocks=nation.blocks + empty, iterations=iterations).with_parameters(
        privacy_definition="zcdp", run_pr=False, zero_suppression_chance=0.9, levels=levels
    )


def with_one_person_at(nation: Nation, place: int) -> Nation:
    """The nation with one person more, who has a tract of that county for themselves."""
    block = {name: nation.blocks[place][name] for name in BLOCK_COLUMNS[:4]}
    return replace(nation, persons=[*nation.persons, {**nation.persons[0], **block}])


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    folder = tmp_path_factory.mktemp("replay")
    before, after = (with_one_person_at(sparse_nation(), place) for place in (-1, -40))
    named = {"before": before, "after": after}
    counted = [counted_extract(write_nation(nation, folder / name)) for name, nation in named.items()]
    noise = compensated_run(counted)
    return Replay((before, after), (noise.bits(counted[0]), noise.bits(counted[1])), folder)


@pytest.fixture
def replay(prepared: Replay, tmp_path: Path) -> Replay:
    return replace(prepared, folder=tmp_path)


@contextmanager
def failing() -> Iterator[None]:
    """A test of the suite that must fail."""
    with pytest.raises(NOTICED):
        yield


@pytest.mark.slow
def test_neighbours_give_one_release_where_no_bug_is(replay):
    assert replay.differences() == set()


@pytest.mark.slow
@pytest.mark.planted("domain-inference")
def test_rows_for_groups_with_people_alone_are_noticed(replay, monkeypatch):
    right = algorithm.range_totals

    def of_people(known, counts, start, stop, plan, bits):
        for block in right(known, counts, start, stop, plan, bits):
            has_people = np.isin(block.stat_level_0_ids, known)
            kept = {name: getattr(block, name)[has_people] for name in ("stat_level_0_ids", "stat_level_0_counts")}
            yield replace(block, **kept)

    monkeypatch.setattr(algorithm, "range_totals", of_people)
    assert any(name.startswith("out/t1/") for name in replay.differences())


@pytest.mark.slow
@pytest.mark.planted("post-processing-that-peeks")
def test_counts_that_are_clipped_where_nobody_is_are_noticed(replay, monkeypatch):
    """Plausible: no group that is empty gets a negative count. Which ones are, the exact counts say."""
    right = algorithm.range_totals

    def clipped(known, counts, start, stop, plan, bits):
        for block in right(known, counts, start, stop, plan, bits):
            is_empty = ~np.isin(block.stat_level_0_ids, known)
            shown = np.where(is_empty, 0, block.stat_level_0_counts)
            yield replace(block, stat_level_0_counts=shown)

    monkeypatch.setattr(algorithm, "range_totals", clipped)
    assert any(name.startswith("out/t1/") for name in replay.differences())


@pytest.mark.slow
@pytest.mark.planted("averaging-under-one-charge")
def test_noise_that_is_drawn_thrice_and_averaged_is_noticed(replay, monkeypatch):
    right = tabulate.add_noise

    def averaged(counts, law, bits):
        return sum(right(counts, law, bits) for _ in range(3)) // 3

    monkeypatch.setattr(tabulate, "add_noise", averaged)
    assert "bits lacked" in replay.differences()


@pytest.mark.slow
@pytest.mark.planted("caches")
def test_noise_that_is_kept_and_given_again_is_noticed(replay, monkeypatch):
    """The second time a law is asked for as many draws it gives the first ones: a difference of counts is exact."""
    right, kept = tabulate.add_noise, {}

    def cached(counts, law, bits):
        if (law, counts.size) not in kept:
            kept[law, counts.size] = right(np.zeros_like(counts), law, bits)
        return counts + kept[law, counts.size]

    monkeypatch.setattr(tabulate, "add_noise", cached)
    assert "bits left" in replay.differences()


@pytest.mark.slow
@pytest.mark.planted("sizes-and-clocks")
def test_a_manifest_that_says_how_long_the_run_took_is_noticed(replay, monkeypatch):
    right, begun = algorithm._publish, perf_counter()

    def timed(run, ladders, public):
        right(replace(run, manifest={**run.manifest, "seconds": perf_counter() - begun}), ladders, public)

    monkeypatch.setattr(algorithm, "_publish", timed)
    assert "out/manifest.json" in replay.differences()


def first_that_differs(replay: Replay, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """The id of a population group whose exact counts differ between the extracts, and the larger count."""
    right, seen = algorithm.totals_reader, list[dict[int, int]]()

    def spied(database):
        found = totals_between(database, 0, 2**63 - 1)
        pairs = zip(found.population_group_ids.tolist(), found.exact_counts.tolist(), strict=True)
        seen[-1].update(pairs)
        return right(database)

    with monkeypatch.context() as patch:
        patch.setattr(algorithm, "totals_reader", spied)
        for place in (0, 1):
            seen.append({})
            replace(replay, folder=replay.folder / "first")._told(place)
    one, other = seen
    group = min(each for each in one.keys() | other.keys() if one.get(each, 0) != other.get(each, 0))
    return group, max(one.get(group, 0), other.get(group, 0))


@pytest.mark.slow
@pytest.mark.planted("exceptions")
def test_a_refusal_that_one_person_causes_is_noticed(replay, monkeypatch):
    """A sanity check of a count: its limit is reached with one person and not without."""
    group, limit = first_that_differs(replay, monkeypatch)
    right = algorithm.warn_of_nobody

    def refusing(*given):
        right(*given)
        counts = totals_between(given[0].database, group, group + 1).exact_counts
        if counts.sum() >= limit:
            raise InputError([Problem("persons", "a group is implausibly large", "look at it")])

    monkeypatch.setattr(algorithm, "warn_of_nobody", refusing)
    assert "exit code" in replay.differences()


@pytest.mark.slow
@pytest.mark.planted("messages-and-logs")
def test_progress_that_tells_a_count_is_noticed(replay, monkeypatch):
    group, _ = first_that_differs(replay, monkeypatch)
    right = algorithm.warn_of_nobody

    def telling(data, *others):
        right(data, *others)
        data.stage(f"{totals_between(data.database, group, group + 1).exact_counts.sum()} people in the first group")

    monkeypatch.setattr(algorithm, "warn_of_nobody", telling)
    assert replay.differences() == {"progress"}


@pytest.mark.planted("floating-point")
def test_a_laplace_that_is_rounded_is_noticed(monkeypatch):
    generator = np.random.default_rng(1)

    def rounded(block, table, law, bits):
        block[:] = np.rint(generator.laplace(scale=1 / float(law.epsilon), size=block.size)).astype(np.int64)

    monkeypatch.setattr(drawing, "_fill", rounded)
    with failing():
        test_draw.test_draws_follow_the_law(geometric(Fraction("1.5")))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this operating system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.planted("reused-randomness")
def test_bits_that_are_drawn_in_advance_and_kept_over_a_fork_are_noticed(monkeypatch):
    stock = bytearray(os.urandom(2**20))

    def buffered(count: int) -> bytes:
        taken = bytes(stock[:count])
        del stock[:count]
        return taken

    monkeypatch.setattr(os, "urandom", buffered)
    with failing():
        test_bits.test_forked_children_and_their_parent_draw_different_noise()


@pytest.mark.planted("delta-conversion")
def test_a_conversion_with_one_term_too_few_is_noticed(monkeypatch):
    """log(1 / delta) / alpha in place of log(1 / delta) / (alpha - 1): epsilon comes out too small."""
    right = conversions.rdp_to_approximate_dp

    def wrong(tau, alpha, delta):
        return right(tau, alpha, delta) - conversions.log_inverse(delta) * float(1 / (alpha - 1) - 1 / alpha)

    monkeypatch.setattr(conversions, "rdp_to_approximate_dp", wrong)
    with failing():
        test_conversions.test_the_bound_is_above_the_tight_value_for_gaussian_noise()


@pytest.mark.planted("loss-rounded-down")
def test_a_loss_that_is_rounded_to_the_nearest_float_is_noticed(monkeypatch):
    monkeypatch.setattr(conversions, "_float_above", lambda value, _: float(value))
    with failing():
        test_conversions.test_a_loss_a_little_above_a_short_decimal_is_not_printed_as_that_decimal()


@pytest.mark.planted("mixed-units")
def test_the_loss_of_a_stay_that_is_called_that_of_a_person_is_noticed(monkeypatch):
    monkeypatch.setattr(statement, "times_of_a_person", lambda unit, definition: 1)
    half = Fraction(1, 2)
    with failing():
        test_statement.test_a_person_with_k_records_loses_k_or_k_squared_times_as_much(
            test_statement.FIVE, 25 * half, 5 * half
        )


@pytest.mark.planted("overlapping-parts")
def test_parts_that_are_compared_by_name_alone_are_noticed(monkeypatch):
    """Two runs on the same people are taken for runs on different ones, because their parts have different names."""
    right = charges.total_of

    def by_name(entered, amount_of):
        return right([replace(charge, records_sha256="0" * 64) for charge in entered], amount_of)

    monkeypatch.setattr(charges, "total_of", by_name)
    with failing():
        test_ledger_file.test_parts_of_one_name_in_other_records_add("")


@pytest.mark.planted("retries-and-kills")
def test_noise_that_whoever_asks_may_draw_is_noticed(monkeypatch, tmp_path):
    """A run is begun again under the charge that it has, and both draw: the ledger is not compared."""
    monkeypatch.setattr(ledger_file, "_entered", lambda path, file: ledger_file.Entered())
    with failing():
        test_ledger_file.test_of_many_at_once_exactly_those_that_fit_are_entered(
            tmp_path / "ledger.jsonl", None, [1] * 16, 1
        )


@pytest.mark.planted("data-dependent-loss")
def test_a_stated_loss_of_the_calls_that_happened_is_noticed(monkeypatch):
    """The calls follow from noise: what one run happened to spend bounds nothing."""
    right = test_tree.histogram_statement

    def of_calls(entries, calls, choices):
        spent = sum((call.noise.budget for call in calls), Fraction(0))
        return right(replace(entries, amount=spent), calls, choices)

    monkeypatch.setattr(test_tree, "histogram_statement", of_calls)
    with failing():
        test_tree.test_the_loss_that_a_ledger_states_does_not_depend_on_what_was_drawn("zcdp")


@pytest.mark.planted("public-inputs")
def test_a_gate_that_overlooks_the_records_is_noticed(monkeypatch, tmp_path):
    """The confidential file itself was named as the list of values, and its values were published."""
    monkeypatch.setattr(gate, "_what_copy", lambda *_, **__: None)
    records = test_gate.records.__wrapped__(tmp_path)
    with failing():
        test_gate.test_the_records_are_no_public_input_under_another_name(test_gate.WAYS["itself"], records, tmp_path)


@pytest.mark.planted("exact-files")
def test_a_gate_that_overlooks_the_mark_of_exact_files_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(gate, "is_marked", lambda _: False)
    records = test_gate.records.__wrapped__(tmp_path)
    with failing():
        test_gate.test_what_says_that_it_was_made_from_exact_counts_is_refused("a.parquet", records, tmp_path)


@pytest.mark.planted("nan-and-overflow")
def test_a_weight_that_is_not_clamped_is_noticed(plant, tmp_path):
    plant("clamped_weight", "least(greatest(given, 0), maximum)", "given")
    with failing():
        test_histogram_counts.test_weights_are_clamped_and_added(tmp_path)


@pytest.mark.slow
@pytest.mark.planted("plan-and-data-disagree")
def test_records_that_change_after_the_plan_was_made_are_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(algorithm, "changed_inputs", lambda _: [])
    (tmp_path / "place").mkdir()
    changing = test_two_runs.test_a_run_whose_person_file_changes_while_it_counts_is_refused_and_draws_no_noise
    with failing():
        changing(parquet_nation(tmp_path / "nation"), tmp_path / "place")
