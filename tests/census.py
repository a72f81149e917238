"""Pieces of the 2020 Census, as configs/census-2020.toml has it, of which tests make parameters of their own."""

from collections.abc import Sequence
from dataclasses import replace

from safetab_sql.published.states import US_STATES
from safetab_sql.settings.geography import Geography, RegionType
from safetab_sql.settings.ladders import Ladder, LevelParameters
from safetab_sql.settings.parameters import census
from safetab_sql.settings.questions import Questions


def region_types() -> tuple[RegionType, ...]:
    return census().region_types


def level_names() -> list[tuple[str, str]]:
    return [(kind.name, level) for kind in region_types() for level in census().questions.shared.levels]


def list_files() -> dict[str, str]:
    """The file names of the code lists, by their names among the inputs."""
    return census().questions.lists


def below_states(name: str, id_: str, part: str = "US", none_id: str | None = None) -> RegionType:
    return RegionType(name, id_, part, without="DETAILED_ONLY", suppress=True, none_id=none_id)


def geography(states: Sequence[str], run: Sequence[str], own: Sequence[RegionType] = ()) -> Geography:
    whole = census().geography
    us, pr = whole.parts
    return replace(
        whole,
        parts=(replace(us, where={"TABBLKST": tuple(states)}), pr),
        run=tuple(run),
        region_types=(*whole.region_types, *own),
        elsewhere={"TABBLKST": tuple(state for state in US_STATES if state not in states)},
    )


def questions(codes: int) -> Questions:
    """With so many race codes."""
    asked = census().questions
    assert asked.several is not None
    return replace(asked, several=tuple(replace(each, columns=each.columns[:codes]) for each in asked.several))


def ladder(levels: Sequence[LevelParameters]) -> Ladder:
    """T2 with these levels."""
    return replace(census().ladders[0], levels=tuple(levels))
