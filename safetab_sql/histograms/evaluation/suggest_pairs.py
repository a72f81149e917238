"""Pairs of fields for synthetic rows along a tree, proposed from a public sample: those that share most information.

Nothing here adds noise, so the sample must be public. A sample that is recognisably not public is refused.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from safetab_sql.histograms.confidential.counts import coded_table, count_cells
from safetab_sql.histograms.evaluation.suggest_groups import mutual_information, public_sample
from safetab_sql.histograms.public.synthesis_spec import load_domains
from safetab_sql.histograms.public.tree_plan import Pair
from safetab_sql.kit.database import Resources
from safetab_sql.kit.progress import SILENT, Progress
from safetab_sql.kit.text_tables import aligned
from safetab_sql.published.manifest import Digests, source_digests


@dataclass(frozen=True, slots=True)
class SuggestedPairs:
    """Pairs that form no circle, nearest first, by the names of their fields, with the information they share, bits.

    public_files: name and SHA-256 of the files that were read.
    """

    pairs: tuple[tuple[str, str], ...]
    information: tuple[float, ...]
    public_files: Digests


def suggest_pairs(
    public_data: str | Path,
    spec: Path,
    *,
    least_information: float = 0.01,
    resources: Resources = Resources(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
) -> SuggestedPairs:
    """The tree of pairs of the fields of `spec` that share most information in all. Source: histograms.md section 7.3.

    least_information: minimum mutual information of a pair, bits. Raises: InputError if the data cannot be read, hold
    values outside their domains, or are not public.
    """
    domains, private_data = load_domains(spec, resources)
    sample = public_sample(public_data, private_data, resources)
    with coded_table(public_data, domains, resources, progress) as table:
        table.stage("counting pairs of fields")
        information = {
            (one, other): mutual_information(
                count_cells(table, (domains[one], domains[other])), (domains[one], domains[other])
            )
            for one, other in combinations(range(len(domains)), 2)
        }
        chosen = largest_tree(len(domains), information, least_information)
        pairs = tuple((domains[one].name, domains[other].name) for one, other in chosen)
        return SuggestedPairs(pairs, tuple(information[pair] for pair in chosen), source_digests(sample))


def largest_tree(fields: int, information: Mapping[Pair, float], least: float) -> list[Pair]:
    """The pairs with at least `least` information that form no circle and share most in all. Source: Kruskal 1956."""
    tree = list(range(fields))
    chosen: list[Pair] = []
    for pair in sorted(information, key=lambda pair: (-information[pair], pair)):
        one, other = (tree[place] for place in pair)
        if information[pair] >= least and one != other:
            chosen.append(pair)
            tree = [one if root == other else root for root in tree]
    return chosen


def pairs_toml(found: SuggestedPairs) -> str:
    """The pairs as [[pairs]] of a spec."""
    files = [f"# from the public file {file.file}, SHA-256 {file.sha256}" for file in found.public_files]
    # The notation of JSON is valid TOML.
    tables = [f"[[pairs]]\nfields = {json.dumps(pair, ensure_ascii=False)}" for pair in found.pairs]
    return "\n".join(["# Made by safetab-sql synthesize suggest-pairs", *files, "", *tables]) + "\n"


def pairs_text(found: SuggestedPairs) -> str:
    """The pairs as a text table, with the information they share."""
    rows: Sequence[tuple[str, ...]] = [
        (f"{bits:.3f}", " + ".join(pair)) for pair, bits in zip(found.pairs, found.information, strict=True)
    ]
    return aligned([("bits", "fields"), *rows])
