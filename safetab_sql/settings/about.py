"""Public text about a release, written by its publisher: from the parameters to the manifest and the report.

title = "Detailed groups of Ruritania, 2020"   # all five optional
publisher = "Office of Statistics of Ruritania"
contact = "statistics@example.org"
note = "Census of 1 April 2020, usual residents."
is_simulated = false                           # true: the people are made up, and the report says so
"""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated

from safetab_sql.settings.markers import Switch, Word
from safetab_sql.settings.tables import Marker, Wrong, checked, table

LONGEST: Mapping[str, int] = {"title": 200, "publisher": 200, "contact": 200, "note": 2_000}  # characters
ABOUT_KEYS = (*LONGEST, "is_simulated")
_JOINERS = "\u00ad\u200c\u200d"  # soft hyphen and joiners: unprintable, but some languages spell words with them


def _amiss(text: str, most: int) -> Iterator[Wrong]:
    if len(text) > most:
        fix = f"write at most {most:,}; a note may have {LONGEST['note']:,}"
        yield Wrong(f"has {len(text):,} characters", fix)
    for place, letter in enumerate(text, start=1):
        if not (letter.isprintable() or letter in _JOINERS or unicodedata.category(letter) == "Zs"):
            what = f"holds a control character, U+{ord(letter):04X}, in place {place:,}"
            yield Wrong(what, "write one line of text without tabs, line breaks and other such characters")
            return


def _line(key: str) -> Marker:
    return checked(partial(_amiss, most=LONGEST[key]), {"maxLength": LONGEST[key]})


@table
class About:
    """Public texts of one line each, None if absent. is_simulated: the people are made up."""

    title: Annotated[Word, _line("title"), "the name of the release, in manifest and report"] = None
    publisher: Annotated[Word, _line("publisher"), "who publishes the release"] = None
    contact: Annotated[Word, _line("contact"), "whom a reader may ask"] = None
    note: Annotated[Word, _line("note"), "a further remark for readers, in one line"] = None
    is_simulated: Annotated[Switch, "true: the people are made up; manifest and report say so"] = False


NOTHING_SAID = About()
