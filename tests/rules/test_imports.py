"""Who may import whom. `lint-imports` keeps the contracts in pyproject.toml; here is what they cannot say."""

from tests.rules.package import imports, modules


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
