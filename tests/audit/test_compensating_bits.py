"""Nothing but noisy counts gets out: extracts that differ, with noise that makes up for it, give the same release."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric
from safetab_sql.mechanisms.draw import draw
from safetab_sql.public.checks import Checks, Findings
from tests.audit.compensated_run import compensated_run, counted_extract
from tests.audit.compensation import Recording, noise_bits
from tests.nations import BLOCK_COLUMNS, Nation, oracle_inputs, sample_nation, write_nation
from tests.oracle import exact_tables

THRESHOLDS = [0, 12, 30]
DEFINITIONS = ("zcdp", "puredp")
CLOCK = re.compile(r'("date": )"[^"]*"')


def nation_of(definition: str) -> Nation:
    """Levels above and below states, with every stat level and with suppression."""
    levels = {name: {"budget": 1, "thresholds": THRESHOLDS} for name in ("USA-1", "COUNTY-1", "COUNTY-2", "PLACE-2")}
    return sample_nation(200).with_parameters(
        privacy_definition=definition, run_pr=False, zero_suppression_chance=0.5, levels=levels
    )


def with_one_move(nation: Nation) -> Nation:
    """The nation after its first person of one county has moved to another."""
    here, there = nation.blocks[0], nation.blocks[2]
    place = [all(person[name] == here[name] for name in BLOCK_COLUMNS[:4]) for person in nation.persons].index(True)
    moved = {**nation.persons[place], **{name: there[name] for name in BLOCK_COLUMNS[:4]}}
    return replace(nation, persons=[*nation.persons[:place], moved, *nation.persons[place + 1 :]])


def release(nation: Nation, folder: Path, bits: Recording) -> dict[str, bytes]:
    """Every file of OUT, the manifest without its clock."""
    run(write_nation(nation, folder), folder / "out", bits=bits, resources=Resources(threads=1))
    files = {str(path.relative_to(folder / "out")): path for path in (folder / "out").rglob("*") if path.is_file()}
    contents = {name: path.read_bytes() for name, path in files.items()}
    return contents | {"manifest.json": CLOCK.sub(r"\1", contents["manifest.json"].decode()).encode()}


def compensated_releases(nations: Sequence[Nation], folder: Path) -> list[tuple[dict[str, bytes], Recording]]:
    """The releases of nations that differ, with noise that hides the difference, each with its bits after it."""
    written = [write_nation(nation, folder / f"counted-{number}") for number, nation in enumerate(nations)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checks, "findings", lambda *_, **__: Findings())  # the runs check the same files
        counted = list(map(counted_extract, written))
    noise, made = compensated_run(counted), []
    for number, (nation, its) in enumerate(zip(nations, counted, strict=True)):
        bits = Recording(noise.bits(its))
        made.append((release(nation, folder / str(number), bits), bits))
    return made


@pytest.fixture(scope="module", params=DEFINITIONS)
def compensated(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[dict[str, bytes], Recording]]:
    """Two releases of extracts that differ by one move, each with its recorded bits after it."""
    folder = tmp_path_factory.mktemp("compensated")
    before = nation_of(request.param)
    after = with_one_move(before)
    return compensated_releases([before, after], folder)


@pytest.mark.each_time("zcdp")
def test_one_person_moves_and_the_release_is_the_same_to_the_byte(compensated):
    (before, _), (after, _) = compensated
    assert before == after


@pytest.mark.each_time("zcdp")
def test_the_recorded_bits_are_read_to_the_last(compensated):
    """So the noise of each count was the one that was wanted for it, and no call was made that was not foreseen."""
    assert [bits.left for _, bits in compensated] == [b"", b""]


@pytest.mark.each_time("zcdp")
def test_the_release_has_tables_of_every_stat_level(compensated):
    """An age bin that no other statistic has tells each of them."""
    (before, _), _ = compensated
    (t2,) = [content for name, content in before.items() if name.startswith("t2/")]
    ages = pq.read_table(BytesIO(t2)).select(["AGESTART", "AGEEND"]).to_pylist()
    assert {("18", "44"), ("75", "115"), ("85", "115")} <= {(row["AGESTART"], row["AGEEND"]) for row in ages}


@pytest.mark.each_time("zcdp")
def test_the_release_leaves_out_small_totals(compensated):
    (before, _), _ = compensated
    (t1,) = [content for name, content in before.items() if name.startswith("t1/")]
    nation = nation_of("zcdp")
    assert 0 < pq.read_metadata(BytesIO(t1)).num_rows < len(exact_tables(oracle_inputs(nation))[0])


LAWS = {
    DiscreteGaussian(Fraction(1, 40)): 1,
    TwoSidedGeometric(Fraction(1, 5)): 1,
    DiscreteGaussian(Fraction(1, 36 * 10**9)): 20_000,  # drawn by rejection
    TwoSidedGeometric(Fraction(3, 10**7)): 1_000_001,
}


@pytest.mark.parametrize(("law", "scale"), LAWS.items(), ids=map(str, LAWS))
def test_bits_draw_the_noise_they_were_made_for(law, scale):
    """Out to several standard deviations: near the mean 16 bits decide, far from it 64; wide laws reject nothing."""
    noise = [scale * each for each in (*range(-30, 31), 0, 0, 17)]
    bits = Recording(noise_bits(law, noise))
    assert (draw(law, len(noise), bits).tolist(), bits.left) == (noise, b"")
