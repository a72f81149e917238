"""What the manifest of a release says, and that nothing in OUT is a function of person records."""

import hashlib
import re
from dataclasses import replace

import pytest

from safetab_sql.mechanisms.bits import system_bits
from safetab_sql.run import run
from tests import oracle
from tests.nations import oracle_inputs, published, sample_nation, tables, write_nation
from tests.published.conftest import manifest
from tests.statistics import recorded_bits


@pytest.mark.slow
def test_a_run_with_recorded_bits_is_not_releasable(release):
    assert manifest(release())["releasable"] is False


def test_a_run_with_the_bits_of_the_system_is_releasable(tmp_path):
    assert published(sample_nation(60), tmp_path / "nation", bits=system_bits).manifest["releasable"] is True


def test_nothing_in_the_manifest_depends_on_the_people(nation, release, tmp_path):
    """Other people in the same blocks, twice as many, from a file of another name: all but the date is equal."""
    inputs = write_nation(replace(nation, persons=nation.persons[::-1] * 2), tmp_path)
    persons = inputs.persons.rename(tmp_path / "others.txt")
    run(replace(inputs, persons=persons), tmp_path / "out", bits=recorded_bits("other"))
    made, wanted = manifest(tmp_path / "out"), manifest(release())
    assert {**made, "date": None} == {**wanted, "date": None}


@pytest.mark.parametrize("file", ["manifest.json", "t1/t1.parquet", "t2/t2.parquet"])
def test_no_file_names_the_person_file_or_its_digest(release, file):
    persons = release().parent / "person-records.txt"
    content = (release() / file).read_bytes()
    digests = [getattr(hashlib, name)(persons.read_bytes()).hexdigest() for name in ("sha256", "md5", "sha1")]
    assert not [word for word in (persons.name, persons.stem, *digests) if word.encode() in content]


def test_the_manifest_does_not_hold_the_number_of_records(nation, release):
    """617 people: a number that nothing else is likely to be."""
    assert not re.findall(rf"(?<![\w.]){len(nation.persons)}(?![\w.])", (release() / "manifest.json").read_text())


def test_a_release_holds_the_tables_and_the_manifest_and_nothing_else(release):
    files = {str(path.relative_to(release())) for path in release().rglob("*") if path.is_file()}
    assert files == {"manifest.json", "suppressed/t1.parquet", "t1/t1.parquet", "t2/t2.parquet"}


def test_the_ledger_states_the_stability_that_the_oracle_computes(nation, release):
    inputs = oracle_inputs(nation)
    wanted = {f"{kind}-{level}": oracle.stability(inputs, kind, level) for kind, level in inputs.levels}
    assert tables(release(), "t1", "t2").stabilities == wanted
