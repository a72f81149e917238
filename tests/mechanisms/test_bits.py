"""No two draws share a bit: across calls, threads and processes, forked ones included."""

import multiprocessing
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from safetab_sql.mechanisms.bits import are_the_systems, random_bytes, system_bits
from safetab_sql.mechanisms.draw import draw
from tests.statistics import gaussian

LAW = gaussian(Fraction(500))  # about 11 bits of entropy a draw: equal runs of 100 have chance 2^-1100


@pytest.fixture
def urandom(monkeypatch):
    """What os.urandom returned, request by request, for each thread."""
    recorded = {}
    real = os.urandom

    def recording(count):
        drawn = real(count)
        recorded.setdefault(threading.get_ident(), []).append(drawn)
        return drawn

    monkeypatch.setattr(os, "urandom", recording)
    return recorded


def test_system_bits_are_those_of_the_operating_system(urandom):
    assert system_bits(16) == urandom[threading.get_ident()][0]
    assert not are_the_systems(system_bits)  # for os.urandom is replaced


def test_a_draw_uses_bits_of_its_own_requests_only(urandom):
    """Replaying what was requested during each call gives its draws: nothing is kept."""
    requests = urandom.setdefault(threading.get_ident(), [])
    calls = []
    for _ in range(3):
        start = len(requests)
        calls.append((draw(LAW, 1000, system_bits), requests[start:]))
    assert len(set(requests)) == len(requests)
    for drawn, requested in calls:
        remaining = list(requested)
        assert (draw(LAW, 1000, lambda count, remaining=remaining: remaining.pop(0)) == drawn).all()
        assert not remaining
    assert len({drawn.tobytes() for drawn, _ in calls}) == len(calls)


def test_threads_use_bits_of_their_own_requests_only(urandom):
    ready = threading.Barrier(4)

    def work(_):
        ready.wait()  # all four at once, each on a thread of its own
        return threading.get_ident(), draw(LAW, 300_000, system_bits)

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(4)))
    assert len({thread for thread, _ in results}) == 4
    for thread, drawn in results:
        remaining = list(urandom[thread])
        assert (draw(LAW, 300_000, lambda count, remaining=remaining: remaining.pop(0)) == drawn).all()
        assert not remaining
    everything = [request for requests in urandom.values() for request in requests if len(request) >= 16]
    assert len(set(everything)) == len(everything)


def _send_draws(connection):
    connection.send_bytes(draw(LAW, 100, system_bits).tobytes())


def _draws_of_children(method, children):
    """What that many processes draw, one after another."""
    context = multiprocessing.get_context(method)
    for _ in range(children):
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_send_draws, args=(sender,))
        child.start()
        yield receiver.recv_bytes()
        child.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this operating system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_children_and_their_parent_draw_different_noise():
    draws = [draw(LAW, 100, system_bits).tobytes()]  # first, so that whatever a draw keeps exists before the fork
    draws += [*_draws_of_children("fork", 3), draw(LAW, 100, system_bits).tobytes()]
    assert len(set(draws)) == len(draws)


def test_the_packages_mechanisms_import_no_other_generator():
    names = {name for name in sys.modules if name.startswith("safetab_sql.mechanisms")}
    assert names
    for name in names:
        assert not {"random", "secrets"} & set(vars(sys.modules[name]))


def test_a_source_that_gives_too_few_or_too_many_bytes_is_an_error():
    for wrong in (9, 11):
        with pytest.raises(EOFError, match=f"{wrong} bytes where 10"):
            random_bytes(lambda count, wrong=wrong: bytes(wrong), 10)
