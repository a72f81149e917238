"""Made-up records and places for any parameter file with a geography of its own, to try it before real ones are read.

Nothing is realistic but the shape: some places and some codes are common and most are rare, some records have several
codes, some are outside the universe or have an unknown age where the parameters speak of that. They describe nobody.
"""

import shutil
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.whole_folders import check_new_folder, whole_folder
from safetab_sql.public.expressions import columns_of, presumed_columns
from safetab_sql.public.inputs import InputPaths, checked_public_inputs, code_lists_of
from safetab_sql.settings.attributes import EACH, Attribute
from safetab_sql.settings.geography import Part, PlaceColumn
from safetab_sql.settings.labels import LABELS_KEY
from safetab_sql.settings.ladders import Amount, amounts
from safetab_sql.settings.parameters import Parameters, load_parameters
from safetab_sql.settings.questions import Question
from safetab_sql.settings.reading import BASE, read_toml
from safetab_sql.settings.unit import Unit
from safetab_sql.simulation.geography import size_problems

CONTENTS = ("persons.parquet", "geography.parquet", "code-lists", "parameters.toml")
MOST_RECORDS = 10_000_000
_RECORDS_A_PLACE, _MOST_PLACES = 250, 2_000
_RECORDS_A_PERSON, _MOST_OF_A_PERSON = 4, 36
_OUTSIDE, _UNKNOWN = 0.1, 0.003  # shares of records outside the universe, and without an age
_MAPPED = 0.05  # of records whose value is written as one that counts as another, or is missing where that counts
_TYPICAL, _SKEW = 8, 1.0  # amounts: the median is about an eighth of the clamp
_SEVERAL = (0.85, 0.12, 0.03)  # chances of one code, two, three
_TITLE = "Made-up records"


def simulated_toml(title: str) -> str:
    """The lines of a parameter file or specification for made-up people."""
    return f'title = "{title}"\nis_simulated = true  # the people are made up: take this line out for people of yours\n'


def of_made_up_people(title: str, text: str) -> str:
    """A parameter file or specification, with the lines for made-up people.

    Without the line that names its schema: that is a path from the place of the original.
    """
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith("#:schema ")]
    return f"{simulated_toml(title)}\n{''.join(kept)}"


def simulate_shape(
    out: str | Path,
    parameters: str | Path,
    *,
    people: int,
    code_lists: str | Path | None = None,
    seed: int = 0,
    overwrite: bool = False,
) -> InputPaths:
    """Write `people` made-up records, places for them and copies of the parameters and lists; the inputs of a run.

    Raises: InputError with every problem of the parameters and lists, or where they have the geography of the census.
    """
    out, source = Path(out), Path(parameters)
    read, written = load_parameters(source), read_toml(source).tables.get(LABELS_KEY, {})
    labels = [each for each in written.values() if isinstance(each, str)] if isinstance(written, Mapping) else []
    contents = (*CONTENTS, *labels)
    refuse(_problems(read, people, seed) + check_new_folder(out, contents, overwrite=overwrite))
    lists = code_lists_of(source, code_lists, read)
    codes = _codes(source, code_lists, read)
    places = _places(read, max(6, min(_MOST_PLACES, people // _RECORDS_A_PLACE)))
    records = _records(read, codes, places, people, np.random.default_rng(seed))
    with whole_folder(out, contents, overwrite=overwrite) as folder:
        pq.write_table(pa.table(places), folder / "geography.parquet")
        pq.write_table(pa.table(records), folder / "persons.parquet")
        text = source.read_text(encoding="utf-8-sig")
        if not {"title", "is_simulated"} & read_toml(source).tables.keys():
            text = of_made_up_people(_TITLE, text)
        (folder / "parameters.toml").write_text(text, encoding="utf-8")
        for name in labels:
            shutil.copyfile(source.parent / name, folder / name)
        if lists:
            (folder / "code-lists").mkdir()
        for file in [file for found in lists.values() for file in found.files]:
            shutil.copyfile(file, folder / "code-lists" / file.name)
    beside = out / "code-lists" if lists else None
    return InputPaths(out / "parameters.toml", out / "persons.parquet", out / "geography.parquet", beside)


def _problems(parameters: Parameters, people: int, seed: int) -> list[Problem]:
    problems = []
    if parameters.geography.elsewhere or parameters.questions.shared.digits:
        what = "has the geography or the questions of the 2020 Census"
        fix = "leave --parameters out: `simulate` then makes a nation of that shape, with parameters"
        problems.append(Problem(str(parameters.source), what, fix))
    elif BASE in read_toml(parameters.source).tables or parameters.source.suffix != ".toml":
        fix = "write the settings of its base into it"
        problems.append(Problem(str(parameters.source), "is not one whole TOML file", fix))
    return problems + size_problems(f"{people:,} records", people, 1, MOST_RECORDS, seed)


def _codes(source: Path, code_lists: str | Path | None, parameters: Parameters) -> dict[str, list[str]]:
    """The codes of each question that lead to an iteration, in the order of the lists."""
    with checked_public_inputs(source, None, code_lists, Resources()) as intake:
        iterations = intake.database.table("iteration_rows").to_pylist()
        members = intake.database.table("code_iteration_rows").to_pylist()
    kinds = {row["iteration_code"]: row["iteration_kind"] for row in iterations}
    asked = parameters.questions
    of = {kind: question.name for question in asked.all for kind in asked.kinds(question)}
    found: dict[str, dict[str, None]] = {question.name: {} for question in parameters.questions.all}
    for row in members:
        found[of[kinds[row["iteration_code"]]]][row["code"]] = None
    return {name: list(codes) for name, codes in found.items()}


def _places(parameters: Parameters, wanted: int) -> dict[str, list[str]]:
    """The geography, of at most about `wanted` rows: each part has as many.

    Columns that ids of regions read divide the places in order: the first of them into the fewest regions.
    """
    columns, parts, key = presumed_columns(parameters), parameters.geography.parts, parameters.geography.place
    each = ceil(wanted / len(parts))
    rows = [row for number, part in enumerate(parts) for row in _places_of_part(key, part, number * each, each)]
    names = _ids_named(parameters, columns)
    others = [name for name in columns if name not in names and any(name not in row for row in rows)]
    for number, row in enumerate(rows):
        for place, name in enumerate(others, start=1):
            regions = max(2, round(len(rows) ** (place / (len(others) + 1))))
            row.setdefault(name, f"{name[:1].upper()}{number * regions // len(rows) + 1}")
        for name, ids in names.items():
            row.setdefault(name, " ".join([name.removesuffix("_NAME").title(), *(row[each] for each in ids)]))
    return {name: [row[name] for row in rows] for name in columns}


def _ids_named(parameters: Parameters, columns: Sequence[str]) -> dict[str, list[str]]:
    """The columns with nothing but names of regions, each with the columns of the ids of all regions that it names."""
    kinds = [kind for kind in parameters.region_types if kind.region_name is not None]
    read = {name.upper() for name in columns_of("id", parameters.region_types)}
    of = {kind.name: {name.upper() for name in columns_of("id", [kind])} for kind in kinds}
    found = {}
    for name in dict.fromkeys(name for name in columns_of("name", kinds) if name.upper() not in read):
        named = [of[kind.name] for kind in kinds if name in columns_of("name", [kind])]
        found[name] = [column for column in columns if column.upper() in set.intersection(*named)]
    return found


def _places_of_part(key: Sequence[PlaceColumn], part: Part, first: int, wanted: int) -> list[dict[str, str]]:
    """Places of one part; free columns of the key count from `first` on. Codes of few digits give fewer."""
    free = [column for column in key if column.name not in part.where]
    base = max(2, ceil((_MOST_PLACES + wanted) ** (1 / max(1, len(free)))))
    rows = []
    for number in range(first, first + (wanted if free else 1)):
        row = {name: listed[number % len(listed)] for name, listed in part.where.items()}
        for power, column in enumerate(reversed(free)):
            place, digits = number // base**power % base + 1, column.digits
            row[column.name] = f"{column.name[:1].upper()}{place}" if digits is None else f"{place:0{digits}d}"
        rows.append(row)
    return [row for row in rows if all(len(row[column.name]) <= (column.digits or 99) for column in key)]


def _records(
    parameters: Parameters,
    codes: Mapping[str, Sequence[str]],
    places: Mapping[str, Sequence[str]],
    people: int,
    random: np.random.Generator,
) -> dict[str, pa.Array]:
    """The records, by column. codes: of each question, by its name. places: by column of the geography."""
    unit = parameters.unit
    rows = len(next(iter(places.values())))
    lived = random.choice(rows, people, p=_shares(rows))
    found: dict[str, pa.Array] = {}
    if unit.id is not None:
        found[unit.id] = pa.array([str(number) for number in range(1, people + 1)])
    for column in parameters.geography.place:
        found[column.name] = pa.array(places[column.name]).take(pa.array(lived))
    # sexes before ages: the same seed gives the same records as ever
    for attribute in sorted(parameters.attributes, key=lambda attribute: not attribute.is_listed):
        found[attribute.column] = _attribute_column(attribute, people, random, unit)
    for question in parameters.questions.asked:
        found |= _answers(question, codes[question.name], people, random)
    for name, listed in unit.where.items():
        is_outside = random.random(people) < _OUTSIDE
        values = np.where(is_outside, len(listed), random.integers(0, len(listed), people))
        found.setdefault(name, pa.array([*listed, "other"]).take(pa.array(values)))
    if unit.person is not None:
        # In no order: most persons have few records, and nobody has more than 36.
        counts = np.minimum(random.geometric(1 / _RECORDS_A_PERSON, people), _MOST_OF_A_PERSON)
        persons = random.permutation(np.repeat(np.arange(1, people + 1), counts)[:people])
        found.setdefault(unit.person, pa.array([f"P{number}" for number in persons.tolist()]))
    for name, _ in unit.keep.columns:
        days = np.datetime64("2020-01-01") + random.integers(0, 366, people)
        found.setdefault(name, pa.array(np.datetime_as_string(days)))
    return {**{amount.column: _amounts(amount, people, random) for amount in amounts(parameters.ladders)}, **found}


def _amounts(amount: Amount, people: int, random: np.random.Generator) -> pa.Array:
    """Numbers, most of them low, and a few above the clamp: their logarithms are normal."""
    drawn = random.lognormal(np.log1p(amount.most / _TYPICAL), _SKEW, people)
    whole = np.minimum(drawn, 2**31 - 1).astype(np.int64)
    return pa.array(whole / 10**amount.decimals if amount.decimals else whole)


def _attribute_column(attribute: Attribute, people: int, random: np.random.Generator, unit: Unit) -> pa.Array:
    """The values of an attribute: numbers that are mostly low, or one value of each group of a list."""
    if attribute.is_listed:
        grouping = attribute.grouping(next(iter(attribute.groups), EACH))
        firsts = [attribute.values[grouping.members.index(group)] for group in range(len(grouping.codes))]
        values = pa.array(firsts).take(pa.array(random.integers(0, len(firsts), people)))
        return _as_in_files(values, attribute.map, attribute.null, random)
    spread = (attribute.maximum - attribute.minimum) / 115  # of ages, 0 to 115, it is 1
    drawn = random.gamma(2.2, 17 * spread, people) + attribute.minimum
    numbers = np.clip(drawn, None, attribute.maximum).astype(np.int64)
    if attribute.unknown and attribute.name.lower() in unit.leave_out:
        numbers[random.random(people) < _UNKNOWN] = attribute.unknown[0]
    return _as_in_files(pa.array(numbers), attribute.map, attribute.null, random)


def _as_in_files(
    values: pa.Array, mapped: Mapping[str, str | int], null: str | int | None, random: np.random.Generator
) -> pa.Array:
    """Values as a file may have them: some of each are written in each way that counts as one, and some are missing."""
    written = [*mapped, *([] if null is None else [None])]
    if not written:
        return values
    kinds = random.choice(len(written) + 1, len(values), p=[1 - _MAPPED, *[_MAPPED / len(written)] * len(written)])
    own = pa.array(written, pa.string()).take(pa.array(np.maximum(kinds - 1, 0)))
    return pa.compute.if_else(pa.array(kinds == 0), values.cast(pa.string()), own)


def _answers(question: Question, codes: Sequence[str], people: int, random: np.random.Generator) -> dict[str, pa.Array]:
    """The columns of a question: every record has one code, and some have further ones, all different."""
    columns = question.columns[: len(codes)]
    chances = np.array([*_SEVERAL, *[0.0] * len(columns)][: len(columns)])
    given = random.choice(len(columns), people, p=chances / chances.sum()) + 1
    place = random.choice(len(codes), people, p=_shares(len(codes)))
    room = max(1, (len(codes) - 1) // max(1, len(columns) - 1))  # so that no step leads back to the first code
    found = {}
    for number, column in enumerate(columns, start=1):
        values = pa.array(codes).take(pa.array(place))
        if number == 1:
            null = question.counted_as.null if len(columns) == 1 else None
            values = _as_in_files(values, question.counted_as.map, null, random)
        found[column] = pa.compute.if_else(pa.array(given >= number), values, pa.scalar(None, pa.string()))
        place = (place + random.integers(1, room + 1, people)) % len(codes)
    if question.list_column:
        rows = zip(*(each.to_pylist() for each in found.values()), strict=True)
        return {question.list_column: pa.array([[code for code in row if code is not None] for row in rows])}
    return found | {column: pa.nulls(people, pa.string()) for column in question.columns[len(codes) :]}


def _shares(things: int) -> np.ndarray:
    """The share of each of so many things: the first is the most common, and most are rare. float64[things]."""
    weights = 1 / np.arange(1, things + 1, dtype=np.float64)
    return np.asarray(weights / weights.sum())
