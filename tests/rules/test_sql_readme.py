"""sql/README.md is the map of a run."""

from tests.rules import sql_readme


def test_the_map_is_current():
    """If it is not: `python -m tests.rules.sql_readme`."""
    assert sql_readme.PATH.read_text(encoding="utf-8") == sql_readme.readme()


def test_the_map_has_no_line_longer_than_a_terminal_and_a_half():
    prose = [line for line in sql_readme.readme().splitlines() if not line.startswith("|")]
    assert max(map(len, prose)) <= 120
