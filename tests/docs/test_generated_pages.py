"""The parts of docs/reference that the program knows better are what `make docs` would write."""

from docs.generate import pages, with_columns, with_keys


def test_the_generated_pages_are_current():
    """Write them again with `make docs`."""
    outdated = [path.name for path, page in pages().items() if path.read_text(encoding="utf-8") != page]
    assert outdated == []


def test_a_table_of_columns_is_made_from_the_header_of_its_statement():
    made = with_columns("<!-- columns t1 -->\nearlier rows\n<!-- end -->")
    assert "earlier rows" not in made
    assert "| `MOE95` | double | half-width of the 95 % margin of error, persons;" in made


def test_a_table_of_keys_is_made_from_the_model_of_its_file():
    made = with_keys("<!-- keys WrittenQuestion -->\n\n| earlier row |\nprose\n")
    assert "earlier row" not in made
    assert "| `at_most` | integer, at least 1 and at most 8 | none | how many of the columns are read" in made
    assert made.endswith("\nprose\n")
