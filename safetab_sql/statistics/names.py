"""Names of regions, groups and values, read as the codes that a release publishes."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from safetab_sql.kit.errors import Problem, nearest, refuse
from safetab_sql.release.folder import code_rows
from safetab_sql.settings.ladders import CODES

Codes = Mapping[str, str]  # by column, what a name means: a code; of a region, its type too
Names = Mapping[str, Mapping[str, tuple[str, Sequence[Codes]]]]  # by column of names, and by folded name
_MOST_SHOWN = 5
_TEXT = "'(?:[^']|'')*'"
_COMPARED = re.compile(
    rf"{_TEXT}|\b(?P<column>\w+_NAME)\s*(?P<sign>=|<>|!=|(?:not\s+)?in\b)\s*(?P<names>{_TEXT}|\(\s*{_TEXT}(?:\s*,\s*{_TEXT})*\s*\))",
    re.IGNORECASE,
)


def names_of(folders: Sequence[Path]) -> Names:
    """What code lists of releases call their codes: REGION_NAME of REGION_ID, SEX_NAME of SEX; no column of codes."""
    found: dict[str, dict[str, tuple[str, list[Codes]]]] = {}
    for file in (file for folder in folders for file in sorted((folder / CODES).glob("*.csv"))):
        named = found.setdefault(re.sub("(_ID|_CODE)?$", "_NAME", file.stem, count=1), {})
        for code, name, *more in code_rows(file):
            codes = {"REGION_TYPE": more[0], "REGION_ID": code} if file.stem == "REGION_ID" else {file.stem: code}
            listed = named.setdefault(folded(name), (name, []))[1]
            listed += [codes] if name and codes not in listed else []
    are_codes = {file.stem for folder in folders for file in (folder / CODES).glob("*.csv")}
    return {column: named for column, named in found.items() if column not in are_codes}


def folded(name: str) -> str:
    """A name as it is compared: spaces and capitals do not matter."""
    return " ".join(name.split()).casefold()


def meant(names: Names, column: str, name: str, types: Collection[str | None]) -> tuple[Codes | None, str]:
    """What a name stands for, where regions of several types have it in these; None if nothing, and what to write."""
    known = names.get(column, {})
    means = known.get(folded(name), ("", ()))[1]
    own = [each for each in means if each.get("REGION_TYPE") in types] or means
    if means:
        return own[0] if len(own) == 1 else None, f"write one of {'; '.join(map(_equal, means[:_MOST_SHOWN]))}"
    words = folded(name).split()
    like = [named for each, (named, codes) in known.items() if codes and all(word in each for word in words)]
    like = like or [known[each][0] for each in [nearest(folded(name), known)] if each]
    return None, f"did you mean {', '.join(map(repr, like[:_MOST_SHOWN]))}?" if like else "codes/ lists the names"


def with_codes(text: str, names: Names) -> str:
    """A condition with codes in place of names. Raises: InputError where nothing has a name, or several have it."""
    wrong: dict[str, str] = {}
    texts = {quoted[1:-1] for quoted in re.findall(_TEXT, text)}

    def codes(match: re.Match[str]) -> str:
        column = (match["column"] or "").upper()
        if column not in names:
            return match[0]
        found = []
        for quoted in re.findall(_TEXT, match["names"]):
            means, fix = meant(names, column, quoted[1:-1].replace("''", "'"), texts)
            found += [_equal(means)] if means else []
            wrong.update({} if means else {f"{column} {quoted}": fix})
        return f"({'not ' * (match['sign'].lower() not in ('=', 'in'))}({' or '.join(found)}))"

    plain = _COMPARED.sub(codes, text)
    what = f"{', '.join(wrong)} means nothing, or may mean several things"
    refuse([Problem(" ".join(text.split()), what, "; ".join(wrong.values()))] if wrong else [])
    return plain


def _equal(codes: Codes) -> str:
    quoted = ((column, code.replace("'", "''")) for column, code in codes.items())
    return "(" + " and ".join(f"{column} = '{code}'" for column, code in quoted) + ")"
