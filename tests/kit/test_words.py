"""Templates beside a module: tables are aligned, whatever their values hold."""

from pathlib import Path

from safetab_sql.kit.words import filled, printed

TABLE = (
    "{% filter aligned %}\nname ¦ people\n{% for name, number in rows %}\n{{ name | cell }} ¦ {{ number | shown }}\n"
)
END = "{% endfor %}\n{% endfilter %}\n"


def text_of(folder: Path, rows: list[tuple[str, int | None]]) -> str:
    (folder / "templates").mkdir()
    (folder / "templates" / "some.txt.jinja").write_text(TABLE + END, encoding="utf-8")
    module = str(folder / "module.py")
    assert filled(module, "some.txt", {"rows": rows}) == printed(module, "some", {"rows": rows}) + "\n"
    return printed(module, "some", {"rows": rows})


def test_numbers_stand_at_the_right(tmp_path: Path) -> None:
    assert text_of(tmp_path, [("a", 1000), ("bcdef", 7)]) == "name   people\na       1,000\nbcdef       7"


def test_a_number_that_is_not_known_is_none(tmp_path: Path) -> None:
    assert text_of(tmp_path, [("a", None)]) == "name  people\na     none"


def test_bars_and_ends_of_lines_in_a_value_part_no_cells(tmp_path: Path) -> None:
    assert text_of(tmp_path, [("a ¦ b\nc", 7)]) == "name     people\na ¦ b\nc       7"
