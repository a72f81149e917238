"""Groups of fields for synthetic rows, proposed from a public sample: those that share most information.

Nothing here adds noise, so the sample must be public. A sample that is recognisably not public is refused.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from safetab_sql.histograms.confidential.counts import ExactCells, coded_table, count_cells
from safetab_sql.histograms.public.domains import Domain, cell_count, codes_of_cells
from safetab_sql.histograms.public.synthesis_spec import load_domains
from safetab_sql.histograms.public.tree_plan import Pair
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.gate import public_source, records_at
from safetab_sql.published.manifest import Digests, source_digests

_LEAST_INFORMATION = 0.01  # bits, of two fields that share a group
Places = tuple[int, ...]  # of fields that belong together, ascending


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Groups that hold every field once, in the order of the domains.

    fields: their names, of each group. information: the most that two of them share, bits; None of a field by
    itself. bins: of their histogram. public_files: name and SHA-256 of the files that were read.
    """

    fields: tuple[tuple[str, ...], ...]
    information: tuple[float | None, ...]
    bins: tuple[int, ...]
    public_files: Digests


def suggested(
    public_data: str | Path,
    spec: Path,
    most_bins: int,
    *,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> Suggestion:
    """Groups of the fields of `spec` that share information.

    most_bins: of a group. Source: histograms.md section 4.6; Gardner 2019, Pre-processing.
    Raises: InputError if the data cannot be read, hold values outside their domains, or are not public: where they are
    the private data of the spec, a copy, or marked exact. A private file that the spec does not name, and a copy with
    one row changed, cannot be recognised.
    """
    refuse([Problem("--max-bins", f"{most_bins} bins", "give at least 1")] if most_bins < 1 else [])
    domains, private_data = load_domains(spec)
    sample = public_source("public_sample", public_data, records_at(private_data))
    with coded_table(public_data, domains, resources, progress) as table:
        table.stage("counting pairs of fields")
        information = {
            places: mutual_information(count_cells(table, pair), pair)
            for places, pair in zip(combinations(range(len(domains)), 2), combinations(domains, 2), strict=True)
        }
    found = joined_fields(domains, information, _LEAST_INFORMATION, most_bins)
    return Suggestion(
        tuple(tuple(domains[place].name for place in places) for places in found),
        tuple(max((information[pair] for pair in combinations(places, 2)), default=None) for places in found),
        tuple(cell_count([domains[place] for place in places]) for places in found),
        source_digests(sample),
    )


def mutual_information(cells: ExactCells, pair: tuple[Domain, Domain]) -> float:
    """Mutual information of two fields in bits, minus the small-sample bias of Miller (1955), at least 0.

    The bias is (values of one field - 1) * (values of the other field - 1) / (2 * sample size), in nats, over the
    values that occur: the mean of the G statistic for independent fields. For dependent fields it is a little too
    large. Source: Miller 1955.
    """
    one, other = (np.unique(codes, return_inverse=True)[1] for codes in codes_of_cells(cells.cell_ids, pair))
    total = int(cells.exact_counts.sum())
    if not total:
        return 0.0
    counts = cells.exact_counts.astype(np.float64)
    alone = [np.bincount(codes, counts) for codes in (one, other)]
    ratio = counts * total / (alone[0][one] * alone[1][other])
    bias = (alone[0].size - 1) * (alone[1].size - 1) / (2 * total * np.log(2))
    return max(0.0, float((counts / total) @ np.log2(ratio)) - float(bias))


def joined_fields(
    domains: Sequence[Domain], information: Mapping[Pair, float], least: float, most_bins: int
) -> list[Places]:
    """The groups at the end, where the two groups with the nearest fields are joined, again and again.

    Groups are joined as long as the joined group has at most `most_bins` bins and the two nearest fields share at least
    `least` information. The information that two fields share is a lower bound of the information that their groups
    share, and so of the information that joining the groups keeps.
    """
    nearest = sorted((-bits, pair) for pair, bits in information.items() if bits >= least)
    groups: list[Places] = [(place,) for place in range(len(domains))]
    for _, pair in nearest:
        one, other = (next(group for group in groups if place in group) for place in pair)
        joined = tuple(sorted((*one, *other)))
        if one != other and cell_count([domains[place] for place in joined]) <= most_bins:
            groups = [joined if group == one else group for group in groups if group != other]
    return sorted(groups)


def suggestion_toml(found: Suggestion) -> str:
    """The groups of several fields, as [[groups]] of a spec."""
    files = [f"# from the public file {file.file}, SHA-256 {file.sha256}" for file in found.public_files]
    tables = []
    for fields, bins in zip(found.fields, found.bins, strict=True):
        # The notation of JSON is valid TOML.
        tables.append(f"[[groups]]  # {bins:,} bins\nfields = {json.dumps(fields, ensure_ascii=False)}")
    several = [table for table, fields in zip(tables, found.fields, strict=True) if len(fields) > 1]
    return "\n".join(["# Made by safetab-sql synthesize suggest-groups", *files, "", *several]) + "\n"


def suggestion_text(found: Suggestion) -> str:
    """The groups as a text table: bins, and the largest mutual information of two fields."""
    rows = [("bins", "bits", "fields")]
    for fields, bits, bins in zip(found.fields, found.information, found.bins, strict=True):
        rows.append((f"{bins:,}", "-" if bits is None else f"{bits:.3f}", " + ".join(fields)))
    return aligned(rows)
