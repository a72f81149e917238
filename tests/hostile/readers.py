"""The readers that the fuzzer feeds: each takes a spoilt case and returns what it read, or raises InputError."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import duckdb

from safetab_sql.accounting.ledger_file import read_ledger
from safetab_sql.cli import parsed
from safetab_sql.commands.options import arguments_of, value_problems
from safetab_sql.kit.database import Database, Resources, open_database
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import bound_names, packaged_folder
from safetab_sql.public import columns
from safetab_sql.public.expressions import check_region_expression
from safetab_sql.public.readers import list_kinds, list_values, person_columns
from safetab_sql.public.sources import Source, stored_types
from safetab_sql.public.text_files import parquet_files
from safetab_sql.release.folder import read_manifest, release_facts
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.statistics.matched_rows import Predicate, predicate, selection
from tests.census import below_states, list_files
from tests.hostile import seeds as known
from tests.hostile.mutations import TOKENS, spoilt, spoilt_json

Mutate = Callable[[Random, bytes], bytes]
PARAMETERS = load_parameters(packaged_folder("configs") / "example.toml")
ATTRIBUTES = ("AGESTART", "AGEEND", "SEX")
COLUMNS = ("TABLE", "REGION_ID", "REGION_TYPE", "ITERATION_CODE", "STATISTIC", *ATTRIBUTES, "COUNT")


@dataclass(frozen=True, slots=True)
class Reader:
    """seeds: sound inputs. mutate: spoils one. read: what the program does with it. weight: share of the cases."""

    seeds: tuple[bytes, ...]
    mutate: Mutate
    read: Callable[[bytes], object]
    weight: int


@contextmanager
def readers(folder: Path) -> Iterator[Mapping[str, Reader]]:
    """Every reader by name; `folder` is theirs to write into."""
    with ExitStack() as stack:
        scratch = folder / "scratch"
        scratch.mkdir()
        file = folder / "table.txt"
        file.touch()
        database = stack.enter_context(open_database(scratch, [file.resolve()], [], Resources(threads=1)))
        connection = stack.enter_context(duckdb.connect(config={"threads": "1", "enable_external_access": "false"}))
        connection.execute("create table published as " + _empty_rows())
        toml = [path.read_bytes() for path in sorted(packaged_folder("configs").glob("*.toml"))]
        lists = [path.read_bytes() for path in sorted(packaged_folder("configs").rglob("*.txt"))]
        yield {
            "toml": Reader(tuple(toml), spoilt, _with(folder / "p.toml", load_parameters), 20),
            "config.json": Reader(
                (known.CENSUS_CONFIG, known.HOUSEHOLD_CONFIG),
                spoilt_json,
                _with(folder / "config.json", load_parameters),
                20,
            ),
            "ledger": Reader((known.LEDGER,), spoilt_json_line, _with(folder / "ledger", read_ledger), 20),
            "manifest": Reader((known.MANIFEST,), spoilt_json, _with(folder / "manifest.json", _facts), 20),
            "options": Reader(known.OPTION_VALUES, spoilt_options, _options, 10),
            "predicate": Reader(known.PREDICATES, spoilt, lambda case: _predicate(connection, case), 8),
            "text table": Reader(
                (known.GEOGRAPHY_HEADER, known.PERSON_HEADER, *(text[:400] for text in lists)),
                spoilt,
                _with(file, lambda path: _table(database, path, scratch)),
                8,
            ),
            "region type": Reader(known.EXPRESSIONS, spoilt, _region_type, 2),
        }


def spoilt_json_line(random: Random, content: bytes) -> bytes:
    """A ledger with its last line, or all of it, spoilt."""
    head, _, last = content.rstrip(b"\n").rpartition(b"\n")
    if random.random() < 0.7:
        return head + b"\n" + spoilt_json(random, last) + b"\n"
    return spoilt(random, content)


def spoilt_options(random: Random, content: bytes) -> bytes:
    """A command line, one argument a line, with arguments of another or hostile words among its own."""
    words = content.split(b"\n")
    for _ in range(random.choice((1, 2, 4))):
        place = random.randrange(1, len(words) + 1)
        new = random.choice((random.choice(TOKENS).encode(), random.choice(known.OPTION_VALUES).split(b"\n")[-1], None))
        words[place : place + random.randrange(2)] = [] if new is None else [new]
    return b"\n".join(words)


def _with(path: Path, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def written_and_read(case: bytes) -> object:
        path.write_bytes(case)
        return read(path)

    return written_and_read


def _facts(path: Path) -> object:
    facts = release_facts(read_manifest(path))
    return facts, facts.definition, facts.region_types, facts.suppressed_types()


def _options(case: bytes) -> object:
    options = parsed([word.decode("utf-8", "surrogateescape") for word in case.split(b"\n")])
    return arguments_of(options.function, vars(options))


def _predicate(connection: duckdb.DuckDBPyConnection, case: bytes) -> object:
    text = case.decode("utf-8", "surrogateescape")
    refuse(value_problems({"sum": [text]}))
    found = predicate(text, ATTRIBUTES, {})
    if isinstance(found, Predicate):
        connection.execute("drop table if exists chosen")
        found = selection(connection.table("published"), found, "chosen") or connection.table("chosen")
    refuse([found] if isinstance(found, Problem) else [])
    return found


def _empty_rows() -> str:
    kinds = {"COUNT": "bigint"}
    return "select " + ", ".join(f'cast(null as {kinds.get(name, "varchar")}) as "{name}"' for name in COLUMNS)


def _table(database: Database, path: Path, scratch: Path) -> object:
    """A text table of unknown kind as each kind of input: what one of them reads."""
    source = Source(str(path), (path.resolve(),), is_text=True)
    files = parquet_files(database, source, scratch, "table")
    types = stored_types(source, files)
    header = types[0]
    if "QAGE" in header:
        return columns.column_expressions("persons", types, person_columns(PARAMETERS))
    if "TABBLK" in header:
        return columns.column_expressions("geography", types, columns.GEOGRAPHY)
    fits = [name for name in list_files() if len(list_kinds(name, PARAMETERS).keys() & header.keys()) > 1]
    name = fits[0] if fits else "codes_list"
    return list_values(name, "list", [str(file) for file in files], types, PARAMETERS)


def _region_type(case: bytes) -> object:
    """An expression that is let through leaves the other values of the statement that it is pasted into in place."""
    expression = case.decode("utf-8", "surrogateescape")
    problem = check_region_expression(below_states("SCHOOL", expression, "US"), tuple(columns.GEOGRAPHY))
    refuse([problem] if problem else [])
    assert bound_names(f"$before {expression} $after") == ["before", "after"], expression
    return expression
