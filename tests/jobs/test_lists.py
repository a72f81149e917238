"""new --groups: code lists from one table of groups."""

from pathlib import Path

import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.public.gate import NOTHING_CONFIDENTIAL
from safetab_sql.public.lists import read_groups, write_lists

TABLE = """code,name,people,region
A1,"Asken, hills",Asken,Northern
A2,,Asken,Northern

C1,Cerran,,Southern
"""


def made(folder: Path, table: str, *, several: bool = False) -> dict[str, list[str]]:
    """The lines of each list."""
    (folder / "groups.csv").write_text(table, encoding="utf-8")
    groups = read_groups(folder / "groups.csv", NOTHING_CONFIDENTIAL)
    (folder / "lists").mkdir()
    write_lists(groups, folder / "lists", several=several)
    return {file.stem: file.read_text(encoding="utf-8").splitlines() for file in (folder / "lists").iterdir()}


def test_each_group_of_each_level_is_an_iteration_with_its_codes(tmp_path):
    assert made(tmp_path, TABLE) == {
        "codes": ["CODE,CODE_NAME", 'A1,"Asken, hills"', "A2,", "C1,Cerran"],
        "iterations": [
            "ITERATION_CODE,ITERATION_NAME,LEVEL",
            "1,Asken,people",
            "2,Northern,region",
            "3,Southern,region",
        ],
        "members": ["ITERATION_CODE,CODE", "1,A1", "1,A2", "2,A1", "2,A2", "3,C1"],
    }


def test_of_several_codes_a_group_is_there_alone_and_in_combination(tmp_path):
    found = made(tmp_path, "code;name\nA1;Asken\nB1;\n", several=True)
    assert found["iterations"][1:] == ["1a,Asken alone,group,True", "1c,Asken alone or in any combination,group,False"]
    assert found["members"][1:] == ["1a,A1", "1c,A1"]


def test_a_group_of_all_codes_is_there_once_for_nobody_is_in_it_in_part(tmp_path):
    found = made(tmp_path, "code;name;all\nA1;Asken;Everybody\nB1;Borin;Everybody\n", several=True)
    assert found["iterations"][1:] == ["1c,Everybody,all,False"]
    assert found["members"][1:] == ["1c,A1", "1c,B1"]


WRONG = {
    "no rows": ("code,name\n", "has no row"),
    "a level twice": ("code,people,People\nA,x,y\n", "has column People, people more than once"),
    "a level without groups": ("code,people\nA,\n", "[people]: names no group"),
    "a field too many": ("code,name\nA,Asken, hills\n", "line 2 has 3 fields, and the header 2"),
    "no code": ("code,name\n,Asken\n", "row 2: has no code"),
    "two names": ("code,name\nA,Asken\nA,Borin\n", "calls the code A 'Borin', and an earlier row 'Asken'"),
}


@pytest.mark.parametrize("header", ["KÓD;NÁZEV;KAPITOLA", "NÁZEV;KAPITOLA;KÓD", "KAPITOLA;NÁZEV;KÓD"])
def test_codes_and_their_names_are_told_by_their_values_where_no_column_is_called_code(tmp_path, header):
    rows = [
        {"KÓD": code, "NÁZEV": name, "KAPITOLA": chapter}
        for code, name, chapter in (
            ("I10", "Hypertenze", "Srdce a cévy"),
            ("I21", "Infarkt", "Srdce a cévy"),
            ("J18", "Zápal plic", "Plíce"),
        )
    ]
    lines = [header, *(";".join(row[name] for name in header.split(";")) for row in rows)]
    file = tmp_path / "groups.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    found = read_groups(file, NOTHING_CONFIDENTIAL)
    assert (found.guessed, list(found.levels)) == (("KÓD", "NÁZEV"), ["kapitola"])
    assert found.names == {"I10": "Hypertenze", "I21": "Infarkt", "J18": "Zápal plic"}


def test_a_column_of_codes_beside_one_of_names_is_no_level_of_its_own(tmp_path):
    file = tmp_path / "groups.csv"
    file.write_text("code;name;nr;group;all\n1;a;1;South;x\n2;b;1;South;x\n3;c;2;North;x\n", encoding="utf-8")
    assert list(read_groups(file, ()).levels) == ["group", "all"]


@pytest.mark.parametrize(("table", "said"), WRONG.values(), ids=WRONG)
def test_a_table_that_is_none_is_refused(tmp_path, table, said):
    with pytest.raises(InputError) as refused:
        made(tmp_path, table)
    assert said in str(refused.value)
    assert not (tmp_path / "lists").exists()


@pytest.mark.parametrize(("encoding", "name"), [("latin-1", "latin1"), ("utf-16", "utf-16")])
def test_text_in_another_encoding_is_refused_with_the_command_that_mends_it(tmp_path, encoding, name):
    (tmp_path / "groups.csv").write_text("Code;name\nA1;Língua\n", encoding=encoding)
    with pytest.raises(InputError) as refused:
        read_groups(tmp_path / "groups.csv", NOTHING_CONFIDENTIAL)
    (problem,) = refused.value.problems
    assert problem.what == f"line {2 if name == 'latin1' else 1} is no UTF-8 text"
    assert f"by: iconv -f {name} -t utf-8 '{tmp_path / 'groups.csv'}' > '{tmp_path / 'groups.utf8.csv'}'" in problem.fix
