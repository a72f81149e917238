"""docs/how-to/safetab.R, which needs R alone, gives the figures of `statistics` and of `moe`."""

import csv
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

from safetab_sql import sum_of_release
from safetab_sql.jobs.export import export
from safetab_sql.jobs.reconcile import reconcile
from safetab_sql.jobs.run import run
from safetab_sql.jobs.statistics import statistics
from safetab_sql.laws.selection import selected_counts
from safetab_sql.published.intervals import NoiseTerm, margin_of_terms
from safetab_sql.statistics.ratios import Shape, Term, fieller
from tests.conftest import REPOSITORY
from tests.golden.test_households import ORACLE, households
from tests.golden.test_ladders import TINY, made
from tests.golden.test_other_shapes import EXAMPLES
from tests.nations import published, sample_nation
from tests.statistics import gaussian, geometric, recorded_bits

FILE = REPOSITORY / "docs" / "how-to" / "safetab.R"
pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed (Debian: r-base-core)")

GROUP = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
CODES = ("SEX", "AGESTART", "AGEEND")
DEFINITIONS = ("zcdp", "puredp")
ASKS = {"count": "sum_of", "difference": "difference_of", "ratio": "ratio_of", "growth": "growth_of"}
# Answers questions.csv: of each a function, a level, and the rows of both sides by release, table and place.
ANSWERS = """
releases <- lapply(c({folders}), function(folder) read_release(folder, paste0(folder, "-csv")))
questions <- read.csv("questions.csv", colClasses = c(TABLE = "character"))
answers <- lapply(split(questions, questions$number), function(own) {{
  sides <- lapply(split(own, own$side), function(side) list(releases[[side$release[1]]], side[c("TABLE", "ROW")]))
  asked <- c(sides[[1]], level = own$level[1])
  if (length(sides) > 1) asked <- c(asked, list(other = sides[[2]][[2]], other_release = sides[[2]][[1]]))
  found <- do.call(own$asks[1], asked)
  data.frame(found[1:3], p_value = if (is.null(found$p_value)) NA else found$p_value)
}})
write.csv(format(do.call(rbind, answers), digits = 15), "answers.csv", row.names = FALSE)
"""


def in_r(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """What R says to some lines behind safetab.R. Warnings are errors."""
    (folder / "asks.R").write_text(f"options(warn = 2)\nsource('{FILE}')\n{text}", encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    command = ["Rscript", "asks.R"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)


def exported(release: Path) -> Path:
    """The folder of a release, beside which its tables now stand as CSV."""
    export(release, f"{release}-csv", format="csv", resources=TINY)
    return release


def nation(folder: Path, **changes: object) -> Path:
    published(sample_nation(617).with_parameters(**changes), folder)
    return exported(folder / "out")


Row = Mapping[str, str]


@dataclass(frozen=True)
class Side:
    """Published rows. release: its number. places: tables and places of rows in R. condition: of `moe`.

    codes: as `statistics` takes them.
    """

    release: int
    places: Sequence[tuple[str, int]]
    condition: str = ""
    codes: Mapping[str, str] | None = None


class Tables:
    """The tables of a release as R has them."""

    def __init__(self, number: int, folder: Path) -> None:
        self.number, self.rows = number, {}
        for name in ("T1", "T2"):
            with Path(f"{folder}-csv", name.lower(), f"{name.lower()}.csv").open(encoding="utf-8", newline="") as text:
                self.rows[name] = list(csv.DictReader(text))

    def places(self, name: str, fits: Callable[[Row], bool]) -> list[tuple[str, int]]:
        return [(name, place) for place, row in enumerate(self.rows[name], start=1) if fits(row)]

    def matched(self, name: str, **codes: str) -> Side:
        """The rows with these codes."""
        condition = " and ".join([f"TABLE = '{name}'", *(f"{column} = '{code}'" for column, code in codes.items())])
        places = self.places(name, lambda row: all(row[column] == code for column, code in codes.items()))
        return Side(self.number, places, condition, codes)

    def of_a_group(self, random: Random) -> Side:
        """A total, the row of a sex, or cells of some ages."""
        row = random.choice(self.rows[random.choice(["T1", "T2", "T2", "T2"])])
        own = {column: row[column] for column in GROUP}
        if "SEX" not in row:
            return self.matched("T1", **own)
        if row["SEX"] != "*" and random.random() < 0.2:
            return self.matched("T2", **own, SEX=row["SEX"], AGESTART="*", AGEEND="*")
        cells = [self.rows["T2"][place - 1] for _, place in self.matched("T2", **own, IS_MARGINAL="false").places]
        ages = random.choices(cells, k=2)
        first, last = min(int(age["AGE_START"]) for age in ages), max(int(age["AGE_END"]) for age in ages)
        sexes = random.choice(["1", "2", "12"])
        wanted = [cell for cell in cells if first <= int(cell["AGE_START"]) <= last and cell["SEX"] in sexes]
        codes = {**own, "SEX": sexes if len(sexes) == 1 else "*", "AGESTART": str(first), "AGEEND": str(last)}
        return Side(self.number, self.places("T2", lambda row: row in wanted), codes=codes)

    def of_regions(self, random: Random) -> Side:
        """Totals or rows of a sex of an iteration, in all regions of a type; or all rows of a group."""
        row = random.choice(self.rows["T1"])
        own = {column: row[column] for column in random.choice([GROUP, (GROUP[0], GROUP[2]), (GROUP[0],)])}
        sides = [self.matched("T1", **own), self.matched("T2", **own), self.matched("T2", **own, SEX="1")]
        return random.choice([side for side in sides if side.places])


@dataclass(frozen=True)
class Question:
    kind: str
    level: Fraction
    sides: Sequence[Side]


Answer = tuple[float | None, ...]  # estimate, low, high, p-value


def in_r_answered(questions: Sequence[Question], folders: Iterable[Path], folder: Path) -> list[Answer]:
    with (folder / "questions.csv").open("w", encoding="utf-8", newline="") as stream:
        lines = csv.writer(stream)
        lines.writerow(["number", "asks", "level", "side", "release", "TABLE", "ROW"])
        for number, question in enumerate(questions):
            asked = (number, ASKS[question.kind], float(question.level))
            for place, side in enumerate(question.sides):
                lines.writerows((*asked, place, side.release, *each) for each in side.places)
    done = in_r(folder, ANSWERS.format(folders=", ".join(f"'{each}'" for each in folders)))
    assert done.returncode == 0, done.stderr
    with (folder / "answers.csv").open(encoding="utf-8") as stream:
        return [tuple(map(parsed, row.values())) for row in csv.DictReader(stream)]


def parsed(text: str) -> float | None:
    """None where there is none, and where an interval has no end."""
    return None if text.strip() in ("NA", "NaN", "Inf") else float(text)


def by_statistics(questions: Sequence[Question], folders: Sequence[Path], folder: Path) -> list[Answer]:
    """The same by the command. All questions have one level."""
    names = ["RELEASE", *GROUP, *CODES]
    with (folder / "wanted.csv").open("w", encoding="utf-8", newline="") as stream:
        lines = csv.writer(stream)
        lines.writerow(["KIND", *names, *(f"OTHER_{name}" for name in names)])
        for question in questions:
            sides = [
                [side.release, *(dict(side.codes or {}).get(name, "*") for name in names[1:])]
                for side in question.sides
            ]
            blanks = [""] * len(names) * (2 - len(sides))
            lines.writerow([question.kind, *(each for side in sides for each in side), *blanks])
    out = folder / "answers.parquet"
    found = statistics(folders, folder / "wanted.csv", out, level=questions[0].level, overwrite=True).to_pylist()
    return [tuple(row[name] for name in ("ESTIMATE", "LOW", "HIGH", "P_VALUE")) for row in found]


def by_moe(question: Question, folders: Sequence[Path]) -> Answer:
    one, *others = [side.condition for side in question.sides]
    release = folders[question.sides[0].release - 1]
    if question.kind == "ratio":
        ratio = sum_of_release(release, plus=one, of=others, level=question.level).ratio
        assert ratio is not None
        return ratio.estimate, ratio.low, ratio.high, None
    found = sum_of_release(release, plus=one, minus=others, level=question.level)
    return found.estimate, found.low, found.high, found.p_value


def is_close(ours: Answer, theirs: Answer) -> bool:
    return all(
        one == other or (None not in (one, other) and one == pytest.approx(other, rel=1e-9, abs=1e-11))
        for one, other in zip(ours, theirs, strict=True)
    )


def test_margins_and_ends_of_intervals_are_those_of_python(tmp_path):
    level, (first, second) = Fraction(9, 10), (gaussian(Fraction(4)), geometric(Fraction(4)))
    done = in_r(
        tmp_path,
        f"""
        for (law in c("discrete gaussian {1 / (2 * first.rho)}", "two-sided geometric {1 / second.epsilon}")) {{
          for (draws in c(1, 8, 46)) cat(margin_of(data.frame(law = rep(law, draws), times = 3), 0.9), "")
          for (count in 11:30) cat(ends_above(law, 10, count, 0.9), "")
          cat(fieller(counted(law = law, one = c(1, 1, 0), other = 1), c(20, 100), 0.9), "")
        }}""",
    )
    expected: list[float] = []
    for law in (first, second):
        expected += [margin_of_terms((NoiseTerm(law, 3, draws),), level).moe95 for draws in (1, 8, 46)]
        near = {one.noisy_count: (one.low, one.high) for one in selected_counts(law, 10, 1 - level) or ()}
        margin = margin_of_terms((NoiseTerm(law, 1, 1),), level).moe95
        expected += [end for count in range(11, 31) for end in near.get(count, (count - margin, count + margin))]
        shape = Shape((Term(law, 1, 1, 2), Term(law, 0, 1, 1)))
        expected += [end[0] for end in fieller(shape, np.array([20.0]), np.array([100.0]), level)]
    assert list(map(float, done.stdout.split())) == pytest.approx(expected, rel=1e-6), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("level", [Fraction(95, 100), Fraction(9, 10)])
def test_random_sums_differences_ratios_and_growth_are_those_of_statistics_and_moe(level, tmp_path):
    random = Random(36)
    folders = [nation(tmp_path / name, privacy_definition=name, zero_suppression_chance=0.999) for name in DEFINITIONS]
    tables = [Tables(number, folder) for number, folder in enumerate(folders, start=1)]
    asked = []
    for kind in [*ASKS] * 60:
        one = random.choice(tables)
        other = random.choice(tables) if kind == "growth" else one
        sides = [one.of_a_group(random), *([] if kind == "count" else [other.of_a_group(random)])]
        asked.append(Question(kind, level, sides))
    conditions = []
    for kind in ["count", "difference", "ratio"] * 20:
        one = random.choice(tables)
        conditions.append(Question(kind, level, [one.of_regions(random) for _ in range(1 if kind == "count" else 2)]))
    expected = [*by_statistics(asked, folders, tmp_path), *(by_moe(question, folders) for question in conditions)]
    found = in_r_answered([*asked, *conditions], folders, tmp_path)
    wrong = [pair for pair in zip([*asked, *conditions], found, expected, strict=True) if not is_close(*pair[1:])]
    assert not wrong, wrong[:3]


def example(name: str) -> Callable[[Path], Path]:
    return lambda folder: exported(run(made(name, folder), folder / "out", bits=recorded_bits("R"), resources=TINY).out)


def of_households(folder: Path) -> Path:
    return exported(run(households(folder), folder / "out", bits=recorded_bits("R"), resources=TINY).out)


LADDERS = {"norland": EXAMPLES, "hospitals": EXAMPLES, "T3": ORACLE}
RELEASES = {"nation": nation, "norland": example("norland"), "hospitals": example("hospitals"), "T3": of_households}


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_every_published_row_and_every_suppressed_group_has_its_published_interval(name, tmp_path):
    if name in LADDERS and not LADDERS[name].exists():
        pytest.skip("the shared folder with the examples is absent")
    out = RELEASES[name](tmp_path)
    done = in_r(
        tmp_path,
        f"""
        release <- read_release("{out}", "{out}-csv")
        for (table in release[names(release) != "about"]) {{
          found <- count_of(release, table)
          stopifnot(found$estimate == table$COUNT, found$low == table$LOW95, found$high == table$HIGH95)
        }}
        limits <- release$about$suppressed
        found <- Map(suppressed_of, list(release), limits$REGION_TYPE, limits$ITERATION_CODE)
        stopifnot(vapply(found, `[[`, 0, "high") == as.numeric(limits$HIGH95))
        cat(nrow(table), nrow(limits))""",
    )
    rows, limits = map(int, done.stdout.split())
    assert rows > 20, done.stderr
    assert limits > 3 or name not in ("nation", "norland")


@pytest.mark.slow
def test_what_has_no_exact_interval_is_refused_with_what_to_do(tmp_path):
    cut = nation(tmp_path / "cut", allow_negative_counts=False)
    out = nation(tmp_path / "other")
    reconcile(out, tmp_path / "reconciled", resources=TINY)
    done = in_r(
        tmp_path,
        f"""
        said <- function(asked) cat(tryCatch(asked, error = conditionMessage), "", sep = "\n")
        release <- read_release("{out}", "{out}-csv")
        said(sum_of(release, subset(release$t1, REGION_TYPE == "none")))
        said(sum_of(release, data.frame(COUNT = 1)))
        said(suppressed_of(release, "USA", "none"))
        said(read_release("reconciled", "{out}-csv"))
        said(read_release("{out}"))
        cut <- read_release("{cut}", "{cut}-csv")
        said(sum_of(cut, cut$t1))
        release$t2$VARIANCE <- release$t2$VARIANCE * 1.1
        said(sum_of(release, release$t2))
        release$t2$COUNT <- release$t2$COUNT + 1
        said(sum_of(release, release$t1))""",
    )
    assert done.stdout.split("\n\n")[:-1] == [
        "rows: none, or not of the tables of read_release(). Of suppressed groups see suppressed_of()",
        "rows: none, or not of the tables of read_release(). Of suppressed groups see suppressed_of()",
        "the release states no limit, or several, for USA none",
        "reconciled/manifest.json: not the manifest of a release. Reconciled counts share noise: ask `safetab-sql moe`",
        f"{out}/group_index: Parquet needs package arrow; or name a folder of `safetab-sql export --format csv`",
        "counts below 0 became 0, so the noise of sums is not known: ask `safetab-sql moe`",
        "the manifest does not say how noisy these rows are: it is of another release",
        "some rows are not the sums of their cells, as `safetab-sql run` makes them",
    ], done.stderr
