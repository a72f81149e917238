"""Counts that rest on a disk: whole, private, encrypted, and of one plan and place."""

from pathlib import Path

import pyarrow as pa
import pytest

from safetab_sql import InputError
from safetab_sql.cluster.sealed import can_encrypt, new_key, read_key, seal, unseal

COUNTS = pa.table({"population_group_id": [70_001, 70_002], "exact_count": [123_456_789, 987_654_321]})
KEYS = pytest.mark.parametrize(
    "key",
    [None, pytest.param(bytes(32), marks=pytest.mark.skipif(not can_encrypt(), reason="this pyarrow cannot encrypt"))],
    ids=["plain", "encrypted"],
)
ENCRYPTED = pytest.mark.skipif(not can_encrypt(), reason="this pyarrow cannot encrypt")


@KEYS
def test_what_was_sealed_comes_back(tmp_path: Path, key: bytes | None) -> None:
    seal(tmp_path / "a", "plan", key, COUNTS, {"records": 3})
    assert unseal(tmp_path / "a", "plan", key) == (COUNTS, {"records": 3})


@KEYS
def test_only_its_owner_may_read_it(tmp_path: Path, key: bytes | None) -> None:
    seal(tmp_path / "a", "plan", key, COUNTS, {})
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


@ENCRYPTED
def test_neither_counts_nor_facts_nor_columns_can_be_read_without_the_key(tmp_path: Path) -> None:
    seal(tmp_path / "a", "plan", bytes(32), COUNTS, {"records": "three"})
    stored = (tmp_path / "a").read_bytes()
    counts = [number.to_bytes(8, "little") for number in COUNTS["exact_count"].to_pylist()]
    assert [text for text in (*counts, b"three", b"exact_count", b"plan") if text in stored] == []
    with pytest.raises(InputError, match="of another plan, part or key"):
        unseal(tmp_path / "a", "plan", b"1" * 32)


@KEYS
@pytest.mark.parametrize(("plan", "name"), [("other plan", "a"), ("plan", "b")])
def test_a_file_of_another_plan_or_place_is_refused(tmp_path: Path, key: bytes | None, plan: str, name: str) -> None:
    seal(tmp_path / "a", "plan", key, COUNTS, {})
    (tmp_path / "a").rename(tmp_path / name)
    with pytest.raises(InputError, match=r"of another plan(, part or key| or part)"):
        unseal(tmp_path / name, plan, key)


@KEYS
def test_a_damaged_or_missing_file_is_refused(tmp_path: Path, key: bytes | None) -> None:
    seal(tmp_path / "a", "plan", key, COUNTS, {})
    (tmp_path / "b").write_bytes((tmp_path / "a").read_bytes()[:-9])
    for name, what in {"b": "cannot be read", "c": "is not there"}.items():
        with pytest.raises(InputError, match=what):
            unseal(tmp_path / name, "plan", key)


@ENCRYPTED
def test_a_plain_file_is_not_taken_for_an_encrypted_one(tmp_path: Path) -> None:
    seal(tmp_path / "a", "plan", None, COUNTS, {})
    with pytest.raises(InputError, match="cannot be read"):
        unseal(tmp_path / "a", "plan", bytes(32))


def test_a_key_is_new_private_and_read_again(tmp_path: Path) -> None:
    one, other = (new_key(tmp_path / name) for name in "ab")
    assert one != other
    assert (len(one), read_key(tmp_path / "a")) == (32, one)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_a_key_that_others_can_read_or_that_is_none_is_refused(tmp_path: Path) -> None:
    new_key(tmp_path / "a")
    (tmp_path / "a").chmod(0o640)
    (tmp_path / "b").write_bytes(b"short")
    for name, what in {"a": "can be read by others", "b": "is no key", "c": "No such file"}.items():
        with pytest.raises(InputError, match=what):
            read_key(tmp_path / name)
