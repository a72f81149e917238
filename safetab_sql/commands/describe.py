"""`describe`: what a release is, and its record for a public registry."""

import sys
from pathlib import Path

from safetab_sql.commands.answers import json_text
from safetab_sql.commands.options import Json


def describe(release: Path, *, registry: bool = False, ledger: Path | None = None, json: Json = False) -> None:
    """Say what a release is, and whether its files are those that its manifest names.

    example: release

    release OUT: folder that `run` or `reconcile` made
    registry: print a record for the public registry of deployments of differential privacy, as YAML
    ledger F: the custodian's ledger: check that it holds the digest of this manifest, so that no word of it was changed
    """
    from safetab_sql.jobs.describe import describe, description_json, description_text
    from safetab_sql.jobs.registry import open_fields, registry_record, yaml_text

    found = describe(release, ledger=ledger)
    if not registry:
        print(json_text(description_json(found)) if json else description_text(found))
        return
    record = registry_record(found)
    print(json_text(record) if json else yaml_text(record).removesuffix("\n"))
    print(f"To be filled in by the publisher: {', '.join(open_fields(record))}.", file=sys.stderr)
