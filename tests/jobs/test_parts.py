"""`parts`: a run whose people are counted by jobs gives what `run` gives, and refuses what is out of step."""

import hashlib
import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from stat import S_IMODE

import duckdb
import pyarrow.parquet as pq
import pytest

from safetab_sql import InputError, LedgerFile, Resources
from safetab_sql.accounting.ledger_file import read_charges
from safetab_sql.accounting.right_to_draw import Bits
from safetab_sql.cluster.sealed import can_encrypt
from safetab_sql.cluster.work import keep_charge, kept, kept_charge, kept_totals, open_work, remove_work
from safetab_sql.jobs import parts
from safetab_sql.jobs.run import run
from safetab_sql.jobs.validate import validate
from safetab_sql.kit import whole_folders
from safetab_sql.public.inputs import InputPaths
from safetab_sql.published.manifest import Made
from tests.cli.command import PROGRAM, call, inputs, refusal
from tests.cli.nations import paths, replace_in_first_row, simulate_few_states
from tests.cluster.nations import ONE_THREAD, PERSONS, nation_in_files
from tests.golden.sums import stays as stays_with_days
from tests.golden.sums import written as written_stays
from tests.golden.test_ladders import made as made_example
from tests.golden.test_other_shapes import EXAMPLES
from tests.oracle import Row
from tests.statistics import recorded_bits

FILES = {"a": PERSONS[:240], "b": PERSONS[240:]}


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> InputPaths:
    return nation_in_files(tmp_path_factory.mktemp("nation") / "nation", **FILES)


@pytest.fixture(scope="module")
def counted(nation: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a private folder `work` of two parts whose totals have been counted, a ledger, and no choice."""
    folder = tmp_path_factory.mktemp("counted")
    prepare(nation, folder, number=2)
    for part in (1, 2):
        parts.count(folder / "work", part, "totals", resources=ONE_THREAD)
    return folder


@pytest.fixture(scope="module")
def released(counted: Path) -> Path:
    """The same folder with the release that recorded bits gave; the private folder as it was before is kept."""
    bits = recorded_bits("parts")
    parts.choose(counted / "work", resources=ONE_THREAD, bits=bits)
    count_cells(counted / "work", 2)
    shutil.copytree(counted / "work", counted / "unpublished")
    if can_encrypt():
        shutil.copy(counted / "key", counted / "key of the copy")
    parts.publish(counted / "work", resources=ONE_THREAD, bits=bits)
    return counted


def prepare(nation: InputPaths, folder: Path, number: int, **options: object) -> None:
    wanted = {"key": folder / "key" if can_encrypt() else None, **options}
    work = parts.NewWork(folder / "work", number, wanted.pop("key"))
    ledger = LedgerFile(folder / "ledger")
    parts.prepare(nation, folder / "release", work, ledger_file=ledger, resources=ONE_THREAD, **wanted)


def count_cells(work: Path, number: int) -> None:
    for part in range(1, number + 1):
        parts.count(work, part, "cells", resources=ONE_THREAD)


def in_parts(nation: InputPaths, folder: Path, number: int, bits: Bits, **options: object) -> Path:
    """The release of a run in so many parts."""
    folder.mkdir()
    prepare(nation, folder, number, **options)
    for part in range(1, number + 1):
        parts.count(folder / "work", part, "totals", resources=ONE_THREAD)
    parts.choose(folder / "work", resources=ONE_THREAD, bits=bits)
    count_cells(folder / "work", number)
    return parts.publish(folder / "work", resources=ONE_THREAD, bits=bits).out


def in_one(nation: InputPaths, folder: Path, bits: Bits, **options: object) -> Made:
    """The release of one process, in a ledger of its own."""
    ledger = LedgerFile(folder / "ledger-of-one")
    return run(nation, folder / "release", ledger_file=ledger, resources=ONE_THREAD, bits=bits, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_release_in_parts_is_the_release_of_one_machine_to_the_byte(
    released: Path, nation: InputPaths, tmp_path: Path
) -> None:
    made = in_one(nation, tmp_path, recorded_bits("parts"))
    assert contents(released / "release") == contents(made.out)


@pytest.mark.parametrize("number", [1, 7])
@pytest.mark.parametrize("format", ["parquet", "census"])
@pytest.mark.slow
def test_a_release_in_any_number_of_parts_and_any_format_is_that_of_one_machine(
    nation: InputPaths, tmp_path: Path, number: int, format: str
) -> None:
    made = in_one(nation, tmp_path, recorded_bits("x"), format=format)
    found = in_parts(nation, tmp_path / "parts", number, recorded_bits("x"), format=format)
    assert contents(found) == contents(made.out)


@pytest.mark.parametrize("name", ["norland", "hospitals"])
@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the shared folder with the examples is absent")
@pytest.mark.slow
def test_other_shapes_and_ladders_come_through(name: str, tmp_path: Path) -> None:
    asked = made_example(name, tmp_path)
    made = in_one(asked, tmp_path, recorded_bits("x"))
    assert contents(in_parts(asked, tmp_path / "parts", 2, recorded_bits("x"))) == contents(made.out)


@pytest.mark.slow
def test_stage_1_that_is_published_comes_through(nation: InputPaths, tmp_path: Path) -> None:
    text = Path(nation.parameters).read_text(encoding="utf-8")
    (tmp_path / "parameters.toml").write_text(f"publish_stage_1 = true\n{text}", encoding="utf-8")
    asked = replace(nation, parameters=tmp_path / "parameters.toml")
    made = in_one(asked, tmp_path, recorded_bits("x"))
    assert contents(in_parts(asked, tmp_path / "parts", 3, recorded_bits("x"))) == contents(made.out)


def test_the_ledger_has_one_run_and_the_private_folder_and_its_key_are_gone(released: Path) -> None:
    assert [charge.state for charge in read_charges(released / "ledger")] == ["released"]
    assert not (released / "work").exists()
    assert not (released / "key").exists()


def test_a_charge_of_another_plan_is_refused(nation: InputPaths, released: Path, tmp_path: Path) -> None:
    prepare(nation, tmp_path, 1, key=None)
    parts.count(tmp_path / "work", 1, "totals", resources=ONE_THREAD)
    file = tmp_path / "work" / "parts" / "charge.parquet"
    shutil.copy(released / "unpublished" / "parts" / "charge.parquet", file)
    with pytest.raises(InputError, match=r"charge\.parquet: (is of another plan|cannot be read)"):
        parts.choose(tmp_path / "work", resources=ONE_THREAD)
    file.unlink()
    with key_of_the_copy(released):
        charge = kept_charge(open_work(released / "unpublished"))
    keep_charge(open_work(tmp_path / "work"), {**charge, "out": "another"})
    with pytest.raises(InputError, match="which was to go on, is another one"):
        parts.choose(tmp_path / "work", resources=ONE_THREAD)
    assert not (tmp_path / "ledger").exists()


@contextmanager
def key_of_the_copy(released: Path) -> Iterator[None]:
    """The key, of which somebody kept a copy, is there again."""
    if can_encrypt():
        shutil.copy(released / "key of the copy", released / "key")
    yield
    (released / "key").unlink(missing_ok=True)


@pytest.mark.skipif(not can_encrypt(), reason="this version of pyarrow cannot encrypt with a key of ours")
@pytest.mark.slow
def test_with_a_key_nothing_in_the_clear_depends_on_the_records(tmp_path: Path) -> None:
    """Neither what a file holds nor its size: all but the name of the plan is the same for other records."""
    found = [list(in_the_clear(tmp_path, PERSONS[: 2 * number], PERSONS[number:])) for number in (120, 149)]
    assert found[0] == found[1]
    assert [sum(name.startswith("parts/") for name in files) for files in found[0]] == [5, 8, 10]


def in_the_clear(folder: Path, *files: Sequence[Row]) -> Iterator[dict[str, object]]:
    """Of each file in the private folder, after each step: its content if it is no sealed one, or else its size."""
    nation = nation_in_files(folder / "nation", **dict(zip("ab", files, strict=True)))
    prepare(nation, folder, 2)
    work = folder / "work"
    for step in ("totals", "choose", "cells"):
        if step == "choose":
            parts.choose(work, resources=ONE_THREAD)
        else:
            for part in (1, 2):
                parts.count(work, part, step, resources=ONE_THREAD)
        said = contents(work)
        said["plan.json"] = {**json.loads(said["plan.json"]), "name": ""}
        run = read_charges(folder / "ledger")[0].run if step != "totals" else ""
        yield {
            name.replace(run or "-", "-"): len(content) if name.startswith("parts/") else content
            for name, content in said.items()
        }
    shutil.rmtree(folder)


def test_the_private_folder_is_its_owners_alone(released: Path) -> None:
    found = {path.stat().st_mode & 0o777 for path in (released / "unpublished").rglob("*") if path.is_file()}
    assert found == {0o600}


def plain_work(nation: InputPaths, folder: Path) -> Path:
    """A private folder of two plain parts that nobody has counted."""
    parts.prepare(nation, folder / "release", parts.NewWork(folder / "work", 2, None), resources=ONE_THREAD)
    return folder / "work"


@pytest.fixture(scope="module")
def prepared(nation: InputPaths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plain_work(nation, tmp_path_factory.mktemp("prepared"))


@pytest.fixture
def spoilt(prepared: Path, tmp_path: Path) -> Path:
    """A copy of a prepared folder, to be spoilt."""
    return shutil.copytree(prepared, tmp_path / "work")


def test_parts_that_were_not_counted_are_named_all_at_once(nation: InputPaths, prepared: Path, tmp_path: Path) -> None:
    work = prepared
    with pytest.raises(InputError) as refused:
        parts.choose(work, resources=ONE_THREAD)
    assert [problem.where for problem in refused.value.problems] == ["part 1", "part 2"]
    assert f"parts count totals --work {work} --part 2" in refused.value.problems[1].fix
    for step in (parts.publish, lambda folder: parts.count(folder, 1, "cells")):
        with pytest.raises(InputError, match="no tables have been chosen"):
            step(work)
    with pytest.raises(InputError, match="there are parts 1 to 2"):
        parts.count(work, 3, "totals")
    with pytest.raises(InputError, match="exists already"):
        parts.prepare(nation, tmp_path / "other", parts.NewWork(work, 2, None), resources=ONE_THREAD)


@pytest.mark.slow
def test_tables_are_chosen_once_and_published_once(nation: InputPaths, tmp_path: Path) -> None:
    work = plain_work(nation, tmp_path)
    for part in (1, 2):
        parts.count(work, part, "totals", resources=ONE_THREAD)
    parts.choose(work, resources=ONE_THREAD)
    with pytest.raises(InputError, match="are drawn once"):
        parts.choose(work, resources=ONE_THREAD)
    count_cells(work, 2)
    parts.publish(work, resources=ONE_THREAD)
    with pytest.raises(InputError, match="is no work folder"):
        parts.publish(work, resources=ONE_THREAD)


def test_a_key_that_exists_and_too_few_parts_are_told_together(nation: InputPaths, tmp_path: Path) -> None:
    (tmp_path / "persons").mkdir()
    for name in ("a", "b", "key"):
        (tmp_path / "persons" / f"{name}.csv").write_text(f"QAGE\n{ord(name[0])}\n", encoding="utf-8")
    asked, key = replace(nation, persons=tmp_path / "persons" / "[ab].csv"), tmp_path / "persons" / "key.csv"
    with pytest.raises(InputError) as refused:
        parts.prepare(asked, tmp_path / "out", parts.NewWork(tmp_path / "work", 1, key))
    assert {f"--key {key}", "--parts"} <= {problem.where for problem in refused.value.problems}
    assert not (tmp_path / "work").exists()


PLACES = {
    "--ledger": ["run", "--out", "out", "--ledger", "work/ledger"],
    "--confidential-log": ["run", "--out", "out", "--confidential-log", "work/parts/log"],
    "--scratch": ["run", "--out", "out", "--scratch", "work"],
    "--out": ["run", "--out", "work/release"],
    "--key": ["parts", "prepare", "--out", "out", "--parts", "1", "--work", "other", "--key", "work/catalog/key"],
    "--work": ["parts", "prepare", "--out", "out", "--parts", "1", "--work", "work/other", "--plain"],
}


@pytest.mark.parametrize(("option", "command"), PLACES.items(), ids=PLACES)
def test_no_command_keeps_anything_in_a_private_folder_of_parts(
    option: str, command: list[str], spoilt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    refused = call(*command, *inputs(tmp_path / "nation"))
    assert (refused.code, refused.stderr.startswith(f"{option} work")) == (2, True), refused.stderr
    assert f"lies in {spoilt}, which is the private folder of `parts`" in refused.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_what_somebody_else_put_in_the_private_folder_is_left(spoilt: Path) -> None:
    foreign = ["keys/key", "ledger", "parts/log", "release of others/manifest.json"]
    for name in foreign:
        (spoilt / name).parent.mkdir(exist_ok=True)
        (spoilt / name).write_text("theirs", encoding="utf-8")
    ours = [
        "parts/units-1.parquet",
        "parts/.cells-2.parquet.partial-x",
        "parts/charge.parquet",
        "nonce",
        ".release.lock",
    ]
    for name in [*ours, "release/manifest.json", ".release.partial-x/t1"]:
        (spoilt / name).parent.mkdir(exist_ok=True)
        (spoilt / name).touch()
    (spoilt / "empty").mkdir()
    assert remove_work(open_work(spoilt)) == sorted(["empty", *foreign])
    assert [str(path.relative_to(spoilt)) for path in sorted(spoilt.rglob("*")) if path.is_file()] == foreign


def test_a_release_that_the_ledger_refuses_is_removed(released: Path, tmp_path: Path) -> None:
    """Its manifest says that it stands in a ledger. Where the ledger cannot be read, nothing is removed."""
    copy, ledger = shutil.copytree(released / "unpublished", tmp_path / "copy"), released / "ledger"
    shutil.copytree(released / "release", copy / "release")
    manifest = copy / "release" / "manifest.json"
    manifest.write_bytes(manifest.read_bytes() + b"\n")
    entered = ledger.read_bytes()
    ledger.write_bytes(entered[:-1])
    with key_of_the_copy(released), pytest.raises(InputError, match="ends in the middle"):
        parts.publish(copy, resources=ONE_THREAD, bits=never)
    assert manifest.exists()
    ledger.write_bytes(entered)
    with key_of_the_copy(released), pytest.raises(InputError, match="has another release than this one"):
        parts.publish(copy, resources=ONE_THREAD, bits=never)
    assert [path.name for path in copy.iterdir() if "release" in path.name] == []
    assert ledger.read_bytes() == entered


def test_a_removal_that_was_killed_goes_on_without_the_key(released: Path, tmp_path: Path) -> None:
    """The charge goes before the key: a release without a charge is at OUT, and is neither entered nor copied again."""
    copy = shutil.copytree(released / "unpublished", tmp_path / "copy")
    shutil.copytree(released / "release", copy / "release")
    (copy / "parts" / "charge.parquet").unlink()
    before = (released / "ledger").read_bytes()
    parts.publish(copy, resources=ONE_THREAD, bits=never)
    assert (copy.exists(), (released / "ledger").read_bytes()) == (False, before)


def never(count: int) -> bytes:
    """Bits that nobody may ask for."""
    raise AssertionError(f"{count} bytes were drawn")


def test_a_copy_of_the_private_folder_draws_nothing_once_the_run_is_released(released: Path, tmp_path: Path) -> None:
    """Neither where OUT was moved away, nor with the key, of which somebody kept a copy, too."""
    shutil.copytree(released / "unpublished", tmp_path / "copy")
    (released / "release").rename(tmp_path / "given away")
    with key_of_the_copy(released), pytest.raises(InputError, match=r"says that run [0-9a-f]{32} was released"):
        parts.publish(tmp_path / "copy", resources=ONE_THREAD, bits=never)
    assert not (released / "release").exists()
    (tmp_path / "given away").rename(released / "release")


@pytest.mark.slow
def test_of_all_copies_of_a_private_folder_one_draws_and_one_release_comes_out(
    nation: InputPaths, tmp_path: Path
) -> None:
    """Copies made while the noisy totals are drawn, after the choice, and when the release is complete."""
    work, ledger = tmp_path / "work", tmp_path / "ledger"
    prepare(nation, tmp_path, 1, key=None)
    parts.count(work, 1, "totals", resources=ONE_THREAD)
    with pytest.raises(AssertionError, match="were drawn"):
        parts.choose(work, resources=ONE_THREAD, bits=never)  # the run is in the ledger, and its noise is not kept
    shutil.copytree(work, tmp_path / "early")
    before = ledger.read_bytes()
    shutil.copytree(work, tmp_path / "racing")
    parts.choose(tmp_path / "racing", resources=ONE_THREAD)
    drawn, _ = ledger.read_bytes(), ledger.write_bytes(before)
    parts.choose(work, resources=ONE_THREAD)  # both have drawn, and the ledger takes the noise of one
    with pytest.raises(InputError, match=r"another first noise .* in a copy of this private folder"):
        parts.publish(counted_cells(tmp_path / "racing"), resources=ONE_THREAD, bits=never)
    with pytest.raises(InputError, match="was drawn before, and it is not here"):
        parts.choose(tmp_path / "early", resources=ONE_THREAD, bits=never)
    assert drawn != before
    shutil.copytree(counted_cells(work), tmp_path / "late")
    with pytest.raises(AssertionError, match="were drawn"):
        parts.publish(work, resources=ONE_THREAD, bits=never)  # the right to the second noise is taken
    with pytest.raises(InputError, match="is drawn elsewhere: in a copy of this private folder"):
        parts.publish(tmp_path / "late", resources=ONE_THREAD, bits=never)
    shutil.copytree(work, tmp_path / "twin")
    made = parts.publish(work, resources=ONE_THREAD)
    (entered,) = read_charges(ledger)
    assert entered.manifest_sha256 == hashlib.sha256((made.out / "manifest.json").read_bytes()).hexdigest()
    made.out.rename(tmp_path / "given away")
    for copy in ("late", "twin"):
        with pytest.raises(InputError, match="was released"):
            parts.publish(tmp_path / copy, resources=ONE_THREAD, bits=never)
    assert not made.out.exists()


def counted_cells(work: Path) -> Path:
    count_cells(work, 1)
    return work


@pytest.mark.slow
def test_a_publication_that_fails_leaves_nothing_and_can_be_made_again(
    nation: InputPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(nation, tmp_path, 1, key=None)
    parts.count(tmp_path / "work", 1, "totals", resources=ONE_THREAD)
    parts.choose(tmp_path / "work", resources=ONE_THREAD)
    count_cells(tmp_path / "work", 1)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for module, name in (("safetab_sql.algorithm", "write_tables"), ("safetab_sql.kit.whole_folders", "_take_name")):
        with monkeypatch.context() as patch:
            patch.setattr(import_module(module), name, full)
            with pytest.raises(OSError, match="No space left"):
                parts.publish(tmp_path / "work", resources=ONE_THREAD)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger", "work"]
    parts.publish(tmp_path / "work", resources=ONE_THREAD)
    assert [charge.state for charge in read_charges(tmp_path / "ledger")] == ["released"]


@pytest.mark.slow
def test_a_publication_that_goes_on_removes_the_scratch_of_the_one_that_was_killed(
    nation: InputPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(nation, tmp_path, 1, key=None)
    parts.count(tmp_path / "work", 1, "totals", resources=ONE_THREAD)
    parts.choose(tmp_path / "work", resources=ONE_THREAD)
    count_cells(tmp_path / "work", 1)
    resources = replace(ONE_THREAD, scratch=tmp_path / "scratch")

    def killed(*_: object) -> None:
        raise OSError("killed")

    (tmp_path / "scratch").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr("safetab_sql.cluster.work.give_out", killed)
        with pytest.raises(OSError, match="killed"):
            parts.publish(tmp_path / "work", resources=resources)
    left = tmp_path / "scratch" / "safetab-sql-scratch-12345678"
    left.mkdir(mode=0o700)
    modes, take = list[int](), whole_folders._take_name

    def taken(partial: Path, out: Path, *, overwrite: bool) -> None:
        modes.append(S_IMODE(partial.stat().st_mode))
        take(partial, out, overwrite=overwrite)

    monkeypatch.setattr(whole_folders, "_take_name", taken)
    parts.publish(tmp_path / "work", resources=resources)
    assert (left.exists(), modes) == (False, [0o700])  # the next one removes what a kill leaves of this one


def test_a_file_that_changed_since_it_was_planned_is_not_counted(nation: InputPaths, tmp_path: Path) -> None:
    persons = Path(shutil.copytree(str(nation.persons), tmp_path / "persons"))
    work = plain_work(replace(nation, persons=persons), tmp_path)
    with (persons / "b.parquet").open("ab") as stream:
        stream.write(b" ")
    with pytest.raises(InputError, match=r"b\.parquet: was changed since the parts were planned"):
        parts.count(work, 2, "totals", resources=ONE_THREAD)


def test_a_public_table_that_changed_since_is_refused(spoilt: Path) -> None:
    with (spoilt / "catalog" / "unit_regions.parquet").open("ab") as stream:
        stream.write(b" ")
    with pytest.raises(InputError, match="unit_regions is not as it was prepared"):
        parts.count(spoilt, 1, "totals", resources=ONE_THREAD)


@pytest.mark.parametrize("name", ["software", "key", "job", "ledger"])
def test_a_plan_with_a_member_of_another_type_is_none(spoilt: Path, name: str) -> None:
    plan = spoilt / "plan.json"
    plan.write_text(json.dumps({**json.loads(plan.read_text(encoding="utf-8")), name: 3}), encoding="utf-8")
    with pytest.raises(InputError, match="is no plan"):
        parts.count(spoilt, 1, "totals", resources=ONE_THREAD)


def test_a_folder_that_other_software_prepared_is_refused(spoilt: Path) -> None:
    plan = spoilt / "plan.json"
    plan.write_text(plan.read_text(encoding="utf-8").replace('"sql": "', '"sql": "0'), encoding="utf-8")
    with pytest.raises(InputError, match="was prepared with another version of sql"):
        parts.count(spoilt, 1, "totals", resources=ONE_THREAD)


@pytest.mark.slow
def test_public_inputs_that_changed_since_are_refused(nation: InputPaths, tmp_path: Path) -> None:
    text = Path(nation.parameters).read_text(encoding="utf-8")
    asked = replace(nation, parameters=tmp_path / "parameters.toml")
    Path(asked.parameters).write_text(text, encoding="utf-8")
    work = plain_work(asked, tmp_path)
    for part in (1, 2):
        parts.count(work, part, "totals", resources=ONE_THREAD)
    Path(asked.parameters).write_text(text.replace("gamma = 0.1", "gamma = 0.2"), encoding="utf-8")
    for step in (parts.choose, lambda folder, **_: parts.count(folder, 1, "totals")):
        with pytest.raises(InputError, match="changed since it was prepared"):
            step(work, resources=ONE_THREAD)


@pytest.mark.slow
def test_problems_of_all_parts_are_those_that_validate_finds(tmp_path: Path) -> None:
    simulate_few_states(tmp_path / "nation", people=2_000)
    for name in ("01", "56"):
        replace_in_first_row(tmp_path / "nation" / "persons" / f"{name}.parquet", QRACE1="'9999'", QAGE="'130'")
    nation = paths(tmp_path / "nation")
    with pytest.raises(InputError) as whole:
        validate(nation, resources=ONE_THREAD)
    prepare(nation, tmp_path, 4, key=None)
    for part in (4, 2, 3, 1):
        parts.count(tmp_path / "work", part, "totals", resources=ONE_THREAD)
    with pytest.raises(InputError) as merged:
        parts.choose(tmp_path / "work", resources=ONE_THREAD)
    told = [{(each.where, each.what, each.examples) for each in found.value.problems} for found in (whole, merged)]
    assert told[0] == told[1]
    assert len(told[0]) >= 2
    assert not (tmp_path / "ledger").exists()


@pytest.mark.slow
def test_a_part_that_was_killed_and_counted_again_is_the_same(tmp_path: Path) -> None:
    simulate_few_states(tmp_path / "nation", people=200_000)
    prepare(paths(tmp_path / "nation"), tmp_path, 2, key=None)
    work = open_work(tmp_path / "work")
    (tmp_path / "scratch").mkdir()
    command = [*PROGRAM, "parts", "count", "totals", "--work", tmp_path / "work", "--part", "1"]
    command += ["--scratch", tmp_path / "scratch"]
    for seconds in (0.5, 0.8, 1.1):
        process = subprocess.Popen(command)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True)
    killed = kept_totals(work, 1), kept(work, "units-1")[0]
    assert list((tmp_path / "scratch").iterdir()) == []
    parts.count(tmp_path / "work", 1, "totals", resources=Resources(threads=1))
    assert killed[0] == kept_totals(work, 1)
    rows = [duckdb.from_arrow(table).aggregate("sum(exact_count), count(*)").fetchall() for table in (killed[1],)]
    assert rows == [duckdb.from_arrow(kept(work, "units-1")[0]).aggregate("sum(exact_count), count(*)").fetchall()]


@pytest.mark.slow
def test_the_steps_on_the_command_line(tmp_path: Path) -> None:
    simulate_few_states(tmp_path / "nation", people=2_000)
    work, release = tmp_path / "work", tmp_path / "release"
    usual = ("--threads", "1")
    named = ("--out", release, "--work", work, "--key", tmp_path / "key", "--parts", "2")
    made = call("parts", "prepare", *inputs(tmp_path / "nation"), *named, "--quiet", *usual)
    assert (made.code, made.stdout) == (0, f"{work}\n")
    assert len(open_work(work).plan.parts) == 2
    for what in ("totals", "cells"):
        for part in ("1", "2"):
            assert call("parts", "count", what, "--work", work, "--part", part, *usual).code == 0
        if what == "totals":
            assert call("parts", "choose", "--work", work, "--quiet", *usual).code == 0
    done = call("parts", "publish", "--work", work, "--quiet", *usual)
    assert (done.code, done.stdout) == (0, f"{release}\n")
    assert pq.read_metadata(release / "t1" / "t1.parquet").num_rows > 0


def test_a_key_or_plain_files_have_to_be_chosen(tmp_path: Path) -> None:
    assert "one of --key and --plain is needed" in refusal(
        "parts", "prepare", *inputs(tmp_path), "--out", tmp_path / "a", "--work", tmp_path / "b", "--parts", "2"
    )


def test_a_missing_key_and_an_impossible_number_of_parts_are_told_together(tmp_path: Path) -> None:
    refused = call(
        "parts", "prepare", *inputs(tmp_path), "--out", tmp_path / "a", "--work", tmp_path / "b", "--parts", "0"
    )
    for what in ("one of --key and --plain is needed", "0 is not a number of parts"):
        assert what in refused.stderr
    assert (refused.code, refused.stderr.splitlines()[-1]) == (2, "2 problems; nothing was written.")


@pytest.mark.slow
def test_sums_in_parts_are_the_sums_of_one_machine_to_the_byte(tmp_path: Path) -> None:
    stays = written_stays(stays_with_days(300, 3), 3, tmp_path)
    released = in_parts(stays, tmp_path / "parts", 2, recorded_bits("sums"))
    (tmp_path / "one").mkdir()
    assert contents(released) == contents(in_one(stays, tmp_path / "one", recorded_bits("sums")).out)
