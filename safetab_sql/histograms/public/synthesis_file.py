"""The specification of synthetic data: domains of the fields, the budget, and how fields hang together.

Everything in it is public. With [[groups]], groups_file or cut, rows are drawn from histograms of groups of fields;
without them along a tree of pairs of fields, which are chosen privately, or named in [[pairs]].

    epsilon = 8                       # pure DP, of the whole release; or, along a tree, rho = 0.5 for zCDP
    rows = 800000                     # optional; absent: a noisy number
    nist_specs = "specs.json"         # optional: domains 0 to `maxval` of the challenge's file, beside this one
    code_book = "codebook.cbk"        # optional: of these, fields that the book lists have its codes as their values
    pairs_file = "pairs.toml"         # optional: [[pairs]] from another file, as `suggest-pairs` writes them
    groups_file = "groups.toml"       # optional: [[groups]] from another file, as `suggest-groups` writes them
    cut = 1                           # optional; counts below cut * scale * log10(bins) become 0; 2 if absent
    private_data = "persons.parquet"  # optional: what --data is by default, and what `suggest-groups` refuses
    [domains]                         # see domain_settings.py; one of the same name goes before NIST's
    AGE = { minimum = 0, maximum = 115 }
    [[pairs]]                         # two fields that share a table; pairs may form no circle
    fields = ["AGE", "SEX"]
    [[groups]]                        # fields that share a histogram; every other field stands alone
    fields = ["AGE", "SEX"]
    weight = 2                        # optional: of the group's share of epsilon; 1 if absent, and for fields alone

Also: title, publisher, contact, note and is_simulated, which the manifest repeats: see about.py.
"""

from fractions import Fraction
from typing import Annotated

from safetab_sql.histograms.public.domain_settings import Domains
from safetab_sql.histograms.public.named_pairs import Pairs
from safetab_sql.settings.about import NOTHING_SAID, About
from safetab_sql.settings.budgets import LARGEST_BUDGET
from safetab_sql.settings.decimals import Decimal
from safetab_sql.settings.markers import Base, Fix, Means, Sized, Text, Whole
from safetab_sql.settings.tables import INLINE, table
from safetab_sql.settings.unit import RECORDS, AnyRecords

MOST_ROWS = 10**10
_ABOUT_FIELDS = 'write fields = ["AGE", "SEX"]'
_Amount = Decimal(0, LARGEST_BUDGET, "write a decimal above 0, such as 0.3", without_least=True)
_File = Annotated[str | None, Text()]


@table
class WrittenGroup:
    """Fields that share a histogram, as a file has them."""

    fields: Annotated[tuple[str, ...], Sized(1, fix=_ABOUT_FIELDS), Fix(_ABOUT_FIELDS), Means("names of domains")]
    weight: Annotated[
        Fraction,
        Decimal(0, LARGEST_BUDGET, "write a decimal above 0", without_least=True),
        Means("of its share of epsilon"),
    ] = Fraction(1)


Groups = Annotated[
    tuple[WrittenGroup, ...],
    Sized(0, fix="write [[groups]] with fields = [...]"),
    Means("fields that share a histogram"),
]


@table
class GroupsFile:
    """The keys of a file of groups."""

    groups: Groups = ()
    base: Base = None


@table
class SynthesisFile:
    """The keys of a specification of `synthesize`."""

    epsilon: Annotated[Fraction | None, _Amount, Means("pure DP, of the whole release")] = None
    rho: Annotated[Fraction | None, _Amount, Means("zCDP, of the whole release, along a tree")] = None
    rows: Annotated[
        int | None,
        Whole(1, MOST_ROWS, f"write a whole number from 1 to {MOST_ROWS:,}, or leave it out"),
        Means("how many; absent: a noisy number"),
    ] = None
    nist_specs: Annotated[_File, Means("specs of the challenge, beside this file")] = None
    code_book: Annotated[_File, Means("a code book, beside this file")] = None
    private_data: Annotated[_File, Means("the records, if --data names none")] = None
    domains: Domains = ()
    pairs: Pairs = ()
    pairs_file: Annotated[_File, Means("pairs in a file beside this one")] = None
    groups: Groups = ()
    groups_file: Annotated[_File, Means("groups in a file beside this one")] = None
    cut: Annotated[
        Fraction,
        Decimal(0, LARGEST_BUDGET, "write a decimal of at least 0, such as 0.5"),
        Means("counts below cut * scale * log10(bins) become 0"),
    ] = Fraction(2)
    unit: AnyRecords = RECORDS
    about: Annotated[About, INLINE] = NOTHING_SAID
    base: Base = None

    @property
    def files(self) -> dict[str, str]:
        """The files that it names, by key."""
        keys = ("nist_specs", "code_book", "groups_file", "pairs_file", "private_data")
        return {key: getattr(self, key) for key in keys if getattr(self, key) is not None}
