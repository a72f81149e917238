"""Inputs in object storage, here in a store in the memory of this process: the same release, from a locked database.

tests/trust/test_object_store.py does it with a server that speaks the protocol of Amazon S3.
"""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import fsspec
import pytest

from safetab_sql import InputError, Resources, run, validate
from safetab_sql.jobs import parts
from safetab_sql.kit import objects
from safetab_sql.kit.database import open_database
from safetab_sql.kit.objects import object_path
from safetab_sql.kit.progress import Progress
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.sources import find_source
from tests.cli.command import call
from tests.cluster.nations import ONE_THREAD, PERSONS, nation_in_files
from tests.jobs.test_parts import contents, in_one, in_parts, prepare
from tests.statistics import recorded_bits

SPOILT = [{**PERSONS[0], "QAGE": 130}, *PERSONS[1:240]]


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    return nation_in_files(tmp_path_factory.mktemp("nation") / "nation", a=PERSONS[:240], b=PERSONS[240:])


@pytest.fixture
def bucket() -> Iterator[str]:
    """The URL of an empty bucket."""
    url = f"memory://{uuid.uuid4().hex}"
    yield url
    fsspec.filesystem("memory").rm(url, recursive=True)


def uploaded(nation: InputPaths, url: str) -> InputPaths:
    """The nation with its persons, geography and code lists in a bucket."""
    filesystem = fsspec.filesystem("memory")
    filesystem.put(str(nation.persons), f"{url}/persons", recursive=True)
    filesystem.put(str(nation.code_lists), f"{url}/lists", recursive=True)
    name = Path(str(nation.geography)).name
    filesystem.put(str(nation.geography), f"{url}/{name}")
    places = {"persons": f"{url}/persons", "geography": f"{url}/{name}", "code_lists": f"{url}/lists"}
    return replace(nation, **places, object_storage=True)


def test_a_release_of_objects_is_that_of_the_same_files_to_the_byte(
    nation: InputPaths, bucket: str, tmp_path: Path
) -> None:
    fsspec.filesystem("memory").pipe(f"{bucket}/persons/_SUCCESS", b"")
    of_files = run(nation, tmp_path / "files", resources=ONE_THREAD, bits=recorded_bits("x"))
    of_objects = run(uploaded(nation, bucket), tmp_path / "objects", resources=ONE_THREAD, bits=recorded_bits("x"))
    assert contents(of_objects.out) == contents(of_files.out)


@pytest.mark.slow
def test_parts_of_objects_give_the_release_of_the_same_files_to_the_byte(
    nation: InputPaths, bucket: str, tmp_path: Path
) -> None:
    of_files = in_one(nation, tmp_path, recorded_bits("x"))
    of_objects = in_parts(uploaded(nation, bucket), tmp_path / "parts", 3, recorded_bits("x"))
    assert contents(of_objects) == contents(of_files.out)


@pytest.mark.parametrize("change", ["written again", "removed"])
def test_an_object_that_changed_since_the_parts_were_planned_is_not_counted(
    nation: InputPaths, bucket: str, tmp_path: Path, change: str
) -> None:
    prepare(uploaded(nation, bucket), tmp_path, 2)
    store, file = fsspec.filesystem("memory"), f"{bucket}/persons/a.parquet"
    store.rm(file) if change == "removed" else store.pipe(file, store.cat(f"{bucket}/persons/b.parquet"))
    with pytest.raises(InputError, match=r"changed since the parts were planned|it has gone") as refused:
        parts.count(tmp_path / "work", 1, "totals", resources=ONE_THREAD)
    assert {problem.where for problem in refused.value.problems} == {file}


def test_problems_of_records_name_the_object_and_the_row(tmp_path: Path, bucket: str) -> None:
    asked = uploaded(nation_in_files(tmp_path / "nation", a=SPOILT, b=PERSONS[240:]), bucket)
    with pytest.raises(InputError) as refused:
        validate(asked, resources=ONE_THREAD)
    (problem,) = refused.value.problems
    assert (problem.where, problem.examples) == (f"{asked.persons} [QAGE]", ("a.parquet row 1, QAGE=130",))


def test_objects_are_opened_only_where_the_command_is_told_so(nation: InputPaths, bucket: str, tmp_path: Path) -> None:
    asked = replace(uploaded(nation, bucket), object_storage=False)
    with pytest.raises(InputError) as refused:
        run(asked, tmp_path / "release", resources=ONE_THREAD)
    assert [problem.where for problem in refused.value.problems] == [asked.persons, asked.geography, asked.code_lists]
    assert {"--object-storage" in problem.fix for problem in refused.value.problems} == {True}


def test_the_command_line_takes_urls_with_the_switch(nation: InputPaths, bucket: str) -> None:
    asked = uploaded(nation, bucket)
    named = ("--persons", asked.persons, "--geography", asked.geography, "--code-lists", asked.code_lists)
    command = ("validate", "--parameters", nation.parameters, *named, "--quiet", "--threads", "1")
    assert call(*command, "--object-storage").code == 0
    refused = call(*command)
    assert (refused.code, refused.stderr.count("lies in object storage")) == (2, 3)


@pytest.mark.parametrize("name", ["persons", "geography"])
def test_an_object_that_is_written_again_during_the_run_is_noticed(
    nation: InputPaths, bucket: str, tmp_path: Path, name: str
) -> None:
    asked, filesystem = uploaded(nation, bucket), fsspec.filesystem("memory")
    (written,) = filesystem.find(getattr(asked, name))[:1]

    def write(stage: str) -> None:
        if stage == "counting population groups":
            filesystem.pipe(written, filesystem.cat(written))

    with pytest.raises(InputError, match="was changed while it was being read"):
        run(asked, tmp_path / "release", resources=ONE_THREAD, progress=Progress(stage=write))
    assert not (tmp_path / "release").exists()


def test_the_locked_database_reads_the_objects_that_were_named_and_no_other(
    nation: InputPaths, bucket: str, tmp_path: Path
) -> None:
    persons = find_source(uploaded(nation, bucket).persons, objects=True).files
    with open_database(tmp_path, persons[:1], [], Resources()) as database:
        database.show("named", persons[:1])
        assert database.rows("named") == 240
        with pytest.raises(duckdb.PermissionException, match="disabled by configuration"):
            database.show("other", persons[1:])


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("memory://nowhere/persons", "no object is there"),
        ("memory://nowhere/*.parquet", "no file is there"),
        ("s3://name:word@bucket/persons", "holds credentials"),
        ("nosuchstore://bucket/persons", "no such store can be opened"),
        ("file:///persons", "is a URL of a file"),
    ],
)
def test_what_names_no_object_is_refused_and_no_credentials_are_repeated(url: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as refused:
        find_source(url, objects=True)
    assert "word" not in str(refused.value)


def test_names_that_the_engine_would_take_for_a_pattern_are_refused(bucket: str, nation: InputPaths) -> None:
    asked = uploaded(nation, bucket)
    fsspec.filesystem("memory").mv(f"{asked.persons}/a.parquet", f"{asked.persons}/[ab].parquet")
    with pytest.raises(InputError, match="give the object another name"):
        validate(asked, resources=ONE_THREAD)


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(objects, "import_module", missing)
    with pytest.raises(InputError, match=r"pip install 'safetab-sql\[objects\]'"):
        object_path("s3://bucket/persons")
