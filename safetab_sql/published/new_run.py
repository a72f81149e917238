"""What the folder of a run will hold: the names of its files, and its manifest, from public inputs alone."""

from pathlib import Path

from safetab_sql.accounting.ledger import DELTA, Ledger, run_statement
from safetab_sql.accounting.written import members_of
from safetab_sql.kit.errors import InputError
from safetab_sql.public.inputs import Intake
from safetab_sql.public.published_totals import TOTALS, are_releasable
from safetab_sql.published.csvw import CSVW
from safetab_sql.published.manifest import MANIFEST, parameters_json, source_digests
from safetab_sql.published.manifest_models import Run
from safetab_sql.published.tables import Format
from safetab_sql.settings.ladders import BESIDE, CODES
from safetab_sql.settings.parameters import load_parameters


def contents_of(parameters: str | Path) -> tuple[str, ...]:
    """What the folder of a release with these parameters holds; where they cannot be read, its manifest."""
    try:
        ladders = load_parameters(parameters).ladders
    except InputError:  # the problems are reported with those of the other inputs
        return (MANIFEST,)
    return (*(folder for ladder in ladders for folder in ladder.folders), *BESIDE, CODES, CSVW, MANIFEST)


def manifest_of_run(data: Intake, ledger: Ledger, format_: Format) -> dict[str, object]:
    """The manifest of the release. It holds nothing about person files, not even their names."""
    is_releasable = TOTALS not in data.public or are_releasable(data.public[TOTALS])
    said = Run(
        command="run",
        format=format_,
        about=data.parameters.about,
        parameters=parameters_json(data.parameters),
        public_inputs={name: source_digests(each) for name, each in data.public.items()},
        ledger=run_statement(ledger, delta=DELTA),
    )
    return {**({} if is_releasable else {"releasable": False}), **members_of(said)}
