"""Progress of a long command: a bar where somebody looks, lines elsewhere."""

import io
import sys

import pytest

from safetab_sql.kit.progress import reported_progress

# The stderr of a Jupyter kernel is no terminal.
KERNEL = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})


@pytest.mark.parametrize(("stream", "is_bar"), [(io.StringIO, False), (KERNEL, True)])
def test_a_notebook_has_a_bar_and_a_file_lines(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], is_bar: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", stream())
    with reported_progress(is_quiet=False) as progress:
        progress.stage("counting")
        progress.step("t1", 1)
    said = sys.stderr.getvalue()
    assert "counting" in said
    assert ("left" in said) == is_bar
