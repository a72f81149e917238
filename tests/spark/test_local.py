"""People counted by Spark on this machine: what it gives, what it refuses, and what it leaves."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from safetab_sql import InputError, InputPaths, validate
from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.cluster.spark import Counting, Spark, collected, counting_parts, spark_context
from safetab_sql.cluster.tasks import answer_totals, installed_software, person_files, planned_parts, unpacked
from safetab_sql.confidential.inputs import inputs_in_parts
from safetab_sql.kit.errors import ClusterFaultError
from safetab_sql.public.catalog import build_catalog
from tests.cluster.nations import ONE_THREAD, Sent, contents, counter
from tests.spark.clusters import Home, Made, files_with, made_by, released, spoilt_nation
from tests.spark.in_workers import Spoilt, modules_of_worker, size_of

pytestmark = pytest.mark.spark
FIVE = Spark("local[2]", parts=5)


@pytest.fixture(scope="module")
def context(home: Home) -> Iterator[Any]:
    """One session for all tests: it takes seconds to start."""
    with spark_context(FIVE) as started:
        yield started


@pytest.fixture(scope="module")
def made(context: Any, home: Home, nation: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_by(FIVE, nation, home, tmp_path_factory.mktemp("made"))


def test_the_release_is_that_of_one_machine_to_the_byte(made, expected):
    assert contents(made.folder / "release") == expected
    assert [charge.state for charge in read_ledger(made.folder / "ledger").charges] == ["released"]


def test_no_count_no_secret_and_no_scratch_lies_on_a_disk_and_no_command_line_names_them(made, home, nation, tmp_path):
    with counter(nation) as here:
        fifths = planned_parts(person_files(here.intake.sources["persons"]), 5)
        sent = Sent(replace(here.job, parts=fifths))
        parts = [answer_totals(installed_software(), sent, number).totals for number in range(2)]
    needles = [home.secret.encode(), *(piece for part in parts for piece in pieces(part)), b"QRACE1", b"QAGE"]
    (tmp_path / "spilt").write_bytes(b"header" + parts[0] + home.secret.encode())
    assert len(files_with(needles, [tmp_path])) > 2  # they would be found
    assert made.files  # the broadcasts, encrypted
    assert [name for name, content in made.files.items() for needle in needles if needle in content] == []
    assert [name for name in made.files if "rdd_" in name or "shuffle" in name or "safetab-sql-scratch" in name] == []
    assert any(b"java" in line for line in made.commands)
    assert [line for line in made.commands if home.secret.encode() in line] == []
    assert list((home.folder / "events").iterdir()) == []


def pieces(content: bytes) -> list[bytes]:
    """Stretches from the middle of what was packed, which other tables do not have."""
    return [content[first : first + 48] for first in range(len(content) // 4, len(content) - 48, len(content) // 8)]


def test_what_is_sent_to_workers_lies_on_disks_encrypted_alone(context, home):
    content = os.urandom(100_000)
    sent = context.broadcast(content)
    assert context.parallelize([0], 1).map(partial(size_of, sent)).collect() == [len(content)]
    assert [path for path in home.local.rglob("*") if path.is_file() and path.stat().st_size >= len(content)]
    assert files_with([content[:48], content[-48:]], [home.local]) == []
    sent.destroy()


@contextmanager
def counting(nation: InputPaths) -> Iterator[Counting]:
    with inputs_in_parts(nation, ONE_THREAD) as intake:
        build_catalog(intake.database, intake.parameters)
        with counting_parts(nation, intake, FIVE) as made_:
            yield made_


def test_workers_import_no_noise_and_nothing_that_publishes(context, nation):
    with counting(nation) as made_:
        (found, *_) = made_.first.map(modules_of_worker).collect()
    assert "safetab_sql.cluster.tasks" in found
    assert {name.split(".")[1] for name in found} & {"mechanisms", "published", "histograms", "run", "jobs"} == set()


def test_what_the_second_pass_needs_stays_in_memory(context, nation):
    with counting(nation) as made_:
        level = made_.first.getStorageLevel()
        assert (level.useMemory, level.useDisk, level.replication) == (True, False, 1)
        assert [unpacked(answer.totals).num_rows > 0 for answer in made_.totals()] == [True] * len(made_.job.parts)
        assert [answer.units for answer in made_.totals()] == [b""] * len(made_.job.parts)


def test_what_spark_says_of_an_exception_quotes_no_value(context):
    failing = context.parallelize([0], 1).map(partial(answer_totals, installed_software(), Spoilt()))
    with pytest.raises(Exception, match="could not be counted: ValueError") as told:
        failing.collect()
    assert "QAGE=117" not in str(told.value)
    with pytest.raises(ClusterFaultError, match=r"part 1 could not be counted: ValueError, however often") as ours:
        collected(failing)
    assert (ours.value.__cause__, ours.value.__context__) == (None, None)


def test_the_problems_of_all_parts_are_those_that_validate_finds(context, tmp_path):
    asked = spoilt_nation(tmp_path / "nation")
    with pytest.raises(InputError) as whole:
        validate(asked, resources=ONE_THREAD)
    with pytest.raises(InputError) as merged:
        validate(asked, spark=FIVE, resources=ONE_THREAD)
    with pytest.raises(InputError) as refused:
        released(asked, tmp_path, FIVE)
    found = [each.value.problems for each in (whole, merged, refused)]
    told = [{(each.where, each.what, each.examples) for each in problems} for problems in found]
    assert told[0] == told[1] == told[2]
    assert len(told[0]) >= 2
    assert any("56.parquet row" in example for each in told[0] for example in each[2])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nation"]


def test_a_session_that_leaks_is_refused_and_nothing_is_charged(context, nation, tmp_path, monkeypatch):
    leaking = context.getConf().setAll([("spark.ui.enabled", "true"), ("spark.io.encryption.enabled", "false")])
    monkeypatch.setattr(context, "getConf", lambda: leaking)  # a second context would need a second Java
    with pytest.raises(InputError) as refused:
        released(nation, tmp_path, FIVE)
    assert [problem.where for problem in refused.value.problems] == ["spark.io.encryption.enabled", "spark.ui.enabled"]
    assert list(tmp_path.iterdir()) == []
