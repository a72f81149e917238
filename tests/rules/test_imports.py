"""One-way imports: who may know of whom (design.md section 1)."""

import pytest

from tests.rules.package import Module, imports, modules, named, own_imports, rooms_imported

# A module imports rooms on lines above its own, and its own folder; never a neighbour on the same line.
LAYERS = (
    {"errors", "guesses"},
    {"sqlfiles", "folders", "text_tables", "sample_values"},
    {"progress"},
    {"handed_over", "database"},
    {"public"},
    {"text_files"},
    {"laws"},
    {"accounting"},
    {"planning", "ledger_file"},
    {"confidential", "mechanisms", "published", "simulation"},
    {"semantics"},
    {"report"},
    {"run", "ground_truth", "audit", "reconcile", "run_bottom_up", "run_synthesize", "suggest_groups"},
    {"evaluation"},
    {"example", "inspection", "preview", "faults", "account", "target_parameters"},
    {"commands"},
    {""},  # the package's own front door
    {"cli"},
    {"__main__"},
)
LAYER_OF = {room: layer for layer, rooms in enumerate(LAYERS) for room in rooms}
ZONES = ("confidential", "mechanisms", "published")
RUNS = {"run", "run_bottom_up", "run_synthesize"}  # of the main job and of its siblings
EVERY_MODULE = pytest.mark.parametrize("module", modules(), ids=lambda module: module.name or "package")


@EVERY_MODULE
def test_every_module_has_a_place_in_the_order(module: Module) -> None:
    assert module.room in LAYER_OF


@EVERY_MODULE
def test_a_module_imports_earlier_rooms_and_its_own_folder_alone(module: Module) -> None:
    layer = LAYER_OF.get(module.room, 0)
    others = rooms_imported(module) - {module.room}
    assert {room for room in others if LAYER_OF.get(room, 0) >= layer} == set()


@pytest.mark.parametrize("zone", ZONES)
def test_a_zone_imports_no_other_zone(zone: str) -> None:
    others = set(ZONES) - {zone}
    assert {module.name for module in named(zone) if rooms_imported(module) & others} == set()


@EVERY_MODULE
def test_only_the_runs_let_person_records_and_mechanisms_meet(module: Module) -> None:
    meets = {"confidential", "mechanisms"} <= rooms_imported(module)
    assert meets == (module.name in RUNS)


def test_only_the_runs_and_the_mechanisms_themselves_draw_noise() -> None:
    users = {module.name for module in modules() if "mechanisms" in rooms_imported(module)}
    assert {name for name in users if not name.startswith("mechanisms.")} == RUNS


@pytest.mark.parametrize("module", named("simulation"), ids=lambda module: module.name)
def test_the_simulation_knows_no_zone(module: Module) -> None:
    assert not rooms_imported(module) & set(ZONES)


@pytest.mark.parametrize("module", named("inspection"), ids=lambda module: module.name)
def test_whoever_shows_the_sql_knows_no_zone(module: Module) -> None:
    assert not rooms_imported(module) & set(ZONES)


@pytest.mark.parametrize("module", named("mechanisms", "laws", "accounting"), ids=lambda module: module.name)
def test_mechanisms_laws_and_accounting_know_no_tables(module: Module) -> None:
    outside = {name.partition(".")[0] for name in imports(module)}
    assert not outside & {"duckdb", "pyarrow"}
    assert not rooms_imported(module) & {"sqlfiles", "database", "text_files"}


@pytest.mark.parametrize("module", named("laws"), ids=lambda module: module.name)
def test_laws_draw_nothing(module: Module) -> None:
    assert not imports(module) & {"os", "secrets", "random", "numpy"}


def test_the_system_generator_is_named_in_one_module() -> None:
    users = {module.name for module in modules() if "os.urandom" in module.path.read_text(encoding="utf-8")}
    assert users == {"mechanisms.bits"}


@EVERY_MODULE
def test_no_module_outside_the_simulation_imports_another_generator(module: Module) -> None:
    """But for those that publish nothing, and the one that draws synthetic rows: it sees noisy counts alone."""
    if module.room not in ("simulation", "evaluation") and module.name != "published.sampling":
        assert not {name for name in imports(module) if name.split(".")[0] in ("random", "secrets")}
        assert "numpy.random" not in imports(module)
        assert "np.random" not in module.path.read_text(encoding="utf-8")


@EVERY_MODULE
def test_no_import_is_relative(module: Module) -> None:
    assert "from ." not in module.path.read_text(encoding="utf-8")


def test_the_simulation_is_used_by_those_who_make_examples_alone() -> None:
    users = {module.room for module in modules() if "simulation" in rooms_imported(module)}
    assert users == {"simulation", "example", "commands"}


def test_exact_counts_are_read_by_the_run_and_by_those_for_public_or_synthetic_data_alone() -> None:
    users = {module.name for module in modules() if "confidential.counts" in own_imports(module)}
    assert users == {"run", "ground_truth", "audit", "evaluation.evaluate"}
