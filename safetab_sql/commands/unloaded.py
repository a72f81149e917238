"""What a command line never loads, however much of it is installed."""

import sys


class _NoPandas:
    """Says that pandas is not installed: no command has data frames, and pyarrow loads it to ask whether values are."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name=name)


def leave_pandas_out() -> None:
    """Spare this process pandas, which takes half a second and 40 MB. Not where Spark runs, which may want it."""
    if not any("spark" in word for word in sys.argv):
        sys.meta_path.insert(0, _NoPandas())
