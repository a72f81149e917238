"""Public domains: how specs say them, and which code each value has."""

import itertools
import tomllib
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from safetab_sql.histograms.public.domains import (
    Domain,
    Domains,
    cell_count,
    codes_of_cells,
    decoded,
    domains_of,
    margin,
    strides,
    values_of_cells,
)
from safetab_sql.settings.reading import Document, read_as
from safetab_sql.settings.tables import table


@table
class DomainsAlone:
    domains: Domains = ()
    required: ClassVar = ("domains",)


SEX = Domain("SEX", ("SEX",), values=(("1",), ("2",)))
AGE = Domain("AGE", ("AGE",), minimum=5, maximum=8)
RENT = Domain("RENT", ("RENT",), bins=((0, 0), (1, 99)))
FLAG = Domain("H", ("H",), values=((True,), (False,)), null=True)
OTHER = Domain("A", ("AGE",), minimum=0, maximum=9, other=(9,))
COUNTY = Domain("COUNTY", ("STATE", "COUNTY"), values=(("01", "1"), ("01", "3"), ("02", "1")))


def read(text, folder=Path()):
    document = Document(folder / "spec.toml", tomllib.loads(text, parse_float=str))
    read = read_as(DomainsAlone, document)
    problems = list(read.problems)
    return domains_of(document, read.found.domains, problems)[0], [str(problem) for problem in problems]


def values(domain, codes=None):
    found = decoded(domain, np.arange(domain.size) if codes is None else np.array(codes))
    return list(zip(*(found[column].to_pylist() for column in domain.columns), strict=True))


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ('[domains.SEX]\nvalues = ["1", "2"]', SEX),
        ("[domains.AGE]\nminimum = 5\nmaximum = 8", AGE),
        ("[domains.RENT]\nbins = [[0, 0], [1, 99]]", RENT),
        ('[domains.COUNTY]\ncolumns = ["STATE", "COUNTY"]\nvalues = [["01", "1"], ["01", "3"], ["02", "1"]]', COUNTY),
        ("[domains.H]\nvalues = [true, false]\nnull = true", FLAG),
        ('[domains.A]\ncolumns = ["AGE"]\nminimum = 0\nmaximum = 9\nother = 9', OTHER),
    ],
    ids=["list", "range", "bins", "columns", "booleans", "other"],
)
def test_a_spec_says_a_domain(text, domain):
    assert read(text) == ((domain,), [])


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_reference_file_gives_its_distinct_rows_sorted(tmp_path, ending):
    table = pa.table({"S": ["02", "01", "01", "01"], "C": ["1", "3", "1", "1"], "NAME": ["a", "b", "c", "d"]})
    if ending == "parquet":
        pq.write_table(table, tmp_path / "counties.parquet")
    else:
        (tmp_path / "counties.csv").write_text("S,C,NAME\n02,1,a\n01,3,b\n01,1,c\n01,1,d\n", encoding="utf-8")
    text = f'[domains.COUNTY]\ncolumns = ["STATE", "COUNTY"]\nreference = "counties.{ending}"\n'
    (domain,), problems = read(text + 'reference_columns = ["S", "C"]', tmp_path)
    assert (values(domain), problems) == (values(COUNTY), [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "missing key 'domains'"),
        ("[domains.A]", "given by none of them"),
        ('[domains.A]\nvalues = ["1"]\nminimum = 0\nmaximum = 3', "given by values and minimum"),
        ("[domains.A]\nminimum = 3\nmaximum = 1", "maximum is 1"),
        ("[domains.A]\nminimum = 3", "missing key 'maximum'"),
        ("[domains.A]\nvalues = []", "values is []"),
        ('[domains.A]\nvalues = ["1", 2, []]', "values is ['1', 2, []]"),
        ("[domains.A]\nvalues = [1, 1]", "more than once"),
        ("[domains.A]\nvalues = [1, 9223372036854775808]", "beyond 62 bits"),
        ('[domains.A]\nvalues = ["a\\u001fb"]', "control character"),
        ("[domains.A]\nbins = [[0, 5], [5, 9]]", "bins is"),
        ("[domains.A]\nbins = [[5, 0]]", "bins is"),
        ('[domains.A]\nvalues = ["1"]\nother = 3', "other is 3"),
        ('[domains.A]\ncolumns = ["X", "Y"]\nminimum = 0\nmaximum = 1', "several columns with one range"),
        ('[domains.A]\ncolumns = ["X", "Y"]\nvalues = [["1", "2"]]\nnull = true', "several columns"),
        ('[domains.A]\nvalues = ["1"]\nnul = true', "did you mean 'null'?"),
        ('[domains.A]\nvalues = ["1"]\nmap = { 2 = "3" }', "map 2 is '3'"),
        ("[domains.A]\nminimum = 0\nmaximum = 9\nmap = { NS = 10 }", "map NS is 10"),
        ('[domains.A]\nminimum = 0\nmaximum = 9\nmap = { NS = "null" }', 'with null = true it may be "null"'),
        ('[domains.A]\nvalues = ["1"]\nmap = {}', "map is {}"),
        ('[domains.A]\ncolumns = ["X", "Y"]\nvalues = [["1", "2"]]\nmap = { 3 = "1" }', "several columns"),
        ('[domains.A]\nvalues = ["1"]\n[domains.B]\ncolumns = ["a"]\nvalues = ["1"]', "more than one place"),
        ('[domains.A]\nreference = "nowhere.parquet"', "no file is there"),
    ],
)
def test_what_is_wrong_with_a_domain_is_said(text, problem):
    _, problems = read(text)
    assert any(problem in found for found in problems), problems


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        *(({"S": pa.array(["01", None])}, "holds NULL"), ({"S": pa.array([], pa.string())}, "holds no row")),
        *(({"S": pa.array([1.5])}, "stored as double"), ({"S": pa.array([2**63], pa.uint64())}, "cannot be read")),
        ({"T": pa.array(["01"])}, "missing columns S; found T"),
    ],
    ids=["null", "empty", "float", "wide", "missing"],
)
def test_a_reference_file_that_lists_no_domain_is_refused(tmp_path, table, problem):
    pq.write_table(pa.table(table), tmp_path / "states.parquet")
    _, problems = read('[domains.S]\nreference = "states.parquet"', tmp_path)
    assert problem in problems[0]


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        *((SEX, [("1",), ("2",)]), (AGE, [(5,), (6,), (7,), (8,)]), (RENT, [("0",), ("1-99",)])),
        (Domain("A", ("A",), minimum=5, maximum=6, null=True, other=(9,)), [(5,), (6,), (None,), (9,)]),
        (Domain("A", ("A",), minimum=5, maximum=6, null=True, other=(6,)), [(5,), (6,), (None,)]),
        (Domain("R", ("R",), bins=((0, 0),), null=True, other=(7,)), [("0",), (None,), ("7",)]),
        (Domain("S", ("S",), values=(("1",),), null=True, other=("9",)), [("1",), (None,), ("9",)]),
    ],
)
def test_codes_are_the_values_then_null_then_any_other(domain, expected):
    assert values(domain) == expected


@given(st.lists(st.integers(1, 5), max_size=4))
def test_cell_ids_are_the_mixed_radix_numbers_of_all_combinations_of_codes(sizes):
    domains = [Domain(str(at), (str(at),), minimum=1, maximum=most) for at, most in enumerate(sizes)]
    combinations = list(itertools.product(*map(range, sizes)))
    ids = [sum(code * by for code, by in zip(codes, strides(domains), strict=True)) for codes in combinations]
    assert ids == list(range(cell_count(domains)))
    back = codes_of_cells(np.array(ids), domains)
    assert [tuple(map(int, codes)) for codes in zip(*back, strict=True)] == (combinations if sizes else [])


HISTOGRAM = (COUNTY, SEX, AGE)


@pytest.mark.parametrize(
    "columns",
    [["STATE"], ["COUNTY"], ["STATE", "COUNTY"], ["AGE", "STATE"], ["SEX"], ["SEX", "COUNTY", "AGE"], []],
    ids="-".join,
)
def test_a_margin_has_a_row_for_every_combination_and_each_cell_adds_to_its_own(columns):
    ids = np.arange(cell_count(HISTOGRAM))
    cells, codes = pa.table(values_of_cells(ids, HISTOGRAM)).to_pylist(), codes_of_cells(ids, HISTOGRAM)
    by = margin("m", columns, HISTOGRAM)
    rows = by.rows_of_cells(codes)
    named = by.values(np.arange(by.rows))
    found = [tuple(named[column][int(row)].as_py() for column in columns) for row in rows]
    assert found == [tuple(cell[column] for column in columns) for cell in cells]
    assert list(named) == columns
    assert by.rows_of_every_cell().tolist() == rows.tolist()
    assert by.cells_of_rows().tolist() == np.bincount(rows, minlength=by.rows).tolist()
