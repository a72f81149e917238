"""The notebook of the how-to pages: ten lines from person records to a percentage with its interval."""

from contextlib import chdir

import pytest

from docs import notebook
from safetab_sql.statistics.sums import PublishedSum

FEW = ("200_000", "20_000")  # people


def test_the_notebook_is_ten_lines_and_keeps_what_they_return():
    lines = [line for source in notebook.code_cells() for line in source.splitlines() if line.strip()]
    assert len(lines) <= 10
    kept = [text for data in notebook.results() for text in data["text/plain"]]
    assert [text[:10] for text in kept if text.startswith(("percentage", "[{'KIND': "))] == ["percentage", "[{'KIND': "]


@pytest.mark.slow
def test_its_cells_run_in_their_order(tmp_path):
    names: dict[str, object] = {}
    with chdir(tmp_path):
        release, rows, share, median = (
            notebook.outcome(source.replace(*FEW), names) for source in notebook.code_cells()
        )
        assert "<svg" in "".join(notebook.shown(release)["text/html"])
        assert len(rows) == 5
    assert isinstance(share, PublishedSum)
    assert share.ratio is not None
    assert 0.4 < share.ratio.low < share.ratio.high < 0.6
    assert 30 < median[0]["ESTIMATE"] < 45
    assert "percentage" in "".join(notebook.shown(share)["text/plain"])
