"""Public text about a release, written by its publisher: from the parameters to the manifest and the report.

title = "Detailed groups of Ruritania, 2020"   # all five optional
publisher = "Office of Statistics of Ruritania"
contact = "statistics@example.org"
note = "Census of 1 April 2020, usual residents."
is_simulated = false                           # true: the people are made up, and the report says so
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from safetab_sql.public.settings import Settings, complain, is_true, text_at

LONGEST: Mapping[str, int] = {"title": 200, "publisher": 200, "contact": 200, "note": 2_000}  # characters
ABOUT_KEYS = (*LONGEST, "is_simulated")
_JOINERS = "\u00ad\u200c\u200d"  # soft hyphen and joiners: unprintable, but some languages spell words with them


@dataclass(frozen=True, slots=True)
class About:
    """Public texts of one line each, None if absent. is_simulated: the people are made up."""

    title: str | None = None
    publisher: str | None = None
    contact: str | None = None
    note: str | None = None
    is_simulated: bool = False


NOTHING_SAID = About()


def about_at(settings: Settings) -> About:
    """The texts in the file. A wrong setting gives a complaint and no text."""
    texts = {key: _text(settings, key) for key in LONGEST}
    return About(
        **texts, is_simulated=is_true(settings, ("is_simulated",), settings.document.get("is_simulated", False))
    )


def about_json(about: About) -> dict[str, str | bool | None]:
    """The member `about` of the manifest."""
    return asdict(about)


def simulated_toml(title: str) -> str:
    """The lines of a parameter file or specification for made-up people."""
    return f'title = "{title}"\nis_simulated = true  # the people are made up: take this line out for people of yours\n'


def of_made_up_people(title: str, text: str) -> str:
    """A parameter file or specification, with the lines for made-up people.

    Without the line that names its schema: that is a path from the place of the original.
    """
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith("#:schema ")]
    return f"{simulated_toml(title)}\n{''.join(kept)}"


def _text(settings: Settings, key: str) -> str | None:
    if key not in settings.document:
        return None
    text = text_at(settings, (key,), settings.document[key])
    if len(text) > LONGEST[key]:
        what = f"{key} has {len(text):,} characters"
        complain(settings, (), what, f"write at most {LONGEST[key]:,}; a note may have {LONGEST['note']:,}")
        return None
    for place, letter in enumerate(text, start=1):
        if not _is_plain(letter):
            what = f"{key} holds a control character, U+{ord(letter):04X}, in place {place:,}"
            complain(settings, (), what, "write one line of text without tabs, line breaks and other such characters")
            return None
    return text or None


def _is_plain(letter: str) -> bool:
    return letter.isprintable() or letter in _JOINERS or unicodedata.category(letter) == "Zs"
