"""The releases that the tests of published tables share serve the jobs that read them too."""

from tests.published.conftest import nation, release

__all__ = ["nation", "release"]
