"""The JSON Schemas of the specifications of `bottom-up`, `synthesize` and `strategy`."""

from collections.abc import Mapping

from safetab_sql.histograms.public.bottom_up_spec import BottomUpFile
from safetab_sql.histograms.public.synthesis_spec import SynthesisFile
from safetab_sql.histograms.public.workload import WorkloadFile
from safetab_sql.settings.schema import file_schema


def bottom_up_schema() -> Mapping[str, object]:
    """What `load_bottom_up_spec` reads."""
    published = {"anyOf": [{"required": ["margins"]}, {"required": ["publish_cells"]}]}
    return file_schema("A bottom-up histogram", BottomUpFile, [published])


def synthesis_schema() -> Mapping[str, object]:
    """What `load_synthesis_spec` reads of a TOML file."""
    return file_schema("Synthetic rows", SynthesisFile, [{"not": {"required": ["epsilon", "rho"]}}])


def strategy_schema() -> Mapping[str, object]:
    """What `load_workload` reads."""
    return file_schema("Queries of your own", WorkloadFile)
