"""A deterministic synthetic nation of any size: person records, geography, code lists and parameters.

Realistic: the relative sizes of the states and the numbers of their counties; people per tract and per block, and how
these spread; empty blocks and empty tracts; places and AIANNH areas that follow no tract, some AIANNH areas in two
states; household sizes, ages and sexes, roughly; households that share geography and mostly race; one race code for
most people and eight for a few; few common codes and many rare ones, which cluster in states, counties and tracts.

Not realistic: which groups live where and how many they are (the seed decides; only the major groups have
about their 2020 shares, in expectation); names and positions of counties, tracts, places and areas; ages,
which do not depend on race or place; group quarters, of which there are none. The data describe nobody.

The same seed, number of people and lists give the same bytes, with any number of threads, for the same
versions of numpy and pyarrow on the same kind of processor.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, Template

from safetab_sql.kit.errors import refuse
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.stops import submit_each, thread_pool
from safetab_sql.kit.whole_folders import check_new_folder, whole_folder
from safetab_sql.public.inputs import InputPaths
from safetab_sql.settings.reading import read_toml
from safetab_sql.simulation.any_shape import of_made_up_people, simulated_toml
from safetab_sql.simulation.geography import (
    US_PEOPLE,
    geography_tables,
    size_problems,
    state_geography,
    state_people,
    write_parquet,
    write_shapes,
)
from safetab_sql.simulation.people import (
    FILES,
    CodeLists,
    example_lists,
    national_frequencies,
    read_code_lists,
    write_persons,
)

FEWEST_PEOPLE = 1_000
CONTENTS = ("persons", "geography.parquet", "shapes.parquet", "code-lists", "parameters.toml", "bottom-up.toml")
TITLE = "A simulated nation"
MOST_THREADS = 4  # memory grows with each; two make the whole country in minutes


def simulate(
    out: str | Path, *, people: int, code_lists: str | Path | None = None, seed: int = 0, overwrite: bool = False
) -> InputPaths:
    """Write a synthetic nation of `people` to the folder `out`, whole or not at all; the inputs of a run on it.

    people: of the 50 states and DC, 1,000 to 331,449,281. code_lists: a folder of code lists in production's format;
    without it, the example lists. overwrite: replace an `out` that holds a synthetic nation; anything else is never
    replaced. Writes persons/<state>.parquet, geography.parquet, shapes.parquet (a square for each state), code-lists/,
    parameters.toml and bottom-up.toml.

    Raises InputError for a size out of range, an `out` that may not be made, or unusable code lists.
    """
    out = Path(out)
    problems = size_problems(f"a nation of {people:,}", people, FEWEST_PEOPLE, US_PEOPLE, seed)
    refuse(problems + check_new_folder(out, CONTENTS, overwrite=overwrite))
    list_folder = Path(code_lists or example_lists())
    lists = read_code_lists(list_folder)
    with whole_folder(out, CONTENTS, overwrite=overwrite) as folder:
        (folder / "code-lists").mkdir()
        for name in FILES:
            shutil.copyfile(list_folder / name, folder / "code-lists" / name)
        # census-2020.toml in its short form, with all states
        census: Mapping[str, Any] = read_toml(packaged_folder("configs") / "census-2020.toml").tables
        levels = {name: level for level in census["ladders"]["T2"]["levels"] for name in level["each"]}
        text = (Path(__file__).parent / "parameters.toml.jinja").read_text(encoding="utf-8")
        template = Template(text, keep_trailing_newline=True, trim_blocks=True, undefined=StrictUndefined)
        text = template.render(head=simulated_toml(TITLE), census=census, levels=levels, float=float)
        (folder / "parameters.toml").write_text(text, encoding="utf-8")
        bottom_up = (packaged_folder("configs") / "bottom-up.toml").read_text(encoding="utf-8")
        (folder / "bottom-up.toml").write_text(of_made_up_people(TITLE, bottom_up), encoding="utf-8")
        write_shapes(folder / "shapes.parquet")
        threads = min(os.cpu_count() or 1, MOST_THREADS)
        write_nation(folder, state_people(people), lists, seed=seed, threads=threads)
    return InputPaths(out / "parameters.toml", out / "persons", out / "geography.parquet", out / "code-lists")


def write_nation(folder: Path, sizes: dict[str, int], lists: CodeLists, *, seed: int, threads: int) -> None:
    """Write persons/ and geography.parquet of states of these sizes, by code; `threads` states at once."""
    persons = folder / "persons"
    persons.mkdir()
    frequencies = national_frequencies(lists, seed=seed)

    def write_state(code: str) -> None:
        geography = state_geography(code, sizes, seed=seed)
        write_persons(persons / f"{code}.parquet", geography, lists, frequencies, seed=seed)

    with thread_pool(threads) as pool:
        states = submit_each(pool, write_state, sorted(sizes, key=lambda code: -sizes[code]))  # the largest first
        made = (state_geography(code, sizes, seed=seed) for code in sorted(sizes))
        write_parquet(folder / "geography.parquet", (table for each in made for table in geography_tables(each)))
        for state in states:
            state.result()
