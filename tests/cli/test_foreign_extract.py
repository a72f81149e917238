"""An extract of another country from `new` to the report, without SQL: nobody is lost but people of unknown areas."""

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.command import call
from tests.foreign import LANGUAGES, write_extract

ANSWERS = {  # to the guesses of `new`
    'values = ["lingua A", "lingua B"]': f"values = {[f'L{number:02}' for number in range(LANGUAGES)]}",
    '# null = "no lingua"': 'null = "NS"',
    '"female", "2"] }': '"female", "2"], 9 = ["9"] }, null = "9"',
    'column = "idade"': 'column = "idade", map = { "90+" = 90, "NS" = "not stated" }, null = "not stated"',
    '# leave_out = ["age", "sex", "place", "codes"]': 'leave_out = ["place"]',
    "# [ladders.WEIGHT]\n# choose": "[ladders.WEIGHT]\nchoose",
    "# sum = {": "sum = {",
    '# statistics = [{ name = "weight"': 'statistics = [{ name = "weight"',
    '# levels = [{ each = ["COUNTRY-ALL"]': 'levels = [{ each = ["COUNTRY-ALL"]',
}
MORE = """
[questions.povo_por_lingua]
cross = { group = "povo", lingua = "lingua" }

[labels]
SEX = { 1 = "Homem", 2 = "Mulher", 9 = "Não declarado" }
"""
LEVELS = ("COUNTRY-ALL", "PROVINCIA-povo", "DISTRITO-lingua", "COUNTRY-povo_por_lingua")


def answered(guessed: str, answers: Mapping[str, str]) -> str:
    """The file that `new` wrote, with the custodian's answers to its guesses."""
    for guess, answer in answers.items():
        assert guess in guessed
        guessed = guessed.replace(guess, answer, 1)
    return guessed


def with_levels(text: str, levels: Sequence[str]) -> str:
    """A file with other levels than `new` wrote."""
    own = "".join(f"[levels.{name}]\nbudget = 0.25\nthresholds = [720, 1700, 4200]\n" for name in levels)
    return re.sub(r"(?:\[levels\..*\nbudget = .*\nthresholds = .*\n)+", own, text)


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
        found["COUNTRY-ALL", "all", "weight"] += round(100 * float(row["peso"].replace(",", ".")))
        found.update(("PROVINCIA-povo", area["cod_provincia"], each) for each in peoples)
        found.update(("DISTRITO-lingua", area["cod_distrito"], each) for each in spoken)
    return found


FILES = {"areas": "área", "grupos": "code"}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def from_validate_to_report(options: Sequence[object], exact: str) -> None:
    """Check, release and report the records without a refusal, and count them exactly."""
    for command in (
        ("validate", *options),
        ("run", *options, "--out", "release", "--confidential-log", "log"),
        ("report", "release", "--out", "report.html"),
        ("ground-truth", *options, "--out", exact),
    ):
        done = call(*command)
        assert done.code == 0, done.stderr


@pytest.mark.slow
def test_an_extract_goes_from_new_to_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = ("--persons", "pessoas.csv", "--geography", "areas.csv")
    begin = ("new", *files, "--groups", "grupos.csv", "--out", "project")
    write_extract(tmp_path, 20_000)
    refused = call(*begin)
    assert (refused.code, refused.stderr.count("iconv -f latin1 -t utf-8")) == (2, 3)
    write_extract(tmp_path, 20_000, encoding="utf-8")
    assert call(*begin).code == 0
    parameters = Path("project/parameters.toml")
    guessed = answered(parameters.read_text(), ANSWERS)
    parameters.write_text(f"{with_levels(guessed, LEVELS)}{MORE}")
    options = ("--parameters", parameters, *files)
    from_validate_to_report(options, "exact")
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
    weights = pq.read_table("exact/weight.parquet").to_pylist()
    assert sum(row["SUM"] for row in weights if row["SEX"] != "*") == expected.pop(("COUNTRY-ALL", "all", "weight"))
    known = {key for key in expected if any(key[2] == each[2] for each in combined)}
    assert combined == Counter({key: expected[key] for key in known})
    assert (
        sum(count for key, count in combined.items() if key[0] == "COUNTRY-ALL")
        == expected["COUNTRY-ALL", "all", "ALL"]
    )
    assert len(known) > 0.9 * len(expected)
