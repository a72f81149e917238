"""The states: ANSI (FIPS) codes and names. Source: the Census Bureau's ANSI codes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class State:
    """A state, the District of Columbia or Puerto Rico."""

    code: str
    name: str


# The 50 states and the District of Columbia.
STATES = (
    State("01", "Alabama"),
    State("02", "Alaska"),
    State("04", "Arizona"),
    State("05", "Arkansas"),
    State("06", "California"),
    State("08", "Colorado"),
    State("09", "Connecticut"),
    State("10", "Delaware"),
    State("11", "District of Columbia"),
    State("12", "Florida"),
    State("13", "Georgia"),
    State("15", "Hawaii"),
    State("16", "Idaho"),
    State("17", "Illinois"),
    State("18", "Indiana"),
    State("19", "Iowa"),
    State("20", "Kansas"),
    State("21", "Kentucky"),
    State("22", "Louisiana"),
    State("23", "Maine"),
    State("24", "Maryland"),
    State("25", "Massachusetts"),
    State("26", "Michigan"),
    State("27", "Minnesota"),
    State("28", "Mississippi"),
    State("29", "Missouri"),
    State("30", "Montana"),
    State("31", "Nebraska"),
    State("32", "Nevada"),
    State("33", "New Hampshire"),
    State("34", "New Jersey"),
    State("35", "New Mexico"),
    State("36", "New York"),
    State("37", "North Carolina"),
    State("38", "North Dakota"),
    State("39", "Ohio"),
    State("40", "Oklahoma"),
    State("41", "Oregon"),
    State("42", "Pennsylvania"),
    State("44", "Rhode Island"),
    State("45", "South Carolina"),
    State("46", "South Dakota"),
    State("47", "Tennessee"),
    State("48", "Texas"),
    State("49", "Utah"),
    State("50", "Vermont"),
    State("51", "Virginia"),
    State("53", "Washington"),
    State("54", "West Virginia"),
    State("55", "Wisconsin"),
    State("56", "Wyoming"),
)
PUERTO_RICO = State("72", "Puerto Rico")

US_STATES = tuple(state.code for state in STATES)  # the codes that `state_filter_us` may hold
STATE_NAMES = {state.code: state.name for state in (*STATES, PUERTO_RICO)}
