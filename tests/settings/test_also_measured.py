"""Coarser tables that are measured too: what each wrong line is answered with, and what a sound file has."""

from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.public.measured import measurements, parts_of
from safetab_sql.published.manifest import parameters_from_json, parameters_json
from safetab_sql.settings.parameters import load_parameters
from tests.settings.test_ladders import SOUND, written

COARSER = """, also_measured = [
        { table = "TOTAL", share = 0.05 }, { table = "edu", share = 0.1 },
        { cells = { EDU = "each" }, share = 0.125 },
    ] },
"""
BOTH = 'cells = { EDU = "each", AGE = "two" }'
FITTED = SOUND.replace("gamma = 0.1", "gamma = 0.1\nallow_negative_counts = true").replace(
    f"{BOTH} }},\n", f"{BOTH}{COARSER}"
)
WRONG = {
    "neither table nor cells": ('{ table = "edu", share = 0.1 }', "{ share = 0.1 }", "neither table nor cells"),
    "table and cells": ('table = "edu"', 'table = "edu", cells = { EDU = "two" }', "table and cells stand together"),
    "an unknown statistic": ('table = "edu"', 'table = "educ"', "educ is no coarser table name one of TOTAL, edu"),
    "the statistic itself": ('table = "edu"', 'table = "both"', "both is no coarser table"),
    "an unknown attribute": ('cells = { EDU = "each" }', 'cells = { EDO = "each" }', "no attribute is called 'EDO'"),
    "an unknown grouping": ('cells = { EDU = "each" }', 'cells = { EDU = "eight" }', "name a grouping of EDU"),
    "a table that is finer": ('cells = { EDU = "each" }', 'cells = { AGE = "three" }', "does not refine AGE three"),
    "its own cells": ('cells = { EDU = "each" }', BOTH, "EDU each by AGE two is no coarser than 'both'"),
    "a table twice": ('table = "edu"', 'table = "TOTAL"', "TOTAL is measured twice"),
    "no share": (", share = 0.1 }", " }", "missing key 'share'"),
    "a share of nothing": ("share = 0.125", "share = 0", "write a decimal above 0 and below 1"),
    "shares that leave nothing": ("share = 0.125", "share = 0.85", "add up to 1 or more"),
    "no table": (COARSER[len(", also_measured = ") : COARSER.rindex("] }") + 1], "[]", "write 1 to 20 tables"),
    "counts cut at 0": (
        "counts = true",
        "counts = false",
        "also_measured stands there, and allow_negative_counts is false",
    ),
    "stage 1": ("counts = true", "counts = true\npublish_stage_1 = true", "also_measured and publish_stage_1"),
    "a ladder of sums": ("[ladders.T]", "[ladders.T]\nsum = { column = 'X', clamp = [0, 3] }", "in a ladder of sums"),
    "too little for a share": (
        "budget = 1,",
        "budget = 1e-14,",
        "the smallest share of also_measured leaves too little",
    ),
    "too many cells": (BOTH, 'cells = { EDU = "each", AGE = "each", SEX = "each" }', "the statistic has 1,200 cells"),
    "too many coarser cells": (
        f'{BOTH}, also_measured = [\n        {{ table = "TOTAL"',
        'cells = { EDU = "each", AGE = "each" }, also_measured = [\n        { cells = { AGE = "each", EDU = "two" }',
        "the coarser tables have 205 cells",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_line_is_answered_with_what_to_do(tmp_path: Path, name: str) -> None:
    before, after, answer = WRONG[name]
    text = FITTED.replace("EDU = { values", 'SEX.values = ["1", "2", "3", "4"]\nEDU = { values')
    assert before in text
    with pytest.raises(InputError) as refusal:
        load_parameters(written(tmp_path, text.replace(before, after)))
    assert answer in " ".join(str(refusal.value).split())


def test_a_sound_file_says_what_is_measured_and_how_it_is_fitted(tmp_path: Path) -> None:
    parameters = load_parameters(written(tmp_path, FITTED))
    (ladder,) = parameters.ladders
    edu, both = measurements(parameters, ladder)
    assert (edu.sizes, edu.parts) == ((2,), 1)
    assert both.sizes == (1, 2, 3, 6)
    assert both.members.tolist() == [[0] * 6, [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2]]
    assert parts_of(parameters, ladder) == (1, 1, both.parts)


def test_a_manifest_holds_what_is_measured(tmp_path: Path) -> None:
    parameters = load_parameters(written(tmp_path, FITTED))
    assert parameters_from_json(parameters_json(parameters), tmp_path) == parameters
