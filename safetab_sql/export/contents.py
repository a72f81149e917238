"""What is exported: the published tables of a finished release in Parquet, and what their codes are called."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from safetab_sql.kit.database import TYPES, Database, declared_table
from safetab_sql.kit.sqlfiles import Column, sql_files
from safetab_sql.kit.whole_folders import is_litter
from safetab_sql.public.values import publishing_values
from safetab_sql.published.file_notes import CodeLists, DescribedTable, described, folders_of, templated_columns
from safetab_sql.release.folder import ReleaseFacts, code_rows
from safetab_sql.settings.ladders import BESIDE, CODES, GROUP_INDEX, MEASUREMENTS, Ladder
from safetab_sql.settings.parameters import Parameters

Names = Mapping[tuple[str, str, str], str]  # by column, region type (of regions; else empty) and code
REGION = "REGION_ID"
_OF_THE_FILE = (b"ARROW:schema", b"description", b"columns")  # what a Parquet file says of itself
_BETTER = "Better totals are ESTIMATE of measurements, which uses both stages of noise."
TEMPLATES = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=select_autoescape(["xml.jinja"]))
TEMPLATES.undefined = StrictUndefined
_NAME = "_NAME"  # ends the columns of names
_NAMES_OF_TYPES = {str(kind): name for name, kind in TYPES.items()}


@dataclass(frozen=True)
class Contents:
    """A folder that `run` or `reconcile` made. names: those given over its own."""

    folder: Path
    facts: ReleaseFacts
    names: Names = field(default_factory=dict)

    @property
    def parameters(self) -> Parameters:
        """Of the run."""
        return self.facts.parameters

    @cached_property
    def codes(self) -> CodeLists:
        """The code lists of the folder, with the names that the export gives. Regions are listed if any has a name."""
        lists = {
            file.stem: [(row[0], self.names.get(_key(file.stem, row), row[1]), *row[2:]) for row in code_rows(file)]
            for file in self.files(CODES, "csv")
        }
        if REGION in lists or not any(column == REGION for column, *_ in self.names):
            return lists
        return {**lists, REGION: [(id_, self.names.get((REGION, kind, id_), ""), kind) for kind, id_ in self.regions]}

    @cached_property
    def regions(self) -> list[tuple[str, str]]:
        """Type and id of every region with a published group."""
        keys = ["REGION_TYPE", "REGION_ID"]
        index = pa.concat_tables([pq.read_table(file, columns=keys) for file in self.files(GROUP_INDEX)])
        found = index.group_by(keys).aggregate([]).sort_by([(key, "ascending") for key in keys])
        return list(zip(*(column.to_pylist() for column in found.select(keys).columns), strict=True))

    @cached_property
    def about(self) -> dict[str, str]:
        """What every Parquet file says of the release: whose it is, its noise, of which manifest; and what to quote."""
        said = pq.read_metadata(self.files(self.parameters.ladders[0].folder)[0]).metadata or {}
        texts = {key.decode(): text.decode() for key, text in said.items() if key not in _OF_THE_FILE}
        return texts | {"quote": self.facts.quoted}

    def files(self, table: str, ending: str = "parquet") -> list[Path]:
        """The files of a folder of tables, or of the folder of code lists."""
        return [file for file in sorted((self.folder / table).glob(f"*.{ending}")) if not is_litter(Path(file.name))]

    def beside(self, ladder: Ladder) -> dict[str, Path]:
        """The files of a ladder beside its tables, by their folders."""
        places = {name: self.folder / name / f"{ladder.totals_folder or ladder.folder}.parquet" for name in BESIDE}
        return {name: file for name, file in places.items() if file.is_file()}

    def tables(self, ladder: Ladder) -> dict[str, DescribedTable]:
        """The tables of a ladder, and beside them, in the order of their folders in a release.

        By the table or view that has their rows, with names of codes. url: its place in the release, without an ending.
        """
        beside = self.beside(ladder)
        places = {f"labelled_{name}": f"{folder}/{folder}" for name, folder in folders_of(ladder).items()}
        for name, file in beside.items():
            places["exported_index" if name == GROUP_INDEX else name] = f"{name}/{file.stem}"
        first, *others = (self.described(ladder, place, rows) for rows, place in places.items())
        better = f"{first.description} {_BETTER}" if MEASUREMENTS in beside else first.description
        return dict(zip(places, [replace(first, description=better), *others], strict=True))

    def table_name(self, table: DescribedTable) -> str:
        """What a table is called among all of a release, such as t1; suppressed_t2 where several are of one kind."""
        folder, _, name = table.url.partition("/")
        return folder if folder == name or len(self.files(folder)) == 1 else f"{folder}_{name}"

    def described(self, ladder: Ladder, place: str, statement: str) -> DescribedTable:
        """The columns of a statement as its header says, and as the Parquet file says where it has them too."""
        said, columns = described(statement, self.parameters, ladder, self.further_columns(ladder))
        own = {each.name: each for each in pq.read_schema(self.folder / f"{place}.parquet")}
        for number, (name, _, meaning) in enumerate(columns):
            if name in own:
                held = (own[name].metadata or {}).get(b"description", meaning.encode()).decode()
                columns[number] = Column(name, _NAMES_OF_TYPES[str(own[name].type)], held)
        return DescribedTable(place, said, columns, ladder, {})

    def further_columns(self, ladder: Ladder) -> dict[str, dict[str, str]]:
        """By template of headers of sql/export, its columns and what each holds.

        They are the counts as released, in reconciled tables, and names for each column with a code list.
        """
        released = {"NOISY_COUNT": f"{ladder.called(self.parameters.unit).many}, as released"}
        coded = [name for name in templated_columns(self.parameters, ladder)["ladder_columns"] if name in self.codes]
        return {
            "noisy_counts": {} if self.facts.reconciled is None else released,
            "label_columns": {f"{name}{_NAME}": f"name of the code in {name}" for name in coded},
        }

    def statistic(self, name: str) -> str:
        """What a statistic is called."""
        return next((row[1] for row in self.codes["STATISTIC"] if row[0] == name), name)


def _key(column: str, row: Sequence[str]) -> tuple[str, str, str]:
    return column, row[2] if column == REGION else "", row[0]


@dataclass(frozen=True, slots=True)
class Export:
    """An export that is being made. target: an empty folder."""

    database: Database
    contents: Contents
    target: Path

    def ladders(self) -> Iterator[Ladder]:
        """Each ladder, while statements of sql/export see its tables: t1 (of totals that are apart), t2, the index."""
        database, contents = self.database, self.contents
        codes = [(*_key(column, row), row[1]) for column, rows in contents.codes.items() for row in rows if row[1]]
        database.hand_over("export_codes", declared_table("export_codes", codes))
        for ladder in contents.parameters.ladders:
            further = contents.further_columns(ladder)
            labelled = {name: name.removesuffix(_NAME) for name in further["label_columns"]}
            lists = {name: contents.codes[column] for name, column in labelled.items()}
            values = {
                "noisy_counts": list(further["noisy_counts"]),
                "label_columns": labelled,
                "label_codes": {name: [row[0] for row in rows] for name, rows in lists.items()},
                "label_meanings": {name: [row[1] for row in rows] for name, rows in lists.items()},
            }
            database.set_values(publishing_values(contents.parameters, ladder) | values)
            for name, folder in folders_of(ladder).items():
                database.show(name, contents.files(folder))
            if ladder.totals_folder is None:
                database.call("t1", "t2")  # no statement takes rows of it then
            for beside, file in contents.beside(ladder).items():
                database.show(beside, [file])
            for name in ("ladder_rows", "exported_index", *(f"labelled_{each}" for each in folders_of(ladder))):
                database.create(sql_files()[name])
            yield ladder
