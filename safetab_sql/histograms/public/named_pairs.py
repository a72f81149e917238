"""The pairs of fields that a specification names for rows along a tree, and domains that are too large for a tree."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from safetab_sql.histograms.public.binned_pairs import Pair
from safetab_sql.histograms.public.domains import Domain, size
from safetab_sql.histograms.public.nist_specs import MOST_VALUES
from safetab_sql.kit.errors import Problem
from safetab_sql.settings.markers import Base, Fix, Means, Sized, once
from safetab_sql.settings.reading import Document
from safetab_sql.settings.tables import table

_ABOUT_FIELDS = 'write fields = ["AGE", "SEX"]'


@table
class WrittenPair:
    """Two fields that share a table, as a file has them."""

    fields: Annotated[tuple[str, str], once(), Fix(_ABOUT_FIELDS), Means("names of two domains")]


Pairs = Annotated[
    tuple[WrittenPair, ...],
    Sized(0, fix=f"write [[pairs]] with {_ABOUT_FIELDS[6:]}"),
    Means("two fields that share a table"),
]


@table
class PairsFile:
    """The keys of a file of pairs."""

    pairs: Pairs = ()
    base: Base = None


def named_pairs(
    document: Document, written: Sequence[WrittenPair], fields: Sequence[str], problems: list[Problem]
) -> tuple[Pair, ...]:
    """The places in `fields` of the pairs, the smaller place first.

    Pairs of unknown fields are problems, and pairs that close a circle: rows are drawn along a tree.
    """
    found = []
    for number, each in enumerate(written, start=1):
        unknown = [name for name in each.fields if name not in fields]
        for name in unknown:
            what = f"pair {number}: no domain is called '{name}'"
            problems.append(document.problem(("pairs",), what, f"add [domains.{name}]"))
        if not unknown:
            low, high = sorted(fields.index(name) for name in each.fields)
            found.append((low, high))
    tree = {place: place for place, _ in enumerate(fields)}
    for one, other in found:
        if tree[one] == tree[other]:
            what = f"{fields[one]} and {fields[other]} are joined already, by other pairs"
            problems.append(document.problem(("pairs",), what, "take this pair out"))
        tree = {place: tree[one] if root == tree[other] else root for place, root in tree.items()}
    return tuple(found)


def wide_problems(document: Document, domains: Sequence[Domain]) -> Iterator[Problem]:
    """Domains with too many values for a histogram of their own."""
    for domain in [domain for domain in domains if size(domain) > MOST_VALUES]:
        what = f"has {size(domain):,} values, more than {MOST_VALUES:,}"
        yield document.problem(("domains", domain.name), what, "give it bins, such as bins = [[0, 0], [1, 999]]")
