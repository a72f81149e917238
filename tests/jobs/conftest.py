"""The releases that tests/published makes, for the tests of what reads them."""

from tests.published.conftest import nation, release

__all__ = ["nation", "release"]
