"""`describe`: what a release is, and its record for a public registry."""

import argparse
import sys
from pathlib import Path

from safetab_sql.commands.options import Commands, new_command
from safetab_sql.jobs.describe import Description, describe
from safetab_sql.jobs.registry import open_fields, registry_record, yaml_text
from safetab_sql.kit.text_tables import aligned


def add_describe(commands: Commands) -> None:
    """`describe`: the manifest in a few lines, and whether the files are those it names."""
    summary = "say what a release is, and whether its files are those that its manifest names"
    command = new_command(commands, "describe", summary, "release")
    command.add_argument("release", type=Path, metavar="OUT", help="folder that `run` or `reconcile` made")
    what = "print a record for the public registry of deployments of differential privacy, as YAML"
    command.add_argument("--registry", action="store_true", help=what)
    command.set_defaults(command=_describe)


def _describe(options: argparse.Namespace) -> None:
    found = describe(options.release)
    if not options.registry:
        print(aligned(_facts(found)))
        return
    record = registry_record(found)
    print(yaml_text(record), end="")
    print(f"To be filled in by the publisher: {', '.join(open_fields(record))}.", file=sys.stderr)


def _facts(found: Description) -> list[tuple[str, str]]:
    ledger, about = found.manifest["ledger"], found.about
    said = {"title": about.title, "publisher": about.publisher, "contact": about.contact, "note": about.note}
    loss = f"{ledger['budget_unit']} {ledger['totals']['one_person']['decimal']}: {ledger['neighbours']}"
    files = "the manifest names none" if found.files is None else f"{len(found.files)}, all as the manifest says"
    return [
        *((name, text) for name, text in said.items() if text),
        *([("people", "made up")] if about.is_simulated else []),
        ("day of the run", found.date),
        ("releasable", "yes" if found.manifest["releasable"] else "no: other random bits than the system's"),
        ("reconciled", "yes" if found.is_reconciled else "no"),
        ("privacy loss", loss),
        ("levels", ", ".join(level["level"] for level in ledger["levels"])),
        ("files", files),
    ]
