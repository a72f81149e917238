"""Templates beside a module: tables are aligned, whatever their values hold."""

from pathlib import Path

import pytest

from safetab_sql.kit.words import filled, printed

HEAD = "{% filter aligned %}\nname ¦ people\n{% for name, number in rows %}\n"
TABLE = f"{HEAD}{{{{ name | cell }}}} ¦ {{{{ number | shown }}}}\n{{% endfor %}}\n{{% endfilter %}}\n"
TEXTS = {
    "numbers stand at the right": ([("a", 1000), ("bcdef", 7)], "name   people\na       1,000\nbcdef       7"),
    "a number that is not known is none": ([("a", None)], "name  people\na     none"),
    "bars and ends of lines in a value part no cells": ([("a ¦ b\nc", 7)], "name     people\na ¦ b\nc       7"),
}


@pytest.mark.parametrize(("rows", "text"), TEXTS.values(), ids=TEXTS)
def test_a_table_is_aligned(tmp_path: Path, rows: list[tuple[str, int | None]], text: str) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "some.txt.jinja").write_text(TABLE, encoding="utf-8")
    module = str(tmp_path / "module.py")
    assert (filled(module, "some.txt", {"rows": rows}), printed(module, "some", {"rows": rows})) == (f"{text}\n", text)
