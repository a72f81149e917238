"""The script that draws the charts: kept for the next report, and made again where what is kept cannot be trusted."""

import pytest

from safetab_sql.report.charting import cache_folder, keep_text, kept_text

TEXT = "window.a = 'é\r\n';\n"


def spoil_text(file):
    file.write_bytes(file.read_bytes() + b"more")


def spoil_digest(file):
    file.write_bytes(b"0" + file.read_bytes())


def link_it(file):
    file.rename(file.with_name("other"))
    file.symlink_to("other")


def test_what_is_kept_is_read_as_it_was_by_this_user_alone(tmp_path):
    file = tmp_path / "new" / "cache" / "a.js"
    keep_text(file, TEXT)
    assert (kept_text(file), file.stat().st_mode & 0o777, [each.name for each in file.parent.iterdir()]) == (
        *(TEXT, 0o600),
        ["a.js"],
    )


@pytest.mark.parametrize(
    "spoil",
    [spoil_text, spoil_digest, link_it, lambda file: file.chmod(0o620), lambda file: file.unlink()],
    ids=["more", "digest", "link", "writable", "gone"],
)
def test_what_is_not_whole_or_may_be_of_others_is_not_read(tmp_path, spoil):
    file = tmp_path / "a.js"
    keep_text(file, TEXT)
    spoil(file)
    assert kept_text(file) == ""


def test_where_nothing_can_be_kept_nothing_is(tmp_path):
    (tmp_path / "file").touch()
    keep_text(tmp_path / "file" / "a.js", TEXT)
    assert kept_text(tmp_path / "file" / "a.js") == ""


def test_the_folder_is_the_one_that_the_system_names(monkeypatch):
    for named, folder in {"": "~/.cache", "not/absolute": "~/.cache", "/b": "/b"}.items():
        monkeypatch.setenv("XDG_CACHE_HOME", named)
        assert str(cache_folder()) == f"{folder}/safetab-sql"
