"""Questions of one's own in a parameter file: what is read, and what is refused in which words."""

from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.settings.parameters import load_parameters

BEFORE = """
privacy_definition = "zcdp"
gamma = 0.1
place.key = { TOWN = "text" }
region_types.TOWN.id = "TOWN"
"""
LEVEL = "\n[levels.TOWN-region]\nbudget = 1\nthresholds = [1, 2, 3]\n"
LISTS = '[lists]\ncodes = "codes"\nmembers = "members"\n'
ANCESTRY = '[questions.ancestry]\ncolumns = ["A", "B", "C"]\niterations = "groups"\n'
SEX = '[questions.sex]\ncolumn = "S"\nvalues = ["F", "M"]\n'


def loaded(folder: Path, text: str):
    (folder / "parameters.toml").write_text(BEFORE + text + LEVEL, encoding="utf-8")
    return load_parameters(folder / "parameters.toml")


def test_a_question_of_several_columns_and_one_of_one(tmp_path):
    language = '[questions.language]\ncolumn = "L"\niterations = "languages"\noverlapping = true\n'
    found = loaded(tmp_path, ANCESTRY + language + LISTS).questions
    assert (found.several.columns, found.several.overlapping, found.codes_read) == (("A", "B", "C"), False, 3)
    assert [(each.name, each.columns, each.overlapping) for each in found.single] == [("language", ("L",), True)]
    assert found.lists == {
        "codes_list": "codes",
        "ancestry_iterations": "groups",
        "language_iterations": "languages",
        "code_iterations": "members",
    }


def test_at_most_so_many_codes_are_read(tmp_path):
    text = ANCESTRY.replace("iterations", "at_most = 2\niterations") + LISTS
    assert loaded(tmp_path, text).questions.several.columns == ("A", "B")


def test_a_level_is_called_by_any_text(tmp_path):
    assert [level.level.name for level in loaded(tmp_path, ANCESTRY + LISTS).levels] == ["TOWN-region"]


REFUSED = {
    "of both kinds": ("max_race_codes = 2\n" + ANCESTRY + LISTS, ["questions and max_race_codes stand in one file"]),
    "no columns": (ANCESTRY.replace("columns", "colums") + LISTS, ["unknown key 'colums'", "did you mean 'columns'"]),
    "column and columns": (ANCESTRY + 'column = "D"\n' + LISTS, ["column and columns stand together"]),
    "neither values nor iterations": ('[questions.sex]\ncolumn = "S"\n', ["neither iterations nor values is there"]),
    "two of several columns": (
        ANCESTRY + ANCESTRY.replace("ancestry", "other").replace('"A", "B", "C"', '"D"') + LISTS,
        ["ancestry and other have `columns`", "all but one"],
    ),
    "a column of two questions": (
        ANCESTRY + '[questions.b]\ncolumn = "a"\niterations = "x"\n' + LISTS,
        ["A is a column of two questions"],
    ),
    "values and lists": (ANCESTRY + SEX + LISTS, ["some questions have values"]),
    "no lists": (ANCESTRY, ["missing key 'codes'", "missing key 'members'"]),
    "lists that nobody reads": (SEX + LISTS, ["no question has iterations"]),
    "a list in another folder": (ANCESTRY.replace('"groups"', '"../groups"') + LISTS, ["iterations is '../groups'"]),
    "a value twice": (SEX.replace('"M"', '"F"'), ["values has 'F' 2 times", "name each once"]),
    "values of numbers": (SEX.replace('"F", "M"', "1, 2"), ["values is [1, 2]", "the values in quotes"]),
    "nine columns": (
        ANCESTRY.replace('"A", "B", "C"', ", ".join(f'"A{number}"' for number in range(9))) + LISTS,
        ["has 9 columns", "at_most = 8"],
    ),
    "too many codes": (ANCESTRY + "at_most = 4\n" + LISTS, ["at_most is 4", "from 1 to 3"]),
    "a name of ours": (SEX.replace("questions.sex", "questions.alone"), ["'alone' is no name for a question"]),
    "a name in capitals": (SEX.replace("questions.sex", "questions.SEX"), ["'SEX' is no name for a question"]),
    "overlapping that is no boolean": (ANCESTRY + "overlapping = 1\n" + LISTS, ["overlapping is 1", "true or false"]),
}


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_with_a_question_is_said_with_a_remedy(tmp_path, text, words):
    with pytest.raises(InputError) as refused:
        loaded(tmp_path, text)
    assert [word for word in words if word not in str(refused.value)] == [], str(refused.value)
