"""Bad input: exit code 2, a message that names the file, the column, the value and the fix; nothing written."""

from pathlib import Path

import pytest

from safetab_sql.kit.sqlfiles import folder_files
from tests.cli.bad_inputs import (
    ALL,
    CODE_LISTS,
    FILES,
    GEOGRAPHIES,
    PARAMETERS,
    PERSON_RECORDS,
    BadInput,
    first_person,
    line,
    parameter,
)
from tests.cli.command import Result, call, inputs
from tests.cli.nations import CODES, PERSONS, RACES, copied

# Each check quotes its own words, which its module in tests/sql reads too: each time some are told, all in one refusal.
TOGETHER = (*PERSON_RECORDS[:10:6], GEOGRAPHIES[1], *CODE_LISTS[4::6])
OFTEN = (PERSON_RECORDS[12], FILES[5], *PARAMETERS)


@pytest.fixture(
    scope="module",
    params=[pytest.param(bad, id=bad.name, marks=() if bad in OFTEN else pytest.mark.slow) for bad in ALL],
)
def bad(request: pytest.FixtureRequest) -> BadInput:
    return request.param


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, bad: BadInput) -> Path:
    """A folder with a bad nation and a scratch folder."""
    return tmp_path_factory.mktemp("bad")


@pytest.fixture(scope="module")
def refusal(nation: Path, folder: Path, bad: BadInput) -> Result:
    """What `run` says to a bad input."""
    spoilt = copied(nation, folder / "nation")
    bad.spoil(spoilt)
    (folder / "scratch").mkdir()
    return call("run", *inputs(spoilt), "--out", folder / "release", "--scratch", folder / "scratch", "--quiet")


def test_a_bad_input_is_the_users_and_leaves_nothing_behind(refusal, folder):
    left = sorted(path.name for path in folder.iterdir())
    assert (refusal.code, refusal.stdout, left) == (2, "", ["nation", "scratch"]), refusal.stderr
    assert list((folder / "scratch").iterdir()) == []


def test_the_message_names_the_place_the_value_and_the_fix(bad, refusal):
    missing = [words for words in bad.says if words not in refusal.stderr]
    assert missing == [], refusal.stderr
    assert refusal.stderr.endswith("nothing was written.\n")
    assert "Traceback" not in refusal.stderr


def test_every_problem_of_the_data_is_reported_at_once(spoilt):
    for bad in TOGETHER:
        bad.spoil(spoilt)
    first_person(QSEX="'3'")(spoilt)
    line(CODES, "1100|Again")(spoilt)
    refusal = call(
        "run", *inputs(spoilt), "--out", spoilt.parent / "release", "--ledger", spoilt.parent / "ledger", "--quiet"
    )
    said = [words for bad in TOGETHER for words in bad.says]
    assert [words for words in (*said, "[QSEX]", "=1100") if words not in refusal.stderr] == []
    assert refusal.stderr.endswith(f"{len(TOGETHER) + 2} problems; nothing was written.\n")
    assert (refusal.code, sorted(path.name for path in spoilt.parent.iterdir())) == (2, ["nation"])


def test_problems_of_the_parameters_the_files_and_out_are_reported_at_once(spoilt, tmp_path):
    parameter("gamma = 0.1", "gamma = 1")(spoilt)
    (spoilt / PERSONS).unlink()
    (spoilt / RACES).unlink()
    (tmp_path / "release").mkdir()
    refusal = call("run", *inputs(spoilt), "--out", tmp_path / "release")
    said = ("gamma is 1", "no file is there", f"{Path(RACES).stem}.txt", "exists already", "4 problems; nothing")
    assert [words for words in said if words not in refusal.stderr] == []


def test_every_check_has_a_bad_input_here_that_quotes_its_fix():
    quoted = [words for bad in ALL for words in bad.says if len(words) > 5]
    refusing = [check for check in folder_files("checks") if not check.kind.endswith(("warning", "note"))]
    unquoted = [check.name for check in refusing if not any(words in check.fields["fix"] for words in quoted)]
    others = [name for name in unquoted if not name.startswith("totals_")]  # of totals: test_households.py
    # properties/test_questions.py, golden/test_ladders.py, test_own_geographies.py, test_confidentiality.py,
    # properties/test_persons.py, public/test_region_names.py, golden/test_mapped_values.py
    assert others == [
        "iterations_level_taken",
        *("levels_without_iterations", "parts_overlap", "persons_amount_malformed"),
        *("persons_codes_beyond", "persons_id_repeated", "persons_order_malformed"),
        *("persons_person_missing", "persons_place_contradicted"),
        "region_names_differ",
    ]
