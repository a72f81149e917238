"""Groups of fields for synthetic data, proposed from a public sample: fields that share information share a group.

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
from safetab_sql.kit.database import Resources
from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.text_tables import aligned
from safetab_sql.public.gate import Public, public_source, records_at
from safetab_sql.published.manifest import Digests, source_digests

Pair = frozenset[str]  # the names of two domains
Group = tuple[str, ...]  # names of domains


@dataclass(frozen=True, slots=True)
class SuggestedGroups:
    """Groups that hold every field once, in the order of the domains. bins: of each group. information: of pairs, bits.

    public_files: name and SHA-256 of the files that were read.
    """

    groups: tuple[Group, ...]
    bins: tuple[int, ...]
    information: Mapping[Pair, float]
    public_files: Digests


def suggest_groups(
    public_data: str | Path,
    spec: Path,
    most_bins: int,
    *,
    least_information: float = 0.01,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> SuggestedGroups:
    """Groups of the fields that `spec` has domains for, each of at most `most_bins` bins.

    least_information: minimum mutual information, bits, of two fields that share a group. Raises: InputError if the
    data cannot be read, hold values outside their domains, or are not public.
    Source: histograms.md section 4.6; Gardner 2019, Pre-processing.
    """
    domains, private_data = load_domains(spec, resources)
    refuse([Problem("--max-bins", f"{most_bins} bins", "give at least 1")] if most_bins < 1 else [])
    sample = public_sample(public_data, private_data, resources)
    with coded_table(public_data, domains, resources, progress) as table:
        table.stage("counting pairs of fields")
        information = {
            frozenset((one.name, other.name)): mutual_information(count_cells(table, (one, other)), (one, other))
            for one, other in combinations(domains, 2)
        }
        groups = merged_groups(domains, information, most_bins, least_information)
        by_name = {domain.name: domain for domain in domains}
        bins = tuple(cell_count([by_name[name] for name in group]) for group in groups)
        return SuggestedGroups(groups, bins, information, source_digests(sample))


def public_sample(public_data: str | Path, private_data: Path | None, resources: Resources) -> Public:
    """The sample, past the gate. Raises: InputError where it is the private data of the spec, a copy, or marked exact.

    A private file that the spec does not name, and a copy with one row changed, cannot be recognised.
    """
    return public_source("public_sample", public_data, records_at(private_data, resources=resources))


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


def merged_groups(
    domains: Sequence[Domain], information: Mapping[Pair, float], most_bins: int, least_information: float
) -> tuple[Group, ...]:
    """Groups made by repeatedly joining the two groups whose nearest fields have the most mutual information.

    Groups are joined as long as the joined group has at most `most_bins` bins and the two nearest fields share at least
    `least_information`. The information that two fields share is a lower bound of the information that their groups
    share, and so of the information that joining the groups keeps.
    """
    names = [domain.name for domain in domains]
    by_name = {domain.name: domain for domain in domains}
    groups: list[Group] = [(name,) for name in names]
    for pair in sorted(information, key=lambda pair: (-information[pair], sorted(map(names.index, pair)))):
        if information[pair] < least_information:
            break
        one, other = (next(group for group in groups if name in group) for name in sorted(pair, key=names.index))
        if one != other and cell_count([by_name[name] for name in (*one, *other)]) <= most_bins:
            joined = tuple(sorted((*one, *other), key=names.index))
            groups = [joined if group == one else group for group in groups if group != other]
    return tuple(sorted(groups, key=lambda group: names.index(group[0])))


def groups_toml(found: SuggestedGroups) -> str:
    """The groups of several fields as [[groups]] of a spec; a single field needs no line."""
    files = [f"# from the public file {file.file}, SHA-256 {file.sha256}" for file in found.public_files]
    tables = [
        f"[[groups]]  # {bins:,} bins\nfields = [{', '.join(map(_quoted, group))}]"
        for group, bins in zip(found.groups, found.bins, strict=True)
        if len(group) > 1
    ]
    return "\n".join(["# Made by safetab-sql synthesize suggest-groups", *files, "", *tables]) + "\n"


def groups_text(found: SuggestedGroups) -> str:
    """The groups as a text table: bins, and the largest mutual information of two of its fields."""
    rows = [("bins", "bits", "fields")]
    for group, bins in zip(found.groups, found.bins, strict=True):
        shared = [found.information[frozenset(pair)] for pair in combinations(group, 2)]
        rows.append((f"{bins:,}", f"{max(shared):.3f}" if shared else "-", " + ".join(group)))
    return aligned(rows)


def _quoted(text: str) -> str:
    """The text as a TOML string; the notation of JSON is valid TOML."""
    return json.dumps(text)
