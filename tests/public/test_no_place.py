"""Records without a place, by place.null and place.other: where they count, against loops over all places."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.validate import validate
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import InputPaths

# Towns of one number in two counties, a county with one town, and a row for people of county A whose town is unknown.
PLACES = [("01", "A"), ("02", "A"), ("01", "B"), ("03", "C"), ("99", "A")]
RECORDS = list(product(["01", "02", "03", "07", "99", "", None], ["A", "B", "C", "D", "-", None]))
LEVELS = "".join(f"[levels.{name}-ALL]\nbudget = 1\nthresholds = [1, 2, 3]\n" for name in ("NATION", "COUNTY", "TOWN"))
PARAMETERS = f"""
privacy_definition = "zcdp"
gamma = 0.1
{{place}}
[region_types]
NATION = {{{{ id = "'all'" }}}}
COUNTY = {{{{ id = "county" }}}}
TOWN = {{{{ id = "county || town" }}}}
{LEVELS}
[attributes]
SEX = {{{{ column = "sex" }}}}
AGE = {{{{ column = "age" }}}}
"""


def rows(listed: Sequence[tuple[str | None, str | None]]) -> dict[str, list[str | None]]:
    return {"town": [town for town, _ in listed], "county": [county for _, county in listed]}


def inputs(
    folder: Path, place: str, records: Sequence[tuple[str | None, str | None]] = RECORDS, places: Sequence = PLACES
) -> InputPaths:
    """Files of these records and places, with parameters that say this of a place."""
    ones = {"sex": ["1"] * len(records), "age": [30] * len(records)}
    pq.write_table(pa.table(rows(records) | ones), folder / "persons.parquet")
    pq.write_table(pa.table(rows(places)), folder / "places.parquet")
    (folder / "parameters.toml").write_text(PARAMETERS.format(place=place))
    return InputPaths(folder / "parameters.toml", folder / "persons.parquet", folder / "places.parquet")


def regions(place: tuple[str, str]) -> list[tuple[str, str]]:
    return [("NATION", "all"), ("COUNTY", place[1]), ("TOWN", place[1] + place[0])]


def counted(record: tuple[str | None, ...], null: Sequence[str | None]) -> list[tuple[str, str]] | None:
    """The regions of a record; None where it is in no place that is there."""
    known = [None if value in ("", None, *null) else value for value in record]
    listed = {tuple(None if value in null else value for value in place): place for place in PLACES}
    if (*known,) in listed:
        return regions(listed[(*known,)])
    named = [place for row, place in listed.items() if None not in row]
    agreeing = [place for place in named if all(a in (None, b) for a, b in zip(known, place, strict=True))]
    return [each for each in regions(agreeing[0]) if all(each in regions(p) for p in agreeing)] if agreeing else None


@pytest.mark.parametrize(
    ("null", "key"),
    [
        pytest.param(["99", "-"], 'town = 2, county = "text"', id="digits and text"),
        pytest.param(["-"], 'town = "text", county = "text"', id="a code that looks like none, and is one"),
    ],
)
def test_a_record_counts_where_all_places_lie_of_which_it_may_be(tmp_path, null, key):
    place = f"place = {{ key = {{ {key} }}, null = {null}, other = '-' }}"
    ground_truth(inputs(tmp_path, place), tmp_path / "out", resources=Resources(threads=1))
    wanted = Counter(each for record in RECORDS for each in counted(record, null) or [("NATION", "all")])
    found = pq.read_table(tmp_path / "out" / "t1.parquet").to_pylist()
    assert {(row["REGION_TYPE"], row["REGION_ID"]): row["COUNT"] for row in found} == wanted


def test_a_column_of_both_files_that_the_key_lacks_is_not_contradicted(tmp_path):
    place, places = "place.key = { town = 2 }", [("01", "A"), ("02", "A"), ("03", "7")]
    found = inputs(tmp_path, place, [("01", "A "), ("03", None), ("03", "Null"), ("03", "07.0")], places)
    persons = pq.read_table(found.persons).rename_columns({"county": "County"})
    pq.write_table(persons.append_column("KundenNr", pa.array(["7", "8", "8", "7"])), found.persons)
    (warning,) = validate(found, resources=Resources(threads=1))
    assert "[KundenNr]: nothing reads it, and 2 of its values stand in several records" in str(warning)
    pq.write_table(persons.set_column(1, "COUNTY", pa.array(["A", "B", "7", "7"])), found.persons)
    with pytest.raises(InputError, match=r"1 record.s. of another place (?s:.*) row 2, county=B(?s:.*)add the column"):
        validate(found, resources=Resources(threads=1))
