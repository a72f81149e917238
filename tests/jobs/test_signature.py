"""`--sign` and `describe --verify`: what a signature says, in the form that OpenSSH and others read."""

import shutil
import subprocess
from pathlib import Path

import pytest
import sshsig
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from sshsig.allowed_signers import load_for_git_allowed_signers_file

from safetab_sql.jobs.describe import describe, description_json, description_text
from safetab_sql.kit.errors import InputError
from safetab_sql.published.manifest import MANIFEST, SIGNATURE
from safetab_sql.release.signature import NAMESPACE, signer
from tests.cli.command import call
from tests.published.conftest import Release


def write_key(place: Path, key=None) -> Path:
    """A key as ssh-keygen writes it, and its public one beside it."""
    key = key or Ed25519PrivateKey.generate()
    place.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    place.with_suffix(".pub").write_bytes(public + b" publisher\n")
    return place


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return write_key(tmp_path / "key")


@pytest.fixture
def signed(release: Release, tmp_path: Path, key: Path) -> Path:
    out = shutil.copytree(release(), tmp_path / "out")
    signer(key, "--sign").sign(out)
    return out


def verified(out: Path, keys: Path) -> str:
    """The problems, or nothing."""
    try:
        return "" if describe(out, verify=keys).verified == keys else "nothing was verified"
    except InputError as error:
        return " | ".join(f"{Path(problem.where.split()[-1]).name} {problem.what}" for problem in error.problems)


def test_a_release_is_signed_by_the_key_whose_public_half_is_named(signed: Path, key: Path, tmp_path: Path) -> None:
    assert verified(signed, key.with_suffix(".pub")) == ""
    other = write_key(tmp_path / "other").with_suffix(".pub")
    assert "manifest.json.sig was made by another key, SHA256:" in verified(signed, other)
    both = tmp_path / "signers"
    both.write_text("# of us\n" + f"one {other.read_text()}two {key.with_suffix('.pub').read_text()}")
    assert verified(signed, both) == ""


def test_what_was_not_verified_is_not_said_to_be(signed: Path, key: Path, release: Release) -> None:
    public = key.with_suffix(".pub")
    found, checked, unsigned = describe(signed), describe(signed, verify=public), describe(release())
    assert [description_json(each)["signed"] for each in (found, checked, unsigned)] == [True, True, False]
    assert [description_json(each)["verified"] for each in (found, checked, unsigned)] == [False, True, False]
    assert "yes, by a key that was not checked" in description_text(found)
    assert f"yes, by the owner of a key in {public}" in description_text(checked)
    assert verified(release(), public) == "manifest.json.sig is missing: the release is not signed"


def test_one_byte_that_was_changed_anywhere_is_refused(signed: Path, key: Path) -> None:
    """In the middle of every file, by its digest; in a word of the manifest, which stays one, by the signature."""
    files = [file for file in sorted(signed.rglob("*")) if file.is_file()]
    assert len(files) > 4
    for file in files:
        content = file.read_bytes()
        version = b'"duckdb": "'
        place = content.index(version) + len(version) if file.name == MANIFEST else len(content) // 2
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert verified(signed, key.with_suffix(".pub")), file
        file.write_bytes(content)
    assert verified(signed, key.with_suffix(".pub")) == ""


def test_others_read_the_signature(signed: Path, key: Path, tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.write_text(f"* {key.with_suffix('.pub').read_text()}")
    with allowed.open() as keys:
        sshsig.verify(
            (signed / MANIFEST).read_bytes(),
            (signed / SIGNATURE).read_text(),
            load_for_git_allowed_signers_file(keys),
            namespace=NAMESPACE,
        )


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")
def test_openssh_reads_our_signature_and_makes_the_same(signed: Path, key: Path, tmp_path: Path) -> None:
    allowed, ours = tmp_path / "allowed", (signed / SIGNATURE).read_bytes()
    allowed.write_text(f"publisher {key.with_suffix('.pub').read_text()}")
    key.chmod(0o600)
    how = ("ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "publisher", "-n", NAMESPACE, "-s", signed / SIGNATURE)
    assert subprocess.run(how, input=(signed / MANIFEST).read_bytes(), capture_output=True, check=False).returncode == 0
    (signed / SIGNATURE).unlink()
    subprocess.run(("ssh-keygen", "-Y", "sign", "-n", NAMESPACE, "-f", key, signed / MANIFEST), check=True)
    assert (signed / SIGNATURE).read_bytes() == ours
    subprocess.run(("ssh-keygen", "-Y", "sign", "-n", "git", "-f", key, signed / MANIFEST), input=b"y\n", check=True)
    assert verified(signed, key.with_suffix(".pub")) == "manifest.json.sig was made for 'git', not for 'safetab-sql'"
    locked = tmp_path / "locked"
    subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "of a person", "-f", locked), check=True)
    with pytest.raises(InputError, match="has a passphrase"):
        signer(locked, "--sign")


@pytest.mark.parametrize("text", [b"", b"no signature", b"-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAADMAAAAL\n"])
def test_what_is_no_signature_is_refused(signed: Path, key: Path, text: bytes) -> None:
    (signed / SIGNATURE).write_bytes(text)
    assert verified(signed, key.with_suffix(".pub")) == "manifest.json.sig is no signature of OpenSSH"


def test_a_key_that_cannot_sign_is_refused_before_anything_is_read(tmp_path: Path, key: Path) -> None:
    rsa = write_key(tmp_path / "rsa", generate_private_key(65537, 2048))
    whats = {
        rsa: "is a key of another kind than ed25519",
        key.with_suffix(".pub"): "is no private key of OpenSSH",
        tmp_path / "none": "cannot be read: No such file",
    }
    for file, what in whats.items():
        nowhere = ("--parameters", tmp_path / "p", "--persons", tmp_path / "r", "--geography", tmp_path / "g")
        done = call("run", *nowhere, "--out", tmp_path / "out", "--sign", file)
        assert (done.code, f"--sign {file}: {what}" in done.stderr) == (2, True)


def test_a_file_without_public_keys_is_refused(signed: Path, key: Path, tmp_path: Path) -> None:
    for file in (key, tmp_path / "none"):
        with pytest.raises(InputError, match=f"--verify {file}"):
            describe(signed, verify=file)
