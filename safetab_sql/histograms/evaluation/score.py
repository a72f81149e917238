"""How well synthetic rows keep the marginals of the exact rows: the k-marginal score of the NIST challenge.

Sees exact rows: for public or synthetic data, or for the custodian alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from pathlib import Path
from statistics import fmean, stdev

from safetab_sql.histograms.published.sampling import generator, random_sets
from safetab_sql.kit.confidential_log import confidential_log
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.sqlfiles import quoted_name, sql_files
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.as_parquet import parquet_files
from safetab_sql.public.copies import find_records
from safetab_sql.public.sources import Source, stored_types

FULL_SCORE = 1_000_000
BASELINE = "independent columns, no noise"
INTERVAL = (
    "Intervals hold {}, and not the noise of the rows: another run scores differently, and by how much only several "
    "runs tell."
)
_NORMAL_975 = 1.959964  # the 97.5 % quantile of the standard normal law


@dataclass(frozen=True, slots=True)
class MarginalScore:
    """The score over random sets of fields: 10^6 * (1 - d / 2), with d the mean L1 distance of normalised marginals.

    name: of the scored rows. ways: fields in a set. possible: how many sets of that size there are. distances: d of
    each set that was drawn, 0 to 2; all tables that are scored together have the same sets in the same order.
    """

    name: str
    ways: int
    possible: int
    distances: tuple[float, ...]

    @property
    def score(self) -> float:
        """The mean score of the sets drawn."""
        return fmean(self._scores)

    @property
    def half_width(self) -> float:
        """Half-width of the 95 % interval of the mean score of all sets: see `half_width`."""
        return half_width(self._scores, self.possible)

    def above(self, baseline: "MarginalScore") -> tuple[float, float]:
        """The difference from a baseline over the same sets, and the half-width of the interval of that difference."""
        differences = [one - other for one, other in zip(self._scores, baseline._scores, strict=True)]
        return fmean(differences), half_width(differences, self.possible)

    @property
    def _scores(self) -> list[float]:
        return [FULL_SCORE * (1 - distance / 2) for distance in self.distances]


def half_width(values: Sequence[float], possible: int) -> float:
    """Half-width of the 95 % interval of the mean of `possible` values, given `values` drawn without replacement.

    It uses Student's law with the correction for a finite population, so it is 0 if every value was drawn. It covers
    only the choice of sets, not the noise: another run would draw other noise.
    """
    if len(values) == possible:
        return 0.0
    deviation = stdev(values) / sqrt(len(values)) * sqrt((possible - len(values)) / (possible - 1))
    return student_quantile(len(values) - 1) * deviation


def student_quantile(freedom: int) -> float:
    """At least the 97.5 % quantile of Student's law, and at most 7 % more, or 0.3 % from 10 degrees of freedom on.

    The series in 1 / freedom around the normal quantile z, with a last term that is an upper bound of the rest.
    """
    z = _NORMAL_975
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / freedom + second / freedom**2 + 5.6 / freedom**3


def marginal_scores(
    data: str | Path,
    synthetic: Sequence[str | Path],
    ways: Sequence[int],
    sets: int,
    *,
    seed: int = 0,
    with_baseline: bool = False,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> list[MarginalScore]:
    """The score of each synthetic table against the exact `data`, over the same random sets of the synthetic fields.

    ways: the sizes of sets, with one score for each. sets: how many sets of each size; all sets if no more exist.
    with_baseline: also score independent columns, that is, every field drawn independently from its exact shares,
    without noise.
    Raises: InputError if a file cannot be read, or if fields differ. Source: histograms.md section 5.
    """
    exact, *tables = [find_records(given, ()) for given in (data, *synthetic)]
    found: list[MarginalScore] = []
    fields: list[str] = []
    for table in tables:
        progress.stage(f"scoring {table.given}")
        with (
            confidential_log(resources.confidential_log) as log,
            scratch_folder(resources.scratch) as scratch,
            open_database(scratch, [*exact.files, *table.files], [], resources, log) as database,
        ):
            files = parquet_files(database, exact, scratch, "exact"), parquet_files(database, table, scratch, "rows")
            fields = fields or list(stored_types(table, files[1])[0])
            refuse([*field_problems([exact, table], files, fields), *_number_problems(ways, sets, len(fields))])
            chosen = {size: random_sets(len(fields), size, sets, generator(seed, size)) for size in ways}
            _read(database, files[0], files[1], fields)
            found += _scores(database, ("marginal_distance", table.given), chosen, len(fields))
            if with_baseline and table is tables[-1]:  # the baseline depends on the exact rows alone
                found += _scores(database, ("independent_distance", BASELINE), chosen, len(fields))
    return sorted(found, key=lambda score: score.ways)


def scores_text(scores: Sequence[MarginalScore]) -> str:
    """The scores as a text table, each with its difference from the baseline of its size, if that was scored."""
    baselines = {one.ways: one for one in scores if one.name == BASELINE}
    head = ("ways", "sets", "score", "95 % interval", *(("above baseline",) if baselines else ()), "of")
    rows = [head]
    for one in scores:
        above = ["{:,.0f} ± {:,.0f}".format(*one.above(baselines[one.ways]))] if baselines else []
        low, high = max(0.0, one.score - one.half_width), min(float(FULL_SCORE), one.score + one.half_width)
        figures = (str(one.ways), str(len(one.distances)), f"{one.score:,.0f}", f"{low:,.0f} to {high:,.0f}")
        rows.append((*figures, *above, one.name))
    return f"{aligned(rows)}\n{INTERVAL.format('the choice of sets')}"


def _read(database: Database, exact: Sequence[Path], table: Sequence[Path], fields: Sequence[str]) -> None:
    """Make table scored_rows from the rows of both tables."""
    database.set_values(
        {
            "table_files": [str(file) for file in exact],
            "synthetic_files": [str(file) for file in table],
            "scored_columns": [
                {"name": name, **{of: f"as_text({of}_rows.{quoted_name(field)})" for of in ("exact", "synthetic")}}
                for name, field in zip(_names(len(fields)), fields, strict=True)
            ],
        }
    )
    database.create(sql_files()["scored_rows"])


def _scores(
    database: Database, what: tuple[str, str], chosen: Mapping[int, Sequence[Sequence[int]]], fields: int
) -> list[MarginalScore]:
    """The score over the chosen sets of each size. what: the statement that gives a distance, and the score's name."""
    statement, name = what
    columns = _names(fields)
    found = []
    for size, sets in chosen.items():
        distances = []
        for one in sets:
            database.set_values({"marginal_columns": [columns[place] for place in one]})
            database.create(sql_files()[statement])
            distances.append(database.table(statement)["distance"][0].as_py())
        found.append(MarginalScore(name, size, comb(fields, size), tuple(distances)))
    return found


def _names(fields: int) -> list[str]:
    """The names of the fields in table scored_rows."""
    return [f"field_{place}" for place in range(1, fields + 1)]


def field_problems(
    tables: Sequence[Source], files: Sequence[Sequence[Path]], fields: Sequence[str]
) -> Iterator[Problem]:
    """The problems of tables that lack some of the fields; files: of each table."""
    for table, its_files in zip(tables, files, strict=True):
        columns = stored_types(table, its_files)[0]
        if missing := [name for name in fields if name not in columns]:
            fix = "score synthetic tables that have the same fields, all of them fields of the exact one"
            yield Problem(table.given, f"lacks {', '.join(missing)}", fix)


def _number_problems(ways: Sequence[int], sets: int, fields: int) -> list[Problem]:
    problems = [
        Problem("--ways", f"{size} of {fields} fields", f"give a number from 1 to {fields}")
        for size in ways
        if not 1 <= size <= fields
    ]
    problems += [
        Problem("--ways", f"{size} stands twice", "give it once") for size, n in Counter(ways).items() if n > 1
    ]
    if sets < 2:
        problems.append(Problem("--sets", f"{sets} sets", "give at least 2: one says nothing of the others"))
    return problems
