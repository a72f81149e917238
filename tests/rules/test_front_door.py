"""Nothing is imported before it is asked for: whoever counts people holds no noise and nothing that publishes."""

import subprocess
import sys

import pytest

LOADED = """
import sys
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
print(*(name for name in sys.modules if name.startswith("safetab_sql.")))
"""
COUNTING = ("safetab_sql", "safetab_sql.confidential.inputs", "safetab_sql.cluster.counting")


def loaded(*names: str) -> set[str]:
    """The modules of the package that a process has which imports these."""
    done = subprocess.run([sys.executable, "-c", LOADED, *names], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_who_counts_a_part_of_the_records_imports_no_mechanism_and_nothing_that_publishes() -> None:
    rooms = {name.split(".")[1] for name in loaded(*COUNTING)}
    assert {"confidential", "cluster"} <= rooms
    assert rooms & {"mechanisms", "published", "histograms", "run", "jobs"} == set()


@pytest.mark.slow
def test_the_package_by_itself_imports_nothing() -> None:
    assert loaded("safetab_sql") == set()
