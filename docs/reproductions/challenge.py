"""The files and the scores of the NIST challenge of 2018, third match: `python -m docs.reproductions.challenge`.

    domains specs.json --code-book codebook.cbk > fields.toml
    score --specs specs.json --data exact.csv --synthetic synthetic.csv

`domains` writes the fields of the challenge's JSON as the [domains] of a specification of `synthesize run`, which lays
its own over them with base = "fields.toml". `score` gives the challenge's three scores, of public or synthetic data.
Source: challenge.md, and the challenge's published scorer.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path
from statistics import fmean

import duckdb
import numpy as np
import numpy.typing as npt

from safetab_sql.confidential.records import find_records
from safetab_sql.evaluation.score import FULL_SCORE
from safetab_sql.histograms.public.synthesis_spec import MOST_BINS, MOST_VALUES
from safetab_sql.histograms.published.sampling import Generator, generator, random_sets
from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.whole_folders import PHRASE
from safetab_sql.kit.words import aligned
from safetab_sql.public.gate import public_file, records_at

MARGINALS, RULES, BUCKETS = 100, 300, 100
_WAYS = 3
_CHANCE = 0.1  # of a field to be in a rule
_LEAST_SHARE = 1e-6  # a smaller share of synthetic rows counts as this one
_INCOME = ("CITY", "SEX", "INCWAGE")
_NO_WAGE = 999_998  # this code and the next say that there is no wage
_NONE = -(2**62)  # stands for a value that is no number
_ENDS = 2  # the last values of a binned field, each with its own bin: IPUMS says "missing" and "not applicable" there
_NAME = re.compile(r" ([A-Za-z][A-Za-z0-9_]*)\t")
_CODE = re.compile(r"([0-9]{1,18})\t")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the specs. largest: of a code. ends: of a number that is put into buckets; None for codes."""

    name: str
    largest: int
    ends: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class ChallengeScore:
    """The three scores of a table. name: of the scored rows."""

    name: str
    marginals: float
    conjunctions: float
    income: float

    @property
    def mean(self) -> float:
        """The score of the match."""
        return fmean((self.marginals, self.conjunctions, self.income))


def challenge_domains(specs: Path, book: Path | None = None) -> str:
    """The domains of the challenge's fields as TOML. book: a code book; a field in it has its codes as values."""
    listed = code_book(book) if book else {}
    lines = [f"# The fields of {specs.name}"]
    for field in fields_of(specs):
        lines += [f"[domains.{json.dumps(field.name)}]", _written(listed.get(field.name), field.largest)]
    return "\n".join(lines) + "\n"


def _written(codes: tuple[int, ...] | None, largest: int) -> str:
    """The values of a field in TOML: its codes in the code book, bins, or a range."""
    if codes:
        return f"values = {list(codes)}"
    bins = [list(each) for each in nist_bins(largest)]
    return f"bins = {bins}" if bins else f"minimum = 0\nmaximum = {largest}"


def nist_bins(largest: int) -> tuple[tuple[int, int], ...]:
    """Bins of the whole numbers from 0 to `largest`, if they are more than MOST_VALUES; otherwise none.

    Numbers below 100 have a bin each, others one for each pair of leading digits: 100-109, 1000-1099. The last two
    numbers have bins of their own.
    """
    if largest < MOST_VALUES:
        return ()
    last = largest - _ENDS
    bins = [(number, number) for number in range(100)]
    width = 10
    while bins[-1][1] < last:
        bins += [(first, first + width - 1) for first in range(10 * width, 100 * width, width)]
        width *= 10
    bins = [(first, min(end, last)) for first, end in bins if first <= last]
    return (*bins, *((number, number) for number in range(last + 1, largest + 1)))


def code_book(path: Path) -> dict[str, tuple[int, ...]]:
    """The codes of each variable of an IPUMS code book that has any, ascending, as numbers: 07 is 7.

    A line that begins with one blank names a variable; lines below that begin with digits are its codes; others are
    headings. A tab ends the name, or the code. Raises: InputError where the file cannot be read, or holds no code.
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
    refuse([] if found else [Problem(str(path), "holds no codes", fix)])
    return {name: tuple(sorted(codes)) for name, codes in found.items()}


def fields_of(specs: Path) -> list[Field]:
    """The fields of the challenge's JSON. Raises: InputError if it cannot be read, or a field has no whole maximum."""
    try:
        document = json.loads(specs.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        fix = 'name the JSON file of the challenge: {"FIELD": {"maxval": 9, ...}, ...}'
        raise InputError([Problem(str(specs), f"cannot be read as JSON: {error}", fix)]) from error
    found, problems = [], []
    for name, given in document.items() if isinstance(document, dict) else ():
        field = given if isinstance(given, dict) else {}
        smallest, largest = field.get("min", 0), field.get("maxval", field.get("max"))
        if not type(smallest) is type(largest) is int or not max(0, smallest) <= largest <= MOST_BINS:
            problems.append(
                Problem(f"{specs} [{name}]", f"maxval is {largest!r}", "write a whole number of at least 0")
            )
            continue
        is_code = field.get("type", "enum") == "enum" or smallest == largest
        found.append(Field(name, largest, None if is_code else (smallest, largest)))
    if not found and not problems:
        problems.append(Problem(str(specs), "holds no fields", 'write {"FIELD": {"maxval": 9, ...}, ...}'))
    refuse(problems)
    return found


def challenge_scores(data: Path, synthetic: Sequence[Path], specs: Path) -> list[ChallengeScore]:
    """The scores of each synthetic table against the exact `data`, over the same random sets and rules.

    specs: the challenge's JSON. Raises: InputError if a file cannot be read, or lacks fields of the specs.
    """
    fields = fields_of(public_file("spec", specs, records_at(data)).path)
    if missing := [name for name in _INCOME if name not in {field.name for field in fields}]:
        fix = "the third score needs CITY, SEX and INCWAGE; score any other table with `synthesize score`"
        raise InputError([Problem(str(specs), f"has no {', '.join(missing)}", fix)])
    exact = _numbers(data, fields)
    if not exact[0].size:
        raise InputError([Problem(str(data), "has no rows", "name the exact rows")])
    sets = random_sets(len(fields), min(_WAYS, len(fields)), MARGINALS, generator(0, 1))
    rules = list(_rules(exact, fields, generator(0, 2)))
    known = _cities(exact, fields)
    found = []
    for table in synthetic:
        rows = _numbers(table, fields)
        marginals = _marginals(_bucketed(exact, fields), _bucketed(rows, fields), sets)
        shares = [(_share(exact, rule), _share(rows, rule)) for rule in rules]
        income = income_score(known, _cities(rows, fields))
        found.append(ChallengeScore(str(table), marginals, conjunction_score(shares), income))
    return found


def _numbers(given: Path, fields: Sequence[Field]) -> list[Int64s]:
    """The numbers of each field: int64[rows]; _NONE where a value spells none."""
    source = find_records(given, [field.name for field in fields])
    files = [str(file) for file in source.files]
    with duckdb.connect() as connection:
        rows = (
            connection.read_csv(files, all_varchar=True)  # type: ignore[arg-type]
            if source.is_text
            else connection.read_parquet(files)
        )
        if missing := [field.name for field in fields if field.name not in rows.columns]:
            fix = "score synthetic tables that have the same fields, all of them fields of the exact one"
            raise InputError([Problem(str(given), f"lacks {', '.join(missing)}", fix)])
        names = ['"' + field.name.replace('"', '""') + '"' for field in fields]
        numbers = ", ".join(f"coalesce(try_cast({name} as integer)::bigint, {_NONE}) as {name}" for name in names)
        found = rows.project(numbers).fetchnumpy()
    return [np.asarray(found[field.name]) for field in fields]


def _bucketed(table: Sequence[Int64s], fields: Sequence[Field]) -> list[Int64s]:
    """Codes as they are, and the bucket of each number."""
    found = []
    for values, field in zip(table, fields, strict=True):
        if field.ends is None:
            found.append(values)
            continue
        low, high = field.ends
        buckets = np.floor((values - low) * BUCKETS / (1.0001 * (high - low))).astype(np.int64)
        found.append(np.where((low <= values) & (values <= high), buckets, np.where(values == _NONE, _NONE, -1)))
    return found


def _marginals(exact: Sequence[Int64s], rows: Sequence[Int64s], sets: Sequence[tuple[int, ...]]) -> float:
    """The first score."""
    distances, size = [], exact[0].size
    for places in sets:
        cells = _cells([np.concatenate([exact[place], rows[place]]) for place in places])
        counts = [np.bincount(part, minlength=int(cells.max()) + 1) for part in (cells[:size], cells[size:])]
        distances.append(float(np.abs(counts[0] / size - counts[1] / max(1, rows[0].size)).sum()))
    return FULL_SCORE * (1 - fmean(distances) / 2)


def _cells(columns: Sequence[Int64s]) -> Int64s:
    """The number of the combination of values of each row."""
    keys = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        distinct, codes = np.unique(column, return_inverse=True)
        keys = keys * distinct.size + codes
    return np.unique(keys, return_inverse=True)[1]


Condition = tuple[int, tuple[int, ...] | tuple[int, float]]  # place of a field; the codes, or the middle and the reach


def _rules(exact: Sequence[Int64s], fields: Sequence[Field], stream: Generator) -> Iterator[list[Condition]]:
    """RULES rules, each from a random exact row: every field with chance 0.1, its value and what is near or added."""
    for row in sorted(set(stream.integers(exact[0].size, size=RULES).tolist())):
        yield [one for place, field in enumerate(fields) for one in _conditions(place, field, exact, row, stream)]


def _conditions(place: int, field: Field, exact: Sequence[Int64s], row: int, stream: Generator) -> Iterator[Condition]:
    """The condition of a field that is in the rule; a field without a number is in none."""
    value = int(exact[place][row])
    if stream.random() >= _CHANCE or value == _NONE:
        return
    if field.ends is not None:
        yield place, (value, float(stream.uniform(0, field.ends[1] - field.ends[0])))
        return
    numbers = [value]
    while (further := int(stream.integers(field.largest, endpoint=True))) not in numbers:
        numbers.append(further)
    yield place, tuple(numbers)


def _share(table: Sequence[Int64s], rule: Sequence[Condition]) -> float:
    """The share of the rows that meet every condition."""
    is_met = np.ones(table[0].size, dtype=np.bool_)
    for place, what in rule:
        is_met &= _are_met(table[place], what)
    return float(is_met.mean()) if is_met.size else 0.0


def _are_met(values: Int64s, what: tuple[int, ...] | tuple[int, float]) -> npt.NDArray[np.bool_]:
    if isinstance(what[-1], float):
        return np.asarray((values != _NONE) & (np.abs(values - what[0]) <= what[1]))
    return np.isin(values, what)


def conjunction_score(shares: Sequence[tuple[float, float]]) -> float:
    """10^6 (1 - r / ln 1000), at least 0, r the root mean square of log(synthetic share / exact share)."""
    mean = fmean(log(max(synthetic, _LEAST_SHARE) / exact) ** 2 for exact, synthetic in shares)
    return max(0.0, FULL_SCORE * (1 - sqrt(mean) / log(1_000)))


def _cities(table: Sequence[Int64s], fields: Sequence[Field]) -> dict[int, tuple[float, float]]:
    """By city: the Gini index of wages, and the mean wage of men minus that of women; nobody earns 0."""
    names = [field.name for field in fields]
    city, sex, wage = (table[names.index(name)] for name in _INCOME)
    has_wage = (wage != _NONE) & (wage < _NO_WAGE)
    city, sex, wage = city[has_wage], sex[has_wage], wage[has_wage]
    found = {}
    for one in np.unique(city).tolist():
        wages, sexes = wage[city == one], sex[city == one]
        total, cumulated = int(wages.sum()), int(np.cumsum(np.sort(wages)).sum())
        means = [float(wages[sexes == each].mean()) if (sexes == each).any() else 0.0 for each in (1, 2)]
        found[one] = (1 - 2 * cumulated / (wages.size * total) if total else 1.0, means[0] - means[1])
    return found


def income_score(exact: Mapping[int, tuple[float, float]], synthetic: Mapping[int, tuple[float, float]]) -> float:
    """Half for the Gini indices of cities, half for their ranks by pay gap; a city without synthetic wages has 0.

    exact, synthetic: by city, the index and the gap. 10^6 / 2 times the root mean square of 1 - |difference of the Gini
    indices|, and of 1 - |difference of the ranks| / (cities - 1), over the cities of the exact rows.
    """
    ranks = [
        {city: rank for rank, city in enumerate(sorted(of, key=lambda city, of=of: (-of[city][1], city)))}  # type: ignore[misc]
        for of in (exact, synthetic)
    ]
    steps = max(1, len(exact) - 1)
    terms = np.zeros((len(exact), 2))
    for place, city in enumerate(ranks[0]):
        if city in synthetic:
            away = abs(ranks[0][city] - ranks[1][city])
            gini = 1 - abs(exact[city][0] - synthetic[city][0])
            terms[place] = gini**2, max(0.0, 1 - away / steps) ** 2
    return float(FULL_SCORE / 2 * np.sqrt(terms.mean(axis=0)).sum()) if len(terms) else 0.0


def challenge_text(scores: Sequence[ChallengeScore]) -> str:
    """The scores as a text table."""
    head = ("3-way marginals", "conjunctions", "income", "mean", "of")
    rows = [(*(f"{one:,.0f}" for one in (r.marginals, r.conjunctions, r.income, r.mean)), r.name) for r in scores]
    return aligned([head, *rows])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: 0, or 2 where an input is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    domains = actions.add_parser("domains", help="print the fields as the [domains] of a specification")
    domains.add_argument("specs", type=Path, help="the challenge's JSON")
    domains.add_argument("--code-book", type=Path, help="an IPUMS code book: fields that it lists have its codes")
    score = actions.add_parser("score", help="score synthetic rows against exact ones")
    score.add_argument("--specs", type=Path, required=True, help="the challenge's JSON")
    score.add_argument("--data", type=Path, required=True, help="the exact rows: Parquet, or text")
    score.add_argument("--synthetic", type=Path, required=True, action="append", help="synthetic rows; repeat for more")
    given = parser.parse_args(arguments)
    try:
        if given.action == "domains":
            print(challenge_domains(given.specs, given.code_book), end="")
            return 0
        scores = challenge_scores(given.data, given.synthetic, given.specs)
        print(f"{PHRASE}\n{challenge_text(scores)}")
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
