"""When a ledger takes the parts of two runs for different records: only if both divided the same records alike."""

from pathlib import Path

import duckdb
import pytest

from safetab_sql import InputPaths, LedgerFile
from safetab_sql.accounting.charges import on_the_same_records, spent
from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.confidential.inputs import records_sha256
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.public.sources import find_source
from safetab_sql.settings.parameters import load_parameters
from tests.statistics import recorded_bits

PARAMETERS = """
privacy_definition = "puredp"
gamma = 0.2
run = ["{run}"]
attributes.SEX = {{ column = "SEX", groups.sex = {{ 1 = ["M"], 2 = ["F"] }} }}
attributes.AGE.column = "AGE"
place.key = {{ {place} = "text" }}
parts.{north}.where.HALF = ["n"]
parts.south.where.HALF = ["s"]
region_types.N = {{ part = "{north}", id = "'n'" }}
region_types.S = {{ part = "south", id = "'s'" }}
questions.kind = {{ column = "KIND", values = ["a", "b"] }}
levels.{level}-1 = {{ budget = 1, thresholds = [20, 200, 2000] }}
{more}
"""
ONE_THREAD = Resources(threads=1)


def half(folder: Path, part: str, *, place: str = "HOME", north: str = "north", more: str = "") -> InputPaths:
    """A run of one half of a country whose places are N0 to N3. The other half is not counted."""
    if not (folder / "persons").exists():
        (folder / "persons").mkdir()
        columns = "'N' || (i % 4) as HOME, 'N' || ((i + 2) % 4) as WORK, ['M', 'F'][i % 2 + 1] as SEX, i % 90 as AGE"
        write(folder / "persons" / "1.parquet", f"select {columns}, ['a', 'b'][i % 2 + 1] as KIND from range(100) t(i)")
        divided(folder, "'N0', 'N1'")
    is_north = part == north
    parameters = folder / f"{part}-{place}-{north}-{len(more)}.toml"
    level = "N" if is_north else "S"
    parameters.write_text(PARAMETERS.format(run=part, place=place, north=north, level=level, more=more))
    return InputPaths(parameters, folder / "persons", folder / "geography.parquet")


def divided(folder: Path, north: str) -> None:
    rows = f"select 'N' || i as HOME, HOME as WORK, if(HOME in ({north}), 'n', 's') as HALF from range(4) t(i)"
    write(folder / "geography.parquet", rows)


def write(file: Path, select: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"copy ({select}) to '{file}' (format parquet)")


def digest(inputs: InputPaths) -> str:
    sources = find_source(inputs.persons), find_source(inputs.geography)
    return records_sha256(load_parameters(inputs.parameters), *sources)


def copied(folder: Path) -> None:
    """Other names of the same bytes."""
    (folder / "persons" / "1.parquet").rename(folder / "persons" / "2.parquet")


def redistricted(folder: Path) -> None:
    divided(folder, "'N2', 'N3'")


def another_extract(folder: Path) -> None:
    file = folder / "persons" / "1.parquet"
    write(file.with_suffix(".new"), f"select * from '{file}' where AGE > 0")
    file.with_suffix(".new").rename(file)


def in_hive_folders(folder: Path) -> None:
    (folder / "persons" / "YEAR=2020").mkdir()
    (folder / "persons" / "1.parquet").rename(folder / "persons" / "YEAR=2020" / "1.parquet")


OTHER_UNIT = '[unit]\none = "stay"\nmany = "stays"'
CASES = {
    "the other half": (lambda _: None, {}, True),
    "files of other names": (copied, {}, True),
    "a redistricted geography": (redistricted, {}, False),
    "another extract": (another_extract, {}, False),
    "values in the names of folders": (in_hive_folders, {}, False),
    "another place": (lambda _: None, {"place": "WORK"}, False),
    "another name of a part": (lambda _: None, {"north": "up"}, False),
    "another unit": (lambda _: None, {"more": OTHER_UNIT}, False),
}


@pytest.mark.parametrize(("change", "options", "is_same"), CASES.values(), ids=CASES)
def test_two_halves_are_of_the_same_records_only_if_files_place_and_parts_are(tmp_path, change, options, is_same):
    first = digest(half(tmp_path, "north"))
    change(tmp_path)
    second = digest(half(tmp_path, "south", **options))
    assert ((first == second), len(first), len(second)) == (is_same, 64, 64)


def test_a_run_of_every_part_takes_no_digest(tmp_path):
    """It would cost time, and could not make a total smaller by much: the run adds to all others."""
    inputs = half(tmp_path, "north")
    text = Path(inputs.parameters).read_text().replace('run = ["north"]', "")
    Path(inputs.parameters).write_text(f"{text}levels.S-1 = {{ budget = 1, thresholds = [20, 200, 2000] }}\n")
    assert digest(inputs) == ""


@pytest.mark.slow
def test_a_ledger_takes_the_larger_half_and_its_release_tells_no_digest_of_the_records(tmp_path):
    kept = LedgerFile(tmp_path / "ledger")
    for part in ("north", "south"):
        out = tmp_path / part
        run(half(tmp_path, part), out, ledger_file=kept, resources=ONE_THREAD, bits=recorded_bits(part))
    charges = read_ledger(kept.path).charges
    assert (len(on_the_same_records(charges)), spent(charges, "puredp")[None]) == (1, 1)
    given = [
        file.read_bytes() for part in ("north", "south") for file in (tmp_path / part).rglob("*") if file.is_file()
    ]
    assert [content for content in given if charges[0].records_sha256.encode() in content] == []
