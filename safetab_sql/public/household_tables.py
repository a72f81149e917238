"""The household tables of the 2020 Detailed DHC-B, T3 and T4, as a parameter file has them, but for their levels."""

from collections.abc import Mapping

HOUSEHOLD: Mapping[str, object] = {"one": "household", "many": "households", "person_replaces": True}

# HOUSEHOLD_TYPE: 1 married couple; 2, 3 other family, male or female householder; 4 living alone; 5 nonfamily, not
# alone. TEN: 1 owned with a mortgage, 2 owned clear, 3 rented, 4 occupied without rent.
HOUSEHOLD_ATTRIBUTES: Mapping[str, object] = {
    "HOUSEHOLD_TYPE": {
        "values": ["1", "2", "3", "4", "5"],
        "publish": "T3_DATA_CELL",
        "total": "0",
        "groups": {
            "two": {"1": ["1", "2", "3"], "6": ["4", "5"]},
            "four": {"2": ["1"], "3": ["2", "3"], "7": ["4"], "8": ["5"]},
            "five": {"2": ["1"], "4": ["2"], "5": ["3"], "7": ["4"], "8": ["5"]},
        },
    },
    "TEN": {
        "values": ["1", "2", "3", "4"],
        "publish": "T4_DATA_CELL",
        "total": "0",
        "groups": {"three": {"1": ["1"], "2": ["2"], "3": ["3", "4"]}},
    },
}
HOUSEHOLD_LADDERS: Mapping[str, Mapping[str, object]] = {
    "T3": {
        "choose": "published",
        "total_name": "T03001",
        "subtotals": "coarser",
        "statistics": [
            {"name": "T03002", "cells": {"HOUSEHOLD_TYPE": "two"}},
            {"name": "T03003", "cells": {"HOUSEHOLD_TYPE": "four"}},
            {"name": "T03004", "cells": {"HOUSEHOLD_TYPE": "five"}},
        ],
    },
    "T4": {
        "choose": "published",
        "total_name": "T04001",
        "statistics": [{"name": "T04002", "cells": {"TEN": "three"}}],
    },
}
