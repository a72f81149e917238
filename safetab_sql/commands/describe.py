"""`describe`: what a release is, and its record for a public registry."""

import argparse
import sys
from pathlib import Path

from safetab_sql.accounting.loss import ONE_PERSON
from safetab_sql.accounting.written import decimal_text, members_of
from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Commands, add_json, new_command
from safetab_sql.jobs.describe import Description, describe
from safetab_sql.jobs.registry import open_fields, registry_record, yaml_text
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.about import about_json


def add_describe(commands: Commands) -> None:
    """`describe`: the manifest in a few lines, and whether the files are those it names."""
    summary = "say what a release is, and whether its files are those that its manifest names"
    command = new_command(commands, "describe", summary, "release")
    command.add_argument("release", type=Path, metavar="OUT", help="folder that `run` or `reconcile` made")
    what = "print a record for the public registry of deployments of differential privacy, as YAML"
    command.add_argument("--registry", action="store_true", help=what)
    what = "the custodian's ledger: check that it holds the digest of this manifest, so that no word of it was changed"
    command.add_argument("--ledger", type=Path, metavar="F", help=what)
    add_json(command)
    command.set_defaults(command=_describe)


def _describe(options: argparse.Namespace) -> None:
    found = describe(options.release, ledger=options.ledger)
    if not options.registry:
        print(json_text(_answer(found)) if options.json else aligned(_facts(found)))
        return
    record = registry_record(found)
    print(json_text(record) if options.json else yaml_text(record).removesuffix("\n"))
    print(f"To be filled in by the publisher: {', '.join(open_fields(record))}.", file=sys.stderr)


def _answer(found: Description) -> dict[str, object]:
    """The same for programs, in the words of the manifest. files: SHA-256 by place."""
    facts = found.facts
    ledger, published = members_of(facts.run.ledger), facts.manifest.published
    return {
        **about_json(found.about),
        "date": found.date,
        "releasable": published.releasable,
        "accounted": published.accounted,
        "run": found.run,
        "reconciled": found.is_reconciled,
        **{name: ledger[name] for name in ("privacy_definition", "neighbours", "person_rule", "totals")},
        "levels": [level.name for level in facts.levels],
        "files": found.files,
    }


def _accounted(found: Description) -> str:
    if not found.facts.manifest.published.accounted:
        return "no: in no ledger"
    if found.run is not None:
        return "yes, in a ledger of its custodian"
    return "the manifest says that it stands in a ledger: check it with describe --ledger"


def _facts(found: Description) -> list[tuple[str, str]]:
    facts, about, ledger = found.facts, found.about, found.facts.run.ledger.loss
    said = {"title": about.title, "publisher": about.publisher, "contact": about.contact, "note": about.note}
    loss = f"{ledger.budget_unit} {decimal_text(ledger.of_record)}: {ledger.neighbours}"
    person = ledger.totals[ONE_PERSON]
    of_person = "unknown" if person is None else f"{ledger.budget_unit} {decimal_text(person)}"
    return [
        *((name, text) for name, text in said.items() if text),
        *([("records", "made up")] if about.is_simulated else []),
        ("day of the run", found.date),
        ("releasable", "yes" if facts.manifest.published.releasable else "no: other random bits than the system's"),
        ("accounted", _accounted(found)),
        *([] if found.run is None else [("in this ledger", f"yes, as run {found.run}")]),
        ("reconciled", "yes" if found.is_reconciled else "no"),
        ("privacy loss", loss),
        ("loss of a person", f"{of_person}: {ledger.person_rule}"),
        ("levels", ", ".join(level.name for level in facts.levels)),
        ("files", f"{len(facts.files)}, all as the manifest says"),
    ]
