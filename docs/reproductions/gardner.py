"""Gardner's solution of the third NIST challenge beside ours: gardner.md.

Source: J. Gardner, NistDp3, Differential Privacy 3, write-up and privacy proof (2019).
"""

from fractions import Fraction
from math import log10, sqrt

from docs.reproductions.challenge import nist_bins
from docs.reproductions.markdown import table
from safetab_sql.histograms.public.domains import Domain, size
from safetab_sql.histograms.public.ledger import HistogramCall, HistogramLedger
from safetab_sql.histograms.synthesize import least_kept
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.quantiles import variance

FIELDS, GROUPS, ROWS = 98, 39, 800_000
EPSILONS = ("8", "1", "0.3")
MILLION = 10**6  # bins: "VALUEH would have a million bins"


def page() -> str:
    """The page, in Markdown."""
    return f"""# Gardner: synthetic rows from groups of fields

J. Gardner, *NistDp3: Differential Privacy 3, Write-up and Privacy Proof* (2019). The 1940 census, {FIELDS} fields in
{GROUPS} groups; `synthesize run` with `[[groups]]` is
[this method](../specification/histograms.md#4-synthetic-data-from-groups-of-fields). The write-up prints formulas, and
few numbers. Each of them is here.

## The split and the noise

"The epsilon used is the total epsilon divided by the number of groups. Therefore the scale of the Laplacian noise =
1 / (epsilon per group) = (number of groups) / epsilon." Ours draws the integer counterpart of Laplace noise exactly,
where he rounded; its deviation is a little smaller. The ledger adds the groups up again:

{table(("epsilon", "his scale, 39 / epsilon", "deviation, Laplace", "deviation, ours", "ours, added up"), _noise())}

## The cut

"Proportional to scale * log10(number of bins in the histogram). This is necessary to prevent noise addition from
producing a massive number of non-zero bins." The factor is not printed: it is our key `cut`. Of a million empty bins:

{table(("epsilon", "cut", "scale * log10(bins)", "least count that is kept", "empty bins that pass"), _cuts())}

## Bins of fields

"VALUEH would have a million bins", so it has "special bins", which are not printed.

{table(("field", "values", "bins, ours by default"), _fields())}

## What differs

- **Noise** is drawn exactly, on whole numbers, in place of rounded Laplace noise.
- **Domains** are public. "The 5 state-dependent fields" took theirs "by sampling the data directly", which the
  challenge allowed, and which no epsilon covers.
- **Rows.** He wrote {ROWS:,}; `rows` says how many, or the noisy counts do.
- **Groups** have weights here, if one wants them.
- **The challenge's data** are not at hand, so scores of ours stand beside those of other methods, on other data
  ([how good](../specification/histograms.md#78-how-good)). Rows along a tree, the default, are ahead of groups there.
"""


def _call(epsilon: str, cells: int = MILLION) -> HistogramCall:
    return HistogramCall("group", cells, Fraction(epsilon) / GROUPS)


def _noise() -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for epsilon in EPSILONS:
        scale = GROUPS / Fraction(epsilon)
        added = HistogramLedger((_call(epsilon),) * GROUPS).amount
        ours = sqrt(variance(_call(epsilon).law))
        rows.append((epsilon, float(scale), sqrt(2) * float(scale), ours, f"{float(added):g}"))
    return rows


def _cuts() -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for epsilon in EPSILONS:
        for cut in (1, 2):
            call = _call(epsilon)
            least = least_kept(Fraction(cut), call)
            passing = float(Fraction(tail_bounds(call.law, least - 1, 64)[1], 2**64)) * MILLION
            rows.append((epsilon, cut, GROUPS / float(epsilon) * log10(MILLION), f"{least:,}", passing))
    return rows


def _fields() -> list[tuple[object, ...]]:
    largest = {"VALUEH, a million values": MILLION - 1, "INCWAGE, 0 to 999,999": 999_999, "a field up to 9,999": 9_999}
    domains = {name: Domain(name, (name,), maximum=last, bins=nist_bins(last)) for name, last in largest.items()}
    return [(name, f"{largest[name] + 1:,}", f"{size(domain):,}") for name, domain in domains.items()]
