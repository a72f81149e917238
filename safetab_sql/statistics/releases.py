"""The releases that statistics are of, one or several: which of them a name means, and which share their noise.

Runs draw independent noise. The same folder given twice is one release, and a folder that `reconcile` made has the
noise of its run and is refused beside it: digests of what was published tell both. Source: change.md section 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.published.file_notes import file_differences
from safetab_sql.release.facts import ReleaseFacts
from safetab_sql.release.folder import ReleaseFolder, manifest_digest, open_folder

Paths: TypeAlias = str | Path | Sequence[str | Path]  # one folder, or several


@dataclass(frozen=True, slots=True)
class NamedReleases:
    """NamedReleases in the order in which they were given. folders: each content once. places: of each given one."""

    folders: tuple[ReleaseFolder, ...]
    places: tuple[int, ...]

    @property
    def facts(self) -> tuple[ReleaseFacts, ...]:
        """Of each folder."""
        return tuple(folder.facts for folder in self.folders)

    @property
    def given(self) -> tuple[ReleaseFacts, ...]:
        """Of each folder that was given, in their order."""
        return tuple(self.folders[place].facts for place in self.places)

    def place(self, name: str | None) -> int | None:
        """The folder that a title, day or position means (None: the only one); None if none or several."""
        named = enumerate(self.places, start=1)
        found = {place for position, place in named if name in (None, str(position), *self._texts(place))}
        return found.pop() if len(found) == 1 else None

    def fix(self) -> str:
        """What may stand where a release is named."""
        named = (", ".join([str(number), *self._texts(place)]) for number, place in enumerate(self.places, start=1))
        return f"name one of these releases by its number, or by a title or day that no other has: {'; '.join(named)}"

    def label(self, place: int) -> str:
        """What notes and messages call a release; nothing where there is one alone."""
        return "" if len(self.places) == 1 else f" in release {self.places.index(place) + 1}"

    def _texts(self, place: int) -> Iterator[str]:
        facts = self.folders[place].facts
        yield from [facts.about.title] if facts.about.title else []
        yield facts.day


def opened_releases(given: Paths) -> NamedReleases:
    """The releases in folders that `run` or `reconcile` made.

    Raises: InputError where one is none, or not whole, and where two have the noise of one run and are not the same.
    """
    paths = [Path(given)] if isinstance(given, str | Path) else [Path(each) for each in given]
    refuse([] if paths else [Problem("releases", "no folder is named", "name at least one")])
    opened = [open_folder(path, or_reconciled=True) for path in paths]
    refuse([each for one in opened for each in one.problems or file_differences(one.folder, one.facts.files)])
    places: dict[str, int] = {}
    numbers = [places.setdefault(manifest_digest(path), len(places)) for path in paths]
    folders = tuple(opened[numbers.index(place)] for place in range(len(places)))
    runs = [folder.facts.manifest.published.files for folder in folders]
    twice = [str(folder.folder) for number, folder in enumerate(folders) if runs[number] in runs[:number]]
    refuse([Problem(path, "is of the run of another folder", "name one folder of each run") for path in twice])
    return NamedReleases(folders, tuple(numbers))
