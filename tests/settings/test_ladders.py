"""Ladders of a parameter file: what each wrong line is answered with, and what rows and cells a sound one has."""

from pathlib import Path

import pytest

from safetab_sql.public.values import rows_of, statistic_finest_cells
from safetab_sql.published.measurements import summed_counts
from safetab_sql.settings.ladders import finest_cells
from safetab_sql.settings.parameters import Parameters
from tests.conftest import REPOSITORY
from tests.settings.refused import loaded, problems, refusal

SOUND = """
privacy_definition = "zcdp"
gamma = 0.1
place.key = { BLOCK = "text" }
region_types.ALL.id = "'all'"
region_types.BLOCK.id = "BLOCK"
[attributes]
EDU = { values = ["0", "1", "X"], groups.two = { low = ["0"], other = ["1", "X"] } }
AGE = { minimum = 0, maximum = 99, publish = ["FROM", "TO"], groups = { two = [0, 18], three = [0, 18, 65] } }
[ladders.T]
subtotals = [{ EDU = "two" }]
statistics = [
    { name = "edu", cells = { EDU = "two" } },
    { name = "both", cells = { EDU = "each", AGE = "two" } },
]
levels = [{ each = ["ALL-ALL", "BLOCK-ALL"], budget = 1, thresholds = [5, 50] }]
"""
EDU = '["0", "1", "X"], groups.two = { low = ["0"], other = ["1", "X"] }'
LEVELS = '{ each = ["ALL-ALL", "BLOCK-ALL"], budget = 1, thresholds = [5, 50] }'


def other_ladder(choose: str, thresholds: str, fix: str) -> tuple[str, str, str]:
    """A ladder of one statistic, which is not chosen by a total with noise."""
    own = f'[ladders.U]\nchoose = "{choose}"\nstatistics = [{{ name = "e", cells = {{ EDU = "each" }} }}]\n'
    level = f'levels = [{{ each = ["ALL-ALL"], budget = 1, thresholds = {thresholds} }}]\n[ladders.T]'
    return "[ladders.T]", own + level, f'choose is "{choose}" {fix}'


WRONG = {
    "an unknown key of a ladder": ("subtotals =", "subtotal =", "unknown key 'subtotal' did you mean 'subtotals'?"),
    "an unknown key of an attribute": ("maximum =", "maximun =", "did you mean 'maximum'?"),
    "records per unit": ("gamma =", "records_per_unit = 3\ngamma =", "unknown key 'records_per_unit'"),
    "levels beside ladders": (
        "[attributes]",
        "[levels.ALL-ALL]\nbudget = 1\n[ladders.T2]\nlevels = []\n[attributes]",
        "ladders and levels stand in one file",
    ),
    "no ladder": ("[ladders.T]", "[ladders]\n[ladder]", "0 ladders"),
    "a ladder of another name": ("[ladders.T]", "[ladders.t]", "'t' is no name for a ladder"),
    "a level twice": ('"BLOCK-ALL"]', '"ALL-ALL"]', "each has 'ALL-ALL' 2 times"),
    "a level in two tables": (LEVELS, f"{LEVELS}, {LEVELS}", "ALL-ALL stands twice keep it once"),
    "an unknown region type": ('"BLOCK-ALL"]', '"BLOK-ALL"]', "unknown region type 'BLOK' did you mean BLOCK?"),
    "falling thresholds": ("[5, 50]", "[50, 5]", "one integer for each statistic, none below the one before it"),
    "a threshold too many": ("[5, 50]", "[5, 50, 500]", "write one integer for each statistic"),
    "no thresholds": (", thresholds = [5, 50]", "", "missing key 'thresholds'"),
    "thresholds where nothing is chosen": other_ladder("always", "[5]", "take them out"),
    "margins where nothing is chosen": other_ladder("always", '"1 margin"', "take them out"),
    "margins where published totals choose": other_ladder("published", '"1 margin"', "write integers"),
    "two statistics for each group": ("[ladders.T]", '[ladders.T]\nchoose = "always"', "keep one: every group gets it"),
    "another way to choose": ("[ladders.T]", '[ladders.T]\nchoose = "stage 2"', "'stage 1', 'always', 'published'"),
    "others that no group holds": ("EDU = { values", 'EDU = { other = "Z", values', "no group holds 'Z'"),
    "others that are all values": ("EDU = { values", 'EDU = { null = "*", values', "total is '*', which is a value"),
    "others that are no text": ("EDU = { values", "EDU = { other = 3, values", "write 1 to 60 characters in quotes"),
    "a number of others out of range": ("AGE = { minimum", "AGE = { other = 100, minimum", "a number from 0 to 99"),
    "a number of missing ones that is none": (
        "AGE = { minimum",
        "AGE = { null = true, minimum",
        "of an attribute of numbers, a number from minimum to maximum",
    ),
    "a value in two groups": ('low = ["0"]', 'low = ["0", "1"]', "'1' is in two groups leave it in one of them"),
    "a value in no group": ('other = ["1", "X"]', 'other = ["1"]', "no group holds 'X' put every value into a group"),
    "a value that is none": ('low = ["0"]', 'low = ["0", "7"]', "'7' is none of the values"),
    "a code for all": ("EDU = {", 'EDU = { total = "low",', "the code 'low' is the one for all values"),
    "a range for all": ('publish = ["FROM", "TO"]', 'total = "0-17", publish = "AGES"', "publishes 0-17 for different"),
    "a value for all": ("EDU = {", 'EDU = { total = "X",', "total is 'X', which is a value"),
    "a grouping called each": ("groups.two = { low", "groups.each = { low", "rename yours"),
    "ranges that fall": ("two = [0, 18]", "two = [18, 0]", "two is [18, 0] write the first number of each range"),
    "codes of ranges": ("two = [0, 18]", 'two = { a = ["0"] }', "two is {'a': ['0']} write the first number of each"),
    "ranges that begin late": ("two = [0, 18]", "two = [1, 18]", "the first 0 and none above 99"),
    "a range of no numbers": ("minimum = 0, maximum = 99", "minimum = 9, maximum = 0", "maximum 0 is below minimum 9"),
    "neither values nor a range": ("minimum = 0, maximum = 99, ", "", "list the values, or give the smallest"),
    "values and a range": (f"values = {EDU}", f"values = {EDU}, minimum = 0", "stand together"),
    "unknown beside values": ("EDU = {", "EDU = { unknown = [9],", "a value that is not listed is none"),
    "two columns of a list": ("EDU = {", 'EDU = { publish = ["A", "B"],', "only a range has two ends"),
    "a column of ours": ("EDU = {", 'EDU = { publish = "count",', "no column that we add to tables"),
    "a name of ours": ("EDU", "LEVEL", "no column that we add to tables"),
    "a column of names of another": ("EDU = {", 'EDU = { publish = "from_name",', "names of FROM publish another"),
    "a column of numbers of another": ("EDU = {", 'EDU = { publish = "age_start",', "numbers of AGE publish another"),
    "a column twice": ("EDU = {", 'EDU = { publish = "from",', "is published by two attributes"),
    "a column of records twice": ("EDU = {", 'EDU = { column = "age",', "is the column of EDU, and AGE of AGE too"),
    "a column of a place": ("EDU = {", 'EDU = { column = "BLOCK",', "is the column of EDU, and of the place too"),
    "an unknown attribute": ('cells = { EDU = "two" }', 'cells = { EDO = "two" }', "no attribute is called 'EDO'"),
    "an unknown grouping": ('cells = { EDU = "two" }', 'cells = { EDU = "three" }', "a grouping of EDU: each, two"),
    "no cells": ('cells = { EDU = "two" }', "cells = {}", "name attributes, and one grouping of each"),
    "two statistics of one name": ('name = "both"', 'name = "edu"', "two statistics are called 'edu'"),
    "a statistic called as the total": ('name = "both"', 'name = "total"', "is called 'total', as the total"),
    "a statistic that is a path": ('name = "both"', 'name = "../both"', "no dot first, none of them | / "),
    "a flag without a list": ("[ladders.T]", '[ladders.T]\ntotal_only = "F"', "no question has a list of iterations"),
    "a flag of a region type without a list": (
        'BLOCK.id = "BLOCK"',
        'BLOCK = { id = "BLOCK", without = "F" }',
        "none of them has the flag 'F' take out `total_only` and `without`, or give a question a list",
    ),
    "a subtotal that nothing refines": ('[{ EDU = "two" }]', '[{ AGE = "three" }]', "no statistic refines AGE three"),
    "two tables of one name": ("[ladders.T]", '[ladders.T]\ntotals = "T"', "two tables are called 't'"),
    "a code of different values": ('other = ["1", "X"]', '"1" = ["1", "X"]', "EDU publishes 1 for different values"),
    "too many values": ("maximum = 99", "maximum = 2000000", "an attribute has at most 1,048,576: narrow it"),
    "too many combinations": ("maximum = 99", "maximum = 360000", "AGE alone 360,001 narrow AGE, or split the run"),
}


SUMS = f"""
{SOUND.replace(', "BLOCK-ALL"', "")}
[ladders.DAYS]
beside = "T"
sum = {{ column = "N", clamp = [0, 30] }}
statistics = [{{ name = "edu", cells = {{ EDU = "two" }} }}, {{ name = "fine", cells = {{ EDU = "each" }} }}]
levels = [{{ each = ["ALL-ALL"], budget = 2 }}]
"""
WRONG_SUMS = {
    "no clamp": (", clamp = [0, 30]", "", "missing key 'clamp'"),
    "a clamp of one end": ("[0, 30]", "[30]", "write the least and the most that a record adds"),
    "a clamp below 0": ("[0, 30]", "[-30, 30]", "two whole numbers from 0"),
    "a clamp that falls": ("[0, 30]", "[30, 0]", "the second above 0 and not below the first"),
    "a clamp that is too wide": ("[0, 30]", "[0, 1000000001]", "at most 1,000,000,000"),
    "amounts that are codes": ('"N"', '"EDU"', "EDU is a column of codes, and a sum adds up whole numbers"),
    "amounts of a place": ('"N"', '"block"', "block is a column of codes"),
    "persons": ("gamma = 0.1", 'gamma = 0.1\nunit = { person = "N", most_records = 2 }', "is a column of codes"),
    "a column of a table of sums": ("EDU = {", 'EDU = { publish = "SUM",', "no column that we add to tables"),
    "an unknown key of a sum": ("clamp = [0, 30]", "clamp = [0, 30], null = 0", "unknown key 'null'"),
    "a ladder that is not there": ('beside = "T"', 'beside = "S"', "name a ladder that picks its tables itself: T"),
    "a ladder beside itself": ('beside = "T"', 'beside = "DAYS"', "name a ladder that picks its tables itself: T"),
    "two ways to choose": ('beside = "T"', 'beside = "T"\nchoose = "always"', "beside and choose stand together"),
    "its own totals alone": ('beside = "T"', 'beside = "T"\ntotal_only = "F"', "beside and total_only stand together"),
    "no ladder to be beside": ('beside = "T"', 'choose = "beside"', 'choose is "beside", and no ladder is named'),
    "thresholds of its own": ("budget = 2", "budget = 2, thresholds = [1, 2]", 'and choose is "beside"'),
    "totals alone at a level": ("budget = 2", "budget = 2, total_only = true", "take it out: T says it"),
    "a level of its own": ('["ALL-ALL"], budget = 2', '["BLOCK-ALL"], budget = 2', "T does not tabulate it"),
    "fewer statistics": (', { name = "fine", cells = { EDU = "each" } }', "", "1 statistics; T has 2"),
    "a budget too small for the clamp": ("budget = 2", "budget = 1e-30", "the budget is too small"),
}


REFUSED = {
    **{name: (SOUND, *row) for name, row in WRONG.items()},
    **{name: (SUMS, *row) for name, row in WRONG_SUMS.items()},
    "no subtotals where a statistic does not refine the one before it": (
        SOUND.replace('[{ EDU = "two" }]', '"coarser"'),
        *('EDU = "each", AGE = "two"', 'AGE = "two"'),
        "'both' does not refine 'edu', so its cells do not add up to those",
    ),
    "too many finest cells": (
        SOUND.replace("maximum = 99", "maximum = 4999"),
        *('AGE = "two" }', 'AGE = "each" }', "15,000 finest cells, AGE alone 5,000"),
    ),
}


@pytest.mark.parametrize(("text", "given", "wrong", "said"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_line_is_answered_with_what_to_do(text: str, given: str, wrong: str, said: str, tmp_path: Path) -> None:
    assert given in text
    assert said in refusal(tmp_path, text.replace(given, wrong, 1))


@pytest.fixture
def sound(tmp_path: Path) -> Parameters:
    return loaded(tmp_path, SOUND)


def test_a_sum_has_the_column_of_its_name_and_totals_alone_where_the_other_ladder_has(tmp_path: Path) -> None:
    text = SUMS.replace('column = "N", ', "").replace(
        "budget = 1, thresholds = [5, 50]", "budget = 1, total_only = true"
    )
    counts, sums = loaded(tmp_path, text).ladders
    assert sums.sum is not None
    assert (sums.sum.column, sums.choose, sums.most_change, counts.most_change) == ("DAYS", "beside", 30, 1)
    assert [level.is_total_only for level in sums.levels] == [True]


def test_groups_of_a_range_that_cannot_be_read_are_no_problem_of_their_own(tmp_path: Path) -> None:
    found = problems(tmp_path, SOUND.replace("maximum = 99", 'maximum = "99"'))
    assert [problem.what for problem in found] == ["maximum is '99'"]


def test_two_statistics_share_rows_and_sums_hold_their_cells(sound: Parameters) -> None:
    rows = rows_of(sound, sound.ladders[0])
    assert rows.sizes == (2, 6)
    assert rows.codes[:4] == (("*", "*", "*"), ("low", "*", "*"), ("0", "0", "17"), ("0", "18", "99"))
    assert rows.numbers[:4] == ((None, None), (None, None), (0, 17), (18, 99))
    low = rows.codes.index(("low", "*", "*"))
    assert [(statistic, cell) for statistic, cell, row in rows.measured if row == low] == [(1, 0)]
    assert [(statistic, cell) for statistic, cell, row in rows.sums if row == low] == [(2, 0), (2, 1)]
    assert summed_counts(rows) == (1, 2, 4, 6)


def test_finest_cells_are_told_apart_by_some_statistic_and_no_others(sound: Parameters) -> None:
    finest = finest_cells(sound.attributes, sound.ladders)
    assert finest.cells == 3 * 2  # the grouping into three ages is in no statistic
    cells = dict(statistic_finest_cells(sound.attributes, finest, sound.ladders[0].statistics[0].cells))
    assert sorted(cells.values()) == [0, 0, 1, 1, 1, 1]


def test_only_the_columns_of_attributes_in_some_statistic_are_read(tmp_path: Path) -> None:
    text = SOUND.replace('{ EDU = "each", AGE = "two" }', '{ EDU = "each" }')
    assert [each.name for each in loaded(tmp_path, text).attributes] == ["EDU"]


CENSUS = (REPOSITORY / "configs" / "census-2020.toml").read_text(encoding="utf-8")


def test_sex_by_age_may_be_declared_in_any_order_and_by_each_value(tmp_path: Path) -> None:
    before, age, rest = CENSUS.partition("[attributes.AGE]")
    age, sex, rest = (age + rest).partition("[attributes.SEX]")
    _, ladder, rest = (sex + rest).partition("[ladders.T2]")
    sex = '[attributes.SEX]\ncolumn = "QSEX"\nvalues = ["1", "2"]\n'
    text = f"{before}{sex}{age}{ladder}{rest}".replace('SEX = "sex"', 'SEX = "each"')
    declared = loaded(tmp_path, text)
    assert (declared.is_sex_by_age, [each.name for each in declared.attributes]) == (True, ["AGE", "SEX"])


@pytest.mark.parametrize(
    ("given", "wrong"), [("maximum = 115", "maximum = 116"), ('totals = "T1"', 'totals = "T0"'), ("45, 65]", "45, 67]")]
)
def test_tables_with_other_rows_are_not_sex_by_age(given: str, wrong: str, tmp_path: Path) -> None:
    assert not loaded(tmp_path, CENSUS.replace(given, wrong)).is_sex_by_age


def test_others_and_missing_ones_are_values_that_the_parameters_name(tmp_path: Path) -> None:
    text = SOUND.replace('EDU = { values = ["0", "1", "X"]', 'EDU = { other = "X", null = "0", values = ["0", "1"]')
    edu, age = loaded(
        tmp_path, text.replace("AGE = { minimum", "AGE = { other = 99, unknown = [999], minimum")
    ).attributes
    assert (edu.values, edu.number_of("X"), age.other, age.null) == (("0", "1", "X"), 3, 99, None)
