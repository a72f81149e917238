"""Parquet files spoilt at random, and what the checks make of them.

Every case is one input file of a tiny nation with bytes changed, cut off or repeated, and one `validate` in a process
of its own. It must end with `no errors` (the change hit a value, or nothing that is read), or with a message.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import duckdb

from safetab_sql.cli import main
from tests.cli.command import inputs
from tests.nations import Nation, sample_nation, write_nation

Spoil = Callable[[bytearray, Random], bytes]


@dataclass(frozen=True, slots=True)
class Case:
    """What was done to which file, and how the command ended: its exit code (negative: a signal) and what it said."""

    file: str
    kind: str
    code: int
    said: str

    @property
    def verdict(self) -> str:
        if self.code < 0:
            return f"killed by signal {-self.code}"
        if "Traceback" in self.said:
            return "traceback"
        return {0: "accepted", 1: "fault of the machine", 2: "refused"}.get(self.code, f"exit code {self.code}")


def flipped(content: bytearray, random: Random) -> bytes:
    """One to eight bytes are others."""
    for place in random.sample(range(len(content)), random.randint(1, 8)):
        content[place] ^= random.randint(1, 255)
    return bytes(content)


def zeroed(content: bytearray, random: Random) -> bytes:
    """A block is zeros, as after a crash of the machine."""
    start = random.randrange(len(content))
    size = min(len(content) - start, random.randint(1, 4_096))
    content[start : start + size] = bytes(size)
    return bytes(content)


KINDS: Mapping[str, Spoil] = {
    "bytes changed": flipped,
    "bytes of the footer changed": lambda content, random: bytes(content[:-2_000]) + flipped(content[-2_000:], random),
    "cut off": lambda content, random: bytes(content[: random.randrange(len(content))]),
    "a block of zeros": zeroed,
    "a piece twice": lambda content, random: bytes(content + content[random.randrange(len(content)) :]),
}


def parquet_nation(folder: Path, rows: Nation | None = None) -> Path:
    paths = write_nation(rows or sample_nation(200), folder / "text")
    nation = folder / "nation"
    (nation / "code-lists").mkdir(parents=True)
    (nation / "persons").mkdir()
    (nation / "parameters.toml").write_bytes(paths.parameters.read_bytes())
    assert paths.code_lists is not None
    lists = {text: nation / "code-lists" / f"{text.stem}.parquet" for text in paths.code_lists.glob("race*.txt")}
    lists |= {text: nation / "code-lists" / f"{text.stem}.parquet" for text in paths.code_lists.glob("ethnicity*.txt")}
    names = {Path(paths.persons): nation / "persons" / "persons.parquet"}
    names |= {Path(paths.geography): nation / "geography.parquet", **lists}
    with duckdb.connect() as connection:
        for text, parquet in names.items():
            read = f"read_csv('{text}', delim = '|', all_varchar = true, nullstr = 'Null', header = true)"
            connection.execute(f"copy (from {read}) to '{parquet}' (format parquet)")
    return nation


def validated(nation: Path, said: Path) -> int:
    """Exit code of `validate` in a forked process; a crash of which is its own. said: file for what it prints."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            code = main(["validate", "--quiet", "--threads", "1", *map(str, inputs(nation))])
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def spoilt_cases(nation: Path, cases: int, seed: int) -> list[Case]:
    """`cases` cases, the files and the kinds of damage in turn. No thread may run in this process."""
    random = Random(seed)
    files = sorted(nation.rglob("*.parquet"))
    found = []
    for number in range(cases):
        file = files[number % len(files)]
        kind = list(KINDS)[number // len(files) % len(KINDS)]
        whole = file.read_bytes()
        file.write_bytes(KINDS[kind](bytearray(whole), random))
        code = validated(nation, nation / "said")
        found.append(Case(file.name, kind, code, (nation / "said").read_text(encoding="utf-8", errors="replace")))
        file.write_bytes(whole)
    return found
