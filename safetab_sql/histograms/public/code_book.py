"""Code books of IPUMS extracts (.cbk), from which the NIST challenge's fields take their permitted values.

A line that begins with one blank names a variable; lines below that begin with digits are its codes; others are
headings. A tab ends the name, or the code:

     SEX		Sex
    1		Male
    2		Female
"""

import re
from pathlib import Path

from safetab_sql.kit.errors import InputError, Problem

_NAME = re.compile(r" ([A-Za-z][A-Za-z0-9_]*)\t")
_CODE = re.compile(r"([0-9]{1,18})\t")


def code_book(path: Path) -> dict[str, tuple[int, ...]]:
    """The codes of each variable of the book that has any, ascending, as numbers: 07 is 7.

    Raises: InputError where the file cannot be read, or holds no code.
    """
    fix = "name the code book of an IPUMS extract: a line ` SEX<tab>...`, and below it lines `1<tab>...`"
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error.strerror or error}", fix)]) from error
    found: dict[str, set[int]] = {}
    name = ""
    for line in lines:
        if named := _NAME.match(line):
            name = named[1]
        elif name and (code := _CODE.match(line)):
            found.setdefault(name, set()).add(int(code[1]))
    if not found:
        raise InputError([Problem(str(path), "holds no codes", fix)])
    return {name: tuple(sorted(codes)) for name, codes in found.items()}
