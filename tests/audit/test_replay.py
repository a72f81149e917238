"""The replay audit: clean on the software as it is, and each fault that is planted in a copy of the software is found.

A copy is the package and its folders with one piece of text replaced; nothing but `python -m tests.audit` looks at it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from safetab_sql.accounting.ledger_file import right_without_people
from safetab_sql.jobs.run import run
from safetab_sql.kit.database import Resources
from safetab_sql.laws.noise import DiscreteGaussian, TwoSidedGeometric
from safetab_sql.mechanisms.draw import exponential_choice
from safetab_sql.public.inputs import InputPaths
from tests.audit.compensated_run import compensated_run, counted_extract
from tests.audit.compensation import Recording, choice_bits, law_cost, replayed
from tests.audit.neighbours import Extract, RecordFile, neighbours
from tests.audit.replay import ReplayAudit, Replayed, audit_replay
from tests.audit.test_planted_bugs import moved_stays
from tests.cli.command import Result
from tests.conftest import REPOSITORY
from tests.golden.sums import stays as days
from tests.golden.sums import written as amounts_of
from tests.golden.test_households import ORACLE, households
from tests.golden.test_ladders import EXAMPLES, made
from tests.nations import sample_nation, write_nation
from tests.properties.persons_oracle import Bound
from tests.properties.test_persons import unit_of, write_stays

LADDERS, SUMS = REPOSITORY / "configs" / "ladders.toml", REPOSITORY / "configs" / "sums.toml"
SPEC = """\
epsilon = 1.0
[domains]
SEX = { values = ["1", "2"] }
AGE = { minimum = 0, maximum = 40 }
[margins]
sex = ["SEX"]
"""
CENSUS = 'base = "census-2020.toml"\nrun = ["US"]\n'
FIELDS = """\
epsilon = 8
[domains]
SEX = { values = ["1", "2"] }
AGE = { minimum = 0, maximum = 9 }
WORK = { minimum = 0, maximum = 4 }
"""


def audited(inputs: InputPaths, records: int = 3) -> ReplayAudit:
    return audit_replay(Replayed("run", Path(str(inputs.parameters)), inputs), records)


def assert_clean(audit: ReplayAudit, command: str) -> None:
    """Nothing differs, nothing is dearer than stated, and hiding some neighbour does cost something."""
    assert audit.violations == ()
    assert (command in audit.commands, len(audit.trials)) == (True, 4)
    assert all(trial.differs.keys() == {*audit.commands} for trial in audit.trials)
    assert (audit.trials[0].cost, audit.trials[0].bound) == (0, 0)
    assert max(trial.cost for trial in audit.trials) > 0
    assert all(trial.cost <= trial.bound for trial in audit.trials)


def test_a_histogram_and_its_neighbours_are_equal_to_the_byte(tmp_path):
    (tmp_path / "spec.toml").write_text(SPEC)
    audit = audit_replay(Replayed("bottom-up", tmp_path / "spec.toml", people=200), 3)
    assert_clean(audit, "bottom-up")
    assert [trial.bound for trial in audit.trials] == [0, 1, 1, 2]
    assert [trial.cost for trial in audit.trials] == [0, 1, 1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("definition", ["epsilon = 8", "rho = 0.5", "epsilon = 8\nrows = 500"])
def test_synthetic_rows_of_neighbours_are_equal_to_the_byte(definition, tmp_path):
    (tmp_path / "spec.toml").write_text(FIELDS.replace("epsilon = 8", definition))
    assert_clean(audit_replay(Replayed("synthesize", tmp_path / "spec.toml", people=500), 3), "synthesize")


@pytest.mark.slow
def test_synthetic_rows_of_groups_of_fields_are_equal_to_the_byte(tmp_path):
    (tmp_path / "spec.toml").write_text(f"groups = [{{ fields = ['SEX', 'WORK'] }}]\ncut = 1\n{FIELDS}")
    assert_clean(audit_replay(Replayed("synthesize", tmp_path / "spec.toml", people=500), 3), "synthesize")


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [LADDERS, SUMS, REPOSITORY / "configs" / "norland" / "parameters.toml"], ids=str)
def test_simulated_people_of_a_ladder_of_ones_own_and_their_neighbours_are_equal_to_the_byte(parameters):
    audit = audit_replay(Replayed("run", parameters, InputPaths(parameters, "", ""), people=1_000), 3)
    assert_clean(audit, "run")


@pytest.mark.slow
def test_a_simulated_census_and_its_neighbours_are_equal_to_the_byte(tmp_path):
    census = tmp_path / "census.toml"
    census.write_text(CENSUS)
    audit = audit_replay(Replayed("run", census, InputPaths(census, "", ""), people=1_000), 3)
    assert_clean(audit, "run")


EXAMPLE_INPUTS: dict[str, Callable[[Path], InputPaths]] = {
    "norland": lambda folder: made("norland", folder),
    "hospitals": lambda folder: made("hospitals", folder),
    "households": households,
    "several records": lambda folder: write_stays(moved_stays(), folder, unit_of(Bound(3))),
    "sums": lambda folder: amounts_of(days(150, 4), 4, folder),
    "sums of persons": lambda folder: amounts_of(
        days(150, 4), 4, folder, 'person = "PATIENT"\nmost_records = 3', definition="zcdp"
    ),
    "sex by age": lambda folder: write_nation(sample_nation(), folder),
    "stage 1 published": lambda folder: write_nation(
        sample_nation().with_parameters(publish_stage_1=True, zero_suppression_chance=0.9), folder
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(not (EXAMPLES.is_dir() and ORACLE.is_dir()), reason="the shared folder with the examples is absent")
@pytest.mark.parametrize("inputs", EXAMPLE_INPUTS.values(), ids=EXAMPLE_INPUTS)
def test_people_of_each_example_and_their_neighbours_are_equal_to_the_byte(inputs, tmp_path):
    assert_clean(audited(inputs(tmp_path)), "run")


@dataclass(frozen=True, slots=True)
class Fault:
    """One piece of text in a file of the program, and what stands there in the faulty copy. says: what the audit says.

    on: what is audited. people: simulated ones. neighbours: how many are tried.
    """

    file: str
    old: str
    new: str
    says: str
    on: str = "ladders"
    people: int = 1_000
    neighbours: int = 3


NORLAND = "norland"
FAULTS = {
    "the console counts people": Fault(
        "safetab_sql/algorithm.py",
        '    data.stage("adding noise to totals")\n',
        '    data.stage("adding noise to totals")\n    print(data.database.rows("person_records"))\n',
        "stdout differ",
    ),
    "the ledger line follows from the records": Fault(
        "safetab_sql/algorithm.py",
        "parameters_json(data.parameters), ledger",
        'parameters_json(data.parameters) | {"n": data.database.rows("person_records")}, ledger',
        "removed: ledger differ",
    ),
    "a file says when it was written": Fault(
        "safetab_sql/kit/whole_folders.py",
        "os.utime(path, (changed, changed), follow_symlinks=False)",
        "path.stat()",
        "all records in another order: codes, ",
    ),
    "an odd number of records is refused": Fault(
        "safetab_sql/algorithm.py",
        "    counter.totals()\n",
        '    counter.totals()\n    if run.data.database.rows("person_records") % 2:\n        raise KeyError("odd")\n',
        "removed: exit code, ",
    ),
    "tables are picked by exact totals": Fault(
        "safetab_sql/mechanisms/tabulate.py",
        "chosen = stat_levels(noisy, plan.thresholds)",
        "chosen = stat_levels(exact + 0 * noisy, plan.thresholds)",
        "other noise is drawn than the specification says",
    ),
    "groups without people are left out": Fault(
        "safetab_sql/mechanisms/tabulate.py",
        "        yield tabulate_totals(exact, np.arange(start, stop, dtype=np.int64), is_total_only, plan, bits)\n",
        "        first, size = plan.catalog.first_population_group_id, plan.catalog.iterations\n"
        "        yield tabulate_totals(counts, ids, plan.is_total_only[(ids - first) % size], plan, bits)\n",
        "other noise is drawn than the specification says",
        people=40,
    ),
    "counts of nobody get no noise": Fault(
        "safetab_sql/mechanisms/draw.py",
        "return exact_counts + draw(law, exact_counts.size, bits).reshape(exact_counts.shape)",
        "noise = draw(law, exact_counts.size, bits).reshape(exact_counts.shape)\n"
        "    return np.where(exact_counts == 0, 0, exact_counts + noise)",
        "differ",
        people=40,
    ),
    "the first noise is used twice": Fault(
        "safetab_sql/mechanisms/tabulate.py",
        "stat_level_0_counts=add_noise(exact[without_table], plan.calls.stage_2.law, bits),\n        chosen_ids=ids[~",
        "stat_level_0_counts=noisy[without_table],\n        chosen_ids=ids[~",
        "other noise is drawn than the specification says",
        NORLAND,
    ),
    "random bytes are kept and used again": Fault(
        "safetab_sql/mechanisms/bits.py",
        "def random_bytes(",
        "from functools import lru_cache\n\n\n@lru_cache\ndef random_bytes(",
        "other noise is drawn than the specification says",
    ),
    "noise is made for one group, not for as many as a record is in": Fault(
        "safetab_sql/accounting/plan.py",
        "        bound = unit.bound(level.stability, definition, most)\n",
        "        bound = 1\n",
        "is stated",
        NORLAND,
    ),
    "stage 2 spends what stage 1 has spent": Fault(
        "safetab_sql/settings/budgets.py", "stage_2=(1 - gamma) * per_group", "stage_2=per_group", "is stated"
    ),
    "a join counts everybody twice": Fault(
        "sql/run/3_people/persons.sql",
        "left join finest_values\n",
        "inner join (select unnest([1, 2]) as copy) as copies on true\nleft join finest_values\n",
        "is stated",
    ),
    "truncation is forgotten": Fault(
        "sql/run/3_kept/kept_records.sql",
        "qualify kept_place <= $most_records",
        "qualify kept_place <= 100 * $most_records",
        "is stated",
        "stays",
    ),
    "which records are kept follows from their order": Fault(
        "sql/run/3_kept/kept_records.sql",
        "            countable_records.record_hash\n",
        "            1\n",
        "all records in another order: ",
        "stays",
    ),
    "rows of groups without people stand last": Fault(
        "sql/run/6_publish/t1.sql",
        "order by\n    published_regions.region_key,\n    published_iterations.iteration_id\n",
        "order by\n    placed_counts.summed_counts\n",
        "t1/t1.parquet differ",
        "census",
        neighbours=6,
    ),
    "a sum gets the noise of a count": Fault(
        "safetab_sql/accounting/plan.py",
        "        bound = unit.bound(level.stability, definition, most)\n",
        "        bound = unit.bound(level.stability, definition)\n",
        "is stated",
        "sums",
    ),
    "totals of sums are published without their noise": Fault(
        "safetab_sql/algorithm.py",
        "    yield tabulate_totals(exact, ids, np.zeros(ids.size, dtype=np.bool_), plan, bits, listed=stat_levels)\n",
        "    block = tabulate_totals(exact, ids, np.zeros(ids.size, dtype=np.bool_), plan, bits, listed=stat_levels)\n"
        "    block.stat_level_0_counts[:] = exact[stat_levels == 0]\n"
        "    yield block\n",
        "days/days.parquet",
        "sums",
    ),
    "cells without records are left out": Fault(
        "safetab_sql/histograms/mechanisms/cells.py",
        "return np.arange(first, end, dtype=np.int64), add_noise(counts, law, bits)",
        "return exact[0], add_noise(exact[1], law, bits)",
        "other noise is drawn than the specification says",
        "bottom-up",
        people=40,
    ),
    "pairs are chosen by their exact scores": Fault(
        "safetab_sql/histograms/synthesize.py",
        "exponential_choice(np.append(found[possible], 0), plan.pairs.choice_epsilon, bits)",
        "int(np.append(found[possible], 0).argmax())",
        "other noise is drawn than the specification says",
        "synthesize",
    ),
    "the number of rows is exact": Fault(
        "safetab_sql/histograms/synthesize.py",
        "rows = spec.said.rows or max(0, round(tree.record_total((*fields, *counted))))",
        "rows = spec.said.rows or int(exact[0].sum())",
        "manifest.json, ",
        "synthesize",
    ),
}


def audited_inputs(name: str, folder: Path) -> list[str | Path]:
    if name in ("bottom-up", "synthesize"):
        (folder / "spec.toml").write_text({"bottom-up": SPEC, "synthesize": FIELDS}[name])
        return [folder / "spec.toml", "--method", name]
    if name == "stays":
        inputs = write_stays(moved_stays(), folder, unit_of(Bound(3)))
        files = {"--persons": inputs.persons, "--geography": inputs.geography, "--code-lists": inputs.code_lists}
        return [str(inputs.parameters), *(str(each) for pair in files.items() for each in pair)]
    if name == "census":
        (folder / "census.toml").write_text(CENSUS)
        return [folder / "census.toml"]
    file = "norland/parameters.toml" if name == NORLAND else f"{name}.toml"
    return [REPOSITORY / "configs" / file]


def audit_of_copy(fault: Fault, folder: Path) -> Result:
    """The replay audit of a copy of the program with one fault, in a process of its own."""
    program = folder / "program"
    for name in ("safetab_sql", "sql", "configs"):
        shutil.copytree(REPOSITORY / name, program / name, ignore=shutil.ignore_patterns("__pycache__"))
    text = (program / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.old) == 1, "the fault is planted in one place"
    (program / fault.file).write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    words = [*audited_inputs(fault.on, folder), "--neighbours", str(fault.neighbours), "--people", str(fault.people)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(program), str(REPOSITORY)))}
    done = subprocess.run(
        [sys.executable, "-m", "tests.audit", *map(str, words)],
        cwd=program,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.planted(
    *("domain-inference", "joins-that-multiply", "truncation-forgotten", "order-and-position", "sensitivity", "caches"),
    *(
        "averaging-under-one-charge",
        "exceptions",
        "sizes-and-clocks",
        "messages-and-logs",
        "post-processing-that-peeks",
    ),
)
def test_a_fault_in_a_copy_of_the_program_is_found(fault, tmp_path):
    done = audit_of_copy(fault, tmp_path)
    assert done.code == 1, done.stderr
    assert fault.says in done.stderr


@pytest.mark.parametrize("place", range(4))
def test_the_bits_of_a_choice_choose_it(place):
    scores = np.array([12, 3, 9, 0])
    bits = Recording(choice_bits(scores, Fraction(1, 3), place))
    assert (exponential_choice(scores, Fraction(1, 3), right_without_people(bits)), bits.left) == (place, b"")


@pytest.mark.slow
def test_a_replayed_run_is_not_releasable_and_others_get_the_systems_bits(tmp_path):
    inputs = write_nation(sample_nation(), tmp_path)
    counted = counted_extract(inputs)
    bits = Recording(compensated_run([counted]).bits(counted))
    with replayed(bits):
        assert len(os.urandom(16)) == 16
        release = run(inputs, tmp_path / "out", resources=Resources(threads=1))
    assert (release.manifest["releasable"], bits.left) == (False, b"")


def test_what_hides_a_difference_costs_its_sum_or_its_squares():
    changes = np.array([1, -2, 0])
    assert law_cost(TwoSidedGeometric(Fraction(1, 3)), changes) == 1
    assert law_cost(DiscreteGaussian(Fraction(1, 10)), changes) == Fraction(1, 2)


RECORDS = (
    RecordFile("a.parquet", pa.table({"WHO": ["x", "y", "x"], "AGE": [1, 1, 1]}), "WHO"),
    RecordFile("b.parquet", pa.table({"WHO": ["z", "x"], "JOB": ["j", "j"]}), "WHO"),
)


def persons_of(files: Extract) -> list[list[str]]:
    return [file.records["WHO"].to_pylist() for file in files]


def test_neighbours_differ_by_all_records_of_one_person_or_by_their_order_and_keep_ids():
    order, removed, added, changed = neighbours(RECORDS, 3)
    assert (order.times, persons_of(order.files)) == (0, [["x", "y", "x"], ["x", "z"]])
    assert (removed.times, removed.what, persons_of(removed.files)) == (1, "person x removed", [["y"], ["z"]])
    assert (added.times, changed.times) == (1, 2)
    assert len({*persons_of(added.files)[0], *persons_of(added.files)[1]}) == 4
    assert {*persons_of(changed.files)[0], *persons_of(changed.files)[1]} <= {"x", "y", "z"}
    file = RecordFile("a.parquet", pa.table({"ID": [1, 2, 3], "AGE": [5, 6, 7]}), None, "ID")
    *_, changed = neighbours((file,), 3)
    assert (changed.times, sorted(changed.files[0].records["ID"].to_pylist())[:2]) == (2, [1, 2])
