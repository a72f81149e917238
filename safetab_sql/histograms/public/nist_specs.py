"""The NIST challenge's specs (JSON): the fields, and what values they may have.

{"SEX": {"type": "enum", "count": 2, "maxval": 2}, "INCWAGE": {"type": "integer", "min": 0, "max": 999999}, ...}

Fields of money, such as INCWAGE and VALUEH, have up to ten million values there, too many for a histogram: they get
bins, as the challenge's first solutions gave them. Source: histograms.md section 4.7.
"""

import json
from pathlib import Path
from typing import Any

from safetab_sql.histograms.public.code_book import code_book
from safetab_sql.histograms.public.domains import Domain, IntegerBins, IntegerRange, Listed
from safetab_sql.kit.errors import InputError, Problem, refuse

MOST_BINS = 10**12  # bins of one group; with more, noise is too large for any use
MOST_VALUES = 10**5  # of one field: each has a noisy count of its own
_ENDS = 2  # the last values of a binned field, each with its own bin: IPUMS says "missing" and "not applicable" there


def nist_domains(path: Path, book: Path | None = None) -> tuple[Domain, ...]:
    """A domain for each field of the challenge's specs (JSON): the whole numbers from 0 to `maxval`, or bins of them.

    book: a code book; a field that it lists has its codes as values instead. Raises: InputError with every field that
    has no such maximum, or where the book cannot be read.
    """
    listed = code_book(book) if book else {}
    return tuple(
        Domain(name, (name,), Listed(tuple((code,) for code in listed[name])) if name in listed else domain.values)
        for name, domain in ((domain.name, domain) for domain in _ranges(path))
    )


def nist_fields(path: Path) -> dict[str, Any]:
    """The fields of the challenge's specs as they stand there. Raises: InputError where the file cannot be read."""
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        fix = 'name the JSON file of the challenge: {"FIELD": {"maxval": 9, ...}, ...}'
        raise InputError([Problem(str(path), f"cannot be read as JSON: {error}", fix)]) from error
    return document if isinstance(document, dict) else {}


def _ranges(path: Path) -> tuple[Domain, ...]:
    """A domain for each field of the challenge's specs (JSON): see `nist_values`."""
    fields = nist_fields(path)
    maxima: dict[str, Any] = {
        name: field.get("maxval", field.get("max")) if isinstance(field, dict) else None
        for name, field in fields.items()
    }
    problems = [
        Problem(f"{path} [{name}]", f"maxval is {maximum!r}", "write a whole number of at least 0")
        for name, maximum in maxima.items()
        if not is_whole(maximum, 0, MOST_BINS)
    ]
    if not maxima:
        problems.append(Problem(str(path), "holds no fields", 'write {"FIELD": {"maxval": 9, ...}, ...}'))
    refuse(problems)
    return tuple(Domain(name, (name,), nist_values(maximum)) for name, maximum in maxima.items())


def nist_values(largest: int) -> IntegerRange | IntegerBins:
    """The whole numbers from 0 to `largest`; if they are more than MOST_VALUES, bins.

    Numbers below 100 have a bin each, others one for each pair of leading digits: 100-109, 1000-1099. The last two
    numbers have bins of their own.
    """
    if largest < MOST_VALUES:
        return IntegerRange(0, largest)
    last = largest - _ENDS
    bins = [(number, number) for number in range(100)]
    width = 10
    while bins[-1][1] < last:
        bins += [(first, first + width - 1) for first in range(10 * width, 100 * width, width)]
        width *= 10
    bins = [(first, min(end, last)) for first, end in bins if first <= last]
    return IntegerBins((*bins, *((number, number) for number in range(last + 1, largest + 1))))


def is_whole(value: object, least: int, most: int) -> bool:
    """Whether a value is a whole number in a range."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
