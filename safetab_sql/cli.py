"""The command line: `safetab-sql <command>`. stdout is the answer, stderr is progress and problems."""

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import NoReturn

from safetab_sql.commands.options import Command, Commands, add_command, arguments_of, summary
from safetab_sql.commands.unloaded import spare_time
from safetab_sql.kit import stops
from safetab_sql.kit.errors import InputError, nearest, printable
from safetab_sql.settings.removed import removed

# Guesses at what was meant by a command line that argparse refuses.

_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<known>.*)\)", re.DOTALL)
_UNRECOGNIZED = "unrecognized arguments: "


def meant_parser(parser: argparse.ArgumentParser, given: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command that `given` names, or of the action, where the command has actions."""
    for word in given:
        found = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        if not found or word not in found[0]:
            break
        parser = found[0][word]
    return parser


def explained_refusal(of: argparse.ArgumentParser, given: Sequence[str], message: str) -> list[str]:
    """What argparse says, and guesses at what was meant, each a line. of: the command. message: of argparse.

    With a guess at a word, the list of all words that may stand there is left out.
    """
    choice = _CHOICE.search(message)
    if choice:
        if instead := removed("commands", f"{of.prog.partition(' ')[2]} {choice['given']}".strip()):
            return [f"{choice['given']}: {instead}"]
        meant = nearest(choice["given"], re.findall(r"[\w.-]+", choice["known"]))
        return [message] if meant is None else [message.partition(" (choose from")[0], f"did you mean '{meant}'?"]
    known = [option for action in of._actions for option in action.option_strings]
    found = []
    words = [word.partition("=")[0] for word in given if word.startswith("--")]
    for option in [word for word in words if word not in known]:
        if instead := removed("options", f"{of.prog.partition(' ')[2]} {option}".strip()):
            found.append(f"{option}: {instead}")
            continue
        # The only option that begins so, or has this word; else the one that is most like it, if any is.
        word = option.removeprefix("--")
        holding = [each for each in known if each.startswith(option) or word in each.removeprefix("--").split("-")]
        meant = holding[0] if len(holding) == 1 else nearest(option, known)
        others = [] if meant else _having(option, parser())
        found += [f"{option}: did you mean {meant}?"] if meant else []
        found += [f"{option} is an option of {', '.join(others)}"] if others else []
    return [message, *found, *_stray_values(known, given, message)]


def _having(option: str, of: argparse.ArgumentParser) -> list[str]:
    """The commands, and actions of commands, that have an option."""
    below = [action.choices.values() for action in of._actions if isinstance(action, argparse._SubParsersAction)]
    own = [of.prog.partition(" ")[2]] if option in of._option_string_actions else []
    return [*own, *(name for parsers in below for each in parsers for name in _having(option, each))]


def _stray_values(known: Sequence[str], given: Sequence[str], message: str) -> list[str]:
    """What to do with words of no option: files that the shell put in place of a pattern, or a release."""
    if not message.startswith(_UNRECOGNIZED):
        return []
    for stray in message.removeprefix(_UNRECOGNIZED).split():
        before = given[: given.index(stray)] if stray in given and not stray.startswith("-") else ()
        options = [word for word in before if word.startswith("--")]
        if options and options[-1] in known:
            return [f"{options[-1]} takes one value: quote the pattern, or the shell puts many file names in its place"]
        if "--manifest" in known and not options and not stray.startswith("-"):
            return [f"a release is given as --manifest {stray}"]
    return []


# The commands by what they are for: a command stands in a module of its own name, or of the first word of its group.
# Then what `safetab-sql` says where no command is named.

GROUPS: Mapping[str, tuple[str, ...]] = {
    "begin": ("example", "new", "simulate"),
    "make a release": ("validate", "plan", "targets", "account", "run", "sql", "schema"),
    "read a release": ("describe", "report", "export", "moe", "statistics", "reconcile", "semantics"),
    "compare with exact counts, of public or synthetic data only": ("ground-truth", "evaluate", "epl"),
    "other methods": ("bottom-up", "synthesize", "strategy"),
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


def command(name: str) -> Command:
    """A command: the function of its name in its module, or that module, if it has several actions."""
    plain = name.replace("-", "_")
    group = next(title.partition(" ")[0] for title, names in GROUPS.items() if name in names)
    is_alone = find_spec(f"safetab_sql.commands.{plain}") is not None
    module = import_module(f"safetab_sql.commands.{plain if is_alone else group}")
    found: Command = getattr(module, plain, module)
    return found


def grouped_commands() -> str:
    """Every command with what it does, a line each, by what it is for."""
    return "\n\n".join(
        "\n".join([f"{title}:", *(f"  {name:<{_WIDTH}}{summary(command(name))}" for name in names)])
        for title, names in GROUPS.items()
    )


def entry_point() -> None:
    """`safetab-sql`. Exits: 0 done, 1 our fault or the machine's, 2 bad input, 130 interrupted, 141 reader gone."""
    stops.hold_output()
    spare_time()
    try:
        stops.end(stops.delivered(_exit_code(sys.argv[1:])))
    except BrokenPipeError:
        stops.let_go_of_output()
        stops.end(stops.READER_GONE)


def _exit_code(arguments: Sequence[str]) -> int:
    """As `main`; argparse ends the program where it shows help or refuses a command line."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    stops.stop_tidily()
    stops.leave_no_core()
    if not arguments:
        print(FIRST_STEPS)
        return 0
    options = parsed(arguments)
    is_to_write = any(getattr(options, name, None) is not None for name in ("out", "figures"))  # a file or a folder
    try:
        options.function(**arguments_of(options.function, vars(options)))
    except InputError as error:
        said = str(error)
        print(f"{said.removesuffix('.')}{stops.NOTHING_WRITTEN}." if is_to_write else said, file=sys.stderr)
        return 2
    except BrokenPipeError:
        return stops.READER_GONE  # the reader of our output has gone: nothing to say, and nobody to say it to
    except (KeyboardInterrupt, Exception) as error:
        code, message = stops.explained(error, is_to_write=is_to_write)
        if not message:
            raise
        print(message, file=sys.stderr)
        return code
    return 0


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line. One that is refused ends the program, with guesses at what was meant."""
    top = parser(tuple(word for word in arguments if word in COMMANDS)[:1])
    try:
        return top.parse_args(arguments)
    except _Refused as refused:
        found = meant_parser(top, arguments)
        # argparse quotes some of what it refuses as it is; a terminal must not obey it.
        said = map(printable, explained_refusal(found, arguments, str(refused)))
        argparse.ArgumentParser.error(found, "\n    ".join(said))


class _Refused(Exception):  # noqa: N818  (no error of the program)
    """What argparse says of a command line that it refuses."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Refused(message)


class _Top(_Parser):
    def format_help(self) -> str:
        self.epilog = f"{grouped_commands()}\n\nexample: safetab-sql example --out demo"
        return super().format_help()


class _Version(argparse.Action):
    """Prints the version, and ends the program: what reads it takes longer to load than all other options."""

    def __call__(self, top: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"safetab-sql {import_module('importlib.metadata').version('safetab-sql')}")
        top.exit()


@cache
def parser(named: tuple[str, ...] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of every command. Only the modules of those `named` are imported; the others have no options."""
    top = _Top(
        prog="safetab-sql",
        description="Differentially private population tables with SafeTab, SQL-first on DuckDB.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands: Commands = top.add_subparsers(
        title="what to do", required=True, metavar="COMMAND", help="one of those below", parser_class=_Parser
    )
    for name in COMMANDS:
        if name in named:
            add_command(commands, name, command(name))
        else:
            commands.add_parser(name)
    commands._choices_actions.clear()  # the list of commands stands below them, by what they are for
    return top
