"""`evaluate` and `epl` of tables of one's own: every error by hand, from the rows of an independent program."""

from collections import defaultdict
from pathlib import Path

import pytest

from safetab_sql.evaluation.evaluate import Evaluation, evaluate, evaluation_text
from safetab_sql.evaluation.ground_truth import ground_truth
from safetab_sql.jobs.run import run
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.ladders import Ladder
from safetab_sql.settings.parameters import load_parameters
from tests.cli.command import call
from tests.golden.test_households import ORACLE, households
from tests.golden.test_ladders import CELLS, EXAMPLES, TINY, expected, made, written
from tests.statistics import recorded_bits

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent")

Errors = dict[tuple[str, ...], tuple[int, int, int]]  # by level and group: stat level, measured counts, absolute error


def by_hand(inputs: InputPaths, name: str, release: Path) -> Errors:
    parameters = load_parameters(inputs.parameters)
    found: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for ladder in parameters.ladders:
        exact = expected(name, ladder.name)
        file = release / ladder.folder / f"{ladder.folder}.parquet"
        for statistic, group, codes, count in written(file, ladder.name, parameters, "STATISTIC"):
            stat_level = measured_stat_level(ladder, statistic, codes)
            if stat_level is not None:
                level = f"{ladder.name} {group[0]}-{group[2]}" if len(parameters.ladders) > 1 else group[0]
                error = abs(count - exact[statistic, group, codes])
                found[level, *group].append((stat_level, error))
    return {key: (rows[0][0], len(rows), sum(error for _, error in rows)) for key, rows in found.items()}


def measured_stat_level(ladder: Ladder, statistic: str, codes: tuple[str, ...]) -> int | None:
    """The stat level of a row that has noise of its own; None of a sum."""
    broken_down = {attribute for attribute, code in zip(CELLS[ladder.name], codes, strict=True) if code != "*"}
    statistics = [set(), *({attribute for attribute, _ in each.cells} for each in ladder.statistics)]
    names = [ladder.total_name, *(each.name for each in ladder.statistics)]
    stat_level = names.index(statistic)
    return stat_level if broken_down == statistics[stat_level] else None


def evaluated(inputs: InputPaths, folder: Path, *, dense: bool) -> tuple[Path, Evaluation]:
    run(inputs, folder / "out", resources=TINY, bits=recorded_bits("evaluated ladders"))
    ground_truth(inputs, folder / "truth", dense=dense, resources=TINY)
    truth, lists = folder / "truth", inputs.code_lists
    found = evaluate([folder / "out"], folder / "evaluation", ground_truth=truth, code_lists=lists, resources=TINY)
    return folder / "out", found


@pytest.mark.parametrize(("name", "dense"), [("hospitals", False), ("hospitals", True)], ids=["sparse", "dense"])
@pytest.mark.each_time("sparse")
@pytest.mark.slow
def test_the_errors_of_every_ladder_are_those_of_the_cells_of_its_tables(name, dense, tmp_path):
    inputs = made(name, tmp_path)
    release, found = evaluated(inputs, tmp_path, dense=dense)
    wanted = by_hand(inputs, name, release)
    errors = found.errors.to_pylist()
    assert {
        (
            f"{row['POPULATION_GROUP_LEVEL'].removesuffix('-1')}-{row['ITERATION_CODE']}",
            *(row["REGION_TYPE"], row["REGION_ID"], row["ITERATION_CODE"]),
        ): (row["STAT_LEVEL"], row["MEASURED_COUNTS"], row["TOTAL_ABSOLUTE_ERROR"])
        for row in errors
    } == wanted
    assert len(errors) == len(wanted)
    levels = [row["population_group_level"] for row in found.tables["by_level"].to_pylist()]
    assert levels == ["OUTCOMES ALL-1", "OUTCOMES HOSPITAL-1", "SEX ALL-1"]
    said = evaluation_text(found)
    assert ("sex by age by outcome" in said, "age23" in said) == (True, False)


@pytest.mark.slow
@pytest.mark.skipif(not ORACLE.is_dir(), reason="the shared folder with the oracle is absent")
def test_residuals_of_household_tables_are_audited_level_by_level(tmp_path):
    inputs = households(tmp_path)
    run(inputs, tmp_path / "out", resources=TINY, bits=recorded_bits("audited households"))
    ground_truth(inputs, tmp_path / "truth", resources=TINY)
    lists = ("--code-lists", inputs.parameters)
    done = call("epl", tmp_path / "out", "--ground-truth", tmp_path / "truth", *lists)
    levels = {" ".join(line.split()[:2]) for line in done.stdout.splitlines() if line.endswith("passes")}
    assert (done.code, {level[:2] for level in levels}) == (0, {"T3", "T4"}), done.stdout
