"""Parameters in one line, and the values that the program derives from them for its statements."""

from fractions import Fraction
from pathlib import Path

from safetab_sql.public.values import parameter_values, place_values
from safetab_sql.settings.geography import RegionType
from safetab_sql.settings.ladders import LevelParameters, PopulationGroupLevel
from safetab_sql.settings.parameters import Parameters, census
from tests.census import below_states, geography, ladder, questions

SCHOOL = below_states("SCHOOL", "TABBLKST || SDELM", "US", "0699999")


def parameters(
    *levels: str,
    max_race_codes: int = 8,
    own: tuple[RegionType, ...] = (),
    states: tuple[str, ...] = ("01", "44"),
    run: tuple[str, ...] = ("US", "PR"),
) -> Parameters:
    """Parameters with a budget for each of `levels`, such as COUNTY-2; both parts run."""
    named = [level.rpartition("-") for level in levels]
    return Parameters(
        privacy_definition="zcdp",
        questions=questions(max_race_codes),
        gamma=Fraction(1, 10),
        zero_suppression_chance=Fraction(0),
        allow_negative_counts=True,
        geography=geography(states, run, own),
        ladders=(
            ladder(
                [
                    LevelParameters(PopulationGroupLevel(region_type, level), Fraction(1), (1, 2, 3))
                    for region_type, _, level in named
                ]
            ),
        ),
        source=Path("parameters.toml"),
        attributes=census().attributes,
    )


def region_types(*names: str, own: tuple[RegionType, ...] = ()) -> object:
    """The value `region_types` of a run that tabulates the region types called `names`."""
    return parameter_values(parameters(*(f"{name}-2" for name in names), own=own))["region_types"]


def parts_of(*states: str) -> dict[str, object]:
    """The values that follow from the geography of a run of these states alone."""
    return place_values(parameters("USA-1", states=states, run=("US",)))
