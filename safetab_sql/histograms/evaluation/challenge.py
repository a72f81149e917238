"""The three scores of the third match of the NIST challenge of 2018: marginals, conjunctions, income.

Sees exact rows: for public or synthetic data, or for the custodian alone. Each score is from 0 to 1,000,000, and the
score of the match is their mean. Source: histograms.md section 5.1; the challenge's published scorer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, log, sqrt
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from safetab_sql.histograms.evaluation.score import (
    BASELINE,
    FULL_SCORE,
    INTERVAL,
    MarginalScore,
    field_problems,
    student_quantile,
)
from safetab_sql.histograms.public.nist_specs import nist_fields
from safetab_sql.histograms.published.sampling import Generator, generator, random_sets
from safetab_sql.kit.arrays import Floats
from safetab_sql.kit.confidential_log import confidential_log
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import InputError, Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import quoted_name, sql_files
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.as_parquet import parquet_files
from safetab_sql.public.copies import find_records
from safetab_sql.public.gate import public_file, records_at

MARGINALS, RULES = 100, 300
_WAYS = 3
_CHANCE = 0.1  # of a field to be in a rule
_LEAST_SHARE = 1e-6  # a smaller share of synthetic rows counts as this one
_INCOME = ("CITY", "SEX", "INCWAGE")


@dataclass(frozen=True, slots=True)
class Scored:
    """A score, and the half-width of its 95 % interval: of the choice of sets, rules, or cities."""

    score: float
    half_width: float


@dataclass(frozen=True, slots=True)
class ChallengeScore:
    """The three scores of a table. name: of the scored rows."""

    name: str
    marginals: Scored
    conjunctions: Scored
    income: Scored

    @property
    def mean(self) -> Scored:
        """The score of the match. The three intervals have nothing to do with one another."""
        three = (self.marginals, self.conjunctions, self.income)
        return Scored(fmean(one.score for one in three), sqrt(sum(one.half_width**2 for one in three)) / 3)


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of the specs. largest: of a code. ends: of a number that is put into buckets; None for codes."""

    name: str
    largest: int
    ends: tuple[int, int] | None


def challenge_scores(
    data: str | Path,
    synthetic: Sequence[str | Path],
    specs: str | Path,
    *,
    seed: int = 0,
    with_baseline: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> list[ChallengeScore]:
    """The scores of each synthetic table against the exact `data`, over the same random sets and rules.

    specs: the challenge's JSON. with_baseline: also score independent columns, without noise.
    Raises: InputError if a file cannot be read, or lacks fields of the specs.
    """
    fields = _fields(public_file("nist_specs", specs, records_at(data, resources=resources)).path)
    names = [field.name for field in fields]
    exact, *tables = [find_records(given, names) for given in (data, *synthetic)]
    chosen = random_sets(len(fields), min(_WAYS, len(fields)), MARGINALS, generator(seed, 1))
    found: list[ChallengeScore] = []
    for table in tables:
        progress.stage(f"scoring {table.given}")
        with (
            confidential_log(resources.confidential_log) as log_line,
            scratch_folder(resources.scratch) as scratch,
            open_database(scratch, [*exact.files, *table.files], [], resources, log_line) as database,
        ):
            files = parquet_files(database, exact, scratch, "exact"), parquet_files(database, table, scratch, "rows")
            refuse(list(field_problems([exact, table], files, names)))
            _read(database, files[0], files[1], fields)
            rules = _rules(database, files[0], fields, seed)
            ours, independent = _scores(database, fields, chosen, rules, generator(seed, 3))
            found.append(ChallengeScore(table.given, *ours))
    if with_baseline:
        found.append(ChallengeScore(BASELINE, *independent))
    return found


def challenge_text(scores: Sequence[ChallengeScore]) -> str:
    """The scores as a text table, each with the half-width of its 95 % interval."""
    head = ("3-way marginals", "conjunctions", "income", "mean", "of")
    rows = [(*map(_plus_minus, (row.marginals, row.conjunctions, row.income, row.mean)), row.name) for row in scores]
    return f"{aligned([head, *rows])}\n{INTERVAL.format('the choice of sets, rules and cities')}"


def _plus_minus(one: Scored) -> str:
    return f"{one.score:,.0f} ± {one.half_width:,.0f}"


def _fields(specs: Path) -> list[_Field]:
    """The fields of the specs. Raises: InputError where the challenge cannot be scored with them."""
    found, problems = [], []
    for name, field in nist_fields(specs).items():
        given = field if isinstance(field, dict) else {}
        smallest, largest = given.get("min", 0), given.get("maxval", given.get("max"))
        if not isinstance(smallest, int) or not isinstance(largest, int) or not smallest <= largest:
            problems.append(Problem(f"{specs} [{name}]", "has no maxval, or no max", "write whole numbers"))
            continue
        is_code = given.get("type", "enum") == "enum" or smallest == largest
        found.append(_Field(name, largest, None if is_code else (smallest, largest)))
    missing = [name for name in _INCOME if name not in {field.name for field in found}]
    if missing and not problems:
        fix = "the third score needs CITY, SEX and INCWAGE; for any other table leave --challenge out"
        problems.append(Problem(str(specs), f"has no {', '.join(missing)}", fix))
    refuse(problems)
    return found


def _read(database: Database, exact: Sequence[Path], rows: Sequence[Path], fields: Sequence[_Field]) -> None:
    """Make scored_rows, with every field as a number, and every number that is no code also as its bucket."""
    columns = []
    for place, field in enumerate(fields):
        given = quoted_name(field.name)
        calls = {f"field_{place}": "as_number({})"}
        if field.ends is not None:
            calls[f"bucket_{place}"] = f"as_bucket({{}}, {field.ends[0]}, {field.ends[1]})"
        columns += [
            {"name": name, **{of: call.format(f"{of}_rows.{given}") for of in ("exact", "synthetic")}}
            for name, call in calls.items()
        ]
    database.set_values(
        {
            "table_files": [str(file) for file in exact],
            "synthetic_files": [str(file) for file in rows],
            "scored_columns": columns,
            "rule_columns": [column for column in columns if column["name"].startswith("field_")],
        }
    )
    database.create(sql_files()["scored_rows"])


@dataclass(frozen=True, slots=True)
class _Rule:
    """Conditions that a row may meet, as values of conjunction_shares."""

    listed: tuple[Mapping[str, str], ...]
    near: tuple[Mapping[str, str], ...]


def _rules(database: Database, files: Sequence[Path], fields: Sequence[_Field], seed: int) -> list[_Rule]:
    """RULES rules, each from a random exact row: every field with chance 0.1, its value and what is near or added."""
    stream = generator(seed, 2)
    sizes = [pq.read_metadata(file).num_rows for file in files]
    if not sum(sizes):
        raise InputError([Problem(", ".join(map(str, files)), "has no rows", "name the exact rows")])
    starts = np.cumsum([0, *sizes])
    chosen = sorted(set(stream.integers(sum(sizes), size=RULES).tolist()))
    of_file = np.searchsorted(starts, chosen, side="right") - 1
    database.set_values(
        {
            "chosen_files": [str(files[place]) for place in of_file],
            "chosen_places": [int(one - starts[place]) for one, place in zip(chosen, of_file, strict=True)],
        }
    )
    database.create(sql_files()["rule_rows"])
    rows = database.table("rule_rows", order_by=["file", "place"]).to_pylist()
    return [_rule([row[f"field_{place}"] for place in range(len(fields))], fields, stream) for row in rows]


def _rule(values: Sequence[int | None], fields: Sequence[_Field], stream: Generator) -> _Rule:
    """A rule that the row with these values meets; a field without a number is in no rule."""
    listed, near = [], []
    for place, (field, value) in enumerate(zip(fields, values, strict=True)):
        if stream.random() >= _CHANCE or value is None:
            continue
        if field.ends is None:
            numbers = [value]
            while (further := int(stream.integers(field.largest, endpoint=True))) not in numbers:
                numbers.append(further)
            listed.append({"name": f"field_{place}", "numbers": f"({', '.join(map(str, numbers))})"})
        else:
            reach = stream.uniform(0, field.ends[1] - field.ends[0])
            near.append({"name": f"field_{place}", "centre": str(value), "reach": repr(float(reach))})
    return _Rule(tuple(listed), tuple(near))


def _scores(
    database: Database,
    fields: Sequence[_Field],
    chosen: Sequence[Sequence[int]],
    rules: Sequence[_Rule],
    stream: Generator,
) -> tuple[tuple[Scored, Scored, Scored], tuple[Scored, Scored, Scored]]:
    """The three scores of the synthetic rows, and of independent columns."""
    columns = [f"field_{place}" if field.ends is None else f"bucket_{place}" for place, field in enumerate(fields)]
    possible = comb(len(fields), len(chosen[0]))
    marginals = []
    for statement in ("marginal_distance", "independent_distance"):
        distances = []
        for one in chosen:
            database.set_values({"marginal_columns": [columns[place] for place in one]})
            database.create(sql_files()[statement])
            distances.append(database.table(statement)["distance"][0].as_py())
        found = MarginalScore(statement, len(chosen[0]), possible, tuple(distances))
        marginals.append(Scored(found.score, found.half_width))
    shares = []
    for rule in rules:
        database.set_values({"listed_conditions": rule.listed, "near_conditions": rule.near})
        database.create(sql_files()["conjunction_shares"])
        shares.append(database.table("conjunction_shares").to_pylist()[0])
    conjunctions = [
        conjunction_score([(row["exact_share"], row[f"{of}_share"]) for row in shares])
        for of in ("synthetic", "independent")
    ]
    incomes = _incomes(database, fields, stream)
    return (marginals[0], conjunctions[0], incomes[0]), (marginals[1], conjunctions[1], incomes[1])


def conjunction_score(shares: Sequence[tuple[float, float]]) -> Scored:
    """10^6 (1 - r / ln 1000), at least 0, r the root mean square of log(synthetic share / exact share)."""
    squares = [log(max(synthetic, _LEAST_SHARE) / exact) ** 2 for exact, synthetic in shares]
    mean = fmean(squares)
    half = student_quantile(len(squares) - 1) * stdev(squares) / sqrt(len(squares)) if len(squares) > 1 else 0.0
    ends = [max(0.0, FULL_SCORE * (1 - sqrt(max(0.0, each)) / log(1_000))) for each in (mean - half, mean + half)]
    return Scored(max(0.0, FULL_SCORE * (1 - sqrt(mean) / log(1_000))), (ends[0] - ends[1]) / 2)


def _incomes(database: Database, fields: Sequence[_Field], stream: Generator) -> list[Scored]:
    """The third score of the synthetic rows, and of exact rows whose columns are shuffled each by itself."""
    names = [field.name for field in fields]
    database.set_values({"income_columns": [f"field_{names.index(name)}" for name in _INCOME]})
    database.create(sql_files()["income_rows"])
    database.create(sql_files()["income_by_city"])
    found = [income_score(database.table("income_by_city").to_pylist())]
    rows = database.table("income_rows", order_by=["is_exact", "city", "sex", "wage"])
    exact = rows.filter(rows["is_exact"])
    shuffled = exact.set_column(0, "is_exact", pa.array(np.zeros(exact.num_rows, dtype=np.bool_)))
    for place, name in enumerate(("city", "sex", "wage"), start=1):
        shuffled = shuffled.set_column(place, name, exact[name].take(pa.array(stream.permutation(exact.num_rows))))
    database.hand_over("income_rows", pa.concat_tables([exact, shuffled.cast(exact.schema)]))
    database.create(sql_files()["income_by_city"])
    return [*found, income_score(database.table("income_by_city").to_pylist())]


def income_score(rows: Sequence[Mapping[str, float]]) -> Scored:
    """Half for the Gini indices of cities, half for their ranks by pay gap; a city without synthetic wages has 0.

    10^6 / 2 times the root mean square of 1 - |difference of the Gini indices|, and of 1 - |difference of the ranks| /
    (cities - 1), over the cities of the exact rows. The interval is that of a jackknife over cities.
    """
    cities: dict[bool, dict[float, tuple[float, int]]] = {}
    for is_exact in (True, False):
        of_table = [row for row in rows if row["is_exact"] == is_exact]
        ranked = sorted(of_table, key=lambda row: (-row["pay_gap"], row["city"]))
        cities[is_exact] = {row["city"]: (row["gini"], rank) for rank, row in enumerate(ranked)}
    steps = max(1, len(cities[True]) - 1)
    terms = np.zeros((len(cities[True]), 2))
    for place, (city, (gini, rank)) in enumerate(cities[True].items()):
        if city in cities[False]:
            other_gini, other_rank = cities[False][city]
            terms[place] = (1 - abs(gini - other_gini)) ** 2, max(0.0, 1 - abs(rank - other_rank) / steps) ** 2
    if not len(terms):
        return Scored(0.0, 0.0)
    score = _income_of(terms)
    if len(terms) < 2:
        return Scored(score, 0.0)
    without = [_income_of(np.delete(terms, place, axis=0)) for place in range(len(terms))]
    spread = sqrt((len(terms) - 1) / len(terms) * sum((one - fmean(without)) ** 2 for one in without))
    return Scored(score, student_quantile(len(terms) - 1) * spread)


def _income_of(terms: Floats) -> float:
    return float(FULL_SCORE / 2 * np.sqrt(terms.mean(axis=0)).sum())
