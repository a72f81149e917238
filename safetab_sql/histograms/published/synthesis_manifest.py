"""The manifest of a synthetic release: its spec, the noise and cut of each group, its privacy loss."""

from collections.abc import Sequence

from safetab_sql.accounting.conversions import exact_json
from safetab_sql.histograms.public.ledger import StatedHistograms
from safetab_sql.histograms.public.synthesis_spec import SynthesisSpec
from safetab_sql.histograms.published.bottom_up_manifest import domains_json
from safetab_sql.histograms.published.manifest_models import GroupFile, SynthesizeRun
from safetab_sql.histograms.published.synthetic import NoisyHistogram
from safetab_sql.published.manifest import source_digests
from safetab_sql.settings.budgets import UNITS

METHOD = "rows drawn from noisy histograms of groups of fields"
DEPARTURE = "two-sided geometric noise, drawn exactly, where the challenge's solution rounded Laplace noise"
PRICE = (
    "rows are whole and never negative, which noisy counts are not: sums of many small cells, or the cells themselves, "
    "have errors that no margin states"
)
CUT = "noisy counts below cut * scale * log10(bins), and below 1, became 0"
SAMPLING = (
    "each group's values are drawn by its noisy counts and independently of every other group's, by a fast generator "
    "with the seed: post-processing, which costs nothing"
)


def synthesis_manifest(spec: SynthesisSpec, seed: int, ledger: StatedHistograms, rows: int) -> SynthesizeRun:
    """The manifest of synthetic rows, without the files that they were drawn from."""
    return SynthesizeRun(
        command="synthesize run",
        method=METHOD,
        about=spec.about,
        noise=DEPARTURE,
        sampling=SAMPLING,
        price=PRICE,
        parameters=spec_json(spec, seed),
        public_inputs={
            "spec": source_digests(spec.file),
            "named_in_it": tuple(one for each in spec.public_files for one in source_digests(each)),
        },
        ledger=ledger,
        rows=rows,
    )


def group_files(histograms: Sequence[NoisyHistogram]) -> tuple[GroupFile, ...]:
    """The file of each group of fields, its cut, and the total after the cut."""
    return tuple(
        GroupFile(
            file=f"histograms/{number}.parquet",
            fields=tuple(domain.name for domain in histogram.domains),
            bins=histogram.bins,
            least_kept=histogram.least_kept,
            kept_bins=int(histogram.cell_ids.size),
            noisy_total=int(histogram.noisy_counts.sum()),
        )
        for number, histogram in enumerate(histograms, start=1)
    )


def spec_json(spec: SynthesisSpec, seed: int) -> dict[str, object]:
    """The spec and the seed, with every rational exact; nothing about the private file, not even its name."""
    names = [domain.name for domain in spec.domains]
    shared: dict[str, object] = {
        UNITS[spec.budget.definition]: exact_json(spec.budget.amount),
        "rows": spec.rows,
        "seed": seed,
        "domains": domains_json(spec.domains),
    }
    if not spec.groups:
        return shared | {"pairs": [[names[place] for place in pair] for pair in spec.pairs]}
    groups = [
        {"fields": [domain.name for domain in group.domains], "epsilon": exact_json(group.epsilon)}
        for group in spec.groups
    ]
    return shared | {"cut": exact_json(spec.cut), "groups": groups}
