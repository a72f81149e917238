"""The head of the report: who released what, when, for which places, and whether anybody in it exists."""

import shutil
from dataclasses import replace

import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.published.manifest import parameters_from_json
from safetab_sql.published.states import US_STATES
from safetab_sql.report.report import _where, release_report
from tests.manifests import with_levels
from tests.report.conftest import HOSTILE, rewrite
from tests.report.test_page import Elements

ABOUT = {
    "title": f"Islands {HOSTILE}",
    "publisher": f"Office {HOSTILE}",
    "contact": f"Desk {HOSTILE}",
    "note": f"For training {HOSTILE}",
    "is_simulated": True,
}
SIMULATED = "Simulated people: none of them exist."


@pytest.fixture(scope="module")
def head(release, tmp_path_factory):
    """Text of the report on the release with a changed manifest."""

    def texts(change) -> list[str]:
        folder = shutil.copytree(release, tmp_path_factory.mktemp("about") / "release")
        rewrite(folder, change)
        return Elements(release_report(folder).html).texts

    return texts


def test_title_publisher_contact_and_note_are_shown_letter_by_letter_the_day_and_that_people_are_simulated(head):
    def change(manifest):
        manifest.update(about=ABOUT, date="2026-11-21")
        manifest["parameters"]["parts"]["US"]["TABBLKST"] = ["02", "01"]

    told = head(change)
    assert [name for name in ("title", "publisher", "contact", "note") if ABOUT[name] not in told] == []
    assert [text for text in told if text.startswith(SIMULATED)] != []
    assert "for Alabama and Alaska on 2026-11-21" in next(text for text in told if text.startswith("Released"))


@pytest.mark.parametrize("about", ["Islands", {"title": 3}, [1]])
def test_an_about_that_is_no_text_is_refused(head, about):
    with pytest.raises(InputError, match="about"):
        head(lambda manifest: manifest.update(about=about))


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (US_STATES, " for the United States"),
        (("02", "01"), " for Alabama and Alaska"),
        (US_STATES[:7], " for 7 states of the United States"),
    ],
)
def test_few_states_are_named_many_counted_and_all_are_the_united_states(release, reported, states, words):
    said = reported.facts.run.parameters
    parameters = {**said, "parts": {**said["parts"], "US": {"TABBLKST": list(states)}}}
    facts = replace(reported.facts, parameters=parameters_from_json(parameters, release))
    assert _where(replace(reported, facts=facts)) == words


def test_a_release_of_own_region_types_alone_names_no_country(reported):
    own = tuple(replace(level, name="SCHOOL-1") for level in reported.facts.levels)
    assert _where(replace(reported, facts=with_levels(reported.facts, own))) == ""
