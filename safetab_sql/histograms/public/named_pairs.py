"""The pairs of fields that a specification names for rows along a tree, and domains that are too large for a tree."""

from collections.abc import Mapping, Sequence

from safetab_sql.histograms.public.binned_pairs import Pair
from safetab_sql.histograms.public.domains import Domain, size
from safetab_sql.public.settings import Settings, complain, complain_unknown, complain_value, table_at

PAIR_KEYS = ("fields",)
MOST_VALUES = 10**5  # of one field: each has a noisy count of its own


def named_pairs(settings: Settings, fields: Sequence[str]) -> tuple[Pair, ...]:
    """The places in `fields` of the pairs in [[pairs]], the smaller place first; none if there is no such key.

    Complains of pairs that are no two known fields, and of pairs that close a circle: rows are drawn along a tree.
    """
    given = settings.document.get("pairs", [])
    if not isinstance(given, list):
        complain_value(settings, ("pairs",), given, 'write [[pairs]] with fields = ["AGE", "SEX"]')
        return ()
    tables = [table_at(settings, ("pairs",), entry) for entry in given]
    found = [_pair(settings, f"pair {place}", table, fields) for place, table in enumerate(tables, start=1)]
    tree = {place: place for place, _ in enumerate(fields)}
    pairs = []
    for one, other in [pair for pair in found if pair is not None]:
        if tree[one] == tree[other]:
            names = f"{fields[one]} and {fields[other]}"
            complain(settings, ("pairs",), f"{names} are joined already, by other pairs", "take this pair out")
        tree = {place: tree[one] if root == tree[other] else root for place, root in tree.items()}
        pairs.append((one, other))
    return tuple(pairs)


def complain_wide(settings: Settings, domains: Sequence[Domain]) -> None:
    """Complain of domains with too many values for a histogram of their own."""
    for domain in [domain for domain in domains if size(domain) > MOST_VALUES]:
        what = f"has {size(domain):,} values, more than {MOST_VALUES:,}"
        complain(settings, ("domains", domain.name), what, "give it bins, such as bins = [[0, 0], [1, 999]]")


def _pair(settings: Settings, where: str, table: Mapping[str, object], fields: Sequence[str]) -> Pair | None:
    """The places of one pair; None after a complaint."""
    complain_unknown(settings, ("pairs",), table, PAIR_KEYS)
    match table.get("fields"):
        case [str(one), str(other)] if one != other:
            unknown = [name for name in (one, other) if name not in fields]
            for name in unknown:
                complain(settings, ("pairs",), f"{where}: no domain is called '{name}'", f"add [domains.{name}]")
            low, high = sorted(fields.index(name) if name in fields else 0 for name in (one, other))
            return None if unknown else (low, high)
    complain(settings, ("pairs",), f"{where} is no pair of two fields", 'write fields = ["AGE", "SEX"]')
    return None
