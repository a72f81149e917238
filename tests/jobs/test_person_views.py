"""Records that a statement makes of tables: a run reads its rows, and the manifest says how they are made."""

import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.confidential.inputs import checked_inputs, inputs_in_parts
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.parameters import load_parameters
from tests.conftest import REPOSITORY

QUERY = """
with numbered as (
    select stays.PATIENT, stays.HOSPITAL, stays.MDC, stays.SEX, stays.AGE,
        row_number() over (partition by stays.PATIENT order by stays.DAY desc, stays, calendar) as place
    from stays
    inner join calendar on stays.DAY = calendar.DAY and calendar.IN_YEAR
)
select PATIENT, HOSPITAL, MDC, SEX, AGE, 'inpatient' as KIND from numbered where place = 1
"""
DAYS = [datetime.date(2025, 12, 31), datetime.date(2026, 1, 1), datetime.date(2026, 5, 1)]
STAYS = {
    "PATIENT": ["p1", "p1", "p2", "p2", "p3"],
    "DAY": [DAYS[1], DAYS[2], DAYS[0], DAYS[1], DAYS[0]],
    "HOSPITAL": ["A", "B", "A", "B", "A"],
    "MDC": ["01", "02", "01", "03", "04"],
    "SEX": ["M", "M", "F", "F", "M"],
    "AGE": [40, 41, 5, 6, 7],
}
RECORDS = """
[records]
query = "patients.sql"
[records.tables.stays]
files = "stays/*.parquet"
person = "PATIENT"
[records.tables.calendar]
files = "calendar.parquet"
"""


def written(folder: Path, stays: Mapping[str, Sequence[object]] = STAYS, query: str = QUERY) -> InputPaths:
    """The files of a run of patients. Private tables stand in a folder of their own."""
    text = (REPOSITORY / "configs" / "hospitals.toml").read_text(encoding="utf-8")
    unit = '[unit]\none = "patient"\nmany = "patients"\nperson = "PATIENT"\n'
    text = text.replace('[unit]\none = "stay"\nmany = "stays"\n', unit)
    (folder / "parameters.toml").write_text(text + RECORDS, encoding="utf-8")
    (folder / "patients.sql").write_text(query, encoding="utf-8")
    (folder / "private" / "stays").mkdir(parents=True)
    for place, rows in enumerate((slice(0, 2), slice(2, None))):
        part = pa.table({name: values[rows] for name, values in stays.items()})
        pq.write_table(part, folder / "private" / "stays" / f"{place}.parquet")
    pq.write_table(pa.table({"DAY": DAYS, "IN_YEAR": [False, True, True]}), folder / "calendar.parquet")
    pq.write_table(pa.table({"HOSPITAL": list("ABCDEFG")}), folder / "geography.parquet")
    return InputPaths(folder / "parameters.toml", folder / "private", folder / "geography.parquet")


def refusal(paths: InputPaths) -> str:
    with pytest.raises(InputError) as refused, checked_inputs(paths, Resources()):
        pass
    return str(refused.value)


def test_the_records_of_a_run_are_the_rows_of_the_statement(tmp_path: Path) -> None:
    with checked_inputs(written(tmp_path), Resources()) as data:
        rows = pq.read_table(data.sources["persons"].files[0]).sort_by("PATIENT").to_pylist()
    assert [(row["PATIENT"], row["HOSPITAL"], row["MDC"], row["AGE"]) for row in rows] == [
        ("p1", "B", "02", 41),
        ("p2", "B", "03", 6),
    ]


def test_nothing_of_the_rows_is_left(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with checked_inputs(written(tmp_path), Resources(scratch=scratch)):
        assert list(scratch.rglob("persons.parquet"))
    assert list(scratch.iterdir()) == []


def test_one_row_a_person_is_counted_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    assert load_parameters(written(tmp_path).parameters).unit.most_records == 1


def test_the_manifest_holds_the_statement(tmp_path: Path) -> None:
    run(written(tmp_path), tmp_path / "release")
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert manifest["parameters"]["records"]["text"] == QUERY


def test_a_statement_over_all_persons_is_refused_before_a_record_is_read(tmp_path: Path) -> None:
    paths = written(
        tmp_path, query="select PATIENT, OLDEST from stays, (select max(AGE) as OLDEST from stays) as everybody"
    )
    for file in (tmp_path / "private" / "stays").iterdir():
        file.write_bytes(b"")
    assert f"{tmp_path / 'patients.sql'}: max(AGE): this is over the rows of all persons" in refusal(paths)


def test_a_row_without_a_person_is_refused(tmp_path: Path) -> None:
    paths = written(tmp_path, {**STAYS, "PATIENT": ["p1", None, "p2", "p2", "p3"]})
    assert "[records.tables.stays]: rows have no PATIENT" in refusal(paths)


def test_a_statement_that_fails_on_a_row_tells_no_value(tmp_path: Path) -> None:
    query = "select PATIENT, cast(MDC as integer) as NUMBER from stays"
    text = refusal(written(tmp_path, {**STAYS, "MDC": ["01", "02", "Zorro", "03", "04"]}, query))
    assert "fails on some row: ConversionException" in text
    assert "Zorro" not in text


def test_a_public_table_that_holds_the_private_records_is_refused(tmp_path: Path) -> None:
    paths = written(tmp_path)
    (tmp_path / "calendar.parquet").write_bytes((tmp_path / "private" / "stays" / "0.parquet").read_bytes())
    assert f"{tmp_path / 'calendar.parquet'}: " in refusal(paths)


def test_a_geography_that_holds_the_private_records_is_refused(tmp_path: Path) -> None:
    paths = written(tmp_path)
    (tmp_path / "geography.parquet").write_bytes((tmp_path / "private" / "stays" / "0.parquet").read_bytes())
    assert f"{tmp_path / 'geography.parquet'}: " in refusal(paths)


def test_files_of_a_table_with_other_columns_are_refused(tmp_path: Path) -> None:
    paths = written(tmp_path)
    pq.write_table(pa.table({"PATIENT": [1]}), tmp_path / "private" / "stays" / "2.parquet")
    assert "has other columns than" in refusal(paths)


def test_records_of_a_statement_are_not_counted_in_parts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be counted in parts"), inputs_in_parts(written(tmp_path), Resources()):
        pass


def test_persons_name_the_folder_of_the_private_tables(tmp_path: Path) -> None:
    paths = written(tmp_path)
    file = tmp_path / "private" / "stays" / "0.parquet"
    assert f"--persons {file}: is no folder" in refusal(InputPaths(paths.parameters, file, paths.geography))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('patients.sql"', 'nobody.sql"'), "cannot be read"),
        (('person = "PATIENT"\nwhere', "where"), "unit.person is missing"),
        (('files = "stays/*.parquet"\n', ""), "missing key 'files'"),
        (('"patients.sql"', '"../patients.sql"'), "query is '../patients.sql'"),
        (('files = "stays/*.parquet"\nperson = "PATIENT"', 'files = "stays/*.parquet"'), "no table has a person"),
        (("tables.calendar", "tables.STAYS"), "two tables are called stays"),
    ],
    ids=["no file", "no person of the result", "no files", "another folder", "no private table", "one name twice"],
)
def test_what_is_wrong_under_records_is_said(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    path = Path(written(tmp_path).parameters)
    text = path.read_text(encoding="utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(InputError, match="problem") as refused:
        load_parameters(path)
    assert said in str(refused.value)
