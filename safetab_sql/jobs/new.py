"""A parameter file and code lists for somebody's files, with every guess marked: `safetab-sql new`.

Of person files only the names and types of columns are looked at: a parameter file is public, so nothing in it may
follow from a record. Words of names are in small letters without accents, of some twenty languages that are written so.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.database import Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.sqlfiles import quoted_name
from safetab_sql.kit.whole_folders import whole_folder
from safetab_sql.kit.words import exact_text, filled, plain, words
from safetab_sql.public.columns import PERSON_ID, alike_names, is_list, is_text
from safetab_sql.public.expressions import named_columns
from safetab_sql.public.gate import Public, public_source, records_at
from safetab_sql.public.inputs import InputPaths, attempt, checked_public_inputs
from safetab_sql.public.lists import Groups, read_groups, write_lists
from safetab_sql.public.sources import find_source
from safetab_sql.public.text_files import parquet_files, source_columns
from safetab_sql.settings.geography import taken_names
from safetab_sql.settings.questions import EVERYBODYS_LEVEL, MOST_CODES, TAKEN_NAMES, VALUES_LEVEL
from safetab_sql.settings.unit import UNUSABLE

PARAMETERS, LISTS = "parameters.toml", "code-lists"
_FIVE_YEARS = (*(f"{age}-{age + 4}" for age in range(0, 90, 5)), "90+")
_MANY_REGIONS = 50  # so many of a kind, and more, are mostly small

# What words of columns mean.

_KNOWN = words(Path(__file__).with_name("templates") / "known_columns.toml")
_SEXES = {name: values for names, values in _KNOWN["sexes"].items() for name in names.split()}
_AGE_WORD = (
    "age|alter|edad|idade|eta|leeftijd|alder|ika|wiek|vek|eletkor|kor|yas|varsta|vanus|vecums|amzius|aldur|starost|dob|"
    "umur|usia|edat"
)
_AGE = re.compile(
    rf"(q?({_AGE_WORD})p?([_ ](in|em|en|v|w)?[_ ]?(years?|jahren?|anos?|annees?|anni|jaren|ar|aar))?|years)"
)
_BORN = re.compile(
    ".*(birth|geburt|geboor|naiss|nasc|nacim|fod(t|s)|foed|syntym|naro[dz]|urodz|szulet|dogum|sund|dzim|gimi|rojst).*|yob"
)
_DATE = re.compile("dat[aeou]|fecha|tag|day|dag|datums|paiva|kuupaev|tarih")
_BANDS = re.compile(
    rf"({_AGE_WORD}|alters|alders|leeftijds)[_ ]?(gro?u?p|grupo|groep|gruppe|bands?|class|klasse|range|cat|ryhma).*"
    r"|(faixa|grupo|classe?|tranche|rango|fascia|grupa|skupina)[_ ](.*[_ ])?(d[_ ]?)?"
    r"(age|idade|edad|eta|etari[ao]|quinquenal|wieku|vekova)"
)
_WEIGHT = re.compile(
    r"(.*[_ ])?(weight|wgt|weights|peso|poids|gewicht|fator|factor|waga|vikt|vekt|paino)([_ ].*)?|p?wgtp|perwt|hhwt"
)
_SURVEY = re.compile("pwgtp|perwt")  # columns of surveys that have one row a person
_ID_WORD = "id|no|nr|num|number|nummer|numero|key|uuid|pid|pnr"
_CODE_WORD = f"codes?|cod|codigo|cd|kode|kod|koodi|{_ID_WORD}"
_NAME_WORD = "names?|nome|nombre|nom|navn|namn|naam|label|title|bezeichnung|nazwa|nazev|nimi|nev|isim|denumire|ime"
_ID = re.compile(rf"(.*[_ ])?({_ID_WORD})|id[_ ].*|[a-z]*(nr|nummer|number|numero|key)|serialno|serial")
# Ids of what is no person.
_NO_PERSON = re.compile(
    r"(.*[_ ])?(visit|stay|record|row|line|case|event|episode|trip|payment|claim|invoice|order|house|household|"
    r"dwelling|building|address|family|sample|opphold|besuch|zeile|satz|linea|ligne)s?([_ ].*)?"
)
# What groups of people are mostly made of, and what else is asked.
_MAIN = re.compile(
    r"group|grupo|gruppe|race|rac1p|raca|raza|ethn|etni|ancest|ascend|(^|[_ ])anc([_ 0-9]|$)|origin|origem|origen|"
    r"herkunft|tribe|caste|diagn|code|codigo|(^|[_ ])(dg|icd|bno|mk[nb]|ci[dem])([_ 0-9]|$)"
)
_OTHER = re.compile(r"^hispan$|^hisp$|nation|nacion|lang|lingua|idioma|sprach|relig|question")
_NUMBERED = re.compile(r"(.*[^0-9_ ])[_ ]?([0-9]{1,2})")
_AROUND = re.compile(rf"^({_CODE_WORD}|{_NAME_WORD})([_ -]+|$)|[_ -]+({_CODE_WORD}|{_NAME_WORD})$")
_NAMED = re.compile(rf"(.*[_ -])?({_NAME_WORD})([_ -].*)?")
_COMMA_NUMBER = re.compile(r"-?[0-9]+(,[0-9]+)?")
_WIDEST_CODE = 18


@dataclass(frozen=True, slots=True)
class Region:
    """A region type: its name, the column or columns whose values are its ids, and how many regions there are.

    names: the column that names them, or None where none does. label: what one is called, as its column has it.
    """

    name: str
    columns: tuple[str, ...]
    regions: int
    names: str | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class GuessedColumns:
    """What the columns probably mean.

    place: the columns of the key, each with its digits, or None for text. regions: from coarse to fine, without the
    whole. repeated: columns of the key whose values repeat in several regions of another one, and that one; without the
    last of these. sex, age: their columns, or None where no column looks like one. sexes: values that mean male, and
    female. is_banded: whether ages look like bands, such as 0-4. born: of years of birth in place of ages, the year in
    which ages count. answers: the columns with codes of groups. are_named: whether the user named these. alike:
    columns that are called like these, but for a number. questions: by a name for each that may be a further question,
    its columns. ids: columns that may hold the id of a record. persons: columns that could hold the id of a person, or
    all that nothing reads. weights: columns that may hold weights. lists: columns of lists. unread: all others.
    """

    place: Mapping[str, int | None]
    regions: tuple[Region, ...]
    repeated: Mapping[str, str]
    sex: str | None
    age: str | None
    sexes: Sequence[Sequence[str]]
    is_banded: bool
    born: int | None
    answers: tuple[str, ...]
    are_named: bool
    alike: tuple[str, ...]
    questions: Mapping[str, tuple[str, ...]]
    ids: tuple[str, ...]
    persons: tuple[str, ...]
    weights: tuple[str, ...]
    lists: tuple[str, ...]
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TheirFiles:
    """The files of somebody who has no parameter file yet. groups: a table of groups. leave_out: as `unit.leave_out`.

    answers, sex, age: columns of the person files that need no guess. born: as in `GuessedColumns`.
    """

    persons: str | Path
    geography: str | Path
    groups: str | Path | None = None
    answers: tuple[str, ...] = ()
    sex: str | None = None
    age: str | None = None
    born: int | None = None
    leave_out: tuple[str, ...] = ()


def guessed_columns(columns: Mapping[str, pa.DataType], geography: pa.Table, named: TheirFiles) -> GuessedColumns:
    """What these columns probably mean. columns: of the person files, and their types.

    Raises: InputError where a named column is none, no place can be told, or a table of groups is without answers.
    """
    persons, lists = [*columns], tuple(name for name, kind in columns.items() if is_list(kind))
    fix = f"name one of them: {', '.join(persons)}"
    options = {"--answers": named.answers, "--sex": (named.sex,), "--age": (named.age,)}
    strange = [(option, name) for option, names in options.items() for name in names if name not in (None, *persons)]
    problems = [Problem(option, f"{name} is no column of the person files", fix) for option, name in strange]
    place = attempt(problems, lambda: _place(persons, geography)) or ()
    repeated = _repeated(geography, place)
    sex = named.sex or next(iter(_those(persons, lambda name: _stem(name) in _SEXES)), None)
    ages = _those(persons, _AGE.fullmatch) or _those(persons, _BANDS.fullmatch)
    born = [name for name in _those(persons, _BORN.fullmatch) if not ages and not _those((name,), _DATE.search)]
    age = named.age or next(iter(ages or born), None)
    others = [name for name in persons if name not in (sex, age, *geography.column_names)]
    single = [name for name in others if name not in lists]
    ids, of_persons = (called_ids(single, of_persons=each) for each in (False, True))
    weights = _those([name for name in single if name not in (*ids, *of_persons)], _WEIGHT.fullmatch)
    left = [name for name in others if name not in (*ids, *of_persons, *weights)]
    asked = _asked(left, lists) or ([tuple(left)] if len(left) == 1 else [])
    if named.groups and not (named.answers or asked):
        fix = f"name them: --answers A,B; columns are {', '.join(persons)}"
        problems.append(Problem("--answers", "no column looks like codes of groups", fix))
    refuse(problems)
    answers = named.answers or (asked[0] if asked else ())
    left = [name for name in left if name not in answers]
    alike = tuple(name for name in left if _numbered_stem(name) in {*map(_numbered_stem, answers)} - {None})
    questions = _asked([name for name in left if name not in alike], lists)
    read = {*alike, *(name for columns in questions for name in columns)}
    unread = tuple(name for name in left if name not in read)
    # By all columns that each place has, no record is in a place that one contradicts.
    shared = [field for field in geography.schema if field.name in persons and not pa.types.is_floating(field.type)]
    further = [field.name for field in shared if not geography[field.name].null_count]
    return GuessedColumns(
        place={name: _digits(geography[name]) for name in dict.fromkeys([*place, *further])},
        regions=tuple(_regions(geography, place, list(repeated))),
        repeated={name: coarser for name, coarser in repeated.items() if name != [*repeated][-1]},
        sex=sex,
        age=age,
        sexes=[values.split() for values in _SEXES.get(_stem(sex or ""), _SEXES["sex"])],
        is_banded=age is not None and _BANDS.fullmatch(plain(age)) is not None,
        born=named.born or (datetime.now(UTC).year - 1 if age in born else None),
        answers=answers,
        are_named=bool(named.answers),
        alike=alike,
        questions=dict(zip(_question_names(questions), questions, strict=True)),
        ids=ids,
        persons=of_persons or (() if _those(persons, _SURVEY.fullmatch) else unread),
        weights=weights,
        lists=lists,
        unread=unread,
    )


def _those(names: Iterable[str], matches: Callable[[str], object]) -> tuple[str, ...]:
    """The names that match, with and without a line between the words of one."""
    return tuple(name for name in names if matches(plain(name)) or matches(plain(name.lower())))


def called_ids(names: Iterable[str], *, of_persons: bool) -> tuple[str, ...]:
    """The columns that are called like ids: of persons, or of what is none."""
    found = _those(names, lambda name: PERSON_ID.fullmatch(name) or _ID.fullmatch(name))
    return tuple(name for name in found if of_persons != bool(_those((name,), _NO_PERSON.fullmatch)))


def _place(persons: Sequence[str], geography: pa.Table) -> tuple[str, ...]:
    """The fewest columns of both files that tell the rows of the geography apart."""
    shared = [name for name in geography.column_names if name in persons]
    alike = alike_names(geography.column_names, [name for name in persons if name not in shared])
    renamed = ", ".join(f"{name} to '{other}'" for name, other in alike)
    hint = f"rename {renamed} there: capitals, accents and spaces make a difference; or " if alike else ""
    if not shared and not alike:
        stems = {each: _stem(each) for each in (*geography.column_names, *persons)}
        begins = {each: {*re.findall(r"(?<![^_ ])[a-z]{4}", stem)} for each, stem in stems.items()}
        also = [pair for pair in product(geography.column_names, persons) if begins[pair[0]] & begins[pair[1]]]
        for name, other in also[:1]:
            codes = [each for each in geography.column_names if not _is_of_letters(geography[each]) and each != name]
            tell = [each for each in codes if _distinct(geography, [each, name]) == _distinct(geography, [each])]
            told = f", or {tell[0]} if '{other}' has its codes" if tell and _is_of_letters(geography[name]) else ""
            hint = f"if it is the same place, rename {name} to '{other}' there{told}; or "
    what = f"has no column of the person files; found {', '.join(geography.column_names)}"
    fix = f"{hint}give the column of the place one name in both files; person files have {', '.join(persons)}"
    refuse([] if shared else [Problem("--geography", what, fix)])
    for size in range(1, len(shared) + 1):
        for names in combinations(shared, size):
            if _distinct(geography, names) == geography.num_rows:
                return names
    what = f"has several rows with the same {', '.join(shared)}"
    fix = f"{hint}give each place one row, with columns that records have too"
    raise InputError([Problem("--geography", what, fix)])


def _distinct(table: pa.Table, names: Sequence[str]) -> int:
    return int(table.select(list(names)).group_by(list(names)).aggregate([]).num_rows)


def _digits(column: pa.ChunkedArray) -> int | None:
    """The number of digits, where every value is text of as many; else None, and values are compared as text."""
    values = column.to_pylist() if is_text(column.type) else [None]
    widths = {len(value) if value is not None and value.isascii() and value.isdigit() else 0 for value in values}
    return min(widths) if len(widths) == 1 and 1 <= min(widths) <= _WIDEST_CODE else None


def _repeated(geography: pa.Table, place: Sequence[str]) -> dict[str, str]:
    """Columns of the key that are numbers within another one, such as wards of a town, each with that one."""
    by_size = sorted(place, key=lambda name: _distinct(geography, [name]))
    return {
        name: coarser
        for coarser, name in combinations(by_size, 2)
        if _distinct(geography, [coarser, name]) > _distinct(geography, [name])
    }


def _regions(geography: pa.Table, place: Sequence[str], repeated: Sequence[str]) -> list[Region]:
    """The columns that divide the geography, from few regions to many, and the place itself, with their names.

    repeated: columns that are numbers within another one; the last one gives the place its name.
    """
    beside = _with_beside(geography.drop_columns(list(repeated)), place)
    names = {key: [name for name in others if _is_of_letters(geography[name])] for key, others in beside.items()}
    for key in [key for key, others in beside.items() if not others and key != tuple(place)]:
        if (owner := _named_twice(geography, key[0], list(names))) is not None:
            names[owner] = names[owner] or [*key]
            del names[key]
    found: list[Region] = []
    for key, others in names.items():
        stem, ordered = _stem(key[-1]), sorted(others, key=geography.column_names.index)
        called = max(ordered, key=lambda name: (_stem(name) == stem, bool(_NAMED.fullmatch(plain(name)))), default=None)
        name = _region_name(key[0] if len(key) == 1 else [*repeated, "PLACE"][len(repeated) - 1], found)
        found.append(Region(name, key, _distinct(geography, key), called, _label(key[-1])))
    return found


def _with_beside(geography: pa.Table, place: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """The ids of regions, few regions first and the place last, each with the columns that tell the same apart."""
    named = [name for name in geography.column_names if name in place or not _is_measured(geography[name])]
    sizes = {name: _distinct(geography, [name]) for name in named}
    alike: list[list[str]] = []
    lengths = {name: sum(map(len, map(str, geography[name].drop_null().to_pylist()))) for name in named}
    is_name = {name: bool(_NAMED.fullmatch(plain(name))) for name in named}
    for name in sorted(sizes, key=lambda each: (sizes[each], each not in place, is_name[each], lengths[each])):
        same = (names for names in alike if sizes[names[0]] == sizes[name] == _distinct(geography, [name, names[0]]))
        if 1 < sizes[name] < geography.num_rows:
            if (found := next(same, None)) is None:
                alike.append(found := [])
            found.append(name)
    finest = [name for name, size in sizes.items() if size == geography.num_rows > 1 and name not in place]
    return {(names[0],): names[1:] for names in alike} | {tuple(place): finest}


def _is_measured(column: pa.ChunkedArray) -> bool:
    """Whether a column holds numbers with decimals, such as areas, and no ids of regions; a text 1.2 may be one."""
    values = [value for value in column.to_pylist() if value is not None]
    if is_text(column.type):
        return any("," in value for value in values) and all(map(_COMMA_NUMBER.fullmatch, values))
    return any(isinstance(value, float | Decimal) and value % 1 for value in values)


def _named_twice(geography: pa.Table, column: str, keys: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The id of the regions that a column names, where some have one name: a name is called like the id."""
    stem, is_bare = _stem(column), re.fullmatch(_NAME_WORD, plain(column))
    owners = [keys[-1]] if is_bare else [key for key in keys if key != (column,) and stem and _stem(key[-1]) == stem]
    are_names = owners and _is_of_letters(geography[column])
    is_one_each = are_names and _distinct(geography, [column, *owners[0]]) == _distinct(geography, owners[0])
    return owners[0] if is_one_each else None


def _stem(column: str) -> str:
    """What a column is of, without the words for code and name: district of cod_district and DistrictName."""
    return _AROUND.sub("", plain(column))


def _label(column: str) -> str:
    """What a column is of, as people write it: Okres bydliště of OKRES_BYDLIŠTĚ."""
    start = max(0, plain(column).find(_stem(column)))
    said = column[start : start + len(_stem(column))] if len(plain(column)) == len(column) else column
    return re.sub(r"[\s_\x00-\x1f\x7f]+", " ", said).strip().capitalize()


def _is_of_letters(values: pa.ChunkedArray) -> bool:
    """Whether most values are texts with letters."""
    texts = [value for value in values.to_pylist() if value is not None] if is_text(values.type) else []
    return 2 * sum(any(map(str.isalpha, text)) for text in texts) > len(texts)


def _region_name(column: str, before: Sequence[Region]) -> str:
    """A name for the regions of a column that no region type has yet."""
    taken = {"COUNTRY", *(region.name for region in before)} | taken_names()
    said = [re.sub(r"[^A-Z0-9]+", "_", text.upper()).strip("_")[:24] for text in (_stem(column), plain(column))]
    named = [name if name[0].isalpha() else f"R{name}" for name in said if name] or ["REGION"]
    return next(free for free in (*named, *(f"{named[-1]}_{more}" for more in range(2, 1000))) if free not in taken)


def _asked(names: Sequence[str], lists: Sequence[str]) -> list[tuple[str, ...]]:
    """The columns of each question, the most probable one first; names that differ in a number alone are of one."""
    stems: dict[str, list[str]] = {}
    for name in names:
        stems.setdefault((name not in lists and _numbered_stem(name)) or f"{name} alone", []).append(name)
    called = {*_those(names, lambda name: _MAIN.search(name) or _OTHER.search(name))}
    called = called.difference(_those(names, _BANDS.fullmatch)).union(lists)
    asked = [tuple(columns) for columns in stems.values() if len(columns) > 1 or columns[0] in called]

    def unlikeliness(columns: Sequence[str]) -> tuple[bool, bool, bool, int]:
        return not _those(columns, _MAIN.search), len(columns) == 1, not _those(columns, _OTHER.search), -len(columns)

    return sorted(asked, key=unlikeliness)


def _numbered_stem(name: str) -> str | None:
    """What stands before the number of a column, in plain letters."""
    found = _NUMBERED.fullmatch(name)
    return plain(found[1]) if found else None


def _question_names(asked: Sequence[tuple[str, ...]]) -> list[str]:
    """A name for each question, after its columns."""
    names: list[str] = []
    for columns in asked:
        stem = (_numbered_stem(columns[0]) if len(columns) > 1 else None) or plain(columns[0])
        name = re.sub(r"[^a-z0-9]+", "_", stem).strip("_")[:24]
        name = name if name[:1].isalpha() else f"question_{name}".rstrip("_")
        taken = {*TAKEN_NAMES, "group", *names}
        names.append(next(free for free in (name, *(f"{name}_{more}" for more in range(2, 1000))) if free not in taken))
    return names


# --- what is written ---


@dataclass(frozen=True, slots=True)
class NewFiles:
    """What was made: the inputs of a run, and the text of the parameter file."""

    inputs: InputPaths
    text: str


def new(theirs: TheirFiles, out: str | Path, *, overwrite: bool = False) -> NewFiles:
    """Write parameters.toml and code-lists/ to the folder `out`: a beginning, to be read and changed by hand.

    Of the person files only names and types of columns get into it, though the first lines of a text are checked; the
    geography and the table of groups are public, and read whole. Raises: InputError with every problem of the files.
    """
    out = Path(out)
    guess, groups = _looked_at(theirs)
    values = _values(guess, groups, theirs.leave_out)
    with whole_folder(out, (PARAMETERS, LISTS), overwrite=overwrite) as folder:
        if groups is not None:
            (folder / LISTS).mkdir()
            write_lists(groups, folder / LISTS, several=len(guess.answers) > 1 or guess.answers[0] in guess.lists)
        (folder / PARAMETERS).write_text(filled(__file__, "new.toml", values), encoding="utf-8")
        with checked_public_inputs(folder / PARAMETERS, None, folder / LISTS if groups else None, Resources()):
            text = filled(__file__, "new.toml", {**values, "asks": True})
        (folder / PARAMETERS).write_text(text, encoding="utf-8")
    lists = None if groups is None else out / LISTS
    return NewFiles(InputPaths(out / PARAMETERS, theirs.persons, theirs.geography, lists), text)


def _looked_at(theirs: TheirFiles) -> tuple[GuessedColumns, Groups | None]:
    """What the columns of the files probably mean, and the table of groups. Raises: InputError with every problem."""
    known = ("age", "sex", *UNUSABLE)
    wrong, fix = [word for word in theirs.leave_out if word not in known], f"name some of {', '.join(known)}"
    found = [Problem("--leave-out", f"'{word}' is unknown", fix) for word in wrong]
    records = records_at(theirs.persons)
    persons = attempt(found, lambda: source_columns(find_source(theirs.persons), is_checked=True))
    geography = attempt(found, lambda: _geography(public_source("geography", theirs.geography, records)))
    groups = None if theirs.groups is None else attempt(found, lambda: read_groups(Path(str(theirs.groups)), records))
    guess = None
    if persons is not None and geography is not None:
        if groups is not None and not theirs.answers:  # a column of records that is called like the codes in the table
            theirs = replace(theirs, answers=tuple(name for name in groups.guessed[:1] if name in persons))
        guess = attempt(found, lambda: guessed_columns(persons, geography, theirs))
    if found or guess is None:
        raise InputError(found)
    return guess, groups


def _geography(public: Public) -> pa.Table:
    """The rows of the geography, in columns of single values. Raises: InputError where they cannot be read."""
    with scratch_folder(None) as scratch, open_database(scratch, public.files, [], Resources()) as database:
        tables = [pq.read_table(file) for file in parquet_files(database, public, scratch, "geography")]
    table = pa.concat_tables(tables, promote_options="default")
    if not table.num_rows:
        raise InputError([Problem(public.given, "holds no row", "give each place one row")])
    return table.select([each.name for each in table.schema if not pa.types.is_nested(each.type)])


def _values(guess: GuessedColumns, groups: Groups | None, leave_out: tuple[str, ...]) -> Mapping[str, object]:
    """What the template is filled with: a file that can be read, without questions."""
    of_groups = ([VALUES_LEVEL] if guess.answers else []) if groups is None else list(groups.levels)
    # no question is called like a level of groups: the level of its values has its name
    keys = {name: f"{name}_of_question" if name in of_groups else name for name in guess.questions}
    asked = guess.questions if groups is not None else {"group": guess.answers, **guess.questions}
    kinds = [EVERYBODYS_LEVEL, *of_groups, *keys.values()]
    levels = [f"{name}-{kind}" for name in ("COUNTRY", *(region.name for region in guess.regions)) for kind in kinds]
    return {
        "guess": guess,
        "ids": {region.name: " || '-' || ".join(map(_column, region.columns)) for region in guess.regions},
        "inner": {
            name: f"id = \"{_column(coarser)} || '-' || {_column(name)}\"" for name, coarser in guess.repeated.items()
        },
        "names": {region.name: _column(region.names) for region in guess.regions if region.names is not None},
        "keys": keys,
        "most_codes": MOST_CODES,
        "bands": _FIVE_YEARS,
        "ages": {f"{guess.born - age}": age for age in range(116)} if guess.born else {},
        "groups": groups,
        "leave_out": leave_out,
        "asks": False,
        "known": dict(_known({keys.get(name, name): columns for name, columns in asked.items()})),
        "many": _MANY_REGIONS,
        "levels": levels,
        "budget": exact_text(Fraction(max(1, 1000 // len(levels)), 1000)),
    }


def _known(asked: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Of questions of one column that many files have: what is published, of which codes, and what it is called."""
    for name, columns in asked.items():
        if len(columns) == 1 and (one := _KNOWN.get(columns[0].upper())) is not None:
            values = {code: f"{one['letter']}{code}" for code in range(one["first"], one["last"] + 1)}
            codes = {written: value for code, value in values.items() for written in (f"{code}", f"{code:02}")}
            labels = dict(zip(values.values(), one.get("labels", ()), strict=False))
            yield name, {"published": [*values.values()], "map": codes, "labels": labels}


def _column(name: str) -> str:
    """A column as an expression names it: in quotation marks, where SQL reads its name as something else."""
    return name if named_columns(name) == (name,) else quoted_name(name)


def new_text(made: NewFiles) -> str:
    """The guesses that were made, and the next commands, for people to read."""
    inputs, lines = made.inputs, enumerate(made.text.splitlines(), 1)
    guesses = [f"line {number}: {line}" for number, line in lines if re.search("GUESS:|= \\?{3}", line)]
    files = f"--persons '{inputs.persons}' --geography '{inputs.geography}'"
    lists = "" if inputs.code_lists is None else f" --code-lists {inputs.code_lists}"
    return "\n".join(
        [
            f"{inputs.parameters} has guesses; look at them before anything is released:",
            *(f"  {line}" for line in guesses),
            "then:",
            f"  safetab-sql validate --parameters {inputs.parameters} {files} --confidential-log validate-log",
            f"  safetab-sql run --parameters {inputs.parameters} {files} --out release --confidential-log run-log",
            f"  safetab-sql report release{lists} --out report.html",
            "Keep the logs: they say how many records are left out, and why. They are confidential.",
        ]
    )
