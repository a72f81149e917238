"""An extract of another country from `new` to the report, without SQL: nobody is lost but people of unknown areas."""

import csv
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.command import call
from tests.foreign import LANGUAGES, write_extract

ANSWERS = f"""
[questions.lingua]
columns = ["língua1", "língua2"]
values = {[f"L{number:02}" for number in range(LANGUAGES)]}
null = "NS"
level = "lingua"

[questions.povo_por_lingua]
cross = {{ group = "povo", lingua = "lingua" }}

[attributes]
SEX = {{ column = "sexo", groups.sex = {{ 1 = ["M"], 2 = ["F"], 9 = ["9"] }}, null = "9" }}
AGE = {{ column = "idade", map = {{ "90+" = 90, "NS" = "not stated" }}, null = "not stated" }}

[labels]
SEX = {{ 1 = "Homem", 2 = "Mulher", 9 = "Não declarado" }}

[unit]
leave_out = ["place"]
"""
LEVELS = ("COUNTRY-ALL", "PROVINCIA-povo", "DISTRITO-lingua", "COUNTRY-povo_por_lingua")


def answered(guessed: str) -> str:
    """The file that `new` wrote, with the custodian's answers to its guesses."""
    before, _ = guessed.split("# The columns of sex and age.")
    levels = "".join(f"[levels.{name}]\nbudget = 0.25\nthresholds = [720, 1700, 4200]\n" for name in LEVELS)
    return f'language = "pt"\n{before}{ANSWERS}{levels}'


def by_loops(folder: Path) -> Counter[tuple[str, str, str]]:
    """Totals by level, region and iteration, of people and languages in combination, and of everybody."""
    found: Counter[tuple[str, str, str]] = Counter()
    areas, groups = ({row[key]: row for row in rows_of(folder / f"{name}.csv")} for name, key in FILES.items())
    for row in rows_of(folder / "pessoas.csv"):
        if (area := areas.get(row["área"])) is None:
            continue
        peoples = {groups[row[name]]["povo"] for name in ("anc1", "anc2", "anc3") if row[name]}
        spoken = {row[name] for name in ("língua1", "língua2") if row[name]} or {"NS"}
        found["COUNTRY-ALL", "all", "ALL"] += 1
        found.update(("PROVINCIA-povo", area["cod_provincia"], each) for each in peoples)
        found.update(("DISTRITO-lingua", area["cod_distrito"], each) for each in spoken)
    return found


FILES = {"areas": "área", "grupos": "code"}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


@pytest.mark.slow
def test_an_extract_goes_from_new_to_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = ("--persons", "pessoas.csv", "--geography", "areas.csv")
    begin = ("new", *files, "--groups", "grupos.csv", "--answers", "anc1,anc2,anc3", "--out", "project")
    write_extract(tmp_path, 20_000)
    refused = call(*begin)
    assert (refused.code, refused.stderr.count("iconv -f latin1 -t utf-8")) == (2, 3)
    write_extract(tmp_path, 20_000, encoding="utf-8")
    assert call(*begin).code == 0
    parameters = Path("project/parameters.toml")
    parameters.write_text(answered(parameters.read_text()))
    options = ("--parameters", parameters, *files)
    for command in (
        ("validate", *options),
        ("run", *options, "--out", "release", "--confidential-log", "log"),
        ("report", "release", "--out", "report.html"),
        ("ground-truth", *options, "--out", "exact"),
    ):
        done = call(*command)
        assert done.code == 0, done.stderr
    assert 'lang="pt"' in Path("report.html").read_text()
    names = {row["ITERATION_CODE"]: row for row in pq.read_table("release/group_index").to_pylist()}
    exact = pq.read_table("exact/t1.parquet").to_pylist()
    expected = by_loops(tmp_path)
    combined = Counter()
    for row in exact:
        group = names.get(row["ITERATION_CODE"], {"ITERATION_KIND": "", "ITERATION_NAME": ""})
        level = {"COUNTRY": "ALL", "PROVINCIA": "povo", "DISTRITO": "lingua"}[row["REGION_TYPE"]]
        if " x " in row["ITERATION_CODE"] or group["ITERATION_KIND"].endswith("alone") or not row["COUNT"]:
            continue
        name = group["ITERATION_NAME"].removesuffix(" alone or in any combination")
        combined[f"{row['REGION_TYPE']}-{level}", row["REGION_ID"], name] += row["COUNT"]
    known = {key for key in expected if any(key[2] == each[2] for each in combined)}
    assert combined == Counter({key: expected[key] for key in known})
    assert (
        sum(count for key, count in combined.items() if key[0] == "COUNTRY-ALL")
        == expected["COUNTRY-ALL", "all", "ALL"]
    )
    assert len(known) > 0.9 * len(expected)
