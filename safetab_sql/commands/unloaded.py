"""What a command line never loads or does, however much of it is installed."""

import gc
import os
import sys


class _NoPandas:
    """Says that pandas is not installed: no command has data frames, and pyarrow loads it to ask whether values are."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name=name)


def spare_time() -> None:
    """Spare this process pandas, which takes half a second and 40 MB, searches for garbage, and threads that wait."""
    if not any("spark" in word for word in sys.argv):  # which may want pandas
        sys.meta_path.insert(0, _NoPandas())
    gc.set_threshold(200_000)  # objects: more than a short command makes
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # else they wait for work in a loop, from `import numpy` on
