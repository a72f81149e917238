"""Questions of one's own in a parameter file: what is read, and what is refused in which words."""

from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError
from tests.settings import refused

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
LISTS_OF_SEXES = SEX + "at_most = 2\n"


LANGUAGE = '[questions.language]\ncolumns = ["L1", "L2"]\nvalues = ["pt", "en"]\nlevel = "language"\n'


def loaded(folder: Path, text: str, level: str = LEVEL):
    return refused.loaded(folder, BEFORE + text + level)


def test_a_question_of_several_columns_and_one_of_one(tmp_path):
    language = '[questions.language]\ncolumn = "L"\niterations = "languages"\noverlapping = true\n'
    found = loaded(tmp_path, ANCESTRY + language + LISTS).questions
    (ancestry,) = found.several
    assert (ancestry.columns, ancestry.overlapping) == (("A", "B", "C"), False)
    assert [(each.name, each.columns, each.overlapping) for each in found.single] == [("language", ("L",), True)]
    assert found.lists == {
        "codes_list": "codes",
        "ancestry_iterations": "groups",
        "language_iterations": "languages",
        "code_iterations": "members",
    }


def test_at_most_so_many_codes_are_read(tmp_path):
    text = ANCESTRY.replace("iterations", "at_most = 2\niterations") + LISTS
    assert loaded(tmp_path, text).questions.several[0].columns == ("A", "B")
    asked = loaded(tmp_path, LISTS_OF_SEXES, LEVEL.replace("region", "1")).questions
    assert (asked.columns, asked.several[0].columns, asked.single) == (("S",), ("S[1]", "S[2]"), ())


def test_two_questions_of_several_columns_one_with_values(tmp_path):
    found = loaded(tmp_path, ANCESTRY + LANGUAGE + SEX + LISTS).questions
    assert [each.columns for each in found.several] == [("A", "B", "C"), ("L1", "L2")]
    assert [(each.values, each.level) for each in found.all] == [
        ((), "1"),
        (("pt", "en"), "language"),
        (("F", "M"), "1"),
    ]
    assert [found.kinds(each) for each in found.all] == [
        ("ancestry alone", "ancestry combination"),
        ("language alone", "language combination"),
        ("sex",),
    ]


def test_the_question_that_alone_has_several_columns_has_kinds_without_its_name(tmp_path):
    found = loaded(tmp_path, ANCESTRY + SEX + LISTS).questions
    assert [found.kinds(each) for each in found.all] == [("alone", "combination"), ("sex",)]


@pytest.mark.parametrize("text", [ANCESTRY + LISTS, SEX, ""], ids=["lists", "values", "no question"])
def test_everybody_is_an_iteration_where_a_level_is_for_it(tmp_path, text):
    levels = LEVEL.replace("region", "ALL") + (LEVEL.replace("region", "1") if text else "")
    assert loaded(tmp_path, text, levels).questions.single[-1].values == ("ALL",)


def test_a_column_may_be_an_answer_and_an_attribute(tmp_path):
    ladder = (
        '[attributes.SEX]\ncolumn = "S"\nvalues = ["F", "M"]\n[ladders.T]\nchoose = "always"\n'
        'statistics = [{ name = "sex", cells = { SEX = "each" } }]\n'
        'levels = [{ each = ["TOWN-1"], budget = 1 }]\n'
    )
    found = loaded(tmp_path, SEX + ladder, "")
    assert (found.questions.columns, [each.column for each in found.attributes]) == (("S",), ["S"])
    with pytest.raises(InputError, match="S is the column of SEX, and s of the answer too"):
        loaded(tmp_path, SEX.replace('"S"', '"s"') + ladder, "")


def test_a_level_is_called_by_any_text(tmp_path):
    assert [level.level.name for level in loaded(tmp_path, ANCESTRY + LISTS).levels] == ["TOWN-region"]


REFUSED = {
    "of both kinds": ("max_race_codes = 2\n" + ANCESTRY + LISTS, ["questions and max_race_codes stand in one file"]),
    "no columns": (ANCESTRY.replace("columns", "colums") + LISTS, ["unknown key 'colums'", "did you mean 'columns'"]),
    "column and columns": (ANCESTRY + 'column = "D"\n' + LISTS, ["column and columns stand together"]),
    "neither values nor iterations": ('[questions.sex]\ncolumn = "S"\n', ["neither iterations nor values is there"]),
    "a level of a list": (ANCESTRY + 'level = "2"\n' + LISTS, ["iterations and level stand together"]),
    "values at the level of everybody": (SEX + 'level = "ALL"\n', ["level is ALL", "the level of everybody"]),
    "a level of no values": (SEX, ["no iteration has level 'region'", "name one of their levels: 1"]),
    "a place that is asked": (SEX.replace('"S"', '"TOWN"'), ["TOWN is the column of the place, and of the answer too"]),
    "a column of two questions": (
        ANCESTRY + '[questions.b]\ncolumn = "a"\niterations = "x"\n' + LISTS,
        ["A is a column of two questions"],
    ),
    "a list that is a place": (LISTS_OF_SEXES.replace('"S"', '"TOWN"'), ["TOWN is the column of the place, and"]),
    "a list that is a condition": (
        LISTS_OF_SEXES + '[unit]\nwhere = { S = ["F"] }\n',
        ["S holds lists of answers, and stands for a single value, too"],
    ),
    "more codes in a list than any has": (SEX + "at_most = 9\n", ["at_most is 9", "from 1 to 8"]),
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
    said = refused.refusal(tmp_path, BEFORE + text + LEVEL)
    assert [word for word in words if word not in said] == [], said
