"""The signature of a release, as OpenSSH writes it: who publishes it, and that no byte of it was changed since.

The manifest holds the SHA-256 of every other file, so the manifest is what is signed, and the signature lies beside it.
`ssh-keygen -Y verify` checks it with nothing of ours, and `ssh-keygen -Y sign` makes one with a key that has a
passphrase or lies in hardware. Source: OpenSSH, PROTOCOL.sshsig.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256, sha512
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.extras import Extra, missing_extras
from safetab_sql.published.manifest import MANIFEST, SIGNATURE

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

NAMESPACE = "safetab-sql"  # what signatures are for: one that was made for something else does not count
_KIND, _HASH = b"ssh-ed25519", b"sha512"
_MAGIC, _VERSION = b"SSHSIG", b"\0\0\0\1"
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_LARGEST = 2**16  # bytes of a signature, and of a file of public keys
_MAKE = "make one with ssh-keygen -t ed25519 -N '' -f KEY"
_PUBLIC = "name the file KEY.pub that ssh-keygen made, a line `ssh-ed25519 AAAA...` for each key that may sign"


def _needed(option: str) -> None:
    """Raises: InputError where the library that signs is not installed."""
    refuse(missing_extras(Extra("sign", "cryptography", option, "signatures need cryptography")))


def _packed(*texts: bytes) -> bytes:
    """Texts one behind the other, each after its length."""
    return b"".join(len(text).to_bytes(4, "big") + text for text in texts)


def _unpacked(packed: bytes) -> Iterator[bytes]:
    """The reverse of `_packed`. Raises: ValueError."""
    while packed:
        size = int.from_bytes(packed[:4], "big")
        if len(packed) < 4 + size:
            raise ValueError("shorter than it says")
        yield packed[4 : 4 + size]
        packed = packed[4 + size :]


def _signed_text(content: bytes) -> bytes:
    """What a key signs of the content of a file."""
    return _MAGIC + _packed(NAMESPACE.encode(), b"", _HASH, sha512(content).digest())


def key_name(public: bytes) -> str:
    """The name of a public key, as ssh-keygen prints it. public: as OpenSSH packs it."""
    return "SHA256:" + b64encode(sha256(public).digest()).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key that signs releases."""

    _key: "Ed25519PrivateKey"

    def sign(self, folder: Path) -> None:
        """Write the signature of a finished folder beside its manifest."""
        public = _packed(_KIND, self._key.public_key().public_bytes_raw())
        own = _packed(_KIND, self._key.sign(_signed_text((folder / MANIFEST).read_bytes())))
        packed = _MAGIC + _VERSION + _packed(public, NAMESPACE.encode(), b"", _HASH, own)
        text = "\n".join([_BEGIN, *wrap(b64encode(packed).decode(), 70), _END, ""])
        (folder / SIGNATURE).write_text(text, encoding="ascii")


def signer(key: Path, option: str) -> Signer:
    """The signer with the private key in a file. option: that names it. Raises: InputError where it cannot sign."""
    _needed(option)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    where, later = f"{option} {key}", f"ssh-keygen -Y sign -n {NAMESPACE} -f KEY OUT/{MANIFEST}"
    try:
        found = load_ssh_private_key(key.read_bytes(), password=None)
    except OSError as error:
        raise InputError([Problem(where, f"cannot be read: {error.strerror}", _MAKE)]) from error
    except TypeError as error:
        what, fix = "has a passphrase, which nobody can be asked for here", f"sign the finished release: {later}"
        raise InputError([Problem(where, what, fix)]) from error
    except Exception as error:  # of a text that is no key
        raise InputError([Problem(where, "is no private key of OpenSSH", _MAKE)]) from error
    if not isinstance(found, Ed25519PrivateKey):
        raise InputError([Problem(where, "is a key of another kind than ed25519", _MAKE)])
    return Signer(found)


def signature_problems(folder: Path, keys: Path, option: str) -> list[Problem]:
    """Why a folder is not what the owner of one of the public keys in a file signed. option: that names the file.

    Raises: InputError where the file holds no public key.
    """
    _needed(option)
    known, where = _public_keys(keys, option), folder / SIGNATURE
    fix = "take the release as its publisher gives it away, and the key from the publisher's own pages"
    if not where.is_file():
        return [Problem(str(where), "is missing: the release is not signed", fix)]
    try:
        key = _signing_key(where.read_bytes()[:_LARGEST], (folder / MANIFEST).read_bytes())
    except ValueError as error:
        return [Problem(str(where), str(error), fix)]
    what = f"was made by another key, {key_name(key)}, than those in {keys}"
    return [] if key in known else [Problem(str(where), what, fix)]


def _public_keys(keys: Path, option: str) -> frozenset[bytes]:
    """The public keys in a file, one a line, as OpenSSH packs them; of any owner in a file of allowed signers."""
    try:
        lines = keys.read_bytes()[:_LARGEST].decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise InputError([Problem(f"{option} {keys}", f"cannot be read: {error.strerror}", _PUBLIC)]) from error
    words = [line.split() for line in lines if not line.startswith("#")]
    texts = [line[line.index(_KIND.decode()) + 1] for line in words if _KIND.decode() in line[:-1]]
    try:
        found = frozenset(b64decode(text, validate=True) for text in texts)
    except ValueError:
        found = frozenset()
    refuse([] if found else [Problem(f"{option} {keys}", "holds no public key of kind ssh-ed25519", _PUBLIC)])
    return found


def _signing_key(signature: bytes, content: bytes) -> bytes:
    """The public key, as OpenSSH packs it, that signed the content. Raises: ValueError, which says why none did."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        text = signature.decode("ascii").strip()
        packed = b64decode("".join(text.removeprefix(_BEGIN).removesuffix(_END).split()), validate=True)
        magic, version, rest = packed[:6], packed[6:10], packed[10:]
        public, namespace, _, digest, own = _unpacked(rest)
        (kind, key), (own_kind, made) = _unpacked(public), _unpacked(own)
    except ValueError as error:
        raise ValueError("is no signature of OpenSSH") from error
    if (magic, version, kind, own_kind, digest) != (_MAGIC, _VERSION, _KIND, _KIND, _HASH):
        raise ValueError("is no signature by a key of kind ed25519; `ssh-keygen -Y verify` knows other kinds")
    if namespace != NAMESPACE.encode():
        raise ValueError(f"was made for {namespace.decode('utf-8', 'replace')[:40]!r}, not for {NAMESPACE!r}")
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(made, _signed_text(content))
    except (InvalidSignature, ValueError) as error:
        raise ValueError(f"does not fit to {MANIFEST}, which was changed, or is of another release") from error
    return public
