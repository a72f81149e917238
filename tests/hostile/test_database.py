"""What is left to somebody who can run any SQL at all in the locked database: nothing outside it."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from safetab_sql.kit.database import Database, Resources, open_database

SECRET = pa.table({"number": [42]})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file that nobody named, and ways to it."""
    folder = tmp_path_factory.mktemp("locked").resolve()
    (folder / "scratch").mkdir()
    (folder / "named").mkdir()
    duckdb.sql(f"copy (select 42 as number) to '{folder}/secret.parquet' (format parquet)")
    (folder / "secret.csv").write_text("number\n42\n")
    (folder / "scratch" / "link.parquet").symlink_to(folder / "secret.parquet")
    (folder / "scratch" / "link").symlink_to(folder)
    return folder


@pytest.fixture(scope="module")
def database(folder: Path) -> Iterator[Database]:
    with open_database(folder / "scratch", [folder / "named" / "a.parquet"], [], Resources(threads=1)) as opened:
        yield opened


FORBIDDEN = {
    "a way up": "select * from '{folder}/scratch/../secret.parquet'",
    "a way up from a named file": "select * from '{folder}/named/../secret.parquet'",
    "a way up, as bytes": "select * from read_blob('{folder}/scratch/../secret.csv')",
    "a link out of a folder": "select * from '{folder}/scratch/link.parquet'",
    "a link to a folder": "select * from '{folder}/scratch/link/secret.parquet'",
    "a neighbour of a named file": "select * from '{folder}/named/b.parquet'",
    "a folder with the same beginning": "select * from '{folder}/scratch-other/a.parquet'",
    "a pattern": "select * from '{folder}/*.parquet'",
    "a pattern with its way up": "select * from glob('{folder}/scratch/../*')",
    "the home folder": "select * from glob('~/*')",
    "the environment": "select * from read_text('/proc/self/environ')",
    "the environment by function": "select getenv('HOME')",
    "standard input": "select * from read_csv('/dev/stdin')",
    "a look at a CSV": "select * from sniff_csv('{folder}/secret.csv')",
    "JSON": "select * from read_json('{folder}/secret.csv')",
    "the metadata of a file": "select * from parquet_metadata('{folder}/secret.parquet')",
    "the schema of a file": "select * from parquet_schema('{folder}/secret.parquet')",
    "a file by a query in a text": "select * from query('select * from ''{folder}/secret.parquet''')",
    "a Python variable": "select * from SECRET",
    "another database": "attach '{folder}/other.duckdb' as other",
    "a database of the network": "attach 'https://127.0.0.1:1/other.duckdb' as other",
    "the network": "select * from 'http://127.0.0.1:1/a.parquet'",
    "a bucket": "select * from 's3://bucket/a.parquet'",
    "a secret": "create secret (type s3, key_id 'a', secret 'b')",
    "an extension": "force install httpfs",
    "an extension of the community": "install h3 from community",
    "an update of extensions": "update extensions",
    "a file to write": "copy (select 42) to '{folder}/written.csv'",
    "a file to write by a way up": "copy (select 42) to '{folder}/scratch/../written.csv'",
    "a file to write through a link": "copy (select 42) to '{folder}/scratch/link/written.csv'",
    "standard output": "copy (select 42) to '/dev/stdout'",
    "an import": "import database '{folder}'",
    "an export": "export database '{folder}/written'",
    "a setting": "set global threads = 2",
    "a setting to its default": "reset lock_configuration",
    "a pragma": "pragma enable_profiling",
    "a pragma that writes": "pragma profiling_output = '{folder}/written'",
    "a log of queries": "set log_query_path = '{folder}/written'",
    "logging": "call enable_logging()",
}


@pytest.mark.parametrize("statement", FORBIDDEN.values(), ids=FORBIDDEN)
def test_it_fails_and_leaves_nothing(database, folder, statement):
    before = sorted(folder.iterdir())
    with pytest.raises(duckdb.Error):
        database._connection.execute(statement.format(folder=folder)).fetchall()
    assert sorted(folder.iterdir()) == before


def test_nothing_is_written_in_the_home_folder(tmp_path, monkeypatch):
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    monkeypatch.setenv("HOME", str(home))
    with open_database(scratch, [], [], Resources(threads=1)) as opened, pytest.raises(duckdb.Error):
        opened._connection.execute("install httpfs")
    assert list(home.iterdir()) == []
