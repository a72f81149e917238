"""The replay audit tries Spark too where it is installed: what its workers count, and what the driver publishes."""

from pathlib import Path

import pytest

from safetab_sql.public.inputs import InputPaths
from tests.audit.replay import Replayed, audit_replay
from tests.conftest import REPOSITORY

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_people_whom_a_cluster_counts_and_their_neighbours_are_equal_to_the_byte():
    pytest.importorskip("pyspark", reason="pyspark is not installed: make test-spark")
    parameters: Path = REPOSITORY / "configs" / "ladders.toml"
    audit = audit_replay(Replayed("run", parameters, InputPaths(parameters, "", ""), people=300), 1)
    assert ({*audit.commands} >= {"run", "spark"}, audit.violations) == (True, ())
    assert audit.trials
