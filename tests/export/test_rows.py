"""The rows of a ladder as cells of cubes: no two of them have one name."""

from pathlib import Path

from safetab_sql.export.contents import Contents
from safetab_sql.export.cubes import Rows, column
from safetab_sql.release.folder import open_folder


def rows(nation: Path, **sexes: str) -> Rows:
    names = {("SEX", "", code): name for code, name in zip("12", sexes.values(), strict=False)}
    contents = Contents(nation, open_folder(nation).facts, names)
    return Rows(contents, contents.parameters.ladders[0])


def test_values_that_are_called_alike_have_their_codes_too(nation: Path) -> None:
    found = {each.name: each for each in rows(nation, one="adult", other="adult").dimensions(1)}
    assert found["SEX"].labels == ("both, *", "adult, 1", "adult, 2")
    assert {each.name: each for each in rows(nation).dimensions(1)}["SEX"].labels == ("both", "male", "female")


def test_an_attribute_has_another_name_where_its_own_is_taken(nation: Path) -> None:
    assert [column(each, ("SEX",)) for each in rows(nation).attributes] == ["AGE", "SEX_VALUE"]


def test_a_cell_has_the_row_of_its_values_and_some_have_none(nation: Path) -> None:
    found = rows(nation)
    cells, total = found.cells(1), len(found.codes) - 1
    assert cells[:3] == [total, *(found.codes.index(("*", sex)) for sex in "12")]
    assert [cell is None for cell in cells] == [False, False, False, *[True, False, False] * (len(cells) // 3 - 1)]
    assert found.cells(0) == [total]
