"""Inputs that are written in another way than we read: each problem says in which, and how to write them."""

import pytest

from safetab_sql.histograms.public.domains import reference_rows
from safetab_sql.jobs.sql import display_values, script
from safetab_sql.kit.errors import InputError
from safetab_sql.public.gate import public_file
from safetab_sql.public.sources import find_source
from safetab_sql.settings.parameters import load_parameters
from tests.conftest import REPOSITORY


def test_a_url_of_a_file_is_answered_with_its_path():
    with pytest.raises(InputError, match=r"name the file by its path: /data/my persons\.csv"):
        find_source("file:///data/my%20persons.csv")


@pytest.mark.parametrize("name", ["d.duckdb::t", "file:///d.csv"])
def test_a_reference_is_a_file_by_its_path(name, tmp_path):
    with pytest.raises(InputError, match=r"is a table of a database, or a URL\n.*name a Parquet file, or a CSV"):
        reference_rows(public_file("reference", tmp_path / name), ("A",))


@pytest.mark.parametrize(
    ("config", "old"), [("hospitals.toml", '["01", "02", "03", "04", "05", "NA"]'), ("ladders.toml", '["F", "M", "X"]')]
)
def test_values_that_are_numbers_are_shown_in_quotes(config, old, tmp_path):
    text = (REPOSITORY / "configs" / config).read_text(encoding="utf-8")
    (tmp_path / "p.toml").write_text(text.replace(old, "[-1, 2]"), encoding="utf-8")
    with pytest.raises(InputError, match=r'write the values in quotes: \["-1", "2"\]'):
        load_parameters(tmp_path / "p.toml")


def test_a_script_says_at_its_end_that_its_published_tables_are_empty():
    last = script(display_values()).rstrip().split("\n\n")[-1]
    assert "as t1 and t2, have no rows" in last
