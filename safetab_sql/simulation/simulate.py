"""A deterministic synthetic nation of any size: person records, geography, code lists and parameters.

Realistic: the relative sizes of the states and the numbers of their counties; people per tract and per
block, and how these spread; empty blocks and empty tracts; places and AIANNH areas that follow no tract, some
AIANNH areas in two states; household sizes, ages and sexes, roughly; households that share geography and
mostly race; one race code for most people and eight for a few; few common codes and many rare ones, which
cluster in states, counties and tracts.

Not realistic: which groups live where and how many they are (the seed decides; only the major groups have
about their 2020 shares, in expectation); names and positions of counties, tracts, places and areas; ages,
which do not depend on race or place; group quarters, of which there are none. The data describe nobody.

The same seed, number of people and lists give the same bytes, with any number of threads, for the same
versions of numpy and pyarrow on the same kind of processor.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from safetab_sql.kit.errors import Problem, refuse
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.kit.threads import submit_each, thread_pool
from safetab_sql.kit.whole_folders import check_new_folder, whole_folder
from safetab_sql.public.inputs import InputPaths
from safetab_sql.public.states import PUERTO_RICO
from safetab_sql.settings.about import of_made_up_people, simulated_toml
from safetab_sql.settings.reading import read_toml
from safetab_sql.simulation.answers import Diversity, diversity_problems, national_frequencies
from safetab_sql.simulation.code_lists import FILES, CodeLists, example_lists, read_code_lists
from safetab_sql.simulation.geography import Geography, aiannh_codes, geography_tables, state_geography
from safetab_sql.simulation.household_records import write_households
from safetab_sql.simulation.parquet import write_parquet
from safetab_sql.simulation.persons import write_persons
from safetab_sql.simulation.states import US_PEOPLE, puerto_rico_people, state_people, state_sizes, write_shapes
from safetab_sql.simulation.wide import SPEC, write_wide

FEWEST_PEOPLE = 1_000
CONTENTS = (
    "persons",
    "geography.parquet",
    "shapes.parquet",
    "code-lists",
    "parameters.toml",
    "bottom-up.toml",
    "wide.parquet",
    "wide.toml",
    "households",
    "households.toml",
)
TITLE = "A simulated nation"
MOST_THREADS = 4  # memory grows with each; two make the whole country in minutes


@dataclass(frozen=True, slots=True)
class Extras:
    """What a synthetic nation has beside people and places.

    wide: a table of forty fields of the same people, with its domains. households: a record of each household, and the
    parameters of household tables.
    """

    wide: bool = False
    households: bool = False


def simulate(
    out: str | Path,
    *,
    people: int,
    code_lists: str | Path | None = None,
    puerto_rico: bool = False,
    seed: int = 0,
    extras: Extras = Extras(),
    diversity: Diversity = Diversity(),  # noqa: B008  (frozen)
    overwrite: bool = False,
) -> InputPaths:
    """Write a synthetic nation of `people` to the folder `out`, whole or not at all; the inputs of a run on it.

    people: of the 50 states and DC, 1,000 to 331,449,281; Puerto Rico comes on top, in proportion.
    code_lists: a folder of code lists in production's format; without it, the example lists.
    extras: what else is written. diversity: how diverse the answers to the race question are. overwrite: replace an
    `out` that holds a synthetic nation; anything else is never replaced.
    Writes persons/<state>.parquet, geography.parquet, shapes.parquet (a square for each state), code-lists/,
    parameters.toml and bottom-up.toml; wide.parquet and wide.toml; households/<state>.parquet and households.toml.

    Raises InputError for a size out of range, an `out` that may not be made, or unusable code lists.
    """
    out = Path(out)
    refuse(_problems(people, seed) + check_new_folder(out, CONTENTS, overwrite=overwrite))
    list_folder = Path(code_lists or example_lists())
    lists = read_code_lists(list_folder)
    refuse(diversity_problems(diversity, lists))
    with whole_folder(out, CONTENTS, overwrite=overwrite) as folder:
        (folder / "code-lists").mkdir()
        for name in FILES:
            shutil.copyfile(list_folder / name, folder / "code-lists" / name)
        (folder / "parameters.toml").write_text(_parameters_toml(puerto_rico=puerto_rico), encoding="utf-8")
        bottom_up = (packaged_folder("configs") / "bottom-up.toml").read_text(encoding="utf-8")
        (folder / "bottom-up.toml").write_text(of_made_up_people(TITLE, bottom_up), encoding="utf-8")
        write_shapes(folder / "shapes.parquet")
        threads = min(os.cpu_count() or 1, MOST_THREADS)
        write_nation(folder, _sizes(people, puerto_rico=puerto_rico), lists, diversity, seed=seed, threads=threads)
        if extras.households:
            write_households(folder / "households", folder / "persons", seed=seed)
            (folder / "households.toml").write_text(_households_toml(puerto_rico=puerto_rico), encoding="utf-8")
        if extras.wide:
            write_wide(folder / "wide.parquet", folder / "persons", lists, seed=seed)
            shutil.copyfile(SPEC, folder / "wide.toml")
    return InputPaths(out / "parameters.toml", out / "persons", out / "geography.parquet", out / "code-lists")


def _problems(people: int, seed: int) -> list[Problem]:
    """What is wrong with the size and the seed of a nation."""
    problems = []
    if not FEWEST_PEOPLE <= people <= US_PEOPLE:
        fix = f"choose between {FEWEST_PEOPLE:,} and {US_PEOPLE:,}"
        problems.append(Problem(where="people", what=f"a nation of {people:,}", fix=fix))
    if seed < 0:
        problems.append(Problem(where="seed", what=f"{seed} is negative", fix="choose 0 or more"))
    return problems


def _parameters_toml(*, puerto_rico: bool) -> str:
    """parameters.toml of a nation: census-2020.toml in its short form, with all states and maybe Puerto Rico."""
    census = cast(dict[str, Any], read_toml(packaged_folder("configs") / "census-2020.toml").tables)
    states = ", ".join(f'"{code}"' for code in census["parts"]["US"]["where"]["TABBLKST"])
    head = f"""\
{simulated_toml(TITLE)}\
privacy_definition = "zcdp"        # "zcdp": budgets are rho; "puredp": budgets are epsilon
max_race_codes = {census["questions"]["race"]["at_most"]}
gamma = {float(census["gamma"])}                        # fraction of each level's budget that stage 1 spends
zero_suppression_chance = {float(census["zero_suppression_chance"])}   # 0 turns suppression off
allow_negative_counts = true
run_us = true
run_pr = {str(puerto_rico).lower()}
state_filter_us = [{states}]
"""
    levels = {name: level for level in census["ladders"]["T2"]["levels"] for name in level["each"]}
    types = [name for name, each in census["region_types"].items() if puerto_rico or each["part"] == "US"]
    names = [f"{region_type}-{iteration_level}" for region_type in types for iteration_level in (1, 2)]
    return head + "".join(
        f"\n[levels.{name}]\nbudget = {float(levels[name]['budget'])}\nthresholds = {levels[name]['thresholds']}\n"
        for name in names
    )


def _households_toml(*, puerto_rico: bool) -> str:
    """The parameters of the 2020 Detailed DHC-B for the nation."""
    text = (packaged_folder("configs") / "dhcb-2020.toml").read_text(encoding="utf-8")
    text = text if puerto_rico else text.replace("run_pr = true", "run_pr = false")
    return of_made_up_people(TITLE, text)


def _sizes(people: int, *, puerto_rico: bool) -> dict[str, int]:
    """People by state code."""
    sizes = state_people(people)
    if puerto_rico:
        sizes[PUERTO_RICO] = puerto_rico_people(people)
    return sizes


def write_nation(
    folder: Path, sizes: dict[str, int], lists: CodeLists, diversity: Diversity, *, seed: int, threads: int
) -> None:
    """Write persons/ and geography.parquet of states of these sizes, by code; `threads` states at once."""
    persons = folder / "persons"
    persons.mkdir()
    frequencies = national_frequencies(lists, seed=seed, codes_in_use=diversity.codes_in_use)

    def write_state(code: str) -> None:
        geography = _geography(code, sizes, seed=seed)
        write_persons(persons / f"{code}.parquet", geography, lists, frequencies, diversity, seed=seed)

    with thread_pool(threads) as pool:
        states = submit_each(pool, write_state, sorted(sizes, key=lambda code: -sizes[code]))  # the largest first
        _write_geography(folder / "geography.parquet", sizes, seed=seed)
        for state in states:
            state.result()


def _geography(code: str, sizes: dict[str, int], *, seed: int) -> Geography:
    """The geography of one state of the nation. Making it twice costs less than keeping 52 of them."""
    people_of_us = sum(people for state, people in sizes.items() if state != PUERTO_RICO)
    return state_geography(
        state_sizes()[code],
        sizes[code],
        aiannh_codes(people_of_us).get(code, []),
        seed=seed,
        has_empty_tract=sizes[code] == max(sizes.values()),
    )


def _write_geography(path: Path, sizes: dict[str, int], *, seed: int) -> None:
    """Write geography.parquet, state by state in order of their codes."""
    write_parquet(
        path, (table for code in sorted(sizes) for table in geography_tables(_geography(code, sizes, seed=seed)))
    )
