"""The commands by what they are for, and what `safetab-sql` says where no command is named."""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType

from safetab_sql.commands.signatures import summary

GROUPS: Mapping[str, tuple[str, ...]] = {
    "begin": ("example", "new", "lists", "simulate"),
    "make a release": ("validate", "plan", "targets", "account", "run", "parts", "sql", "schema"),
    "read a release": ("describe", "report", "moe", "statistics", "reconcile", "semantics"),
    "compare with exact counts, of public or synthetic data only": ("ground-truth", "evaluate", "audit"),
    "other methods": ("bottom-up", "synthesize", "strategy"),
}
_MODULES = {  # of commands whose module has another name
    **dict.fromkeys(("example", "new", "lists", "simulate"), "begin"),
    **dict.fromkeys(("validate", "plan", "targets", "account", "run", "schema"), "make"),
    **dict.fromkeys(("describe", "report", "moe", "statistics", "reconcile", "semantics"), "read"),
    **dict.fromkeys(("ground-truth", "evaluate"), "compare"),
}
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
FIRST_STEPS = """\
safetab-sql makes differentially private tables of people, by place and group.

  safetab-sql example --out demo      everything once, with made-up people: begin here
  safetab-sql new --help              a parameter file and code lists for files of your own
  safetab-sql validate --help         check them, then `plan` what a release costs, and `run` it
  safetab-sql report --help           one HTML page that shows a release

All commands: safetab-sql --help. One of them: safetab-sql COMMAND --help."""
_WIDTH = max(map(len, COMMANDS)) + 4


def command(name: str) -> Callable[..., object] | ModuleType:
    """A command: the function of its name in its module, or that module, if it has several actions."""
    plain = name.replace("-", "_")
    module = import_module(f"safetab_sql.commands.{_MODULES.get(name, plain)}")
    found: Callable[..., object] | ModuleType = getattr(module, plain, module)
    return found


def grouped_commands() -> str:
    """Every command with what it does, a line each, by what it is for."""
    return "\n\n".join(
        "\n".join([f"{title}:", *(f"  {name:<{_WIDTH}}{summary(command(name))}" for name in names)])
        for title, names in GROUPS.items()
    )
