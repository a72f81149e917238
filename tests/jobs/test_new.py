"""new: a parameter file for somebody's files, code lists from one table of groups; to a report in three commands."""

import csv
import re
import tomllib
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.new import TheirFiles, guessed_columns, new
from safetab_sql.jobs.targets import loss_target, settings_of, targets, targets_toml
from safetab_sql.kit.errors import InputError
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL
from safetab_sql.public.lists import read_groups, write_lists
from safetab_sql.settings.parameters import load_parameters
from tests.cli.command import call

ALONE, GROUPED = TheirFiles("", ""), TheirFiles("", "", "groups")  # whose columns alone are looked at
PROVINCES = ("Rivers", "Hills", "Coast")


def write_csv(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


@pytest.fixture(scope="module")
def extract(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another country's extract: 3 provinces, 18 districts, 12 groups; ages and second groups as floats with NaN."""
    folder = tmp_path_factory.mktemp("extract")
    random = Random(1)
    areas = [(1000 + area, area % 18 + 1, area % 18 % 3 + 1) for area in range(60)]
    header = ("area", "district", "district_name", "province", "province_name")
    rows = [
        (area, district, f"District {district}", province, PROVINCES[province - 1])
        for area, district, province in areas
    ]
    write_csv(folder / "geography.csv", [header, *rows])
    groups = [(code, f"Group {code}", f"Family {code % 3}") for code in range(1, 13)]
    write_csv(folder / "groups.csv", [("code", "name", "family"), *groups])
    lived = [random.choice(areas) for _ in range(3_000)]
    ages = [float("nan") if random.random() < 0.004 else float(random.randrange(100)) for _ in lived]
    second = [float(random.randrange(1, 13)) if random.random() < 0.1 else float("nan") for _ in lived]
    people = {
        "person_id": list(range(len(lived))),
        "province": [province for _, _, province in lived],
        "district": [district for _, district, _ in lived],
        "area": [area for area, _, _ in lived],
        "sex": [random.choice("MF") for _ in lived],
        "age": pa.array(ages),
        "group_1": [random.randrange(1, 13) for _ in lived],
        "group_2": pa.array(second),
    }
    pq.write_table(pa.table(people), folder / "people.parquet")
    return folder


@pytest.fixture(scope="module")
def files(extract: Path) -> tuple[str | Path, ...]:
    return ("--persons", extract / "people.parquet", "--geography", extract / "geography.csv")


def answer(parameters: Path, line: str = 'id = "person_id"') -> None:
    text = parameters.read_text(encoding="utf-8")
    assert "\nperson = ???" in text
    parameters.write_text(re.sub(r"\nperson = \?{3}.*", f"\n{line}", text), encoding="utf-8")


@pytest.mark.slow
def test_from_nothing_to_a_report_in_three_commands(extract, files, tmp_path):
    project, out, log = tmp_path / "project", tmp_path / "release", tmp_path / "log"
    made = call("new", *files, "--groups", extract / "groups.csv", "--leave-out", "age", "--out", project)
    assert made.code == 0, made.stderr
    answer(project / "parameters.toml")
    ran = call("run", "--parameters", project / "parameters.toml", *files, "--out", out, "--confidential-log", log)
    assert ran.code == 0, ran.stderr
    reported = call("report", out, "--code-lists", project / "code-lists", "--out", tmp_path / "report.html")
    assert reported.code == 0, reported.stderr
    told = made.stdout + ran.stdout + ran.stderr + (out / "manifest.json").read_text()
    assert ("left out: " in log.read_text(), "record(s)" in told) == (True, False)
    t1 = pq.read_table(out / "t1" / "t1.parquet").to_pydict()
    regions = {name: set() for name in t1["REGION_TYPE"]}  # type: dict[str, set[str]]
    for name, region in zip(t1["REGION_TYPE"], t1["REGION_ID"], strict=True):
        regions[name].add(region)
    counted = {name: len(each) for name, each in regions.items()}
    assert counted == {"COUNTRY": 1, "PROVINCE": 3, "DISTRICT": 18, "AREA": counted["AREA"]}  # areas have suppress
    assert {"1", "18"} <= regions["DISTRICT"]


def test_what_is_written_passes_every_check_with_the_files_that_it_is_for(extract, files, tmp_path):
    made = call("new", *files, "--groups", extract / "groups.csv", "--leave-out", "age", "--out", tmp_path / "project")
    assert (made.code, made.stderr) == (0, "")
    asked = call("validate", "--parameters", tmp_path / "project" / "parameters.toml", *files)
    assert (asked.code, "answer the question above" in asked.stderr) == (2, True)
    answer(tmp_path / "project" / "parameters.toml")
    validate = ("validate", "--parameters", tmp_path / "project" / "parameters.toml", *files, "--quiet")
    checked = call(*validate, "--confidential-log", tmp_path / "log")
    assert (checked.code, checked.stdout) == (0, "no errors\n")
    uncounted = call(*validate)
    assert (uncounted.code, uncounted.stdout) == (0, "no errors\n")
    assert "records with an unusable age are left out, and nothing says how many" in uncounted.stderr


def test_the_file_that_is_written_says_what_was_guessed(extract, tmp_path):
    theirs = TheirFiles(extract / "people.parquet", extract / "geography.csv", extract / "groups.csv")
    text = new(theirs, tmp_path / "project").text
    read = tomllib.loads(text.replace("person = ???", ""))
    assert read["place"] == {"key": {"area": 4, "province": 1, "district": "text"}}
    assert {name: kind["id"] for name, kind in read["region_types"].items()} == {
        "COUNTRY": "'all'",
        "PROVINCE": "province",
        "DISTRICT": "district",
        "AREA": "area",
    }
    assert read["questions"] == {"group": {"columns": ["group_1", "group_2"], "iterations": "iterations"}}
    assert sum(level["budget"] for level in read["levels"].values()) == 1
    assert (read["publish_stage_1"], read["region_types"]["AREA"]["suppress"]) == (True, True)
    assert "suppress" not in read["region_types"]["DISTRICT"]


def guessed(
    persons: Sequence[str], geography: dict[str, list[object]], theirs: TheirFiles = GROUPED
) -> tuple[object, ...]:
    guess = guessed_columns(dict.fromkeys(persons, pa.string()), pa.table(geography), theirs)
    return dict(guess.place), [(region.name, region.columns) for region in guess.regions], guess.answers


def test_a_place_of_two_columns_is_found_and_named(tmp_path):
    found = guessed(["Ward", "hospital", "diagnosis"], {"hospital": ["a", "a", "b"], "Ward": ["1", "2", "1"]})
    assert found == (
        {"hospital": None, "Ward": 1},
        *([("HOSPITAL", ("hospital",)), ("WARD", ("hospital", "Ward"))], ("diagnosis",)),
    )


def test_a_column_that_the_user_names_is_no_guess_and_refused_if_it_is_not_there(extract, tmp_path):
    theirs = TheirFiles(
        extract / "people.parquet", extract / "geography.csv", extract / "groups.csv", ("group_2",), "age", "sex"
    )
    text = new(theirs, tmp_path / "project").text
    read = tomllib.loads(text.replace("person = ???", ""))
    assert read["questions"]["group"]["column"] == "group_2"
    assert (read["attributes"]["SEX"]["column"], read["attributes"]["AGE"]["column"]) == ("age", "sex")
    assert [line for line in text.splitlines() if "group_2" in line] == ['column = "group_2"']
    with pytest.raises(InputError) as refused:
        guessed(["town", "race"], {"town": ["a"]}, TheirFiles("", "", "groups", ("origin", "race"), "gender", "years"))
    assert [str(problem).split(" is no")[0] for problem in refused.value.problems] == [
        *("--answers: origin", "--sex: gender", "--age: years")
    ]
    assert "name one of them: town, race" in str(refused.value)


REFUSED = {
    "no common column": (["town", "race"], {"TOWN": ["a"]}, "has no column of the person files; found TOWN"),
    "codes or names": (["powiat_zam"], {"powiat": ["Ełk"], "TERYT": ["1"]}, "or TERYT if 'powiat_zam' has its codes"),
    "places twice": (["town", "race"], {"town": ["a", "a"]}, "has several rows with the same town"),
    "no answers": (["town", "a", "b"], {"town": ["a"]}, "no column looks like codes of groups"),
}


@pytest.mark.parametrize(("persons", "geography", "said"), REFUSED.values(), ids=REFUSED)
def test_where_nothing_can_be_guessed_the_columns_are_named(persons, geography, said):
    with pytest.raises(InputError) as refused:
        guessed(persons, geography)
    assert said in str(refused.value)


PERSONS_ASKED = (
    (("patient", "stay"), ("patient",)),
    (("PATIENT_ID", "stay_id"), ("PATIENT_ID",)),
    (("lopenr", "besøksnr"), ("lopenr", "besøksnr")),
    (("Personnummer", "DNI"), ("Personnummer", "DNI")),
    (("hetu",), ("hetu",)),
    (("burgerservicenummer", "house_no"), ("burgerservicenummer",)),
    (("client key",), ("client key",)),
    (("id",), ("id",)),
    (("visit_id", "kunde"), ("kunde",)),  # nothing else reads it
    (("visit_id", "record_no"), ()),
)


def test_a_column_that_could_be_the_person_is_asked_about(extract):
    geography = pa.csv.read_csv(extract / "geography.csv")
    for columns, asked in PERSONS_ASKED:
        names = ("area", "sex", "age", "group_1", "group_2", *columns)
        assert guessed_columns(dict.fromkeys(names, pa.string()), geography, GROUPED).persons == asked


@pytest.mark.parametrize(("columns", "asked"), [PERSONS_ASKED[2], PERSONS_ASKED[-1]])
def test_where_a_column_could_be_the_person_nothing_runs_before_that_is_answered(columns, asked, extract, tmp_path):
    names = ("area", "sex", "age", "group_1", "group_2", *columns)
    write_csv(tmp_path / "people.csv", [names, (1000, "M", 3, 1, 2, *(1 for _ in columns))])
    files = ("--persons", tmp_path / "people.csv", "--geography", extract / "geography.csv")
    done = call("new", *files, "--out", tmp_path / "o")
    assert ("person = ???" in done.stdout) == bool(asked)
    if asked:
        with pytest.raises(InputError, match="answer the question above"):
            load_parameters(tmp_path / "o" / "parameters.toml")
        answer(tmp_path / "o" / "parameters.toml", f'person = "{asked[0]}"\nmost_records = 5')
    assert load_parameters(tmp_path / "o" / "parameters.toml").unit.most_records == (5 if asked else None)


BORN = "ROK_NAROZENÍ rok_urodzenia Geburtsjahr szuletesi_ev ano_nascimento année_naissance birth_year"


def test_years_of_birth_are_ages_in_a_year_that_the_user_may_name(tmp_path):
    people = write_csv(tmp_path / "people.csv", [("place", "sex", "Geburtsjahr"), ("a", "M", 1980)])
    places = write_csv(tmp_path / "places.csv", [("place",), ("a",), ("b",)])
    files = ("--persons", people, "--geography", places, "--out", tmp_path / "out")
    assert "those reached in 2023" in call("new", *files, "--age", "Geburtsjahr=2023").stdout
    age = load_parameters(tmp_path / "out" / "parameters.toml").attributes[0]
    assert (age.column, age.map["1980"], age.map["2023"]) == ("Geburtsjahr", 43, 0)
    wrong = call("new", *files, "--age", "Geburtsjahr=soon", "--overwrite")
    assert (wrong.code, "--age: 0 is not a number of years" in wrong.stderr) == (2, True)
    for name, is_found in (*((name, True) for name in BORN.split()), ("data_nascimento", False)):
        guess = guessed_columns(dict.fromkeys(["place", name], pa.string()), pa.table({"place": ["a", "b"]}), ALONE)
        assert (guess.age == name, guess.born is not None) == (is_found, is_found)


def test_every_problem_of_the_files_is_said_at_once(tmp_path):
    (tmp_path / "people.csv").write_bytes("okres;sex;age;kód\nA;M;1;Třebíč\n".encode("cp1250"))
    places = write_csv(tmp_path / "places.csv", [("place",), ("a",), ("a",)])
    groups = write_csv(tmp_path / "groups.csv", [("code", "name"), ("", "x")])
    files = ("--persons", tmp_path / "people.csv", "--geography", places, "--groups", groups)
    said = call("new", *files, "--leave-out", "hair", "--out", tmp_path / "out").stderr
    assert [word in said for word in ("hair", "cp1250", "has no code", "3 problems")] == [True] * 4, said


def test_the_column_of_codes_is_called_as_the_table_of_groups_calls_them(tmp_path):
    people = write_csv(tmp_path / "people.csv", [("place", "sex", "age", "szam", "MUSZER"), ("a", "M", 3, 1, "X1")])
    places = write_csv(tmp_path / "places.csv", [("place",), ("a",), ("b",)])
    groups = write_csv(tmp_path / "groups.csv", [("MUSZER", "LEIRAS"), ("X1", "Egyik"), ("X2", "Másik")])
    text = new(TheirFiles(people, places, groups), tmp_path / "out").text
    assert tomllib.loads(text.replace("person = ???", ""))["questions"]["group"]["column"] == "MUSZER"


SEXES_AND_AGES = "sex/age geschlecht/alter sexe/age sexo/edad sexo/idade sesso/eta kjønn/alder kön/ålder køn/alder " + (
    "geslacht/leeftijd sukupuoli/ikä plec/wiek pohlavi/věk nem/életkor cinsiyet/yaş spol/starost SEX/AGEP"
)


@pytest.mark.parametrize("names", SEXES_AND_AGES.split())
def test_sex_and_age_are_known_in_many_languages(names):
    sex, age = names.split("/")
    guess = guessed_columns(dict.fromkeys(["place", age, sex], pa.string()), pa.table({"place": ["a", "b"]}), ALONE)
    assert (guess.sex, guess.age, guess.is_banded, len(guess.sexes)) == (sex, age, False, 2)


def test_a_public_use_file_of_the_american_community_survey_needs_no_edit(tmp_path):
    names = ("PUMA", "AGEP", "SEX", "HISP", "RAC1P", "PWGTP")
    rows = [("01-01301", 18 + row, 1 + row % 2, row % 5, 1 + row % 9, 79) for row in range(40)]
    files = ("--persons", write_csv(tmp_path / "acs.csv", [names, *rows]))
    files += ("--geography", write_csv(tmp_path / "puma.csv", [("PUMA", "STATE"), ("01-01301", "01"), ("06-1", "06")]))
    assert call("new", *files, "--out", tmp_path / "project").code == 0
    checked = call("validate", "--parameters", tmp_path / "project" / "parameters.toml", *files)
    assert (checked.code, checked.stdout) == (0, "no errors\n")
    read = load_parameters(tmp_path / "project" / "parameters.toml")
    assert read.labels["group"]["R9"] == "Two or more races"
    assert {(level.margins, level.thresholds) for level in read.levels} == {(10, ())}


def regions_of(geography: dict[str, list[object]], *, place: str) -> list[tuple[object, ...]]:
    guess = guessed_columns({place: pa.string()}, pa.table(geography), ALONE)
    return [(region.name, region.columns, region.names) for region in guess.regions]


def test_names_are_told_from_codes_whatever_their_order_and_accents():
    geography = {
        "capital": [f"The capital of {name}" for name in ("P2", "P2", "P1", "P1")] * 2,
        "província": ["Évora", "Évora", "Minho", "Minho"] * 2,
        "cod_província": ["P2", "P2", "P1", "P1"] * 2,
        "NomeDistrito": ["São João", "Beja", "Braga", "São João"] * 2,  # two districts have one name
        "cod_distrito": ["11", "12", "21", "22"] * 2,
        "cód_área": [*"12345678"],
        "área": ["Rua A", "Rua B", "Rua C", "Rua C"] * 2,
        "área_km2": [f"{number},5" for number in range(1, 9)],
    }
    assert regions_of(geography, place="cód_área") == [
        ("PROVINCIA", ("cod_província",), "província"),
        *(("DISTRITO", ("cod_distrito",), "NomeDistrito"), ("AREA", ("cód_área",), "área")),
    ]


def test_a_geography_of_codes_has_no_names_names_alone_are_ids_and_decimals_are_not():
    found = regions_of(
        {"area": [1, 2, 3, 4], "district": ["N", "N", "S", "S"], "km2": ["1", "2", "3", "5"]}, place="area"
    )
    assert found == [("DISTRICT", ("district",), None), ("AREA", ("area",), None)]
    # Areas in square kilometres, as numbers or as text; a text with a point may be an id, such as 1.2.
    columns = {"area": [1, 2, 3], "km2": [1.5, 1.5, 7.0], "ha": ["0,5", "0,5", "3"], "tract": ["1.2", "1.2", "1.3"]}
    assert [name for name, _, _ in regions_of(columns, place="area")] == ["TRACT", "AREA"]


@pytest.mark.parametrize(
    ("column", "name"),
    [
        *(("situação", "SITUACAO"), ("Größe", "GROSSE"), ("区", "REGION")),
        *(("2nd tier", "R2ND_TIER"), ("block_key", "BLOCK")),
        *(("OKRES_BYDLIŠTĚ", "OKRES_BYDLISTE"), ("WOJEWÓDZTWO_ŁÓDZKIE", "WOJEWODZTWO_LODZKIE")),
    ],
)
def test_a_region_type_has_the_name_of_its_column_in_plain_letters(column, name):
    (found, _) = regions_of({"area": [1, 2, 3], column: ["a", "a", "b"]}, place="area")
    assert found[:2] == (name, (column,))


def test_a_column_whose_name_sql_reads_as_something_else_is_quoted(tmp_path):
    people = write_csv(tmp_path / "people.csv", [("order", "sex", "age"), ("a", "M", 3)])
    places = write_csv(tmp_path / "places.csv", [("order", "nome"), ("a", "Alto"), ("b", "Baixo")])
    kind = tomllib.loads(new(TheirFiles(people, places), tmp_path / "out").text)["region_types"]["ORDER"]
    assert kind == {"id": '"order"', "name": "nome"}


def test_whatever_columns_are_called_what_new_and_targets_write_is_read_back(tmp_path):
    odd = ("dział", "chapter of icd", "d.1", 'say "x"', "a\\b")
    rows = [(row, *(f"{row == column}" for column in range(len(odd)))) for row in range(len(odd))]
    people = write_csv(tmp_path / "people.csv", [("place", "sex", "age", "code", "lang d.1")])
    places = write_csv(tmp_path / "places.csv", [("tab\tin", "place"), ("a", 1), ("a", 2)])
    groups = write_csv(tmp_path / "groups.csv", [("code", *odd), *rows])
    made = new(TheirFiles(people, places, groups, answers=("code",)), tmp_path / "out")
    asked = settings_of(made.inputs.parameters, made.inputs.code_lists)
    assert {f"COUNTRY-{name}" for name in odd} < asked.levels.keys()
    for found in (loss_target(asked, Fraction(2)), targets(asked, dict.fromkeys(asked.levels, 90))):
        (tmp_path / "out" / "over.toml").write_text(targets_toml(found), encoding="utf-8")
        read = load_parameters(tmp_path / "out" / "over.toml")
        assert {level.level.name for level in read.levels} == asked.levels.keys()


def test_what_no_question_attribute_or_id_reads_is_said(tmp_path):
    names = ("ID_PESSOA", "place", "Género", "Idade", "origem1", "origem2", "língua", "situação", "Peso", "age_group")
    people = write_csv(tmp_path / "people.csv", [names, (1, "a", "M", 3, "X", "", "PT", "A", "1,5", "0-4")])
    places = write_csv(tmp_path / "places.csv", [("place",), ("a",), ("b",)])
    text = new(TheirFiles(people, places, answers=("origem1",)), tmp_path / "out").text
    assert tomllib.loads(text.replace("person = ???", ""))["attributes"]["SEX"]["column"] == "Género"
    for said in (
        "# GUESS: origem2 may hold codes of this question, too, and nothing reads it.",
        "# GUESS: língua may be a further question. If not, take out this table, and the levels that end in -lingua.",
        "# GUESS: Peso looks like a weight, and nothing reads it",
        "Has a person several rows? ID_PESSOA could tell whose a row is.",
        "# Columns of the records that nothing here reads: situação, age_group.",
    ):
        assert said in text
    read = tomllib.loads(text.replace("person = ???", ""))
    assert read["questions"]["lingua"] == {"column": "língua", "values": ["lingua A", "lingua B"], "level": "lingua"}
    assert sorted(read["levels"]) == sorted(
        f"{kind}-{of}" for kind in ("COUNTRY", "PLACE") for of in ("ALL", "1", "lingua")
    )
    rest = write_csv(tmp_path / "rest.csv", [("place", "sex", "age"), ("a", "M", 3)])
    assert (
        "# GUESS: each row is one person, who has no other row." in new(TheirFiles(rest, places), tmp_path / "2").text
    )


def test_a_column_of_lists_is_a_question_and_how_many_codes_one_has_is_asked(tmp_path):
    lists = {"place": ["a"], "sex": ["M"], "age": [3], "spraak": [["nl", "fr"]], "person_ids": [[1]]}
    pq.write_table(pa.table(lists), tmp_path / "people.parquet")
    places = tmp_path / "places.parquet"
    pq.write_table(pa.table({"place": ["a", "b"], "corners": [[1.5, 2], [3, 4]]}), places)
    listed = write_csv(tmp_path / "groups.csv", [("code", "name"), ("nl", "Dutch"), ("fr", "French")])
    made = new(TheirFiles(tmp_path / "people.parquet", places, listed), tmp_path / "out")
    asked = tomllib.loads(made.text.replace("???", "2"))["questions"]
    assert [(each["column"], each["at_most"]) for each in asked.values()] == [("spraak", 2), ("person_ids", 2)]
    assert "ALONE" in (tmp_path / "out" / "code-lists" / "iterations.csv").read_text()


def test_bands_of_ages_make_tables_of_sex_and_band(tmp_path):
    bands = [*(f"{age}-{age + 4}" for age in range(0, 90, 5)), "90+"]
    rows = [("ab"[place % 2], "MF"[place % 2], band) for place, band in enumerate(bands)]
    people = write_csv(tmp_path / "people.csv", [("place", "Sexo", "Faixa etária"), *rows])
    places = write_csv(tmp_path / "places.csv", [("place", "name"), ("a", "Alto"), ("b", "Baixo")])
    text = new(TheirFiles(people, places), tmp_path / "project").text
    assert "# GUESS: by its name, Faixa etária holds bands of ages" in text
    assert list(tomllib.loads(text)["attributes"]) == ["SEX", "AGE"]


def test_what_the_file_proposes_for_further_values_loses_no_record(extract, tmp_path):
    names = ("area", "sex", "age", "group")
    rows = [(1000, "M", "90+", "A"), (1001, "9", "NS", "B"), (1002, "", "", ""), (1003, "F", 7, "A")]
    people = write_csv(tmp_path / "people.csv", [names, *rows])
    made = new(TheirFiles(people, extract / "geography.csv"), tmp_path / "project")
    proposed = 'map = { "90+" = 90, "NS" = "not stated" }, null = "not stated"'
    assert all(said in made.text for said in (proposed, '9 = ["9"], with null = "9"', '# null = "none given"'))
    text = (
        made.text.replace('column = "age"', f'column = "age", {proposed}')
        .replace('# null = "none given"', 'null = "B"')
        .replace('"group A", "group B"', '"A", "B"')
    )
    text = text.replace('"female", "2"] }', '"female", "2"], 9 = ["9"] }, null = "9"')
    (tmp_path / "full.toml").write_text(text, encoding="utf-8")
    files = ("--persons", people, "--geography", extract / "geography.csv")
    done = call("validate", "--parameters", tmp_path / "full.toml", *files, "--quiet")
    assert (done.code, done.stdout, done.stderr) == (0, "no errors\n", "")


TABLE = """code,name,people,region
A1,"Asken, hills",Asken,Northern
A2,,Asken,Northern

C1,Cerran,,Southern
"""


def made(folder: Path, table: str, *, several: bool = False) -> dict[str, list[str]]:
    """The lines of each list."""
    (folder / "groups.csv").write_text(table, encoding="utf-8")
    groups = read_groups(folder / "groups.csv", NOTHING_CONFIDENTIAL)
    (folder / "lists").mkdir()
    write_lists(groups, folder / "lists", several=several)
    return {file.stem: file.read_text(encoding="utf-8").splitlines() for file in (folder / "lists").iterdir()}


def test_each_group_of_each_level_is_an_iteration_with_its_codes(tmp_path):
    assert made(tmp_path, TABLE) == {
        "codes": ["CODE,CODE_NAME", 'A1,"Asken, hills"', "A2,", "C1,Cerran"],
        "iterations": [
            *("ITERATION_CODE,ITERATION_NAME,LEVEL", "1,Asken,people", "2,Northern,region", "3,Southern,region")
        ],
        "members": ["ITERATION_CODE,CODE", "1,A1", "1,A2", "2,A1", "2,A2", "3,C1"],
    }


def test_of_several_codes_a_group_is_there_alone_and_in_combination(tmp_path):
    found = made(tmp_path, "code;name\nA1;Asken\nB1;\n", several=True)
    assert found["iterations"][1:] == ["1a,Asken alone,group,True", "1c,Asken alone or in any combination,group,False"]
    assert found["members"][1:] == ["1a,A1", "1c,A1"]


def test_a_group_of_all_codes_is_there_once_for_nobody_is_in_it_in_part(tmp_path):
    found = made(tmp_path, "code;name;all\nA1;Asken;Everybody\nB1;Borin;Everybody\n", several=True)
    assert found["iterations"][1:] == ["1c,Everybody,all,False"]
    assert found["members"][1:] == ["1c,A1", "1c,B1"]


WRONG = {
    "no rows": ("code,name\n", "has no row"),
    "a level twice": ("code,people,People\nA,x,y\n", "has column People, people more than once"),
    "a level without groups": ("code,people\nA,\n", "[people]: names no group"),
    "a field too many": ("code,name\nA,Asken, hills\n", "line 2 has 3 fields, and the header 2"),
    "no code": ("code,name\n,Asken\n", "row 2: has no code"),
    "two names": ("code,name\nA,Asken\nA,Borin\n", "calls the code A 'Borin', and an earlier row 'Asken'"),
}


@pytest.mark.parametrize("header", ["KÓD;NÁZEV;KAPITOLA", "NÁZEV;KAPITOLA;KÓD", "KAPITOLA;NÁZEV;KÓD"])
def test_codes_and_their_names_are_told_by_their_values_where_no_column_is_called_code(tmp_path, header):
    codes = (("I10", "Hypertenze", "Srdce a cévy"), ("I21", "Infarkt", "Srdce a cévy"), ("J18", "Zápal plic", "Plíce"))
    rows = [dict(zip(("KÓD", "NÁZEV", "KAPITOLA"), row, strict=True)) for row in codes]
    lines = [header, *(";".join(row[name] for name in header.split(";")) for row in rows)]
    file = tmp_path / "groups.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    found = read_groups(file, NOTHING_CONFIDENTIAL)
    assert (found.guessed, list(found.levels)) == (("KÓD", "NÁZEV"), ["kapitola"])
    assert found.names == {"I10": "Hypertenze", "I21": "Infarkt", "J18": "Zápal plic"}


def test_a_column_of_codes_beside_one_of_names_is_no_level_of_its_own(tmp_path):
    file = tmp_path / "groups.csv"
    file.write_text("code;name;nr;group;all\n1;a;1;South;x\n2;b;1;South;x\n3;c;2;North;x\n", encoding="utf-8")
    assert list(read_groups(file, ()).levels) == ["group", "all"]


@pytest.mark.parametrize(("table", "said"), WRONG.values(), ids=WRONG)
def test_a_table_that_is_none_is_refused(tmp_path, table, said):
    with pytest.raises(InputError) as refused:
        made(tmp_path, table)
    assert said in str(refused.value)
    assert not (tmp_path / "lists").exists()


@pytest.mark.parametrize(("encoding", "name"), [("latin-1", "latin1"), ("utf-16", "utf-16")])
def test_text_in_another_encoding_is_refused_with_the_command_that_mends_it(tmp_path, encoding, name):
    (tmp_path / "groups.csv").write_text("Code;name\nA1;Língua\n", encoding=encoding)
    with pytest.raises(InputError) as refused:
        read_groups(tmp_path / "groups.csv", NOTHING_CONFIDENTIAL)
    (problem,) = refused.value.problems
    assert problem.what == f"line {2 if name == 'latin1' else 1} is no UTF-8 text"
    assert f"by: iconv -f {name} -t utf-8 '{tmp_path / 'groups.csv'}' > '{tmp_path / 'groups.utf8.csv'}'" in problem.fix
