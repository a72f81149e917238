"""A canary scan of `parts`: what the records hold, what was counted and the key are nowhere but where they have to be.

The noise is as wide as in test_leaks.py, so that no noisy count is an exact one.
"""

from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.cluster.sealed import can_encrypt
from tests.cli.command import Result, execute, inputs
from tests.nations import exact, sample_nation
from tests.trust.corruption import parquet_nation
from tests.trust.test_leaks import TEXTS, WIDE, numbers_in

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_encrypt(), reason="this version of pyarrow cannot encrypt with a key of ours"),
]
PEOPLE = 6_037


@dataclass(frozen=True, slots=True)
class Scan:
    """What each step said and was told, the private folder after each but `publish`, the release, key and counts."""

    said: list[Result]
    told: str
    works: list[dict[str, bytes]]
    release: dict[str, bytes]
    tables: str
    key: bytes
    counts: set[int]


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    folder = tmp_path_factory.mktemp("leaks")
    nation = sample_nation(PEOPLE)
    levels = {name: {"budget": "wide", "thresholds": [471, 971, 6971]} for name in nation.parameters["levels"]}
    counts = exact(nation, folder / "exact")
    parquet = parquet_nation(folder, nation.with_parameters(levels=levels, gamma=0.5))
    parameters = parquet / "parameters.toml"
    parameters.write_text(parameters.read_text(encoding="utf-8").replace('"wide"', WIDE))
    persons = parquet / "persons" / "persons.parquet"
    extra = f"'{TEXTS[0]}' as {TEXTS[2]}, '{TEXTS[1]}' as note"
    duckdb.sql(f"copy (select *, {extra} from '{persons}') to '{parquet / 'all.parquet'}' (format parquet)")
    (parquet / "all.parquet").replace(persons)
    work, key, usual = folder / "work", folder / "key", ("--threads", "1")
    named = ("--out", folder / "out", "--work", work, "--key", key, "--parts", "2", "--ledger", folder / "ledger")
    steps = [("prepare", *inputs(parquet), *named)]
    for what, then in (("totals", "choose"), ("cells", None)):
        steps += [("count", what, "--work", work, "--part", part) for part in ("1", "2")]
        steps += [(then, "--work", work)] if then else []
    said, kept = list[Result](), list[dict[str, bytes]]()
    for step in steps:
        said.append(execute("parts", *step, *usual))
        kept.append(files_of(work))
    secret = key.read_bytes()
    said.append(execute("parts", "publish", "--work", work, *usual))
    tables = "\n".join(str(pq.read_table(file).to_pydict()) for file in sorted((folder / "out").rglob("*.parquet")))
    exact_counts = {count for count in (*counts.t1.values(), *counts.t2.values()) if count >= 1_000} | {PEOPLE}
    codes = numbers_in("\n".join(path.read_text() for path in (folder / "text").glob("*iteration*.txt")))
    told = "\n".join(str(word) for step in steps for word in step)
    return Scan(said, told, kept, files_of(folder / "out"), tables, secret, exact_counts - codes)


def test_every_step_succeeds_and_there_are_many_counts_to_be_told(scan: Scan) -> None:
    assert [(each.code, each.stderr) for each in scan.said if each.code] == []
    assert len(scan.counts) > 50


def test_what_was_counted_cannot_be_read_without_the_key(scan: Scan) -> None:
    counted = {name: content for name, content in scan.works[-1].items() if name.startswith("parts/")}
    assert (
        len(counted) == 2 * 3 + 4
    )  # units, totals and cells of each part; plan and charge; the noise, and what it chose
    for content in counted.values():
        with pytest.raises((OSError, pa.ArrowException)):
            pq.read_table(pa.BufferReader(content))


def test_no_exact_count_is_in_what_the_steps_said_or_published(scan: Scan) -> None:
    texts = [each.stdout + each.stderr for each in scan.said] + [scan.told, scan.tables]
    texts += [content.decode() for name, content in scan.release.items() if not name.endswith(".parquet")]
    assert scan.counts & numbers_in("\n".join(texts)) == set()


def test_no_file_of_the_private_folder_tells_after_any_step_how_many_records_there_are(scan: Scan) -> None:
    counts = scan.counts | {PEOPLE // 2, PEOPLE - PEOPLE // 2}
    for work in scan.works:
        plain = {name: content for name, content in work.items() if not name.startswith("parts/")}
        texts = [content.decode() for name, content in plain.items() if not name.endswith(".parquet")]
        tables = [pq.read_table(pa.BufferReader(work[name])) for name in plain.keys() - {"plan.json"}]
        told = "\n".join([*texts, *(str(table.to_pydict()) for table in tables if table.num_rows < 1_000)])
        assert counts & numbers_in(told) == set()
        stored = [number.to_bytes(8, "little") for number in (PEOPLE, PEOPLE // 2, PEOPLE - PEOPLE // 2)]
        assert [name for name, content in work.items() for number in stored if number in content] == []
    sizes = {len(content) for name, content in scan.works[-1].items() if name.startswith("parts/")}
    assert len(sizes) <= 3


def test_no_value_of_a_record_that_is_not_read_and_no_key_is_anywhere(scan: Scan) -> None:
    places = {
        **scan.works[-1],
        **scan.release,
        "said": "".join(each.stdout + each.stderr for each in scan.said).encode(),
    }
    canaries = [*(text.encode() for text in TEXTS[:3]), scan.key, scan.key.hex().encode()]
    assert [(name, canary) for name, content in places.items() for canary in canaries if canary in content] == []
