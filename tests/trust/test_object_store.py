"""Inputs in a store that speaks the protocol of Amazon S3, on this machine: `make test-objects` installs the server."""

import os
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from safetab_sql import InputError, Resources, run, validate
from safetab_sql.cluster.spark import Spark
from safetab_sql.jobs.on_spark import ReleaseOptions, run_on_spark
from safetab_sql.kit.database import open_database
from safetab_sql.kit.objects import object_path
from safetab_sql.kit.progress import Progress
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.sources import find_source
from tests.cli.nations import paths, simulate_few_states
from tests.jobs.test_parts import contents
from tests.spark.clusters import at_home, spark_home
from tests.statistics import recorded_bits

pytestmark = pytest.mark.slow
s3fs = pytest.importorskip("s3fs", reason="`make test-objects` installs it")
moto = pytest.importorskip("moto.server", reason="`make test-objects` installs it")
ONE_THREAD = Resources(threads=1)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server on the loopback; the environment says where it is, and who asks."""
    served = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    served.start()
    host, port = served.get_host_and_port()
    address = f"http://{host}:{port}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", address)
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_ACCESS_KEY_ID", "somebody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-somebody")
        s3fs.S3FileSystem.clear_instance_cache()
        yield address
    served.stop()


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    folder = tmp_path_factory.mktemp("nation") / "nation"
    simulate_few_states(folder, people=5_000)
    return paths(folder)


@pytest.fixture(scope="module")
def asked(server: str, nation: InputPaths) -> InputPaths:
    """The nation with its persons, geography and code lists in bucket `census`."""
    store = s3fs.S3FileSystem()
    store.mkdir("census")
    store.put(str(nation.persons), "census/persons", recursive=True)
    store.put(str(nation.code_lists), "census/lists", recursive=True)
    store.put(str(nation.geography), "census/geography.parquet")
    store.pipe("census/secret.parquet", Path(nation.geography).read_bytes())
    places = {"persons": "persons", "geography": "geography.parquet", "code_lists": "lists"}
    return replace(nation, **{name: f"s3://census/{key}" for name, key in places.items()}, object_storage=True)


def test_a_release_from_a_bucket_is_that_of_the_same_files_to_the_byte(
    nation: InputPaths, asked: InputPaths, tmp_path: Path
) -> None:
    validate(asked, resources=ONE_THREAD)
    of_files = run(nation, tmp_path / "files", resources=ONE_THREAD, bits=recorded_bits("x"))
    of_objects = run(asked, tmp_path / "objects", resources=ONE_THREAD, bits=recorded_bits("x"))
    assert contents(of_objects.out) == contents(of_files.out)


@pytest.mark.spark
def test_workers_of_a_cluster_read_the_bucket_themselves(nation: InputPaths, asked: InputPaths, tmp_path: Path) -> None:
    of_files = run(nation, tmp_path / "files", resources=ONE_THREAD, bits=recorded_bits("x"))
    release, local = ReleaseOptions(tmp_path / "objects"), Spark("local[2]", parts=3)
    with at_home(spark_home(tmp_path / "home")):
        run_on_spark(asked, release, local, resources=ONE_THREAD, bits=recorded_bits("x"))
    assert contents(tmp_path / "objects") == contents(of_files.out)


def test_the_locked_database_reads_no_other_key_of_the_bucket_and_writes_none(
    asked: InputPaths, tmp_path: Path
) -> None:
    persons = find_source(asked.persons, objects=True).files
    with open_database(tmp_path, persons, [], Resources()) as database:
        database.show("named", persons)
        assert database.rows("named") > 0
        for forbidden in ("s3://census/secret.parquet", "s3://census/persons/../secret.parquet"):
            with pytest.raises(duckdb.PermissionException, match="disabled by configuration"):
                database.show("other", [object_path(forbidden)])
        with pytest.raises(duckdb.PermissionException, match="disabled by configuration"):
            database.copy("named", "s3://census/copy.parquet", "format parquet")


@pytest.mark.parametrize("url", ["s3://nobucket/persons", "s3://census/nokey.parquet", "s3://census/nofolder/"])
def test_a_bucket_or_a_key_that_is_missing_is_named(server: str, asked: InputPaths, url: str) -> None:
    with pytest.raises(InputError, match=r"no (object|file) is there") as refused:
        validate(replace(asked, persons=url), resources=ONE_THREAD)
    assert [problem.where for problem in refused.value.problems] == [url]


def test_an_object_that_is_written_again_during_the_run_is_noticed(asked: InputPaths, tmp_path: Path) -> None:
    file = find_source(asked.persons, objects=True).files[0]

    def write(stage: str) -> None:
        if stage == "counting population groups":
            file.write_bytes(file.read_bytes()[:-100] + b" " * 100)

    before = file.read_bytes()
    try:
        with pytest.raises(InputError, match="was changed while it was being read"):
            run(asked, tmp_path / "release", resources=ONE_THREAD, progress=Progress(stage=write))
    finally:
        file.write_bytes(before)
    assert not (tmp_path / "release").exists()


def test_credentials_that_are_missing_or_refused_are_told_and_not_repeated(
    server: str, asked: InputPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusal() -> str:
        s3fs.S3FileSystem.clear_instance_cache()
        with pytest.raises(InputError, match="the store refuses") as refused:
            validate(asked, resources=ONE_THREAD)
        return str(refused.value)

    def check_every_request(count: str) -> None:
        asked_so = {"Content-Type": "text/plain"}
        urllib.request.urlopen(urllib.request.Request(f"{server}/moto-api/reset-auth", count.encode(), asked_so))

    check_every_request("0")
    try:
        assert "secret-of-somebody" not in refusal()
    finally:
        check_every_request("inf")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    assert "give the credentials" in refusal()
    monkeypatch.undo()
    s3fs.S3FileSystem.clear_instance_cache()
    assert object_path(f"{asked.persons}").is_dir()
