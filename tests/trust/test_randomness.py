"""Noise of any other source than the operating system is never called releasable."""

import json
import os
import random
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from safetab_sql import Resources, run
from safetab_sql.kit.progress import Progress
from safetab_sql.mechanisms import bits as bits_module
from safetab_sql.mechanisms.bits import BitSource, are_the_systems, system_bits
from tests.cli.nations import paths

ONE_THREAD = Resources(threads=1)


class Source:
    def bits(self, count: int) -> bytes:
        return os.urandom(count)

    __call__ = bits


def wrapper(count: int) -> bytes:
    return os.urandom(count)


OTHERS: dict[str, BitSource] = {
    "a function around os.urandom": wrapper,
    "a function around the system's bits": lambda count: b"" + system_bits(count),
    "a partial application": partial(system_bits),
    "os.urandom itself": os.urandom,
    "a method": Source().bits,
    "an object": Source(),
    "a seeded generator": random.Random(5).randbytes,
    "zeros": bytes,
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_no_source_but_the_systems_own_function_makes_a_release(other):
    assert (are_the_systems(system_bits), are_the_systems(other)) == (True, False)


@pytest.mark.parametrize("replacement", [wrapper, random.Random(5).randbytes, np.random.default_rng(5).bytes, bytes])
def test_the_systems_function_makes_none_while_its_generator_is_replaced(monkeypatch, replacement):
    monkeypatch.setattr(os, "urandom", replacement)
    replaced = are_the_systems(system_bits)
    monkeypatch.undo()
    assert (replaced, are_the_systems(system_bits)) == (False, True)


def test_a_function_that_takes_the_name_of_the_systems_makes_none(monkeypatch):
    monkeypatch.setattr(bits_module, "system_bits", wrapper)
    monkeypatch.setattr(import_module("safetab_sql.algorithm"), "system_bits", wrapper)
    assert not are_the_systems(wrapper)


def is_releasable(out: Path) -> object:
    return json.loads((out / "manifest.json").read_text(encoding="utf-8"))["releasable"]


@pytest.mark.planted("weak-generator")
def test_a_run_during_which_the_generator_was_replaced_says_that_it_is_not_releasable(tiny_nation, folder, monkeypatch):
    """Replaced after its first draws."""
    seeded = random.Random(5).randbytes

    def replace(stage: str) -> None:
        if stage == "counting tables":
            monkeypatch.setattr(os, "urandom", seeded)

    run(paths(tiny_nation), folder / "out", resources=ONE_THREAD, progress=Progress(stage=replace))
    assert is_releasable(folder / "out") is False


@pytest.mark.slow
def test_a_run_before_whose_end_the_generator_was_put_back_says_that_it_is_not_releasable(
    tiny_nation, folder, monkeypatch
):
    monkeypatch.setattr(os, "urandom", random.Random(5).randbytes)

    def put_back(stage: str) -> None:
        if stage == "writing tables":
            monkeypatch.undo()

    run(paths(tiny_nation), folder / "out", resources=ONE_THREAD, progress=Progress(stage=put_back))
    assert is_releasable(folder / "out") is False
