"""How well synthetic rows keep the marginals of the exact rows: the k-marginal score of the NIST challenge.

Sees exact rows: for public or synthetic data, or for the custodian alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from safetab_sql.confidential.records import find_records
from safetab_sql.histograms.published.sampling import generator, random_sets
from safetab_sql.kit.database import Database, Resources, open_database, scratch_folder
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress, confidential_log
from safetab_sql.kit.sqlfiles import quoted_name, sql_files
from safetab_sql.kit.words import aligned
from safetab_sql.public.sources import Source, stored_types
from safetab_sql.public.text_files import parquet_files

FULL_SCORE = 1_000_000
CAVEAT = "Another run scores differently, and so do other sets: by how much, only several runs and seeds tell."


@dataclass(frozen=True, slots=True)
class MarginalScore:
    """The score over random sets of fields: 10^6 * (1 - d / 2), with d the mean L1 distance of normalised marginals.

    name: of the scored rows. ways: fields in a set. distances: d of each set that was drawn, 0 to 2; all tables that
    are scored together have the same sets in the same order.
    """

    name: str
    ways: int
    distances: tuple[float, ...]

    @property
    def score(self) -> float:
        """The mean score of the sets drawn."""
        return FULL_SCORE * (1 - fmean(self.distances) / 2)


def marginal_scores(
    data: str | Path,
    synthetic: Sequence[str | Path],
    ways: Sequence[int],
    sets: int,
    *,
    seed: int = 0,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> list[MarginalScore]:
    """The score of each synthetic table against the exact `data`, over the same random sets of the synthetic fields.

    ways: the sizes of sets, with one score for each. sets: how many sets of each size; all sets if no more exist.
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
            columns = [f"field_{place}" for place in range(1, len(fields) + 1)]
            _read(database, files[0], files[1], dict(zip(columns, fields, strict=True)))
            found += _scores(database, table.given, chosen, columns)
    return sorted(found, key=lambda score: score.ways)


def scores_text(scores: Sequence[MarginalScore]) -> str:
    """The scores as a text table."""
    rows = [(str(one.ways), str(len(one.distances)), f"{one.score:,.0f}", one.name) for one in scores]
    return f"{aligned([('ways', 'sets', 'score', 'of'), *rows])}\n{CAVEAT}"


def _read(database: Database, exact: Sequence[Path], table: Sequence[Path], fields: Mapping[str, str]) -> None:
    """Make table scored_rows from the rows of both tables. fields: by their names in it."""
    database.set_values(
        {
            "table_files": [str(file) for file in exact],
            "synthetic_files": [str(file) for file in table],
            "scored_columns": [
                {"name": name, **{of: f"as_text({of}_rows.{quoted_name(field)})" for of in ("exact", "synthetic")}}
                for name, field in fields.items()
            ],
        }
    )
    database.create(sql_files()["scored_rows"])


def _scores(
    database: Database, name: str, chosen: Mapping[int, Sequence[Sequence[int]]], columns: Sequence[str]
) -> Iterator[MarginalScore]:
    """The score over the chosen sets of each size. name: of the scored rows, which have these columns."""
    for size, sets in chosen.items():
        distances = []
        for one in sets:
            database.set_values({"marginal_columns": [columns[place] for place in one]})
            database.create(sql_files()["marginal_distance"])
            distances.append(database.table("marginal_distance")["distance"][0].as_py())
        yield MarginalScore(name, size, tuple(distances))


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
    wrong, fix = [size for size in ways if not 1 <= size <= fields], f"give a number from 1 to {fields}"
    twice = [size for size, times in Counter(ways).items() if times > 1]
    problems = [Problem("--ways", f"{size} of {fields} fields", fix) for size in wrong]
    problems += [Problem("--ways", f"{size} stands twice", "give it once") for size in twice]
    return problems + ([Problem("--sets", f"{sets} sets", "give at least 1")] if sets < 1 else [])
