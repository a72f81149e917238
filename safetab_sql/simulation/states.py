"""The states of the synthetic nation, and how a total is divided among parts.

Facts: 2020 census resident populations and numbers of counties (county equivalents). The numbers of American
Indian, Alaska Native and Native Hawaiian (AIANNH) areas are rough, and the pairs of states are some of those
that such an area really crosses.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from safetab_sql.public import states

US_PEOPLE = 331_449_281  # the 50 states and DC, 1 April 2020


@dataclass(frozen=True, slots=True)
class StateSize:
    """Size of a state in 2020: resident people, counties, AIANNH areas that lie within it (rough)."""

    code: str
    people: int
    counties: int
    aiannh_areas: int


# People, counties, AIANNH areas, by code.
_SIZES = {
    "01": (5_024_279, 67, 8),
    "02": (733_391, 30, 220),
    "04": (7_151_502, 15, 20),
    "05": (3_011_524, 75, 0),
    "06": (39_538_223, 58, 110),
    "08": (5_773_714, 64, 2),
    "09": (3_605_944, 8, 4),
    "10": (989_948, 3, 2),
    "11": (689_545, 1, 0),
    "12": (21_538_187, 67, 7),
    "13": (10_711_908, 159, 3),
    "15": (1_455_271, 5, 75),
    "16": (1_839_106, 44, 5),
    "17": (12_812_508, 102, 0),
    "18": (6_785_528, 92, 1),
    "19": (3_190_369, 99, 2),
    "20": (2_937_880, 105, 4),
    "21": (4_505_836, 120, 0),
    "22": (4_657_757, 64, 8),
    "23": (1_362_359, 16, 4),
    "24": (6_177_224, 24, 0),
    "25": (7_029_917, 14, 3),
    "26": (10_077_331, 83, 12),
    "27": (5_706_494, 87, 12),
    "28": (2_961_279, 82, 1),
    "29": (6_154_913, 115, 1),
    "30": (1_084_225, 56, 9),
    "31": (1_961_504, 93, 5),
    "32": (3_104_614, 17, 25),
    "33": (1_377_529, 10, 0),
    "34": (9_288_994, 21, 3),
    "35": (2_117_522, 33, 25),
    "36": (20_201_249, 62, 12),
    "37": (10_439_388, 100, 5),
    "38": (779_094, 53, 5),
    "39": (11_799_448, 88, 0),
    "40": (3_959_353, 77, 30),
    "41": (4_237_256, 36, 10),
    "42": (13_002_700, 67, 0),
    "44": (1_097_379, 5, 1),
    "45": (5_118_425, 46, 5),
    "46": (886_667, 66, 9),
    "47": (6_910_840, 95, 1),
    "48": (29_145_505, 254, 3),
    "49": (3_271_616, 29, 7),
    "50": (643_077, 14, 0),
    "51": (8_631_393, 133, 6),
    "53": (7_705_281, 39, 30),
    "54": (1_793_716, 55, 0),
    "55": (5_893_718, 72, 12),
    "56": (576_851, 23, 1),
}

STATES = tuple(StateSize(code, *_SIZES[code]) for code in states.US_STATES)
PUERTO_RICO = StateSize(states.PUERTO_RICO, 3_285_874, 78, 0)

# One AIANNH area of the synthetic nation lies in both states of each pair; small nations take the first few.
STATES_THAT_SHARE_AN_AREA = (
    ("04", "35"),
    ("38", "46"),
    ("06", "32"),
    ("04", "49"),
    ("16", "32"),
    ("31", "46"),
    ("04", "06"),
    ("08", "35"),
    ("20", "31"),
    ("19", "31"),
    ("32", "49"),
    ("32", "41"),
    ("08", "49"),
    ("35", "49"),
)


def apportioned(total: int, weights: NDArray[np.float64], *, at_least: int = 0) -> NDArray[np.int64]:
    """`total` divided in proportion to `weights` by largest remainders, after `at_least` for each part.

    float64[n] -> int64[n] that sums to `total` exactly; `total` must be at_least * n or more.
    """
    quotas = (total - at_least * weights.size) * (weights / weights.sum())
    parts = np.floor(quotas).astype(np.int64)
    missing = total - at_least * weights.size - int(parts.sum())
    parts[np.argsort(parts - quotas, kind="stable")[:missing]] += 1
    divided: NDArray[np.int64] = parts + at_least
    return divided


def state_people(people: int) -> dict[str, int]:
    """People of each of the 50 states and DC, in proportion to 2020; 1,000 reach every state."""
    sizes = np.array([state.people for state in STATES], dtype=np.float64)
    return dict(zip((state.code for state in STATES), apportioned(people, sizes).tolist(), strict=True))


def puerto_rico_people(people: int) -> int:
    """People of Puerto Rico beside a nation of `people`, in proportion to 2020, one or more."""
    return max(1, round(PUERTO_RICO.people * people / US_PEOPLE))


def random_stream(seed: int, state_code: str, purpose: int) -> np.random.Generator:
    """The stream of one purpose in one state: independent of the order in which states are made."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, int(state_code), purpose])))
