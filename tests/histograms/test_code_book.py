"""IPUMS code books: which values the challenge's fields may have."""

import json
from pathlib import Path

import pytest

from safetab_sql.histograms.public.code_book import code_book
from safetab_sql.histograms.public.domains import IntegerRange, Listed
from safetab_sql.histograms.public.synthesis_spec import load_synthesis_spec
from safetab_sql.kit.errors import InputError

BOOK = """Description: 1940 extract
  Variable               Columns        Len    1940
  SEX                P  73              1      X

 SEX\t\tSex
1\t\tMale
2\t\tFemale

 METRO\t\tMetropolitan status
0\t\tNot identifiable
\t\tIn metro area:
02\t\tIn metro area, central city

 AGE\t\tAge
"""
NIST = {"SEX": {"maxval": 2}, "METRO": {"maxval": 4}, "WAGE": {"type": "integer", "min": 0, "max": 99}}


def test_a_variable_has_the_codes_below_its_name(tmp_path: Path) -> None:
    (tmp_path / "codebook.cbk").write_text(BOOK, encoding="utf-8")
    assert code_book(tmp_path / "codebook.cbk") == {"SEX": (1, 2), "METRO": (0, 2)}


def test_fields_that_the_book_lists_have_its_codes_and_others_run_to_their_maximum(tmp_path: Path) -> None:
    (tmp_path / "codebook.cbk").write_text(BOOK, encoding="utf-8")
    (tmp_path / "specs.json").write_text(json.dumps(NIST), encoding="utf-8")
    spec = 'epsilon = 1\nnist_specs = "specs.json"\ncode_book = "codebook.cbk"\n'
    (tmp_path / "spec.toml").write_text(spec, encoding="utf-8")
    values = {domain.name: domain.values for domain in load_synthesis_spec(tmp_path / "spec.toml").domains}
    assert values == {"SEX": Listed(((1,), (2,))), "METRO": Listed(((0,), (2,))), "WAGE": IntegerRange(0, 99)}


@pytest.mark.parametrize("text", [None, "nothing of the kind\n"], ids=["absent", "no book"])
def test_what_is_no_code_book_is_refused(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "codebook.cbk").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="code book of an IPUMS extract"):
        code_book(tmp_path / "codebook.cbk")


def test_a_code_book_without_fields_is_refused(tmp_path: Path) -> None:
    (tmp_path / "codebook.cbk").write_text(BOOK, encoding="utf-8")
    text = 'epsilon = 1\ncode_book = "codebook.cbk"\n[domains]\nSEX = { values = [1, 2] }\n'
    (tmp_path / "spec.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="code_book without nist_specs"):
        load_synthesis_spec(tmp_path / "spec.toml")
