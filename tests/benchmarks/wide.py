"""A wide table of the synthetic nation's people: forty fields in the style of a census of 1940, correlated in groups.

wide.toml lists the fields in their order, each with its domain; both are public by construction.

Age, sex, household, place, race and ethnicity come from the nation's person records; everything else is drawn from
them. Realistic: which fields hang together, and that most combinations of values never occur. Not realistic: any share
or any income. The data describe nobody.

The same nation and seed give the same bytes, like the nation itself.
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from safetab_sql.kit.arrays import Floats, Int64s
from safetab_sql.simulation.geography import random_stream, write_parquet
from safetab_sql.simulation.people import CodeLists, example_lists, read_code_lists
from safetab_sql.simulation.simulate import simulate

Tendency = NDArray[np.floating | np.integer]
SPEC = Path(__file__).parent / "wide.toml"  # the specification of `synthesize` for the table
_STREAM = 4  # of random_stream; the person records take 3
_READ = ("QAGE", "QSEX", "HOUSEHOLDER", "TABBLKST", "TABBLKCOU", "CENRACE", "QSPAN")


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """The people of some whole households as the nation knows them.

    household: int64[person], from 0. householder: int64[household], index of its first person. county: 0 to 999.
    """

    state: str
    household: Int64s
    householder: Int64s
    county: Int64s
    age: Int64s
    sex: Int64s
    race: Int64s
    is_hispanic: NDArray[np.bool_]


def write_wide(nation: Path, people: int) -> Path:
    """The table, of a row per person of a nation that is simulated in the folder `nation`, in their order."""
    simulate(nation, people=people)
    fields = tomllib.loads(SPEC.read_text(encoding="utf-8"))["domains"]
    files = sorted((nation / "persons").glob("*.parquet"))
    write_parquet(nation / "wide.parquet", _tables(files, fields, read_code_lists(example_lists())))
    return nation / "wide.parquet"


def _tables(files: Sequence[Path], fields: Iterable[str], lists: CodeLists) -> Iterator[pa.Table]:
    for file in files:
        stream = random_stream(0, file.stem, _STREAM)
        records = pq.ParquetFile(file)
        for number in range(records.num_row_groups):
            people = _people(file.stem, records.read_row_group(number, columns=list(_READ)), lists)
            columns = _columns(stream, people)
            yield pa.table({name: _column(name, columns.get(name), people) for name in fields})


def _people(state: str, records: pa.Table, lists: CodeLists) -> _People:
    columns = {name: records[name].to_numpy() for name in _READ}
    is_first = columns["HOUSEHOLDER"].astype(np.bool_)
    combination = columns["CENRACE"].astype(np.int64)
    return _People(
        state=state,
        household=np.cumsum(is_first) - 1,
        householder=np.flatnonzero(is_first),
        county=columns["TABBLKCOU"].astype(np.int64),
        age=columns["QAGE"].astype(np.int64),
        sex=columns["QSEX"].astype(np.int64),
        race=np.where(combination <= 6, combination - 1, 6),
        is_hispanic=np.isin(columns["QSPAN"].astype(np.str_), np.array(lists.hispanic_codes)),
    )


def _columns(stream: np.random.Generator, people: _People) -> dict[str, Int64s]:
    """Every field but the state, as numbers."""
    wealth = stream.standard_normal(people.householder.size)
    columns = {
        **_home_fields(stream, people, wealth),
        **_family_fields(stream, people),
        **_origin_fields(stream, people),
    }
    columns |= _school_fields(stream, people, wealth[people.household])
    columns |= _work_fields(stream, people, columns["EDUC"], columns["METRO"])
    return columns | _journey_fields(stream, columns)


def _column(name: str, values: Int64s | None, people: _People) -> pa.Array:
    """A field as it is stored: the state and the sex as text, whether somebody reads as a boolean, else int16."""
    if values is None:
        return pa.DictionaryArray.from_arrays(np.zeros(people.age.size, dtype=np.int8), pa.array([people.state]))
    if name == "SEX":
        return pa.DictionaryArray.from_arrays((values - 1).astype(np.int8), pa.array(["1", "2"]))
    return pa.array(values.astype(np.bool_) if name == "READS" else values.astype(np.int16))


def _home_fields(stream: np.random.Generator, people: _People, wealth: Floats) -> dict[str, Int64s]:
    """Fields of the household, the same for all its members."""
    county = people.county[people.householder]
    size = np.minimum(np.bincount(people.household, minlength=county.size), 8)
    metro = _graded(stream, (county * 7 % 11) / 5.0 - 1.0, 0.5, (-0.8, -0.2, 0.3, 0.9))
    urban = _graded(stream, metro - 1.5, 0.8, (0.0,))
    farm = (urban == 0) & (stream.random(county.size) < 0.35)
    head_age = people.age[people.householder]
    owns = _graded(stream, wealth + (head_age - 45) / 20 + 0.8 * farm - 0.5 * urban, 0.6, (0.0,))
    worth = wealth + 0.3 * metro
    home = {
        "METRO": metro,
        "URBAN": urban,
        "FARM": farm.astype(np.int64),
        "NUMPREC": size,
        "OWNERSHP": owns,
        "RENT": (1 - owns) * _scaled(stream, worth, 0.4, 8.0, 2.2, 1, 20),
        "VALUEH": owns * _scaled(stream, worth, 0.4, 11.0, 3.5, 1, 30),
        "ROOMS": _scaled(stream, 0.8 * wealth + 0.3 * size, 0.7, 4.0, 1.0, 1, 9),
        "BUILT": _scaled(stream, 0.4 * wealth + 0.3 * urban, 0.9, 3.5, 1.6, 0, 7),
        "HEATING": _graded(stream, 0.5 * wealth + 0.6 * urban - 0.5 * farm, 0.9, (-0.8, 0.0, 0.6, 1.3)),
        "PHONE": _graded(stream, wealth + 0.4 * urban, 0.5, (0.4,)),
        "VEHICLES": _graded(stream, 0.9 * wealth + 0.3 * farm, 0.6, (-0.2, 0.9, 2.0)),
    }
    return {name: values[people.household] for name, values in home.items()}


def _family_fields(stream: np.random.Generator, people: _People) -> dict[str, Int64s]:
    """Age and sex, the place in the household, marriage, children."""
    is_head = np.zeros(people.age.size, dtype=np.bool_)
    is_head[people.householder] = True
    place = np.arange(people.age.size) - people.householder[people.household]
    head_age, head_sex = people.age[people.householder][people.household], people.sex[people.householder]
    is_partner = (place == 1) & (people.sex != head_sex[people.household]) & (people.age >= 18)
    is_child = ~is_head & ~is_partner & (people.age < head_age - 14)
    relate = np.select([is_head, is_partner, is_child, people.age >= 65], [0, 1, 2, 3], 4)
    has_partner = np.bincount(people.household, is_partner).astype(np.bool_)[people.household]
    alone = _graded(stream, (people.age - 40) / 15.0, 0.9, (0.2, 1.9))  # never married, divorced, widowed
    marst = np.select(
        [people.age < 15, is_partner | (is_head & has_partner)], [0, 1], np.where(alone == 0, 0, alone + 1)
    )
    children = np.bincount(people.household, is_child).astype(np.int64)[people.household]
    return {
        "AGE": people.age,
        "SEX": people.sex,
        "RELATE": relate,
        "MARST": marst,
        "NCHILD": np.where(relate <= 1, np.minimum(children, 7), 0),
    }


def _origin_fields(stream: np.random.Generator, people: _People) -> dict[str, Int64s]:
    """Race and ethnicity of the nation's records; birthplace, citizenship and mother tongue drawn from them."""
    size = people.age.size
    foreign_chance = np.where(people.is_hispanic, 0.35, np.array([0.06, 0.08, 0.02, 0.6, 0.3, 0.25, 0.1])[people.race])
    is_foreign = stream.random(size) < foreign_chance
    region = np.where(people.is_hispanic, 5, 6 + (people.race * 2 + stream.integers(0, 3, size)) % 9)
    bpl = np.where(is_foreign, region, _graded(stream, people.race / 3.0, 1.2, (-0.8, 0.0, 0.9, 1.8)))
    has_foreign_parent = stream.random(size) < 0.12
    naturalised = 1 + (stream.random(size) < 0.5)
    keeps_tongue = stream.random(size) < np.where(is_foreign, 0.85, np.where(people.is_hispanic, 0.5, 0.03))
    return {
        "RACE": people.race,
        "HISPAN": people.is_hispanic.astype(np.int64),
        "BPL": bpl,
        "NATIVITY": np.where(is_foreign, 2, has_foreign_parent),
        "CITIZEN": np.where(is_foreign, naturalised, 0),
        "MTONGUE": np.where(keeps_tongue, 1 + np.where(is_foreign, bpl - 5, people.is_hispanic * 1), 0),
    }


def _school_fields(stream: np.random.Generator, people: _People, wealth: Floats) -> dict[str, Int64s]:
    """School attendance and attainment: what age allows, and then what the household's means do."""
    wanted = _scaled(stream, wealth + (60 - people.age) / 40.0, 0.7, 11.0, 2.6, 0, 20)
    grade = np.clip(np.minimum(wanted, people.age - 6), 0, 20)
    in_school = (people.age >= 5) & (people.age <= 25) & (grade >= people.age - 7) & (people.age < 7 + wanted)
    higrade = np.where(people.age < 5, 0, grade + 3)
    return {
        "SCHOOL": in_school.astype(np.int64),
        "EDUC": np.searchsorted(np.array([0, 4, 7, 8, 9, 10, 11, 12, 13, 14, 16]), grade, side="left"),
        "HIGRADE": higrade,
        "READS": ((people.age > 6) & ((grade >= 2) | (stream.random(grade.size) < 0.6))).astype(np.int64),
    }


def _work_fields(stream: np.random.Generator, people: _People, educ: Int64s, metro: Int64s) -> dict[str, Int64s]:
    is_adult = people.age >= 14
    drive = (people.sex == 1) * 1.2 - ((people.age - 40) / 22.0) ** 2 + 0.05 * educ
    works = is_adult & (drive + stream.standard_normal(educ.size) > 0.2)
    seeks = is_adult & ~works & (stream.random(educ.size) < 0.12)
    skill = educ / 11.0 + 0.25 * stream.standard_normal(educ.size)
    occ = np.clip(1 + 98 * skill + 5 * (people.sex == 2), 1, 99).astype(np.int64)
    ind = np.clip(occ // 6 + stream.integers(0, 3, occ.size) + metro // 3, 1, 20)
    weeks = np.where(stream.random(occ.size) < 0.6, 52, stream.integers(4, 52, occ.size))
    hours = np.clip(_scaled(stream, skill, 0.5, 44.0, 9.0, 4, 98) // 4 * 4, 4, 98)
    own_account = _graded(stream, (people.age - 55) / 20.0, 0.8, (0.6, 1.4, 2.2))
    wage = np.exp(0.9 * skill + 0.15 * metro + 0.35 * stream.standard_normal(occ.size)) * weeks * hours / 40.0
    return {
        "EMPSTAT": np.select([works, seeks, is_adult], [1, 2, 3], 0),
        "LABFORCE": np.select([works | seeks, is_adult], [2, 1], 0),
        "CLASSWKR": np.where(works, own_account + 1, 0),
        "OCC": np.where(works | seeks, occ, 0),
        "IND": np.where(works | seeks, ind, 0),
        "WKSWORK": np.where(works, weeks, 0),
        "HRSWORK": np.where(works, hours, 0),
        "INCWAGE": np.where(works & (own_account == 0), np.clip(wage, 1, 300).astype(np.int64), 0),
    }


def _journey_fields(stream: np.random.Generator, columns: dict[str, Int64s]) -> dict[str, Int64s]:
    """Where people lived before, and how they get to work."""
    size = columns["AGE"].size
    restless = 0.9 * (1 - columns["OWNERSHP"]) - np.abs(columns["AGE"] - 25) / 40.0
    migrate = _graded(stream, restless, 0.8, (0.6, 1.4, 2.2))
    works = columns["EMPSTAT"] == 1
    tranwork = np.where(works, 1 + _graded(stream, 1.5 - 0.6 * columns["VEHICLES"], 0.7, (-0.5, 0.5, 1.0, 1.6, 2.2)), 0)
    minutes = _scaled(stream, 0.4 * columns["METRO"] + 0.3 * tranwork, 0.8, 12.0, 8.0, 1, 99) // 5 * 5
    return {
        "MIGRATE": migrate,
        "MIGPLAC": np.where(migrate >= 2, 1 + stream.integers(0, 52, size) * (migrate == 2), 0),
        "TRANWORK": tranwork,
        "TRANTIME": np.where(works, minutes, 0),
    }


def _graded(stream: np.random.Generator, tendency: Tendency, spread: float, cuts: tuple[float, ...]) -> Int64s:
    """How many of the `cuts` each tendency exceeds, with normal noise of standard deviation `spread`: 0 to all."""
    return np.searchsorted(np.array(cuts), tendency + spread * stream.standard_normal(tendency.size))


def _scaled(
    stream: np.random.Generator, tendency: Tendency, spread: float, middle: float, step: float, low: int, high: int
) -> Int64s:
    """Whole numbers from `low` to `high` around middle + step * tendency, with normal noise before scaling."""
    drawn = middle + step * (tendency + spread * stream.standard_normal(tendency.size))
    return np.clip(np.rint(drawn), low, high).astype(np.int64)
