"""Gardner's solution of the third NIST challenge beside ours: gardner.md.

Source: J. Gardner, NistDp3, Differential Privacy 3, write-up and privacy proof (2019).
"""

from fractions import Fraction
from math import log10, sqrt

from docs.reproductions.challenge import nist_bins
from docs.reproductions.markdown import table
from safetab_sql.histograms.public.domains import Domain
from safetab_sql.histograms.public.spending import HistogramCall
from safetab_sql.laws.exceedance import tail_bounds
from safetab_sql.laws.noise import variance

GROUPS = 39
EPSILONS = ("8", "1", "0.3")
MILLION = 10**6  # bins: "VALUEH would have a million bins"


def blocks() -> dict[str, str]:
    """What is computed of the page."""
    noise = ("epsilon", "his scale, 39 / epsilon", "deviation, Laplace", "deviation, ours", "ours, added up")
    cuts = ("epsilon", "cut", "scale * log10(bins)", "least count that is kept", "empty bins that pass")
    fields = ("field", "values", "bins, ours by default")
    return {"noise": table(noise, _noise()), "cuts": table(cuts, _cuts()), "fields": table(fields, _fields())}


def _call(epsilon: str, cells: int = MILLION) -> HistogramCall:
    return HistogramCall("group", cells, Fraction(epsilon) / GROUPS)


def _noise() -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for epsilon in EPSILONS:
        scale = GROUPS / Fraction(epsilon)
        added = GROUPS * _call(epsilon).epsilon
        ours = sqrt(variance(_call(epsilon).law))
        rows.append((epsilon, float(scale), sqrt(2) * float(scale), ours, f"{float(added):g}"))
    return rows


def _cuts() -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for epsilon in EPSILONS:
        for cut in (1, 2):
            call = _call(epsilon)
            least = call.least_kept(Fraction(cut))
            passing = float(Fraction(tail_bounds(call.law, least - 1, 64)[1], 2**64)) * MILLION
            rows.append((epsilon, cut, GROUPS / float(epsilon) * log10(MILLION), f"{least:,}", passing))
    return rows


def _fields() -> list[tuple[object, ...]]:
    largest = {"VALUEH, a million values": MILLION - 1, "INCWAGE, 0 to 999,999": 999_999, "a field up to 9,999": 9_999}
    domains = {name: Domain(name, (name,), maximum=last, bins=nist_bins(last)) for name, last in largest.items()}
    return [(name, f"{largest[name] + 1:,}", f"{domain.size:,}") for name, domain in domains.items()]
