"""Who may do what: zones, slices, public inputs through the gate, no noise without a right to draw; who prints."""

import ast
import inspect
import re
import typing
from collections.abc import Iterable, Iterator

import pytest

from safetab_sql.accounting.ledger_file import RightToDraw
from safetab_sql.kit.sqlfiles import SqlFile, folder_files, sql_files
from safetab_sql.mechanisms import bits
from safetab_sql.public.gate import Public
from safetab_sql.published import manifest
from safetab_sql.published.tables import PUBLIC_TABLES
from tests.conftest import REPOSITORY
from tests.rules.package import Module, imports, modules

FILES = list(sql_files().values())
READABLE = {
    "public": {"public"},
    "confidential": {"public", "confidential", "noisy", "published"},  # evaluation holds a release beside the truth
    "published": {"public", "noisy", "published"},
}
CONFIDENTIAL_FILES = {"$persons", "$text_file", "$table_files"}
RUN = [file for file in FILES if file.folder.startswith("run/")]
READABLE["noisy"] = set()  # filled by Python


def test_statements_read_only_zones_files_and_folders_that_their_own_may_see():
    reads = [(file, sql_files()[table]) for file in FILES for table in file.tables_read]
    assert [(file.name, read.name) for file, read in reads if read.zone not in READABLE[file.zone]] == []
    of_run = [(file, read) for file, read in reads if file in RUN]
    assert [(file.name, read.name) for file, read in of_run if read.folder > file.folder] == []
    of_checks = [(file, read) for file, read in reads if file.folder == "checks"]
    assert [(file.name, read.name) for file, read in of_checks if read.folder != "run/1_inputs"] == []
    reading = [file for file in FILES if CONFIDENTIAL_FILES & set(file.reads)]
    assert [file.name for file in reading if file.zone != "confidential"] == []
    assert {file.folder.partition("/")[0] for file in reading if file.folder != "run/1_inputs"} == {"histograms"}


@pytest.mark.parametrize(
    ("name", "zones"),
    [
        ("run/1_inputs", {"public", "confidential"}),
        ("run/2_catalog", {"public"}),
        ("run/3_people", {"confidential"}),
        ("run/4_totals", {"confidential"}),
        ("run/5_tables", {"noisy", "confidential"}),
        ("run/6_publish", {"public", "noisy", "published"}),
        ("export", {"public", "published"}),
        ("tools/reconcile", {"public", "noisy", "published"}),
        ("tools/report", {"public", "published"}),
        ("tools/quality", {"published"}),
    ],
)
def test_a_folder_holds_statements_of_its_zones_alone(name, zones):
    assert {file.zone for file in FILES if f"{file.folder}/".startswith(f"{name}/")} <= zones


def test_noise_enters_a_run_at_two_folders_and_nowhere_else():
    published = {("run/6_publish", name) for name in ("noisy_totals", "noisy_cells", "noisy_measurements")}
    entering = {(file.folder, file.name) for file in RUN if file.zone == "noisy"}
    assert entering == {("run/5_tables", "stat_levels"), *published}


def test_the_publisher_gets_exactly_the_public_tables_that_are_read_and_python_fills_no_other():
    read = {table for file in folder_files("run/6_publish") for table in file.tables_read}
    assert {table for table in read if sql_files()[table].folder != "run/6_publish"} == set(PUBLIC_TABLES)
    read = {table for file in FILES for table in file.tables_read}
    assert {file.name for file in FILES if file.kind == "python"} - read == set()


SLICED = [file for file in sql_files().values() if file.kind in ("slice", "slices")]
HANDED_OVER = {"released_t1", "released_t2"}  # by Python, for each slice
KINDS = {file.name: file.kind for file in sql_files().values()}


def reads_a_slice(file: SqlFile) -> bool:
    kinds = {KINDS[table] for table in file.tables_read if table in KINDS}
    return bool({"slice", "stream"} & kinds or HANDED_OVER & set(file.tables_read))


def test_what_is_made_slice_by_slice_names_its_slice_and_nothing_else_reads_one():
    made_once = [file for file in sql_files().values() if file not in SLICED and file.kind != "file"]
    assert [file.name for file in made_once if reads_a_slice(file)] == []
    ranges = ({"first_group_id", "last_group_id"}, {"first_unit_id", "end_unit_id"})
    others = [file for file in SLICED if not reads_a_slice(file)]
    assert [file.name for file in others if not any(ends <= set(file.parameters) for ends in ranges)] == []


# Who may find files past the gate: records, the same files a second time, and what reads the names of columns alone.
FINDERS = {
    r"\bfind_source\b": {"public.gate", "public.sources", "jobs.new", "jobs.sql"},
    r"\bfind_code_lists\b": {"public.gate", "public.sources"},
    r"\bfind_records\b": {
        *("confidential.records", "confidential.inputs", "histograms.confidential.counts"),
        "evaluation.score",
    },
    r"\bPublic\(": {"public.gate"},
    # Digests of what a command made, and of public inputs; the others compare, or tell the custodian's ledger alone.
    r"\bsha256_of\b": {
        *("kit.whole_folders", "public.gate", "confidential.records", "confidential.inputs"),
        *("published.manifest", "published.file_notes", "release.folder", "published.new_release"),
    },
    # Text that is a table: the reader of all inputs, labels, and lists that we wrote ourselves.
    r"\bcsv\.reader\b|\bDictReader\b|\b(?:read|open)_csv\b": {
        *("public.text_files", "settings.labels", "release.folder", "simulation.people")
    },
    # A path that a settings file names is opened by the gate, but for `base`, which is settings itself.
    r"\bpath\.parent / name\b": {"settings.reading"},
    r"\.path\.parent / ": {"histograms.public.domains", "histograms.public.bottom_up_spec"},
}


def test_few_find_files_past_the_gate_and_only_the_gate_makes_a_public_input():
    root = REPOSITORY / "safetab_sql"
    texts = {
        ".".join(file.relative_to(root).with_suffix("").parts): file.read_text(encoding="utf-8")
        for file in root.rglob("*.py")
    }
    found = {pattern: {name for name, text in texts.items() if re.search(pattern, text)} for pattern in FINDERS}
    assert found == FINDERS


def test_only_what_passed_the_gate_has_a_digest_in_a_manifest():
    own = [each for _, each in inspect.getmembers(manifest, inspect.isfunction) if each.__module__ == manifest.__name__]
    digesting = [each for each in own if "digest" in each.__name__]
    assert [next(iter(typing.get_type_hints(each).values())) for each in digesting] == [Public]


MECHANISMS = [module for module in modules() if "mechanisms" in module.name.split(".")]


def naming(name: str) -> list[Module]:
    return [module for module in modules() if name in module.path.read_text(encoding="utf-8")]


def users(name: str) -> set[str]:
    return {
        module.name
        for module in naming(name)
        for node in module.nodes
        if (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)
    }


def callers(name: str, within: Iterable[Module] = ()) -> set[str]:
    return {
        f"{module.name}.{function.name}"
        for module in within or naming(name)
        for function in module.nodes
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    }


def parameters(module: Module) -> Iterator[tuple[str, str]]:
    """The function and the type of each parameter by which a module takes random bits."""
    for function in module.nodes:
        if isinstance(function, ast.FunctionDef):
            for argument in (*function.args.args, *function.args.kwonlyargs):
                if argument.arg == "bits" and argument.annotation is not None:
                    yield f"{module.name}.{function.name}", ast.unparse(argument.annotation)


def test_every_mechanism_draws_from_a_right_that_was_made_where_the_ledger_was_asked_or_to_evaluate():
    found = {name: kind for module in MECHANISMS for name, kind in parameters(module)}
    plain = {name for name, kind in found.items() if kind != "BitSource"}
    assert plain == {"mechanisms.bits.generator", "mechanisms.bits.are_the_systems"}
    assert (len(found) > 20, bits.BitSource is RightToDraw) == (True, True)
    assert callers("bits", MECHANISMS) == {"mechanisms.bits.random_bytes"}
    made = {"right_to_draw", "right_without_people"}
    assert callers("RightToDraw") == {f"accounting.ledger_file.{name}" for name in made}
    assert callers("right_to_draw") == {"published.new_release.charge"}
    assert callers("right_without_people") == {"algorithm.noise_again", "histograms.bottom_up.drawn_without_people"}
    assert users("noise_again") == {"evaluation.evaluate"}
    assert users("drawn_without_people") == {"histograms.evaluation.curve"}
    allowed = {"mechanisms.bits", "algorithm", "histograms.bottom_up", "histograms.synthesize"}
    assert users("system_bits") == allowed
    assert callers("system_bits") == set()


def test_nothing_replaces_the_systems_bits():
    def replaces(module: Module) -> bool:
        targets = (target for node in module.nodes if isinstance(node, ast.Assign) for target in node.targets)
        return any(isinstance(target, ast.Attribute) and target.attr == "urandom" for target in targets)

    assert [module.name for module in modules() if replaces(module)] == []


def test_the_system_generator_is_named_where_noise_is_drawn():
    users = {module.name for module in modules() if "os.urandom" in module.path.read_text(encoding="utf-8")}
    assert users == {"mechanisms.bits"}


def test_no_module_imports_a_generator_but_those_that_simulate_evaluate_or_draw_rows_after_the_noise():
    """ruff bans `random` and `numpy.random` by import; this finds `secrets`, and numpy's under its short name."""
    allowed = {"simulation", "evaluation", "histograms.evaluation", "histograms.published.sampling"}
    offenders = {
        module.name
        for module in modules()
        if not module.name.startswith(tuple(allowed))
        if {name.split(".")[0] for name in imports(module)} & {"random", "secrets"}
        or "np.random" in module.path.read_text(encoding="utf-8")
    }
    assert offenders == set()


def test_only_the_commands_print():
    printing = {module.name for module in modules() if "print(" in module.path.read_text(encoding="utf-8")}
    assert {name for name in printing if not name.startswith(("commands.", "cli"))} == {"kit.stops", "kit.progress"}
