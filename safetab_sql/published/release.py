"""What the manifest of a release tells its readers: the laws of the noise, and what was done to counts afterwards."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.laws.cumulative import Law
from safetab_sql.laws.discrete_gaussian import DiscreteGaussian
from safetab_sql.laws.two_sided_geometric import TwoSidedGeometric
from safetab_sql.public.budgets import PrivacyDefinition

RELEASE_FIX = "name a folder that `safetab-sql run` made, as it made it"
_LARGEST_FILE = 2**26  # bytes; a manifest of every level has 60,000
_EXACT = re.compile(r"[0-9]{1,300}(/[1-9][0-9]{0,299})?")  # Fraction("1e999999999") would never end
_PUBLISHED_STATISTICS = ("total_only", "stage_2")  # the noise of stage 1 is never published
_LAWS: Mapping[str, Callable[[Fraction], Law]] = {
    "discrete gaussian": DiscreteGaussian,
    "two-sided geometric": TwoSidedGeometric,
}


_OF_ALL = ("software", "times", "date", "about")  # what every manifest may hold
# The other commands that make a folder with a manifest: how to tell it, and what takes such a folder.
_MAKERS: Mapping[str, Callable[[Mapping[str, object]], bool]] = {
    "bottom-up run": lambda found: "margins" in found and "method" in found,
    "synthesize run": lambda found: "sampling" in found and "method" in found,
    "bottom-up curve": lambda found: "confidential" in found and "replicates" in found,
    "evaluate": lambda found: "confidential" in found and "releases" in found,
    "ground-truth": lambda found: "confidential" in found and set(found) <= {*_OF_ALL, "confidential", "parameters"},
}
_TAKERS: Mapping[str, str] = {
    "bottom-up run": "its margins state their own margins of error, and `semantics --epsilon` takes its epsilon",
    "synthesize run": "`synthesize score` takes its rows, and `semantics --epsilon` its epsilon",
    "bottom-up curve": "`report --curve` takes this folder",
    "evaluate": "`report --evaluation` takes this folder",
    "ground-truth": "`evaluate --ground-truth` and `audit epl --ground-truth` take this folder",
}


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """What a manifest says. laws: of the published counts of each region type, from the budgets of its levels.

    suppressed_types: region types whose small totals are not published. is_clipped: whether counts below 0 became 0.
    """

    laws: Mapping[str, tuple[Law, ...]]
    suppressed_types: frozenset[str]
    is_clipped: bool

    @property
    def definition(self) -> PrivacyDefinition:
        """That of the noise."""
        laws = [law for of_type in self.laws.values() for law in of_type]
        return "puredp" if any(isinstance(law, TwoSidedGeometric) for law in laws) else "zcdp"


def read_manifest(path: Path) -> object:
    """What the file holds. Raises: InputError where it cannot be read, or where a command that is not `run` made it.

    The manifest of a reconciled folder, which holds that of a run, is let through.
    """
    found = read_json(path)
    maker = next((name for name, is_its in _MAKERS.items() if isinstance(found, dict) and is_its(found)), None)
    if maker is not None:
        fix = f"{RELEASE_FIX}; {_TAKERS[maker]}"
        raise InputError([Problem(str(path), f"not the manifest of a release: `safetab-sql {maker}` made it", fix)])
    return found


def read_json(path: Path) -> object:
    """What the file holds, whichever command made it. Raises: InputError where it cannot be read."""
    try:
        found: object = json.loads(_content(path))
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error.strerror}", RELEASE_FIX)]) from error
    except (ValueError, RecursionError) as error:
        raise InputError([Problem(str(path), f"cannot be read: {error}", RELEASE_FIX)]) from error
    return found


def _content(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise ValueError("not a file")
    with path.open("rb") as stream:
        content = stream.read(_LARGEST_FILE + 1)
    if len(content) > _LARGEST_FILE:
        raise ValueError("larger than any manifest")
    return content


def release_day(manifest: Mapping[str, Any]) -> str:
    """The day (UTC) on which the release was made, YYYY-MM-DD; manifests once held its start and finish to the second.

    Raises: InputError where it holds neither.
    """
    try:
        day = manifest["times"]["started"][:10] if "times" in manifest else manifest["date"]
        return date.fromisoformat(day).isoformat()
    except (KeyError, TypeError, ValueError) as error:
        raise InputError([Problem("manifest.json [date]", "holds no day such as 2026-11-21", RELEASE_FIX)]) from error


def without_times(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest with the day on which the release was made for its start and finish, where it holds these."""
    kept = {name: value for name, value in manifest.items() if name != "times"}
    return {**kept, "date": release_day(manifest)} if "times" in manifest else kept


def release_facts(manifest: object) -> ReleaseFacts:
    """The facts of a manifest. Raises: InputError where it is none, or that of a release without margins of error."""
    try:
        return _facts(manifest)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        what = f"not the manifest of a release: {type(error).__name__} {error}"
        raise InputError([Problem("manifest.json", what, RELEASE_FIX)]) from error


def _facts(manifest: object) -> ReleaseFacts:
    if not isinstance(manifest, Mapping):
        raise TypeError("an object is wanted")
    if "format" not in manifest:
        what = "not the manifest of a release, but of a folder that another command made"
        raise InputError([Problem("manifest.json", what, RELEASE_FIX)])
    if manifest["format"] == "census":
        what = "the census format has no margins of error, and no variances to make them from"
        raise InputError([Problem("manifest.json [format]", what, "make the release with --format parquet")])
    laws: dict[str, tuple[Law, ...]] = {}
    for level in manifest["ledger"]["levels"]:
        region_type = level["level"].rpartition("-")[0]
        own = [
            _LAWS[call["distribution"]](_budget(call["budget"]["exact"]))
            for call in level["calls"]
            if call["statistic"] in _PUBLISHED_STATISTICS
        ]
        laws[region_type] = (*laws.get(region_type, ()), *own)
    thresholds = manifest["suppression_thresholds"]
    return ReleaseFacts(
        laws=laws,
        suppressed_types=frozenset(name.rpartition("-")[0] for name in thresholds if thresholds[name] is not None),
        is_clipped=not manifest["parameters"]["allow_negative_counts"],
    )


def _budget(text: object) -> Fraction:
    if not isinstance(text, str) or _EXACT.fullmatch(text) is None:
        raise ValueError(f"{str(text)[:60]!r} is no exact budget")
    return Fraction(text)
