"""The fixed words of reports and code lists: every language says all of them, with the same values."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jinja2 import Environment

from safetab_sql.kit.words import language_words, languages, number_text
from safetab_sql.report.sections import WORDS, phrase_in

_PARTS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_TEXTS = re.compile(r"'[^']*'|\"[^\"]*\"")
_NAMES = re.compile(r"[A-Za-z_][\w.]*(?:\[\d+\])?")
# English states how the loss of a person follows; others say where that stands.
ONLY_ENGLISH = {("page", "annex_note"), ("facts", "rule")}
OTHERS = [name for name in languages() if name != "en"]


def leaves(words: Mapping[str, Any], place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in words.items():
        if isinstance(value, Mapping):
            yield from leaves(value, (*place, name))
        else:
            yield (*place, name), value


def values_of(text: str) -> set[str]:
    """The names in the templates of a text, and the values of the page's script.

    Capitals, and what is said in another case, are a language's own.
    """
    found = {name for part in _PARTS.findall(text) for name in _NAMES.findall(_TEXTS.sub("", part))}
    return (found | set(re.findall(r"(?<!\{)\{\w+\}(?!\})", text))) - {"capitalize", "else"}


def test_the_shipped_languages_are_these():
    assert languages() == ("de", "en", "es", "fr", "pt")


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_every_word_of_english_and_no_other(language):
    english, own = (dict(leaves(language_words(name))) for name in ("en", language))
    assert list(own) == list(english)
    assert own["language",] == language
    assert [place for place, text in own.items() if text == "" and english[place] != ""] == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_says_every_value_that_english_says(language):
    english, own = (dict(leaves(language_words(name))) for name in ("en", language))
    for place, text in own.items():
        if isinstance(text, str) and place not in ONLY_ENGLISH:
            assert (place, values_of(text)) == (place, values_of(english[place]))
        elif not isinstance(text, str):
            assert text == english[place]


@pytest.mark.parametrize("language", languages())
def test_every_template_can_be_read(language):
    environment = Environment(autoescape=False)
    for _, text in leaves(language_words(language)):
        environment.parse(text if isinstance(text, str) else "")


def test_a_value_that_a_language_forgets_is_noticed():
    assert values_of("{{ many }} a {{ low }}") != values_of("{{ many }} a {{ high }}")
    assert values_of("{count} of {many}") != values_of("{count}")
    assert values_of("{% if several %}a{% endif %}") != values_of("a")


def test_every_title_and_head_of_the_annex_is_a_phrase_of_every_language():
    texts = [chart.get("title") for chart in (*WORDS["charts"].values(), *WORDS["sections"].values())]
    texts += [head for chart in WORDS["charts"].values() for head in chart.get("heads", {}).values()]
    own = [re.sub(r"\{\{.*?\}\}", "X", text) for text in texts if text and "%" not in text]
    assert [text for text in own if phrase_in(text, "pt") == text != "delta"] == []
    assert phrase_in("Budget, rho", "pt") == "Orçamento, rho"
    assert phrase_in("the ledger of T2: thresholds are noisy totals", "fr") == (
        "le compte de T2 : les seuils sont des totaux bruités"
    )
    assert phrase_in("what no phrase is like", "pt") == "what no phrase is like"


@pytest.mark.parametrize(
    ("language", "text"), [("en", "1,234.5"), ("pt", "1.234,5"), ("fr", "1\u202f234,5"), ("de", "1.234,5")]
)
def test_numbers_have_the_separators_of_their_language(language, text):
    assert number_text(f"{1234.5:,}", language_words(language)) == text
