"""The releases that the tests of published tables share serve others that read them too."""

from tests.published.conftest import nation, release

__all__ = ["nation", "release"]
