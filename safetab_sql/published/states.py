"""The states: ANSI (FIPS) codes and names."""

from pathlib import Path

from safetab_sql.kit.words import words

PUERTO_RICO = "72"
STATE_NAMES = words(Path(__file__).with_name("states.toml"))
US_STATES = tuple(code for code in STATE_NAMES if code != PUERTO_RICO)  # the codes that `state_filter_us` may hold
