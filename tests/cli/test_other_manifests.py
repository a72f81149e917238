"""A folder that is no release says which command made it, and what takes it."""

from pathlib import Path

import pytest

from tests.cli.command import call, inputs

READERS = {
    "semantics": ("semantics", "--manifest"),
    "moe": ("moe", "--sum", "true"),
    "report": ("report", "--out", "report.html"),
    "reconcile": ("reconcile", "--out", "reconciled"),
}


@pytest.fixture(scope="module")
def folders(nation: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder of each command that makes one with a manifest, by that command."""
    made = tmp_path_factory.mktemp("made")
    spec = made / "spec.toml"
    sexes = '[domains.QSEX]\nvalues = ["1", "2"]\n'
    spec.write_text(f"epsilon = 1\npublish_cells = true\n{sexes}[margins]\nall = []\n", encoding="utf-8")
    groups = made / "groups.toml"
    groups.write_text(f'epsilon = 1\nrows = 10\ncut = 0\n{sexes}[[groups]]\nfields = ["QSEX"]\n', encoding="utf-8")
    release, data = made / "release", ("--data", nation / "persons")
    commands = {
        "run": ("run", *inputs(nation), "--quiet", "--out", release),
        "bottom-up run": ("bottom-up", "run", "--spec", spec, *data, "--out", made / "counts"),
        "bottom-up curve": (
            *("bottom-up", "curve", "--spec", spec, *data, "--epsilon", "1", "--replicates", "2"),
            *("--out", made / "curve"),
        ),
        "synthesize run": ("synthesize", "run", "--spec", groups, *data, "--out", made / "rows"),
        "ground-truth": ("ground-truth", *inputs(nation), "--quiet", "--out", made / "truth"),
        "evaluate": (
            *("evaluate", "--out-dirs", release, "--ground-truth", made / "truth"),
            *("--code-lists", nation / "code-lists", "--out", made / "evaluation"),
        ),
        "reconcile": ("reconcile", release, "--quiet", "--out", made / "reconciled"),
    }
    for command in commands.values():
        done = call(*command)
        assert done.code == 0, done.stderr
    return {name: Path(command[command.index("--out") + 1]) for name, command in commands.items()}


TAKEN_BY = {
    "bottom-up run": "`semantics --epsilon`",
    "synthesize run": "`synthesize score`",
    "bottom-up curve": "`report --curve`",
    "evaluate": "`report --evaluation`",
    "ground-truth": "`evaluate --ground-truth`",
}


@pytest.mark.parametrize("maker", TAKEN_BY)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.slow
def test_a_folder_of_another_command_is_refused_by_its_name_and_its_maker(
    folders: dict[str, Path], maker: str, reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = call(*READERS[reader], folders[maker])
    assert (refused.code, list(tmp_path.iterdir())) == (2, [])
    assert (
        f"{folders[maker]}/manifest.json: not the manifest of a release: `safetab-sql {maker}` made" in refused.stderr
    )
    assert TAKEN_BY[maker] in refused.stderr


@pytest.mark.parametrize("reader", READERS)
def test_a_folder_that_is_not_there_is_named_in_plain_words(reader: str, tmp_path: Path) -> None:
    refused = call(*READERS[reader], tmp_path / "releas")
    assert (refused.code, "Errno" in refused.stderr) == (2, False)
    assert "releas" in refused.stderr
    assert "cannot be read: No such file or directory" in refused.stderr
