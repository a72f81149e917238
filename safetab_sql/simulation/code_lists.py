"""What the synthetic nation needs to know of code lists: which codes are there, and what belongs together.

The lists are the four pipe-delimited files of tabulation.md section 2.3: the example lists of this project,
or any folder in production's format. Nothing here depends on particular codes.
"""

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from safetab_sql.kit.arrays import Int64s
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.public.gate import public_file

FILES = (
    "race-and-ethnicity-codes.txt",
    "race-characteristic-iterations.txt",
    "ethnicity-characteristic-iterations.txt",
    "race-and-ethnicity-code-to-iteration.txt",
)
MOST_MAJOR_GROUPS = 6  # as in the 2020 census; codes of further groups are put into the last


@dataclass(frozen=True, slots=True)
class CodeLists:
    """Codes of code lists, in order of their files.

    race_groups: int64, number of the major group (0 to 5, in file order) of each race code.
    hispanic_codes: of an ethnicity iteration of level 1 or 2. not_hispanic_codes: the other ethnicity codes.
    """

    race_codes: tuple[str, ...]
    race_groups: Int64s
    hispanic_codes: tuple[str, ...]
    not_hispanic_codes: tuple[str, ...]


def example_lists() -> Path:
    """The folder of the code lists that we wrote."""
    return packaged_folder("configs") / "example-lists"


def read_code_lists(folder: Path) -> CodeLists:
    """Codes of the lists in `folder`.

    Raises InputError for missing files, and for lists without a race code or an ethnicity code.
    """
    fix = f"a folder of code lists holds {', '.join(FILES)}"
    refuse([Problem(str(folder / name), "no such file", fix) for name in FILES if not (folder / name).is_file()])
    for name in FILES:
        public_file(name, folder / name)
    race = {row["ITERATION_CODE"]: row for row in _rows(folder / FILES[1])}
    ethnicity = {row["ITERATION_CODE"]: row for row in _rows(folder / FILES[2])}
    iterations_of: dict[str, list[str]] = {row["RACE_ETH_CODE"]: [] for row in _rows(folder / FILES[0])}
    members: Counter[str] = Counter()
    for row in _rows(folder / FILES[3]):
        iterations_of.setdefault(row["RACE_ETH_CODE"], []).append(row["ITERATION_CODE"])
        members[row["ITERATION_CODE"]] += 1

    race_codes = tuple(code for code, of in iterations_of.items() if any(iteration in race for iteration in of))
    hispanic, not_hispanic = _ethnicity_codes(iterations_of, race, ethnicity)
    found = {"race codes": race_codes, "ethnicity codes": hispanic + not_hispanic}
    fix = f"link codes to iterations in {FILES[3]}"
    refuse([Problem(str(folder), f"no {kind} here", fix) for kind, codes in found.items() if not codes])
    group_codes = [_major_group(iterations_of[code], race, members) for code in race_codes]
    order = [code for code in race if code in set(group_codes)] + [""]
    groups = [min(order.index(group), MOST_MAJOR_GROUPS - 1) for group in group_codes]
    return CodeLists(race_codes, np.array(groups), hispanic or not_hispanic, not_hispanic or hispanic)


def _rows(path: Path) -> list[dict[str, str]]:
    """Rows of a pipe-delimited file with a header, blank lines left out."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="|", quoting=csv.QUOTE_NONE))


def _ethnicity_codes(
    iterations_of: dict[str, list[str]], race: dict[str, dict[str, str]], ethnicity: dict[str, dict[str, str]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Hispanic codes, and codes that answer the ethnicity question only and are not Hispanic.

    Production's lists put race codes into the iteration "Not Hispanic" as well; they answer another question.
    """
    hispanic, others = [], []
    for code, of in iterations_of.items():
        levels = {ethnicity[iteration]["LEVEL"] for iteration in of if iteration in ethnicity}
        if levels - {"0"}:
            hispanic.append(code)
        elif levels and not any(iteration in race for iteration in of):
            others.append(code)
    return tuple(hispanic), tuple(others)


def _major_group(iterations: list[str], race: dict[str, dict[str, str]], members: Counter[str]) -> str:
    """The largest level-0 *alone* iteration among `iterations`; empty text if there is none."""
    major = [
        code for code in iterations if code in race and race[code]["LEVEL"] == "0" and race[code]["ALONE"] == "True"
    ]
    return max(major, key=lambda code: members[code], default="")
