"""Labels of codes, in the parameters or in a file beside them; and the words about what is no code."""

from pathlib import Path

import pyarrow as pa
import pytest

from safetab_sql.published.file_notes import published_codes
from safetab_sql.published.manifest import parameters_from_json, parameters_json
from safetab_sql.report.release import table_words, type_title
from safetab_sql.settings.parameters import Parameters
from tests.settings import refused

FILE = """
base = "census-2020.toml"
questions.ethnicity = { column = "QSPAN", map = { "1" = "0001" }, null = "9999" }
attributes.SEX = { column = "SEXO", groups.sex = { M = ["M"], F = ["F"], X = ["9"] }, map = { "3" = "9" } }
attributes.AGE = { map = { "115+" = 115, "NS" = "NS" }, null = "NS" }
suppress_below = 30
[labels]
SEX = %s
"""
SEXES = {"M": "Homem", "F": "Mulher", "*": "ambos"}
INLINE = '{ M = "Homem", F = "Mulher", "*" = "ambos" }'


def loaded(folder: Path, labels: str, text: str = "") -> Parameters:
    (folder / "sexes.csv").write_text(text, encoding="utf-8")
    return refused.loaded(folder, FILE % labels)


@pytest.mark.parametrize("delimiter", [",", ";", "|"])
def test_a_file_says_what_a_table_says(delimiter: str, tmp_path: Path) -> None:
    rows = [("CODE", "NOTE", "MEANING"), *((code, "x", label) for code, label in SEXES.items())]
    text = "\ufeff" + "\r\n".join(delimiter.join(row) for row in rows)
    assert loaded(tmp_path, '"sexes.csv"', text).labels == loaded(tmp_path, INLINE).labels == {"SEX": SEXES}


def test_the_parameters_of_a_manifest_are_the_ones_that_were_run(tmp_path: Path) -> None:
    said = loaded(tmp_path, INLINE)
    assert parameters_from_json(parameters_json(said), said.source) == said
    assert (said.labels, said.suppress_below, said.attributes[0].beside) == ({"SEX": SEXES}, 30, ("NS",))


def test_the_columns_of_every_release_and_everybody_have_labels_too(tmp_path: Path) -> None:
    more = 'STATISTIC.age4 = "four ages"\nREGION_TYPE.COUNTY = "Parish"\nTABLE.T2 = "Ages"'
    said = loaded(tmp_path, f"{INLINE}\n{more}")
    assert {name: said.labels[name] for name in ("STATISTIC", "REGION_TYPE", "TABLE")} == {
        "STATISTIC": {"age4": "four ages"},
        "REGION_TYPE": {"COUNTY": "Parish"},
        "TABLE": {"T2": "Ages"},
    }
    codes = published_codes(said, pa.table({"iteration_code": ["1"], "iteration_name": ["one"]}))
    assert (codes["STATISTIC"]["age4"], codes["REGION_TYPE"]["COUNTY"]) == ("four ages", "Parish")
    assert (table_words(said, said.ladders[0])["age4"], type_title("COUNTY", said.labels)) == ("four ages", "Parish")


WRONG = {
    "a code of no table": ('{ Q = "?" }', "", "SEX publishes no code 'Q'", "label some of *, 1, 2, M, F, ..."),
    "a label of two lines": ('{ M = "a\\nb" }', "", "SEX is {'M': 'a\\nb'}", "labels of one line"),
    "no file": ('"sex.csv"', "", "sex.csv: cannot be read", "CODE and MEANING"),
    "a path": ('"../sexes.csv"', "", "SEX is '../sexes.csv'", "a CSV file beside this one"),
    "no such column": ('"sexes.csv"', "CODE,NAME\nM,Homem", "missing column MEANING; found CODE", "CODE and MEANING"),
    "a code twice": ('"sexes.csv"', "CODE,MEANING\nM,a\nM,b", "row 3", "each code once"),
    "an empty file": ('"sexes.csv"', "", "missing column CODE and MEANING; found none", "CODE and MEANING"),
    "a statistic that there is not": ('{ M = "a" }\nSTATISTIC.age5 = "x"', "", "no code 'age5'", "total, age4"),
    "no attribute": ('{ M = "Homem" }\nSEXO.M = "Homem"', "", "is called 'SEXO'", "did you mean SEX?"),
}


@pytest.mark.parametrize(("labels", "text", "what", "fix"), WRONG.values(), ids=WRONG)
def test_what_is_no_label_is_refused_with_what_to_do(
    labels: str, text: str, what: str, fix: str, tmp_path: Path
) -> None:
    (tmp_path / "sexes.csv").write_text(text, encoding="utf-8")
    said = refused.refusal(tmp_path, FILE % labels)
    assert (what in said, fix in said) == (True, True), said
