"""The key that seals counts while they rest on a disk: it is no noise, and protects from whoever has the disk alone."""

import hmac
import os
import stat
from pathlib import Path

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.whole_folders import write_whole_file

_BYTES = 32  # AES-256


def new_key(path: Path) -> bytes:
    """A new key, kept in a new file of mode 0600. Raises: InputError if the file exists, or cannot be made."""
    key = os.urandom(_BYTES)
    try:
        write_whole_file(path, key, overwrite=False, mode=0o600)
    except OSError as error:
        raise InputError([Problem(str(path), error.strerror or "cannot be written", "name another file")]) from error
    return key


def read_key(path: Path) -> bytes:
    """The key in a file. Raises: InputError where it cannot be read, is none, or is open to others."""
    fix = "name the file that `parts prepare` made, of mode 0600"
    try:
        key, mode = path.read_bytes(), path.stat().st_mode
    except OSError as error:
        raise InputError([Problem(str(path), error.strerror or "cannot be read", fix)]) from error
    if len(key) != _BYTES:
        raise InputError([Problem(str(path), "is no key", fix)])
    if stat.S_IMODE(mode) & 0o077:
        raise InputError([Problem(str(path), "can be read by others", f"chmod 600 '{path}'")])
    return key


def key_of(key: bytes, name: str) -> bytes:
    """The key of one file: no two files share one."""
    return hmac.digest(key, name.encode(), "sha256")
