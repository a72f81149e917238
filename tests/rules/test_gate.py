"""What is published about a public input comes through the gate: no other way is left in the program."""

import inspect
import re
import typing

from safetab_sql.public.gate import Public
from safetab_sql.published import manifest
from tests.conftest import REPOSITORY

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
        *("kit.whole_folders", "public.gate", "confidential.records", "confidential.totals"),
        *("published.manifest", "published.file_notes", "release.folder", "published.new_release"),
        "confidential.inputs",
    },
    # Text that is a table: the reader of all inputs, labels, and lists that we wrote ourselves.
    r"\bcsv\.reader\b|\bDictReader\b|\b(?:read|open)_csv\b": {
        *("public.text_files", "settings.labels", "release.folder", "export.contents", "simulation.answers")
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
    digesting = [
        member
        for name, member in inspect.getmembers(manifest, inspect.isfunction)
        if "digest" in name and member.__module__ == manifest.__name__
    ]
    assert [next(iter(typing.get_type_hints(each).values())) for each in digesting] == [Public]
