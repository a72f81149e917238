"""Shares of a table on the page: by the noise of its cells, whether these are measured alone or fitted to more."""

from pathlib import Path

import numpy as np
import pytest

from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.public.measured import measurements
from safetab_sql.published.count_laws import covariance
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.release.folder import open_folder
from safetab_sql.report.table_shares import table_shares
from tests.jobs.test_fitted_runs import written
from tests.statistics import recorded_bits

WOMEN, TABLE = (0, 1, 2), ("WARD-ALL", "sex by age")
COUNTS = np.array([[100.0, 220.5, 80.25, 90.0, 210.0, 130.5]])


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> ReleaseFacts:
    folder = tmp_path_factory.mktemp("shares")
    made = run(written(folder, "always"), folder / "out", bits=recorded_bits("shares"), resources=Resources(threads=1))
    return open_folder(Path(made.out)).facts


def test_a_share_of_fitted_cells_is_as_wide_as_their_covariance_says(facts: ReleaseFacts) -> None:
    """The delta method: the share is far from both ends, and its total far from 0."""
    (ladder,), (level,) = facts.parameters.ladders, facts.levels
    found = table_shares(facts, ladder, TABLE, COUNTS, WOMEN)
    share = COUNTS[0, :3].sum() / COUNTS.sum()
    slope = (np.arange(6) < 3) - share
    spread = covariance(measurements(facts.parameters, ladder)[0], level.calls.of_table(1))
    deviation = np.sqrt(slope @ spread @ slope) / COUNTS.sum()
    assert found.estimates[0] == pytest.approx(share)
    ends = [found.lows[0], found.highs[0]]
    assert ends == pytest.approx([share - 1.96 * deviation, share + 1.96 * deviation], abs=0.1 * deviation)
