"""Parameters in one line, and the values that the program derives from them for its statements."""

from fractions import Fraction
from pathlib import Path

from safetab_sql.public.levels import STANDARD_REGION_TYPES, PopulationGroupLevel, RegionType
from safetab_sql.public.parameters import LevelParameters, Parameters
from safetab_sql.public.statement_values import parameter_values

SCHOOL = RegionType("SCHOOL", "TABBLKST || SDELM", "US", is_sub_state=True, none_id="0699999")


def parameters(*levels: str, max_race_codes: int = 8, own: tuple[RegionType, ...] = ()) -> Parameters:
    """Parameters with a budget for each of `levels`, such as COUNTY-2; both parts run."""
    named = [level.rpartition("-") for level in levels]
    return Parameters(
        privacy_definition="zcdp",
        max_race_codes=max_race_codes,
        gamma=Fraction(1, 10),
        zero_suppression_chance=Fraction(0),
        allow_negative_counts=True,
        run_us=True,
        run_pr=True,
        state_filter_us=("01", "44"),
        region_types=(*STANDARD_REGION_TYPES, *own),
        levels=tuple(
            LevelParameters(PopulationGroupLevel(region_type, int(level)), Fraction(1), (1, 2, 3))
            for region_type, _, level in named
        ),
        source=Path("parameters.toml"),
    )


def region_types(*names: str, own: tuple[RegionType, ...] = ()) -> object:
    """The value `region_types` of a run that tabulates the region types called `names`."""
    return parameter_values(parameters(*(f"{name}-2" for name in names), own=own))["region_types"]
