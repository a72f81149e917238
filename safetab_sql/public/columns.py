"""The columns that each input must have, and the macro of sql/macros that reads each from its stored type.

Production stores codes as text, and extracts often store them as numbers, or as fractions where some are missing; here
all become text of the right width.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import quoted_name
from safetab_sql.kit.words import plain
from safetab_sql.public.sources import FOLDER_NUMBER, UUID, FileTypes

# In small letters, what a column is called that may hold the id of a person.
PERSON_ID = re.compile(
    r"(?:.*[_ ])?(?:patient|person|resident|citizen|inhabitant|client|customer|member|insured|beneficiary|student|"
    r"paciente|utente|pessoa|persona|personne|residente|habitante?|cliente|beneficiari[oa]|einwohner|"
    r"pupil|subject|individual|taxpayer|employee|respondent|user)s?(?:[_ ]?(?:id|no|nr|number|key|uuid|hash|code))?"
    r"|(?:.*[_ ])?(?:pid|pnr|ssn|mrn|cpr|nino|bsn|burgerservicenummer|fnr|fodselsnummer|lopenr|lopenummer|personnummer|"
    r"personnr|hetu|henkilotunnus|nif|dni|nie|cpf|pesel|codice_fiscale|cnp|kennitala|isikukood|oib|emso|tckn|nik|svnr|ahv)"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a column holds, and the expression that reads it from each stored type; None where that cannot be read.

    {} stands for the column. text, whole, fraction: from text, whole numbers, and fractions. flag, date, time: from
    booleans, dates and times. nothing: where files store no value at all. width: digits of a code; the text `Null`
    means NULL. is_list: whether the column holds lists of such values; those that are NULL are passed over.
    """

    advice: str
    text: str
    nothing: str = "as_text({})"
    whole: str | None = None
    fraction: str | None = None
    flag: str | None = None
    date: str | None = None
    time: str | None = None
    width: int | None = None
    is_list: bool = False


def code_of(width: int) -> Kind:
    """A code of `width` digits, stored as text or as a number; one of one digit has no leading zeros to lose."""
    return Kind(
        advice=f"store it as text of {width} digits, or as a number, in every file alike",
        text=f"code_from_text({{}}, {width})",
        whole="as_text({})" if width == 1 else f"code_from_number({{}}, {width})",
        fraction=f"code_from_fraction({{}}, {width})",
        width=width,
    )


_A_NUMBER = "store it as a number, or as text that spells one, in every file alike"

TEXT = Kind("store it as text", text="{}")  # free text
# A value with only one spelling: text, a whole number, a boolean or a date, read as text.
PLAIN = Kind(
    "store it as text, numbers, booleans or dates, in every file alike",
    text="{}",
    whole="as_text({})",
    fraction="code_from_fraction({}, 0)",
    flag="as_text({})",
    date="as_text({})",
)
ANSWER = replace(PLAIN, text="answer_from_text({})")  # a code of any letters; nothing and the text `Null` mean NULL
AMOUNT = Kind(_A_NUMBER, text="{}", whole="as_text({})", fraction="as_text({})")  # maybe a fraction, read as text
# A whole number; text that spells a whole number is read as that number, other text as NULL.
WHOLE = Kind(
    _A_NUMBER,
    text="whole_number_from_text({})",
    nothing="as_whole_number({})",
    whole="as_whole_number({})",
    fraction="whole_number_from_fraction({})",
)
# The person of a record. Numbers stay numbers, which are grouped faster than text; fractions merge long ones.
PERSON = Kind("store it as text or whole numbers, in every file alike", text="person_from_text({})", whole="{}")
# What records are ordered by.
ORDERED = Kind(
    "store it as text, numbers, booleans, dates or times",
    text="ordered_text({})",
    whole="{}",
    fraction="number_or_null({})",
    flag="{}",
    date="{}",
    time="{}",
)
# True, False or Null, as text or as a boolean.
FLAG = Kind(
    "store it as a boolean, or as the text True, False or Null",
    text="flag_from_text({})",
    nothing="flag_from_text(as_text({}))",
    flag="{}",
)

_MOST_DIGITS = 38  # of a decimal in DuckDB; it makes a double of a wider one
StoredTypes = Sequence[Mapping[str, pa.DataType]]  # of each file, the columns and their types
_DIGITS = {"TABBLKST": 2, "TABBLKCOU": 3, "TABTRACTCE": 6, "TABBLK": 4, "PLACEFP": 5, "AIANNHCE": 4}
GEOGRAPHY: Mapping[str, Kind] = {name: code_of(width) for name, width in _DIGITS.items()}


def alike_names(found: Iterable[str], wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Columns that differ from a wanted one in capitals, accents or spaces around it (then in marks), each with it."""
    spelt = {each: plain(each.strip().lower()) for each in wanted}
    alike = [(name, each) for name in found for each in wanted if plain(name.strip().lower()) == spelt[each]]
    return [(name if name == name.strip() else f"'{name}'", each) for name, each in alike]


def _fix_of_missing(missing: Sequence[str], found: Iterable[str]) -> str:
    """What to do about missing columns: often one is there in other capitals, or with other accents."""
    alike = alike_names(found, missing)
    renamed = ", ".join(f"{name} to {wanted}" for name, wanted in alike)
    named = ", ".join(f"{name} for {wanted}" for name, wanted in alike)
    fixes = [f"rename {renamed}: capitals, accents and spaces make a difference; or write {named} in the parameters"]
    others = "add the columns, or rename those that hold them"
    if len(names := list(found)) == 1 or (names and names[0].isdecimal()):
        others += "; the first line of a text file names its columns, separated by |, commas, semicolons or tabs"
    are_all = {each for _, each in alike} == {*missing}
    return "; ".join([*(fixes if alike else []), *([] if are_all else [others])])


def column_expressions(where: str, files: StoredTypes, wanted: Mapping[str, Kind]) -> dict[str, str]:
    """The call that reads each wanted column, given the stored types in each file of one input; text needs none.

    Raises: InputError with every column that is missing, or whose types will not do.
    """
    lacking = [types for types in files if not wanted.keys() <= types.keys()]
    missing = [name for name in wanted if any(name not in types for types in lacking)]
    problems = []
    if missing:
        found = ", ".join(lacking[0]) or "none"
        share = f" in {len(lacking)} of {len(files)} files{_named(lacking)}" if len(files) > 1 else ""
        what = f"missing column{'s' if len(missing) > 1 else ''} {', '.join(missing)}{share}; found {found}"
        problems.append(Problem(where, what, _fix_of_missing(missing, lacking[0])))
    problems += _ambiguous(where, files, wanted)
    expressions = {}
    for name in [name for name in wanted if name not in missing]:
        kinds = known_types([types[name] for types in files])
        expressions[name] = _reading(name, wanted[name], kinds)
        if not expressions[name]:
            alike = {kind: [types for types in files if types[name] == kind] for kind in kinds}
            stored_as = [f"{kind}{_named(alike[kind]) if len(kinds) > 1 else ''}" for kind in sorted(kinds, key=str)]
            fix = wanted[name].advice
            if any(map(pa.types.is_nested, kinds)):
                part = "FIELD" if any(map(pa.types.is_struct, kinds)) else 1
                fix = f"make columns of it in SQL, such as {name}[{part!r}] as {name}_{part}, and name these; or {fix}"
                fix += "; lists of codes are read where a question has column and at_most"
            problems.append(Problem(f"{where} [{name}]", f"stored as {', '.join(stored_as)}", fix))
    refuse(problems)
    return expressions


_MOST_FILES = 3  # that a message names


def _named(files: StoredTypes) -> str:
    """The first of these files, in brackets, where their names are known."""
    names = [each.file for each in files if isinstance(each, FileTypes)]
    more = ", ..." if len(names) > _MOST_FILES else ""
    return f" ({', '.join(names[:_MOST_FILES])}{more})" if names else ""


def _reading(name: str, kind: Kind, stored: set[pa.DataType]) -> str:
    """The call that reads a column of files with these types.

    It is empty where the files cannot be read together: DuckDB unites them in one type, and a value must not depend on
    what another file holds. Whole numbers beside fractions of one type are fractions, but for ids, which would merge.
    """
    if kind.is_list:  # read without what means no code; files that hold no lists beside such as do cannot be read
        values = [each.value_type if is_list(each) else each for each in stored]
        are_lists = all(is_list(each) or pa.types.is_null(each) for each in stored)
        read = _reading("code", replace(kind, is_list=False), known_types(values)) if are_lists else ""
        codes = f"list_transform({quoted_name(name)}, lambda code: {read})"
        return read and f"list_filter({codes}, lambda code: code is not null)"
    plain = {each.value_type if pa.types.is_dictionary(each) else each for each in stored}
    families = {*map(_family, plain)}
    fractions = {each for each in plain if _is_fraction(each)}
    is_united = kind is not PERSON and all(pa.types.is_integer(each) for each in plain - fractions)
    is_exact = all(pa.types.is_float64(each) or pa.types.is_decimal(each) for each in fractions)
    if len(families) > 1 and not (is_united and is_exact and len({*map(_family, fractions)}) == 1):
        return ""
    return _expression(name, kind, next(iter(fractions or plain)))


def _family(stored: pa.DataType) -> str:
    """What types have in common that DuckDB unites without a change of any value."""
    if is_text(stored) or is_whole(stored):
        return "text" if is_text(stored) else "whole number"
    return f"decimal of scale {stored.scale}" if pa.types.is_decimal(stored) else str(stored)


def known_types(stored: Sequence[pa.DataType]) -> set[pa.DataType]:
    """The types that files store a column in, without the type null of files in which every value is NULL.

    If the type null of common writers counted, one person with a value could decide whether a file can be read.
    """
    return {kind for kind in stored if not pa.types.is_null(kind)} or set(stored)


def _ambiguous(where: str, files: StoredTypes, wanted: Mapping[str, Kind]) -> list[Problem]:
    """Columns that differ from a wanted column only in capitals, which SQL does not distinguish."""
    problems = []
    for name in wanted:
        both = {other for types in files if name in types for other in types if other.upper() == name.upper()}
        if alike := sorted(both - {name}):
            what = f"{', '.join(alike)} stands beside it, and SQL does not tell the two apart"
            problems.append(Problem(f"{where} [{name}]", what, "rename or drop one of them"))
    return problems


def _expression(name: str, kind: Kind, stored: pa.DataType) -> str:
    column = quoted_name(name)
    if stored == FOLDER_NUMBER:
        column, stored = f"signed_number_from_text({column})", pa.int64()
    elif stored == UUID:
        column, stored = f"as_text({column})", pa.string()
    readings = (
        (pa.types.is_null, kind.nothing),
        (is_text, kind.text),
        (is_whole, kind.whole),
        (_is_fraction, kind.fraction),
        (pa.types.is_boolean, kind.flag),
        (pa.types.is_date32, kind.date),
        (pa.types.is_timestamp, kind.time),
    )
    return next((read.format(column) for is_stored, read in readings if read is not None and is_stored(stored)), "")


def is_text(stored: pa.DataType) -> bool:
    """Whether a column stores text, in any of Arrow's layouts."""
    return bool(pa.types.is_string(stored) or pa.types.is_large_string(stored) or pa.types.is_string_view(stored))


def is_list(stored: pa.DataType) -> bool:
    """Whether a column stores lists, in any of Arrow's layouts."""
    return bool(pa.types.is_list(stored) or pa.types.is_large_list(stored) or pa.types.is_fixed_size_list(stored))


def is_whole(stored: pa.DataType) -> bool:
    """Whether a column stores whole numbers, of at most as many digits as DuckDB has: of databases often decimals."""
    is_decimal = pa.types.is_decimal(stored) and stored.precision <= _MOST_DIGITS
    return bool(pa.types.is_integer(stored) or (is_decimal and stored.scale == 0))


def _is_fraction(stored: pa.DataType) -> bool:
    is_decimal = pa.types.is_decimal(stored) and stored.precision <= _MOST_DIGITS
    return bool(pa.types.is_floating(stored) or (is_decimal and stored.scale != 0))
