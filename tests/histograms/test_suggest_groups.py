"""Groups of fields from a public sample: what is put together, what is not, and which files are refused."""

import json
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from safetab_sql.histograms.confidential.counts import ExactCells
from safetab_sql.histograms.evaluation.suggest import (
    joined_fields,
    mutual_information,
    suggested,
    suggestion_toml,
)
from safetab_sql.histograms.public.domains import Domain
from safetab_sql.histograms.public.synthesis_spec import load_synthesis_spec
from safetab_sql.histograms.public.tree_plan import Pair
from safetab_sql.kit.errors import InputError
from tests.cli.command import call

SPEC = "[domains]\n" + "\n".join(f"{name} = {{ minimum = 0, maximum = 9 }}" for name in "ABCDE") + "\n"


def domain(name: str, values: int) -> Domain:
    return Domain(name, (name,), minimum=0, maximum=values - 1)


def information(**bits: float) -> dict[Pair, float]:
    return {("ABCD".index(pair[0]), "ABCD".index(pair[1])): found for pair, found in bits.items()}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a spec and a sample in which A and B are equal, C follows D loosely, and E is by itself."""
    folder, stream = tmp_path_factory.mktemp("sample"), np.random.default_rng(3)
    a, d, e = stream.integers(0, 10, (3, 20_000))
    c = np.where(stream.random(20_000) < 0.4, d, stream.integers(0, 10, 20_000))
    pq.write_table(pa.table({"A": a, "B": a, "C": c, "D": d, "E": e}), folder / "public.parquet")
    (folder / "spec.toml").write_text(SPEC, encoding="utf-8")
    return folder


def test_fields_that_tell_of_each_other_are_put_together(sample: Path) -> None:
    found = suggested(sample / "public.parquet", sample / "spec.toml", 100)
    assert found.fields == (("A", "B"), ("C", "D"), ("E",))


def test_no_group_has_more_bins_than_allowed(sample: Path) -> None:
    assert suggested(sample / "public.parquet", sample / "spec.toml", 99).bins == (10,) * 5


def test_what_is_written_is_read_as_groups_of_a_spec(sample: Path, tmp_path: Path) -> None:
    found = suggested(sample / "public.parquet", sample / "spec.toml", 100)
    (tmp_path / "groups.toml").write_text(suggestion_toml(found), encoding="utf-8")
    (tmp_path / "spec.toml").write_text('epsilon = 1\nbase = "groups.toml"\n' + SPEC, encoding="utf-8")
    groups = load_synthesis_spec(tmp_path / "spec.toml").groups
    assert [group.name for group in groups] == ["A+B", "C+D", "E"]


def test_two_equal_fields_share_their_entropy() -> None:
    cells = ExactCells(np.array([0, 5, 10, 15]), np.array([10**6] * 4))
    assert mutual_information(cells, (domain("A", 4), domain("B", 4))) == pytest.approx(2, abs=1e-4)


def test_independent_fields_share_nothing() -> None:
    cells = ExactCells(np.arange(16), np.array([1000] * 16))
    assert mutual_information(cells, (domain("A", 4), domain("B", 4))) == 0


def test_what_a_small_sample_seems_to_share_by_chance_is_taken_off() -> None:
    """Shares of 400 rows in 30 x 30 cells seem to tell 1.4 bits of each other; in truth it is none."""
    stream = np.random.default_rng(7)
    ids, counts = np.unique(stream.integers(0, 900, 400), return_counts=True)
    pair = domain("A", 30), domain("B", 30)
    assert mutual_information(ExactCells(ids, counts), pair) < 0.2


def test_a_sample_of_nobody_tells_nothing() -> None:
    none = np.array([], dtype=np.int64)
    assert mutual_information(ExactCells(none, none), (domain("A", 2), domain("B", 2))) == 0


DOMAINS = [domain(name, 10) for name in "ABCD"]


@pytest.mark.parametrize(
    ("told", "least", "most_bins", "groups"),
    [
        (information(AB=1.0, BC=2.0, CD=0.5, AC=0, AD=0, BD=0), 0.01, 100, [(0,), (1, 2), (3,)]),
        (information(AB=1.0, BC=2.0, CD=0.5, AC=0, AD=0, BD=0), 0.01, 1000, [(0, 1, 2), (3,)]),
        (information(AB=2.0, BC=1.0, CD=0.5, AC=0, AD=0, BD=0), 0.01, 100, [(0, 1), (2, 3)]),
        (information(AB=1.0, BC=0.2, CD=0.1, AC=0, AD=0, BD=0), 0.5, 10**6, [(0, 1), (2,), (3,)]),
    ],
    ids=["the strongest first", "through the nearest fields", "past what does not fit", "not what shares less"],
)
def test_the_groups_of_the_nearest_fields_are_joined(
    told: dict[Pair, float], least: float, most_bins: int, groups: list[tuple[int, ...]]
) -> None:
    assert joined_fields(DOMAINS, told, least, most_bins) == groups


@pytest.fixture
def private(sample: Path, tmp_path: Path) -> Path:
    """A folder whose spec names a private file: the sample, for once."""
    shutil.copy(sample / "public.parquet", tmp_path / "private.parquet")
    (tmp_path / "spec.toml").write_text('private_data = "private.parquet"\n' + SPEC, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("way", ["itself", "copy", "hard link", "symbolic link", "folder"])
def test_the_private_file_is_refused_under_any_name(private: Path, way: str) -> None:
    file, other = private / "private.parquet", private / "public" / "public.parquet"
    other.parent.mkdir()
    named = {"itself": file, "folder": other.parent}.get(way, other)
    if way in ("copy", "folder"):
        shutil.copy(file, other)
    elif way == "hard link":
        other.hardlink_to(file)
    elif way == "symbolic link":
        other.symlink_to(file)
    with pytest.raises(InputError, match=r"(is a file|holds the same bytes as a file) of the records"):
        suggested(named, private / "spec.toml", 100)


def test_another_file_than_the_private_one_is_taken(private: Path) -> None:
    table = pq.read_table(private / "private.parquet")
    pq.write_table(table.slice(1), private / "public.parquet")
    assert len(suggested(private / "public.parquet", private / "spec.toml", 100).fields) == 3


def test_a_file_in_a_folder_of_exact_counts_is_refused(sample: Path, tmp_path: Path) -> None:
    shutil.copy(sample / "public.parquet", tmp_path / "public.parquet")
    (tmp_path / "manifest.json").write_text(json.dumps({"confidential": True}), encoding="utf-8")
    with pytest.raises(InputError, match="was made from exact counts"):
        suggested(tmp_path / "public.parquet", sample / "spec.toml", 100)


def test_the_command_writes_groups_and_shows_them(sample: Path, tmp_path: Path) -> None:
    inputs = ("--public-data", sample / "public.parquet", "--spec", sample / "spec.toml")
    done = call("synthesize", "suggest-groups", *inputs, "--max-bins", "100", "--out", tmp_path / "groups.toml")
    assert (done.code, "C + D" in done.stdout) == (0, True)
    groups = tomllib.loads((tmp_path / "groups.toml").read_text(encoding="utf-8"))["groups"]
    assert [group["fields"] for group in groups] == [["A", "B"], ["C", "D"]]
