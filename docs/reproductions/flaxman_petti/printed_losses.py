"""What the authors of the empirical privacy loss print, to be held beside what their definition gives.

Source: Flaxman and Petti 2020, Supplementary Methods Appendix to "Differential privacy in the 2020 US census: what will
it do?", Table SA1 and Figures SA3 and SA4.
"""

from dataclasses import dataclass

DISTRICTS = 2_663  # enumeration districts of Washington State in 1940: residuals of a set
PANEL_EPSILON = 0.25  # of panels b and c


@dataclass(frozen=True, slots=True)
class PrintedLoss:
    """A row of Table SA1: a parameter, the mean EPL, and its 2.5th and 97.5th percentile."""

    parameter: float
    mean: float
    lower: float
    upper: float


# (a) by epsilon, with bandwidth 0.1 and search percentile 95
BY_EPSILON = (
    PrintedLoss(0.001, 0.0010, 0.0008, 0.0013),
    PrintedLoss(0.005, 0.0048, 0.0039, 0.0068),
    PrintedLoss(0.01, 0.0099, 0.0076, 0.0130),
    PrintedLoss(0.05, 0.0490, 0.0390, 0.0673),
    PrintedLoss(0.1, 0.0980, 0.0752, 0.1262),
    PrintedLoss(0.15, 0.1475, 0.1181, 0.1941),
    PrintedLoss(0.2, 0.1988, 0.1521, 0.2639),
    PrintedLoss(0.25, 0.2429, 0.1853, 0.3493),
    PrintedLoss(0.3, 0.2824, 0.2228, 0.3806),
    PrintedLoss(0.35, 0.3252, 0.2651, 0.4116),
    PrintedLoss(0.4, 0.3482, 0.2717, 0.4360),
    PrintedLoss(0.45, 0.3827, 0.3140, 0.4807),
    PrintedLoss(0.5, 0.4052, 0.3434, 0.5195),
)

# (b) by bandwidth, with epsilon 0.25 and search percentile 95
BY_BANDWIDTH = (
    PrintedLoss(0.001, 0.2385, 0.1872, 0.3257),
    PrintedLoss(0.005, 0.2327, 0.1853, 0.3130),
    PrintedLoss(0.01, 0.2396, 0.1837, 0.3410),
    PrintedLoss(0.05, 0.2364, 0.1911, 0.3246),
    PrintedLoss(0.1, 0.2410, 0.1858, 0.3195),
    PrintedLoss(0.5, 0.2366, 0.1842, 0.3146),
    PrintedLoss(1.0, 0.2431, 0.1946, 0.3251),
    PrintedLoss(5.0, 0.2429, 0.1853, 0.3493),
)

# (c) by search percentile, with epsilon 0.25 and bandwidth 0.1
BY_PERCENTILE = (
    PrintedLoss(75.0, 0.2385, 0.1872, 0.3257),
    PrintedLoss(85.0, 0.2327, 0.1853, 0.3130),
    PrintedLoss(95.0, 0.2396, 0.1837, 0.3410),
    PrintedLoss(99.0, 0.2364, 0.1911, 0.3246),
    PrintedLoss(99.9, 0.2410, 0.1858, 0.3195),
)
