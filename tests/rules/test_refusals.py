"""docs/specification/refusals.md answers for every check, and says of each what the check says of itself."""

import re

import pytest

from safetab_sql.kit.sqlfiles import folder_files
from tests.conftest import REPOSITORY

TEXT = (REPOSITORY / "docs" / "specification" / "refusals.md").read_text(encoding="utf-8")
ROWS = {name: row for row in TEXT.splitlines() for name in re.findall(r"`(\w+)`", row.split(" | ")[0])}
CHECKS = pytest.mark.parametrize("file", folder_files("checks"), ids=lambda file: file.name)


@CHECKS
def test_every_check_has_a_row(file):
    assert file.name in ROWS


@CHECKS
def test_one_person_can_change_a_check_only_where_it_refuses_nothing(file):
    answer = ROWS[file.name].split(" | ")[1]
    assert (answer == "yes", answer.startswith("no")) == (
        (True, False) if file.kind.endswith(("warning", "note")) else (False, True)
    )


def test_every_section_is_numbered():
    heads = re.findall(r"^## (.*)$", TEXT, re.MULTILINE)
    assert [head.split(".")[0] for head in heads] == [str(number) for number in range(1, len(heads) + 1)]
