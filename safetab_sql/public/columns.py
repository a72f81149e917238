"""The columns that each input must have, and the macro of sql/macros that reads each from its stored type.

Production stores codes as text, and extracts often store them as numbers, or as fractions where some are missing; here
all become text of the right width.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import quoted_name


@dataclass(frozen=True, slots=True)
class Code:
    """A code of `width` digits, stored as text or as a whole number; the text `Null` means NULL."""

    width: int


@dataclass(frozen=True, slots=True)
class Text:
    """Free text."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number; text that spells a whole number is read as that number, other text as NULL."""


@dataclass(frozen=True, slots=True)
class Flag:
    """True, False or Null, as text or as a boolean."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A value with only one spelling: text, a whole number, a boolean or a date, read as text."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that may be a fraction, read as text."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A code of any letters, as text or as a whole number; nothing and the text `Null` mean NULL."""


StoredTypes = Sequence[Mapping[str, pa.DataType]]  # of each file, the columns and their types
Kind = Code | Text | Whole | Flag | Plain | Amount | Answer

GEOGRAPHY: Mapping[str, Kind] = {
    "TABBLKST": Code(2),
    "TABBLKCOU": Code(3),
    "TABTRACTCE": Code(6),
    "TABBLK": Code(4),
    "PLACEFP": Code(5),
    "AIANNHCE": Code(4),
}


def _fix_of_missing(missing: Sequence[str], found: Iterable[str]) -> str:
    """What to do about missing columns: often one is there in other capitals."""
    alike = [f"{name} to {wanted}" for name in found for wanted in missing if name.lower() == wanted.lower()]
    renamed = f"rename {', '.join(alike)}: capitals make a difference; " if alike else ""
    return f"{renamed}add the columns, or rename those that hold them"


def column_expressions(
    where: str, files: Sequence[Mapping[str, pa.DataType]], wanted: Mapping[str, Kind]
) -> dict[str, str]:
    """The call that reads each wanted column, given the stored types in each file of one input; text needs none.

    Raises: InputError that lists every column that is missing, of an unusable type, or of different types in
    different files.
    """
    missing = [name for name in wanted if any(name not in types for types in files)]
    problems = []
    if missing:
        lacking = [types for types in files if not set(missing) <= types.keys()]
        found = ", ".join(lacking[0]) or "none"
        share = f" in {len(lacking)} of {len(files)} files" if len(files) > 1 else ""
        what = f"missing column{'s' if len(missing) > 1 else ''} {', '.join(missing)}{share}; found {found}"
        problems.append(Problem(where, what, _fix_of_missing(missing, lacking[0])))
    problems += _ambiguous(where, files, wanted)
    expressions = {}
    for name, kind in wanted.items():
        if name in missing:
            continue
        kinds = known_types([types[name] for types in files])
        if len(kinds) > 1 and all(map(_is_number, kinds)) and any(map(_is_fraction, kinds)):
            kinds = set(filter(_is_fraction, kinds))  # DuckDB unites the files as fractions
        readings = {_expression(name, kind, stored) for stored in kinds}
        if None in readings or len(readings) > 1:
            stored_as = ", ".join(sorted(map(str, kinds)))
            problems.append(Problem(f"{where} [{name}]", f"stored as {stored_as}", _advice(kind)))
        expressions[name] = next(iter(readings)) or ""
    if problems:
        raise InputError(problems)
    return expressions


def known_types(stored: Sequence[pa.DataType]) -> set[pa.DataType]:
    """The types that files store a column in, without the type null of files in which every value is NULL.

    Common writers give such a column the type null. If null counted as a type, one person with a value could decide
    whether a file can be read. Null is returned only if no file has another type.
    """
    return {kind for kind in stored if not pa.types.is_null(kind)} or set(stored)


def _ambiguous(where: str, files: Sequence[Mapping[str, pa.DataType]], wanted: Mapping[str, Kind]) -> list[Problem]:
    """Columns that differ from a wanted column only in capitals, which SQL does not distinguish."""
    problems = []
    for name in wanted:
        alike = sorted({other for types in files for other in types if other != name and other.upper() == name.upper()})
        if alike and any(name in types for types in files):
            what = f"{', '.join(alike)} stands beside it, and SQL does not tell the two apart"
            problems.append(Problem(f"{where} [{name}]", what, "rename or drop one of them"))
    return problems


def _expression(name: str, kind: Kind, stored: pa.DataType) -> str | None:
    """The expression that reads column `name`; None if its stored type cannot be used."""
    quoted = quoted_name(name)
    if pa.types.is_dictionary(stored):
        stored = stored.value_type
    if pa.types.is_null(stored):
        return _from_nothing(quoted, kind)
    if pa.types.is_string(stored) or pa.types.is_large_string(stored) or pa.types.is_string_view(stored):
        return _from_text(quoted, kind)
    is_plain = pa.types.is_integer(stored) or pa.types.is_boolean(stored) or _is_date(stored)
    if (isinstance(kind, Plain | Answer) and is_plain) or (isinstance(kind, Amount) and _is_number(stored)):
        return f"as_text({quoted})"
    if pa.types.is_boolean(stored) and isinstance(kind, Flag):
        return f"as_flag({quoted})"
    return _from_number(quoted, kind, stored)


def _from_nothing(quoted: str, kind: Kind) -> str:
    match kind:
        case Whole():
            return f"as_whole_number({quoted})"
        case Flag():
            return f"as_flag({quoted})"
        case Code() | Text() | Plain() | Amount() | Answer():
            return f"as_text({quoted})"


def _from_number(quoted: str, kind: Kind, stored: pa.DataType) -> str | None:
    """The expression that reads a column of numbers; None if it stores something else, or must not store numbers."""
    is_whole = pa.types.is_integer(stored)
    if not is_whole and not _is_fraction(stored):
        return None
    match kind:
        case Code(1) if is_whole:  # which has no leading zeros to lose
            return f"as_text({quoted})"
        case Code(width):
            return f"code_from_number({quoted}, {width})" if is_whole else f"code_from_fraction({quoted}, {width})"
        case Plain() | Answer():
            return f"code_from_fraction({quoted}, 0)"
        case Whole():
            return f"as_whole_number({quoted})" if is_whole else f"whole_number_from_fraction({quoted})"
        case Text() | Flag() | Amount():
            return None


def _from_text(quoted: str, kind: Kind) -> str:
    match kind:
        case Code():
            return f"code_from_text({quoted})"
        case Text() | Plain() | Amount():
            return quoted
        case Answer():
            return f"answer_from_text({quoted})"
        case Whole():
            return f"whole_number_from_text({quoted})"
        case Flag():
            return f"flag_from_text({quoted})"


def _is_number(stored: pa.DataType) -> bool:
    return bool(pa.types.is_integer(stored) or _is_fraction(stored))


def _is_fraction(stored: pa.DataType) -> bool:
    return bool(pa.types.is_decimal(stored) or pa.types.is_floating(stored))


def _is_date(stored: pa.DataType) -> bool:
    return bool(pa.types.is_date32(stored))


def _advice(kind: Kind) -> str:
    match kind:
        case Code(width):
            return f"store it as text of {width} digits, or as a number, in every file alike"
        case Text():
            return "store it as text"
        case Whole():
            return "store it as a number, or as text that spells one, in every file alike"
        case Flag():
            return "store it as a boolean, or as the text True, False or Null"
        case Plain() | Answer():
            return "store it as text, numbers, booleans or dates, in every file alike"
        case Amount():
            return "store it as a number, or as text that spells one, in every file alike"
