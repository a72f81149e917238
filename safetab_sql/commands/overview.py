"""The commands by what they are for, and what `safetab-sql` says where no command is named."""

from collections.abc import Mapping

from safetab_sql.commands.options import Commands

GROUPS: Mapping[str, tuple[str, ...]] = {
    "begin": ("example", "new", "lists", "simulate"),
    "make a release": ("validate", "plan", "targets", "account", "run", "parts", "sql", "schema"),
    "read a release": ("describe", "report", "moe", "statistics", "reconcile", "semantics"),
    "compare with exact counts, of public or synthetic data only": ("ground-truth", "evaluate", "audit"),
    "other methods": ("bottom-up", "synthesize", "strategy"),
}
FIRST_STEPS = """\
safetab-sql makes differentially private tables of people, by place and group.

  safetab-sql example --out demo      everything once, with made-up people: begin here
  safetab-sql new --help              a parameter file and code lists for files of your own
  safetab-sql validate --help         check them, then `plan` what a release costs, and `run` it
  safetab-sql report --help           one HTML page that shows a release

All commands: safetab-sql --help. One of them: safetab-sql COMMAND --help."""
_WIDTH = max(len(name) for names in GROUPS.values() for name in names) + 4


def grouped_commands(commands: Commands) -> str:
    """Every command with what it does, a line each, by what it is for."""
    groups = (f"{title}:\n{_lines(commands, names)}" for title, names in GROUPS.items())
    return "\n\n".join(groups)


def _lines(commands: Commands, names: tuple[str, ...]) -> str:
    summaries = {name: (command.description or "").removesuffix(".") for name, command in commands.choices.items()}
    return "\n".join(f"  {name:<{_WIDTH}}{summaries[name][:1].lower()}{summaries[name][1:]}" for name in names)
