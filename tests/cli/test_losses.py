"""What every command that prints a loss calls it: of a record, and of a person where that follows."""

import json
import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from safetab_sql import open_release
from safetab_sql.accounting.conversions import rounded_up
from safetab_sql.jobs import plan
from safetab_sql.report.release import read_release
from safetab_sql.report.report import _loss
from tests.cli.command import call

NATION = "Waccamaw Indian People"
TITLE = f"Persons and People of the {NATION}"
PARAMETERS = f"""
privacy_definition = "DEFINITION"
delta = 1e-6
title = "{TITLE}"
place.key = {{ TOWN = "text" }}
region_types.ALL.id = "'all'"
questions.tribe = {{ column = "TRIBE", values = ["The {NATION} alone", "Other"] }}
attributes.TENURE.values = ["owner", "renter"]
UNIT
[ladders.TENURE]
choose = "always"
statistics = [{{ name = "tenure", cells = {{ TENURE = "each" }} }}]
levels = [{{ each = ["ALL-1"], budget = 0.5 }}]
"""
SPEC = """
BUDGET
domains.TENURE.values = ["owner", "renter"]
domains.TOWN.values = ["A", "B"]
UNIT
"""
STAYS = 'unit = { one = "stay", many = "stays" }'
FIVE = 'unit = { one = "stay", many = "stays", records_of_a_person = 5 }'
HOUSEHOLDS = 'unit = { one = "household", many = "households", records_of_a_person = 2 }'
RESIDENTS = 'unit = { one = "resident", many = "residents", records_of_a_person = 1 }'
CASES = {  # what a record is, and how many times as much a person loses under pure DP and under zCDP
    "unknown": (STAYS, None, None),
    "five": (FIVE, 5, 25),
    "households": (HOUSEHOLDS, 2, 4),
    "resident": (RESIDENTS, 1, 1),
    "person": ("", 1, 1),
}
QUOTED = re.compile(r"epsilon [\d.e-]+ at delta [\d.e-]+, of one \w+")
QUOTING = ["account", "account --json", "plan", "semantics", "semantics --json"]
QUOTING += ["describe", "describe --json", "manifest", "card", "page"]
PERSONS = re.compile(r"\b(persons?|people)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("losses")
    tribes, tenures = ("Other", f"The {NATION} alone"), ("owner", "renter")
    rows = (f"{'AB'[n % 2]},{tribes[n % 3 > 0]},{tenures[n % 5 > 1]},{n // 3}\n" for n in range(60))
    (folder / "records.csv").write_text(f"TOWN,TRIBE,TENURE,PATIENT\n{''.join(rows)}", encoding="utf-8")
    (folder / "towns.csv").write_text("TOWN\nA\nB\n", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five commands plan the same file; that each says the same of it is no question here."""
    monkeypatch.setattr(plan, "plan", cache(plan.plan))


def told(*arguments: str | Path) -> str:
    done = call(*arguments)
    assert done.code == 0, done.stderr
    return done.stdout


def of_persons(text: str) -> list[str]:
    """The words for persons in a text, without what the publisher wrote, and how the loss of a person grows."""
    rule = re.compile(r"a person with k (stays|records) loses up to k(\^2)? times as much", re.IGNORECASE)
    text = " ".join(text.split())
    ours = rule.sub("", text.replace(TITLE, "").replace(TITLE.lower().replace(" ", "-"), "").replace(NATION, ""))
    names = re.compile(r"\"?(one_person|person_rule|records_of_a_person|--people|loss of a person)\"?|\"person\": null")
    return [ours[max(0, found.start() - 60) : found.end() + 40] for found in PERSONS.finditer(names.sub("", ours))]


def every_text(folder: Path, records: Path) -> dict[str, str]:
    parameters, out = folder / "parameters.toml", folder / "out"
    by_file = ("--parameters", parameters)
    files = ("--persons", records / "records.csv", "--geography", records / "towns.csv", "--quiet")
    ledger = folder / "ledger.jsonl"
    said = {
        "run": told("run", *by_file, *files, "--out", out, "--ledger", ledger),
        "account --ledger": told("account", "--ledger", ledger),
        "moe": told("moe", out, "--sum", "TENURE = 'owner'"),
        "account": told("account", *by_file),
        "account --json": told("account", *by_file, "--json"),
        "plan": told("plan", *by_file),
        "targets": told("targets", *by_file, "--moe", "ALL-1=5", "--out", folder / "targets.toml"),
        "semantics": told("semantics", *by_file),
        "semantics --json": told("semantics", "--manifest", out, "--json"),
        "describe": told("describe", out),
        "describe --json": told("describe", out, "--json"),
        "manifest": (out / "manifest.json").read_text(encoding="utf-8"),
        "card": str(open_release(out)),
        "page": " ".join(_loss(read_release(out))),
    }
    for file in out.rglob("*.parquet"):
        metadata = pq.read_metadata(file).metadata or {}
        said[file.name] = "\n".join(text.decode() for key, text in metadata.items() if not key.startswith(b"ARROW"))
    return said


def written(folder: Path, case: str, definition: str) -> Path:
    text = PARAMETERS.replace("DEFINITION", definition).replace("UNIT", CASES[case][0])
    (folder / "parameters.toml").write_text(text, encoding="utf-8")
    return folder / "parameters.toml"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
@pytest.mark.each_time("zcdp-unknown")
def test_no_loss_of_a_record_is_printed_as_a_persons(definition, case, records, tmp_path):
    written(tmp_path, case, definition)
    said = every_text(tmp_path, records)
    times = CASES[case][1 if definition == "puredp" else 2]
    for name in ("account --json", "semantics --json", "describe --json", "manifest"):
        read = json.loads(said[name])
        totals = read if name.startswith("semantics") else read.get("ledger", read)["totals"]
        person = totals["one_person"]
        assert Fraction(totals["one_record"]["exact"]) == Fraction(1, 2), name
        assert (person and Fraction(person["exact"])) == (times and times * Fraction(1, 2))
    if times is None:
        assert {name: found for name, text in said.items() if (found := of_persons(text))} == {}
        files = [name for name in said if name.endswith(".parquet")]
        assert files
        for name in ("account", "plan", "semantics", "card", *files):
            assert "loss of a person is unknown" in " ".join(said[name].split()).lower(), name
    elif case != "person":
        figure = f"One person loses at most {'epsilon' if definition == 'puredp' else 'rho'} {times / 2:g}:"
        for name in ("account", "plan", "semantics", "card"):
            text = " ".join(said[name].split())
            assert figure in text, name
            assert 0 <= text.index("One person") < text.rindex(" loses at most"), name
    for name in ("manifest", "card", "describe"):
        assert TITLE in said[name], name
    one_epsilon_is_quoted(said, "stay" if times is None else "person", definition)


def one_epsilon_is_quoted(said: dict[str, str], whose: str, definition: str) -> None:
    bounds = json.loads(said["manifest"])["ledger"]["approximate_dp"]
    epsilon = rounded_up(bounds["one_record" if whose == "stay" else "one_person"][0]["epsilon_upper_bound"], 3)
    quoted = f"epsilon {epsilon} at delta {'0' if definition == 'puredp' else '1e-6'}, of one {whose}"
    found = {name: set(QUOTED.findall(text)) for name, text in said.items() if QUOTED.search(text)}
    assert found == {name: {quoted} for name in QUOTING}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("definition", ["puredp", "zcdp"])
@pytest.mark.each_time("puredp-five")
def test_the_largest_budgets_are_those_of_a_person(definition, case, tmp_path):
    parameters = written(tmp_path, case, definition)
    times = CASES[case][1 if definition == "puredp" else 2]
    wanted = ("targets", "--parameters", parameters, "--epsilon", "3", "--out", tmp_path / "over.toml")
    if times is None:
        refused = call(*wanted)
        assert (refused.code, (tmp_path / "over.toml").exists()) == (2, False)
        assert "or records_of_a_person, the most" in refused.stderr
        return
    quoted = f"Quote epsilon 3 at delta {'0' if definition == 'puredp' else '1e-7'}, of one person.\n"
    assert quoted in told(*wanted, "--delta", "1e-7")
    assert quoted in told("plan", "--parameters", tmp_path / "over.toml")
    said = json.loads(told("account", "--parameters", tmp_path / "over.toml", "--json"))
    assert said["approximate_dp"]["one_person"][0]["epsilon_upper_bound"] == pytest.approx(3, rel=1e-4)


@pytest.mark.parametrize("command", ["bottom-up", "synthesize"])
@pytest.mark.parametrize(
    ("budget", "unit", "one", "most"),
    [
        *(("epsilon = 0.5", "", "record", None), ("epsilon = 0.5", FIVE, "stay", Fraction(5, 2))),
        ("rho = 0.5", FIVE, "stay", Fraction(25, 2)),
    ],
)
@pytest.mark.each_time("epsilon = 0.5--record-None")
def test_the_other_methods_state_the_loss_of_a_record_and_what_a_person_loses(
    command, budget, unit, one, most, records, tmp_path
):
    if (command, budget) == ("bottom-up", "rho = 0.5"):
        return
    margins = '\nmargins.all = ["TENURE"]\n' if command == "bottom-up" else ""
    text = SPEC.replace("BUDGET", f"{budget}{margins}").replace("UNIT", unit)
    (tmp_path / "spec.toml").write_text(text, encoding="utf-8")
    data, out = ("--data", records / "records.csv"), tmp_path / "out"
    printed = told(command, "run", "--spec", tmp_path / "spec.toml", *data, "--out", out, "--quiet")
    manifest = (out / "manifest.json").read_text(encoding="utf-8")
    totals = json.loads(manifest)["ledger"]["totals"]
    assert Fraction(totals["one_record"]["exact"]) == Fraction(1, 2)
    assert (None if most is None else Fraction(totals["one_person"]["exact"])) == most
    notes = [str(pq.read_metadata(file).metadata) for file in out.rglob("*.parquet")]
    if most is None:
        assert [of_persons(each) for each in (printed, manifest, *notes)] == [[]] * (2 + len(notes))
    if command == "bottom-up":
        assert f"One {one} loses at most epsilon 0.5." in printed
        assert ("One person loses at most epsilon 2.5:" in printed) == (most is not None)
