"""Sound inputs that the fuzzer spoils."""

import json
from fractions import Fraction

from safetab_sql.accounting.ledger_file import FIRST_LINE
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.settings.parameters import load_parameters
from tests.census import level_names
from tests.manifests import ledger_of, level_calls, released_level, run_manifest

_NAMES = level_names()


def _config(thresholds: dict[str, list[int]], **settings: object) -> bytes:
    """A config.json with these thresholds of every level, by table, and with these settings."""
    budgets = [
        f"privacy_budget_{table}_level_{level}_{name.lower().replace('-', '_')}"
        for table in thresholds
        for name, level in _NAMES
    ]
    said = {
        f"thresholds_{table}": {f"({name}, {level})": held for name, level in _NAMES}
        for table, held in thresholds.items()
    }
    common = {"allow_negative_counts": True, "run_us": True, "reader": "csv", "privacy_defn": "zcdp"}
    whole = {"max_race_codes": 8, **dict.fromkeys(budgets, 0.008), **said, **common, "state_filter_us": ["01", "02"]}
    return json.dumps({**whole, **settings}, indent=1).encode()


_OF_PEOPLE = {"privacy_budget_p_stage_1_fraction": 0.1, "zero_suppression_chance": 0.9999, "run_pr": False}
CENSUS_CONFIG = _config({"p": [1, 2, 3]}, **_OF_PEOPLE)
HOUSEHOLD_CONFIG = _config({"h_t3": [1, 2, 3], "h_t4": [1]}, run_pr=True)
_CALLS = level_calls("zcdp", Fraction(1, 1000), Fraction(1, 1000), Fraction(1, 1000))
_LEVELS = (released_level("USA-1", "US", _CALLS), released_level("STATE-2", "US", _CALLS, threshold=12))
MANIFEST = json.dumps(
    run_manifest(load_parameters(packaged_folder("configs") / "example.toml"), ledger_of(_LEVELS)), indent=1
).encode()
_RUN = {
    "run": "0" * 32,
    "state": "reserved",
    "when": "2024-01-01T00:00:00Z",
    "out": "release",
    "parameters_sha256": "a" * 64,
    "privacy_definition": "zcdp",
    "record": "person",
    "parts": {part: {"one_record": loss, "one_person": loss} for part, loss in (("US", "1.5"), ("PR", "1/3"))},
}


def ledger_with(*entries: dict[str, object]) -> bytes:
    return FIRST_LINE + b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


LIMIT = {"limit": "9.5", "when": "2024-01-01T00:00:00Z", "privacy_definition": "zcdp", "record": None}
LEDGER = ledger_with(_RUN, {**_RUN, "state": "released", "manifest_sha256": "b" * 64}, LIMIT, {**_RUN, "run": "1" * 32})
GEOGRAPHY_HEADER = b"TABBLKST|TABBLKCOU|TABTRACTCE|TABBLK|PLACEFP|AIANNHCE\n01|001|000100|1000|99999|9999\n"
PERSON_HEADER = (
    b"QAGE|QSEX|TABBLKST|TABBLKCOU|TABTRACTCE|TABBLK|QRACE1|QRACE2|QRACE3|QRACE4|QRACE5|QRACE6|QRACE7|QRACE8|QSPAN\n"
    b"35|1|01|001|000100|1000|1100|Null|Null|Null|Null|Null|Null|Null|1000\n"
)
PREDICATES = (
    b"REGION_TYPE = 'STATE' and TABLE = 'T1' and ITERATION_CODE in ('6004', '6005')",
    b"try_cast(AGESTART as integer) between 18 and 64 or SEX = '*' and not COUNT < 0",
    b"case when REGION_ID like '44%' then lower(REGION_TYPE) = 'county' else false end",
)
EXPRESSIONS = (
    b"TABBLKST || TABBLKCOU",
    b"case when PLACEFP = '99999' then null else lpad(cast(cast(TABBLK as integer) // 10 as varchar), 5, '0') end",
    b"regexp_replace(concat(TABBLKST, left(TABTRACTCE, 3)), '^0+', '') || coalesce(nullif(AIANNHCE, '9999'), 'none')",
)
_INPUTS = (
    *("--parameters", "p.toml", "--persons", "persons", "--geography", "geography.parquet"),
    *("--code-lists", "lists"),
)
_RESOURCES = ("--threads", "2", "--memory-limit", "2GB", "--scratch", ".", "--quiet")
OPTION_VALUES = tuple(
    "\n".join(words).encode()
    for words in (
        ("validate", *_INPUTS, *_RESOURCES),
        ("run", *_INPUTS, "--out", "release", "--ledger", "ledger", "--ledger-limit", "2.5", *_RESOURCES),
        ("ground-truth", *_INPUTS, "--out", "truth", "--overwrite"),
        ("plan", *_INPUTS[:2], "--people", "1000000"),
        ("moe", "release", "--sum", "SEX = '1'", "--minus", "SEX = '2'", "--json"),
        ("account", "--ledger", "ledger", "--delta", "1e-10", "--json"),
        ("targets", "--privacy-definition", "zcdp", "--moe", "USA-2=6", "--gamma", "0.1", "--out", "wanted.toml"),
        ("simulate", "--people", "1000", "--seed", "7", "--out", "nation"),
        ("sql", "show", "t1", "--all"),
        ("sql", "explain", "group_totals"),
    )
)
