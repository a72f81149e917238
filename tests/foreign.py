"""An extract as an office of another country has it: five provinces, 40 districts, 937 areas; Latin-1, semicolons.

Age 0 to 89, "90+", "NS" and empty; sex M, F, 9 and empty; three columns of ancestry (302 codes in three levels) and two
of languages; 941 records of unknown areas; a weight with a decimal comma. Invented people; the seed says which.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PROVINCES, DISTRICTS, AREAS, CODES, LANGUAGES = 5, 40, 937, 302, 12
UNKNOWN_AREAS = 941  # records
_ORTE, _STAATEN = 400, 60
PERSONS = 300_000
COLUMNS = ("id", "área", "sexo", "idade", "anc1", "anc2", "anc3", "língua1", "língua2", "situação", "peso")
_NAMES = ("Açores", "Beira", "Coimbrã", "Douro", "Évora")


def write_extract(folder: Path, persons: int = PERSONS, seed: int = 0, encoding: str = "latin-1") -> None:
    """Write pessoas.csv, areas.csv and grupos.csv into a folder."""
    random = np.random.default_rng(seed)
    _write(folder / "areas.csv", ("área", "distrito", "cod_distrito", "província", "cod_provincia"), _areas(), encoding)
    _write(folder / "grupos.csv", ("code", "name", "povo", "família", "ramo"), _groups(), encoding)
    _write(folder / "pessoas.csv", COLUMNS, _persons(random, persons), encoding)


def write_visits(folder: Path, visits: int, seed: int = 0) -> None:
    """Write besuche.parquet, orte.parquet and staaten.csv: visits of persons with several, and numbers as codes."""
    random = np.random.default_rng(seed)
    ort = np.arange(_ORTE)
    places = {"LAND": ort // 100, "KREIS": ort // 20, "GEMEINDE": ort // 4}
    columns = {f"{name}_NR": numbers + 10 for name, numbers in places.items()}
    names = {name: [f"{name.title()} {number}" for number in numbers] for name, numbers in places.items()}
    pq.write_table(pa.table({**columns, **names, "ORT_NR": ort + 1_000}), folder / "orte.parquet")
    states = [(str(code), f"Staat {code}", f"Kontinent {code // 20}") for code in range(1, _STAATEN + 1)]
    _write(folder / "staaten.csv", ("code", "name", "kontinent"), iter([*states, ("999", "ohne", "ohne")]), "utf-8")
    sexes = random.choice([1.0, 2.0, np.nan], visits, p=[0.49, 0.49, 0.02])
    religions = random.choice([0.0, 1.0, 2.0, np.nan], visits, p=[0.2, 0.4, 0.3, 0.1])
    table = {
        "VERS_NR": random.integers(1, visits // 2, visits),
        "ORT_NR": np.where(random.random(visits) < 0.004, 9_999_999, random.choice(_ORTE, visits) + 1_000),
        "GESCHLECHT": pa.array(sexes, from_pandas=True),
        "ALTER_JAHRE": np.where(random.random(visits) < 0.03, 999, random.integers(0, 100, visits)),
        "STAAT1": random.integers(1, _STAATEN + 1, visits),
        "STAAT2": np.where(random.random(visits) < 0.2, random.integers(1, _STAATEN + 1, visits), 0),
        "RELIGION": pa.array(religions, from_pandas=True),
    }
    pq.write_table(pa.table(table), folder / "besuche.parquet")


def _write(path: Path, head: Sequence[str], rows: Iterator[Sequence[str]], encoding: str) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(head)
        writer.writerows(rows)


def _areas() -> Iterator[tuple[str, ...]]:
    for area in range(AREAS):
        district = area * DISTRICTS // AREAS
        province = district * PROVINCES // DISTRICTS
        yield f"A{area:04}", f"Distrito de São {district:02}", f"D{district:02}", _NAMES[province], f"P{province}"


def _groups() -> Iterator[tuple[str, ...]]:
    for code in range(CODES):
        yield f"E{code:03}", f"Gente nº {code}", f"Povo {code // 3}", f"Família {code // 12}", f"Ramo {code // 60}"


def _persons(random: np.random.Generator, persons: int) -> Iterator[tuple[str, ...]]:
    areas = random.choice(AREAS, persons, p=_falling(AREAS, 0.3))
    unknown = set(random.choice(persons, min(UNKNOWN_AREAS, persons // 300), replace=False).tolist())
    ages = np.minimum(random.gamma(3.0, 14.0, persons).astype(int), 95)
    odd_ages = random.choice(3, persons, p=(0.945, 0.035, 0.02))
    sexes = random.choice(np.array(("M", "F", "9", "")), persons, p=(0.48, 0.49, 0.02, 0.01))
    ancestries = random.choice(CODES, (persons, 3), p=_falling(CODES, 1.1))
    given = random.choice((1, 2, 3), persons, p=(0.8, 0.15, 0.05))
    languages = random.choice(LANGUAGES, (persons, 2), p=_falling(LANGUAGES, 1.2))
    spoken = random.choice((0, 1, 2), persons, p=(0.05, 0.7, 0.25))
    weights = random.integers(50, 300, persons)
    for place in range(persons):
        age = ("", "NS")[odd_ages[place] - 1] if odd_ages[place] else ("90+" if ages[place] > 89 else str(ages[place]))
        yield (
            str(place + 1),
            f"X{place % 7}" if place in unknown else f"A{areas[place]:04}",
            str(sexes[place]),
            age,
            *(f"E{ancestries[place, own]:03}" if own < given[place] else "" for own in range(3)),
            *(f"L{languages[place, own]:02}" if own < spoken[place] else "" for own in range(2)),
            ("urbana", "rural")[int(areas[place]) % 2],
            f"{weights[place] / 100:.2f}".replace(".", ","),
        )


def _falling(size: int, power: float) -> np.ndarray:
    shares = (1.0 + np.arange(size)) ** -power
    return np.asarray(shares / shares.sum())
