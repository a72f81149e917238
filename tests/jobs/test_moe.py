"""Sums of published counts: shared noise is netted, and the margin is that of the noise that is left."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from safetab_sql.kit.errors import InputError, Problem
from safetab_sql.kit.sqlfiles import packaged_folder
from safetab_sql.laws.noise import DiscreteGaussian, Law, TwoSidedGeometric, noise_law, variance
from safetab_sql.published.margins import NoiseTerm, margin_of_terms, positive_parts_quantile, sum_margin_of_error
from safetab_sql.release.folder import ReleaseFacts, ReleaseFolder, release_facts
from safetab_sql.settings.budgets import PrivacyDefinition
from safetab_sql.settings.parameters import load_parameters
from safetab_sql.statistics.evaluator import LEVEL
from safetab_sql.statistics.matched_rows import Matched, matched_rows
from safetab_sql.statistics.names import NamedReleases, names_of
from safetab_sql.statistics.ratios import Shape, Term
from safetab_sql.statistics.sums import PublishedRatio, PublishedSum, published_sum, wanted_rows
from safetab_sql.statistics.wanted_statistics import shown_ladders
from tests.manifests import ledger_of, level_calls, released_level, run_manifest
from tests.properties.drawn import examples
from tests.published.total_coverage import difference, pair, ratio
from tests.statistics import law_name, pmf, support

PARAMETERS = load_parameters(packaged_folder("configs") / "example.toml")
KEYS = ("REGION_TYPE", "REGION_ID", "ITERATION_CODE")
BINS = (("0", "17"), ("18", "44"), ("45", "64"), ("65", "115"))
BUDGETS = {"USA-1": (Fraction(1, 3), Fraction(1, 5)), "COUNTY-2": (Fraction(1, 8), Fraction(1, 7))}


# --- releases as literal data ---


def sum_of_tables(
    tables: Mapping[str, pa.Table],
    facts: ReleaseFacts,
    *,
    plus: str | Sequence[str],
    minus: str | Sequence[str] = (),
    of: str | Sequence[str] = (),
    level: Fraction = LEVEL,
    codes: Mapping[str, Sequence[Sequence[str]]] = {},
) -> PublishedSum:
    """The sum of the rows of tables, such as t1, t2 and group_index, which `facts` describe. codes: code lists."""
    with written(tables, facts, codes) as releases:
        return published_sum(releases, wanted_rows(plus, minus, of), level)


@contextmanager
def written(
    tables: Mapping[str, pa.Table], facts: ReleaseFacts, codes: Mapping[str, Sequence[Sequence[str]]]
) -> Iterator[NamedReleases]:
    with TemporaryDirectory() as folder:
        for name, table in tables.items():
            (Path(folder) / name).mkdir()
            pq.write_table(table, Path(folder) / name / f"{name}.parquet")
        (Path(folder) / "codes").mkdir()
        for name, rows in codes.items():
            lines = [f"CODE,MEANING{',' * (len(rows[0]) - 2)}", *map(",".join, rows)]
            (Path(folder) / "codes" / f"{name}.csv").write_text("\n".join(lines))
        yield NamedReleases((ReleaseFolder(Path(folder), facts, ()),), (0,))


@dataclass(frozen=True)
class Group:
    """A population group: its exact cells (or, without a table, its exact total), and how it was measured."""

    key: tuple[str, str, str]
    level: str
    counts: tuple[int, ...]  # eight cells, men first; or one total
    is_total_only: bool = False

    @property
    def has_table(self) -> bool:
        return len(self.counts) > 1


GROUPS = (
    Group(("USA", "1", "1110"), "USA-1", tuple(range(10, 90, 10))),
    Group(("USA", "1", "3110"), "USA-1", (500,)),
    Group(("COUNTY", "44007", "2210"), "COUNTY-2", tuple(range(1, 9))),
    Group(("COUNTY", "44007", "2220"), "COUNTY-2", (40,), is_total_only=True),
    Group(("COUNTY", "44009", "2210"), "COUNTY-2", (30,)),
)


def law_of(group: Group, definition: str = "zcdp") -> Law:
    return noise_law(definition, BUDGETS[group.level][0 if group.is_total_only else 1])


@cache
def facts_of(
    definition: PrivacyDefinition = "zcdp", *, allow_negative: bool = True, threshold: int | None = None
) -> ReleaseFacts:
    thresholds = {"COUNTY-2": threshold}
    levels = [
        released_level(name, "US", level_calls(definition, total, Fraction(1, 999), cell), thresholds.get(name))
        for name, (total, cell) in BUDGETS.items()
    ]
    made = run_manifest(PARAMETERS, ledger_of(levels, definition))
    return release_facts({**made, "parameters": {**made["parameters"], "allow_negative_counts": allow_negative}})


def tables_of(groups: tuple[Group, ...], definition: str = "zcdp") -> dict[str, pa.Table]:
    """The tables with the groups' own counts, as a release publishes them."""
    totals, cells = [], []
    for group in groups:
        spread = float(variance(law_of(group, definition)))
        key = dict(zip(KEYS, group.key, strict=True))
        totals.append({**key, "COUNT": sum(group.counts), "VARIANCE": len(group.counts) * spread})
        if group.has_table:
            for sex, counts in (("1", group.counts[:4]), ("2", group.counts[4:])):
                rows = [("*", "*", sum(counts), 4 * spread)]
                rows += [(*ages, count, spread) for ages, count in zip(BINS, counts, strict=True)]
                names = ("AGESTART", "AGEEND", "COUNT", "VARIANCE", "SEX", "STATISTIC")
                cells += [{**key, **dict(zip(names, (*row, sex, "age4"), strict=True))} for row in rows]
    text = [(name, pa.string()) for name in KEYS]
    numbers = [("COUNT", pa.int64()), ("VARIANCE", pa.float64()), ("MOE95", pa.float64())]
    table_keys = [(name, pa.string()) for name in ("STATISTIC", "AGESTART", "AGEEND", "SEX")]
    index = [
        dict(zip(KEYS, each.key, strict=True), LADDER="T2", LEVEL=each.level, IS_TOTAL_ONLY=each.is_total_only)
        for each in groups
    ]
    return {
        "t1": pa.Table.from_pylist(totals, pa.schema([*text, *numbers])),
        "t2": pa.Table.from_pylist(cells, pa.schema([*text, *table_keys, *numbers])),
        "group_index": pa.Table.from_pylist(index),
    }


def total(*plus: str, minus: tuple[str, ...] = (), definition: str = "zcdp", **facts: object) -> PublishedSum:
    """The sum over the literal release."""
    return sum_of_tables(tables_of(GROUPS, definition), facts_of(definition, **facts), plus=plus, minus=minus)


def matched(*conditions: str, threshold: int | None = None, codes: Mapping = {}) -> dict[str, Matched]:
    """The rows of the literal release that each condition matches, and what is missing of them."""
    facts = facts_of(threshold=threshold)
    with written(tables_of(GROUPS), facts, codes) as releases, ExitStack() as stack:
        shown = (stack.enter_context(own) for own in shown_ladders(releases).values())
        return matched_rows(releases, shown, conditions)


def refused(*conditions: str, **options: object) -> list[Problem]:
    with pytest.raises(InputError) as caught:
        matched(*conditions, **options)
    return caught.value.problems


NATION = "REGION_TYPE = 'USA' and ITERATION_CODE = '1110'"
NATION_LAW = law_of(GROUPS[0])
COUNTY_LAW = law_of(GROUPS[2])
# --- ratios ---


def divided(plus: str, of: str, **options: object) -> PublishedSum:
    return sum_of_tables(tables_of(GROUPS), facts_of(), plus=plus, of=of, **options)


@pytest.mark.parametrize("level", [Fraction(1, 2), pytest.param(LEVEL, marks=pytest.mark.slow)], ids=str)
def test_the_share_of_a_part_has_the_interval_that_statistics_gives_it(level):
    """The women of the nation, four of its eight cells; of a row that is a sum, and of rows that add up to it."""
    wanted = ratio(pair(NATION_LAW, 4, 8, 4), np.array([260]), np.array([360]), level)
    for whole in ("TABLE = 'T1'", "AGESTART <> '*'"):
        found = divided(f"{NATION} and SEX = '2' and AGESTART = '*'", f"{NATION} and {whole}", level=level)
        assert found.estimate == 260
        assert found.ratio == PublishedRatio(260 / 360, wanted.lows[0], wanted.highs[0], 360)
    assert [(part.sign, part.atoms) for part in found.selections] == [(1, 4), (0, 8)]
    assert found.cancelled_atoms == 0


def test_a_difference_with_a_total_published_for_its_size_has_an_interval_and_no_p_value():
    """The interval that `statistics` gives it; noise alone makes such differences, so no p-value is right."""
    found = total("ITERATION_CODE = '2220'", minus=("ITERATION_CODE = '3110'",), threshold=21)
    shape = Shape((Term(COUNTY_LAW, 1, 0, 1, 21), Term(NATION_LAW, 0, 1, 1)))
    wanted = difference(shape, np.array([40]), np.array([500]), Fraction(95, 100))
    assert (found.moe95, found.margin, found.p_value, found.method) == (None, None, None, "no margin")
    assert (found.low, found.high) == (wanted.lows[0], wanted.highs[0])


def test_a_sum_of_counts_cut_at_0_has_the_interval_of_its_row_and_no_margin():
    found = total(f"{NATION} and TABLE = 'T1'", allow_negative=False)
    margin, longer = sum_margin_of_error(NATION_LAW, 8), positive_parts_quantile(NATION_LAW, 8)
    assert (found.variance, found.moe95, found.margin) == (None, None, None)
    assert (found.low, found.high) == (360 - longer, 360 + margin)


def test_a_ratio_with_a_total_published_for_its_size_allows_for_it():
    """And one of counts that were cut at 0: it holds Fieller's interval."""
    one, other = "ITERATION_CODE = '2220'", "ITERATION_CODE = '3110'"
    plain = divided(one, other).ratio
    chosen = sum_of_tables(tables_of(GROUPS), facts_of(threshold=38), plus=one, of=other).ratio
    cut = sum_of_tables(tables_of(GROUPS), facts_of(allow_negative=False), plus=one, of=other).ratio
    assert chosen.low < plain.low
    assert cut.low <= plain.low < plain.high <= cut.high


def test_a_ratio_to_what_may_be_0_has_no_upper_end():
    county = "ITERATION_CODE = '2210' and REGION_ID = '44007'"
    found = divided(f"{county} and SEX = '2' and AGESTART = '*'", f"{county} and SEX = '1' and AGESTART = '0'")
    assert (found.ratio.estimate, found.ratio.high, found.ratio.other) == (26, None, 1)
    assert "and more" in str(found)


def test_what_is_divided_is_added_and_not_subtracted_and_a_level_is_between_0_and_1():
    with pytest.raises(InputError, match="rows are subtracted from the sum"):
        divided(NATION, NATION, minus=[NATION])
    with pytest.raises(InputError, match="--level: 1 is not between 0 and 1"):
        divided(NATION, NATION, level=Fraction(1))


# --- against brute force ---


def _brute_force(groups, rows_chosen) -> tuple[int, Counter]:
    """Estimate, and the coefficient of each atom, by plain loops. rows_chosen: (sign, test of a row)."""
    estimate, found = 0, Counter()
    for number, group in enumerate(groups):
        everything = range(len(group.counts))
        rows = [("T1", None, None, everything)]
        if group.has_table:
            rows += [("T2", "*", sex, everything[4 * i : 4 * i + 4]) for i, sex in enumerate("12")]
            rows += [("T2", BINS[cell % 4][0], "12"[cell // 4], [cell]) for cell in everything]
        for sign, is_chosen in rows_chosen:
            for table, age, sex, cells in rows:
                if is_chosen(group, table, age, sex):
                    estimate += sign * sum(group.counts[cell] for cell in cells)
                    found.update({(number, cell): sign for cell in cells})
    return estimate, found


def _convolved_margin(draws: list[tuple[Law, int]]) -> int:
    """Smallest m with P(|sum| <= m) >= 0.95, by plain convolution of the defining formulas."""
    parts = []
    for law, coefficient in draws:
        spread = np.zeros((support(law).size - 1) * coefficient + 1)
        spread[::coefficient] = pmf(law)
        parts.append(spread)
    summed = reduce(np.convolve, parts)
    middle = summed.size // 2
    covered = np.cumsum(np.concatenate([summed[middle : middle + 1], summed[middle + 1 :] + summed[:middle][::-1]]))
    return int(np.argmax(covered >= 0.95))


_CHOICES = st.fixed_dictionaries(
    {
        "table": st.sampled_from([None, "T1", "T2"]),
        "region": st.sampled_from([None, "1", "44007"]),
        "age": st.sampled_from([None, "*", "0", "65"]),
        "sex": st.sampled_from([None, "1", "2"]),
    }
)


def _condition(choice) -> str:
    columns = {"table": "TABLE", "region": "REGION_ID", "age": "AGESTART", "sex": "SEX"}
    parts = [f"{columns[name]} = '{value}'" for name, value in choice.items() if value is not None]
    return " and ".join(parts) or "true"


def _is_chosen(choice):
    def test(group, table, age, sex) -> bool:
        row = {"table": table, "region": group.key[1], "age": age, "sex": sex}
        return all(value is None or row[name] == value for name, value in choice.items())

    return test


@given(
    choices=st.lists(st.tuples(st.sampled_from([1, -1]), _CHOICES), min_size=1, max_size=4),
    definition=st.sampled_from(["zcdp", "puredp"]),
)
@examples(3)
def test_a_sum_is_that_of_plain_loops_and_plain_convolutions(choices, definition):
    kept = [
        (sign, choice) for sign, choice in choices if _brute_force(GROUPS, [(1, _is_chosen(choice))])[1]
    ]  # a condition that matches nothing is refused
    kept = kept or [(1, {"table": None})]
    estimate, net = _brute_force(GROUPS, [(sign, _is_chosen(choice)) for sign, choice in kept])
    draws = [(law_of(GROUPS[atom[0]], definition), abs(times)) for atom, times in net.items() if times]
    plus = [_condition(choice) for sign, choice in kept if sign > 0]
    minus = tuple(_condition(choice) for sign, choice in kept if sign < 0)
    found = total(*plus, minus=minus, definition=definition)
    assert found.estimate == estimate
    assert (found.atoms, found.cancelled_atoms) == (len(draws), len(net) - len(draws))
    assert found.variance == pytest.approx(sum(times**2 * float(variance(law)) for law, times in draws), rel=1e-12)
    assert found.moe95 == (_convolved_margin(draws) if draws else 0)


# --- margins of differently scaled laws ---

TERMS = [
    (NoiseTerm(DiscreteGaussian(Fraction(1, 50)), 1, 3), NoiseTerm(TwoSidedGeometric(Fraction(1, 4)), 2, 2)),
    (NoiseTerm(DiscreteGaussian(Fraction(3)), 5, 1), NoiseTerm(DiscreteGaussian(Fraction(1, 8)), 3, 4)),
    (NoiseTerm(TwoSidedGeometric(Fraction(3)), 4, 6), NoiseTerm(TwoSidedGeometric(Fraction(1, 10)), 1, 1)),
    (NoiseTerm(TwoSidedGeometric(Fraction(10)), 1000, 1), NoiseTerm(TwoSidedGeometric(Fraction(1, 2)), 1, 2)),
    (NoiseTerm(DiscreteGaussian(Fraction(1, 50)), 6, 2), NoiseTerm(DiscreteGaussian(Fraction(1, 20)), 4, 3)),
]


@pytest.mark.parametrize("terms", TERMS, ids=lambda terms: "-".join(f"{t.coefficient}x{t.draws}" for t in terms))
def test_the_margin_of_scaled_noises_is_that_of_their_convolution(terms):
    found = margin_of_terms(terms)
    assert found.method == "convolution"
    assert found.moe95 == _convolved_margin([(t.law, t.coefficient) for t in terms for _ in range(t.draws)])


@pytest.mark.parametrize("law", [DiscreteGaussian(Fraction(1, 1250)), TwoSidedGeometric(Fraction(1, 20))], ids=law_name)
def test_a_hundred_thousand_noises_have_nearly_the_normal_margin(law):
    """Convolved: the accuracy of high powers. The central limit leaves less than one person in a thousand."""
    found = margin_of_terms((NoiseTerm(law, 1, 100_000),))
    normal = stats.norm.ppf(0.975) * (100_000 * float(variance(law))) ** 0.5
    assert (found.method, found.moe95) == ("convolution", pytest.approx(normal, rel=1e-3))


# --- what is said ---

MIXED = "Rows of several characteristic iterations or region types"
TWICE = "The same people are added up to "


@pytest.mark.parametrize(
    ("condition", "times"),
    [("ITERATION_CODE = '1110'", 3), ("TABLE = 'T2'", 2), ("TABLE = 'T1'", None), ("AGESTART <> '*'", None)],
    ids=["totals, sums and cells", "sums and cells", "totals", "cells"],
)
@pytest.mark.each_time("[totals, sums")
def test_sums_that_stand_among_their_cells_are_warned_of(condition, times):
    found = [caveat for caveat in total(condition).caveats if caveat.startswith(TWICE)]
    assert [caveat.removeprefix(TWICE)[0] for caveat in found] == ([] if times is None else [str(times)])
    assert all("TABLE = 'T1', the totals; or " in caveat for caveat in found)


ONE_GROUP = "REGION_ID = '1' and ITERATION_CODE = '1110' and TABLE = 'T1'"
SAID = {
    "groups that may share people": ("true", {}, [TWICE, MIXED]),
    "rows of one group": (ONE_GROUP, {}, []),
    "totals published only if large": ("TABLE = 'T1'", {"threshold": 20}, [MIXED, "2 of the counts are totals that"]),
    "cells, which are published whatever they are": ("TABLE = 'T2'", {"threshold": 20}, [TWICE, MIXED]),
    "counts that became zero, and rows chosen by their counts": (
        *(f'{ONE_GROUP} and "Count" > 35', {"allow_negative": False}),
        ["published as 0", "chosen by their noisy counts"],
    ),
}


@pytest.mark.parametrize(("condition", "facts", "wanted"), SAID.values(), ids=SAID)
@pytest.mark.each_time("became zero", "only if large")
def test_what_a_reader_may_overlook_is_said(condition, facts, wanted):
    """Besides groups that are missing, which have tests of their own; nothing else is."""
    found = [each for each in total(condition, **facts).caveats if "not in the sum" not in each]
    assert len(found) == len(wanted)
    assert all(words in each for each, words in zip(found, wanted, strict=True))


# --- what is missing ---

SUPPRESSED = "Suppressed totals are no rows"
OTHER_TABLES = "a total alone, or another table, and so no such row"


def missing(*plus: str, threshold: int | None = 20) -> list[str]:
    """What is said of groups that are not in a sum over the literal release."""
    found = sum_of_tables(tables_of(GROUPS), facts_of(threshold=threshold), plus=plus)
    return [caveat for caveat in found.caveats if "not in the sum" in caveat]


def test_groups_that_may_be_suppressed_are_known_by_their_region_types() -> None:
    conditions = (
        "REGION_TYPE = 'COUNTY' and TABLE = 'T1'",
        "TABLE = 'T1' and ITERATION_CODE = '2210'",
        "REGION_ID like '44%' and ITERATION_CODE = '2210'",
        *("true", "COUNT > 35", "cast(REGION_ID as integer) > 2", "SEX = '1' and REGION_TYPE <> 'USA'"),
        "REGION_ID is not null and ITERATION_CODE is not null and TABLE = 'T1'",
    )
    found = {text: each.absent.unnamed_types for text, each in matched(*conditions, threshold=20).items()}
    assert found == dict.fromkeys(conditions, ("COUNTY",))


def test_suppressed_groups_are_counted_as_far_as_the_release_names_them():
    """County 44001 has no row at all, county 44009 none of 2220. Of the nation nothing is suppressed."""
    conditions = ("REGION_TYPE = 'COUNTY' and TABLE = 'T1'", "REGION_TYPE = 'COUNTY' and ITERATION_CODE = '2210'")
    said = missing(*conditions, "REGION_TYPE = 'USA'")
    totals, group = (text for text in said if text.startswith(SUPPRESSED))
    assert "of COUNTY, at least 1 population group that" in totals
    assert "ITERATION_CODE = '2210'` asks for may have none" in group


def test_groups_without_the_table_asked_for_are_counted() -> None:
    """Of the nation's two groups one has a table, of the counties' three published ones one."""
    nation = "SEX = '2' and REGION_TYPE = 'USA'"
    every, one = missing("AGESTART = '0'", "AGESTART = '0' and ITERATION_CODE = '1110'", nation, threshold=None)
    assert every.startswith("3 population groups that `AGESTART = '0'` asks for have a total alone")
    assert one.startswith(f"1 population group that `{nation}`")
    assert OTHER_TABLES in one


# --- names, and codes that nothing published has ---

CODES = {
    "REGION_ID": [
        *[("1", "The  Nation", "USA"), ("44007", "Kent", "COUNTY"), ("44009", "Kent", "COUNTY")],
        *[("44009", "Bristol", "COUNTY"), ("1", "Bristol", "USA")],
    ],
    "ITERATION_CODE": [(*pair, "1", "alone") for pair in (("1110", "One alone"), ("2210", "Two alone"), ("2230", ""))],
    "SEX": [("1", "male"), ("2", "female")],
}
NATION_NAMED = "region_name = 'the NATION' and ITERATION_NAME = 'One alone'"
BY_NAME = {
    "a region and a group": (f"{NATION_NAMED} and TABLE = 'T1'", 360),
    "one of several of a name, which the rest tells": (
        "REGION_NAME = 'Bristol' and REGION_TYPE = 'COUNTY' and TABLE = 'T1'",
        30,
    ),
    "a value": (f"{NATION_NAMED} and SEX_NAME = 'Female' and AGESTART = '*'", 260),
    "one of two, by its count": ("ITERATION_CODE in ('2210', '2220') and TABLE = 'T1' and COUNT > 36", 40),
    "not that one": ("REGION_NAME <> 'The Nation' and ITERATION_CODE = '2220'", 40),
    "none of these": ("not (REGION_NAME in ('the nation') or TABLE = 'T2') and ITERATION_CODE = '2220'", 40),
}


def test_names_stand_for_codes_whatever_their_capitals() -> None:
    found = matched(*(condition for condition, _ in BY_NAME.values()), codes=CODES)
    added = {name: sum(found[condition].rows["COUNT"].to_pylist()) for name, (condition, _) in BY_NAME.items()}
    assert added == {name: estimate for name, (_, estimate) in BY_NAME.items()}


UNREADABLE = {
    "REGION_NAME = 'Kents' or SEX_NAME = 'Mal'": r"'Kents', SEX_NAME 'Mal' means nothing.*\n.*'Kent'\?; .*'male'",
    "ITERATION_CODE = '2210' and REGION_NAME = 'Kent'": r"write one of .*REGION_ID = '44007'\); .*REGION_ID = '44009'",
    "REGION_NAME like 'K%'": "REGION_NAME is compared with whole names",
    "REGION_ID = 1": "REGION_ID is text, and 1 is not\n.*write REGION_ID = '1', a code with all its zeros",
    "case ITERATION_CODE when 1110 then true end": "ITERATION_CODE is text, and 1110 is not",
    "REGION_ID in ('1', 44007)": "REGION_ID is text, and 44007 is not",
    "AGESTART between 0 and 17": r"AGESTART is text, and 0 is not\n.*try_cast\(AGESTART as integer\)",
    "not (REGION_ID <> null)": "compares REGION_ID with NULL, which is never true",
}
NOTHING_HAS = {
    "REGION_TYPE = 'USA' and REGION_ID in ('1', '44007')": "has REGION_ID = '44007' and what else",
    "case REGION_ID when '1' then true when '2' then true end": "no published row has REGION_ID = '2'\n",
    "REGION_ID <> '2'": "no published row has REGION_ID = '2'\n",
    "ITERATION_CODE not in ('2210', '9') and COUNT > 36": "no published row has ITERATION_CODE = '9'\n",
    "try_cast(AGESTART as integer) >= 200 or TABLE = 'T1'": r"has \(TRY_CAST\(AGESTART AS INTEGER\) >= 200\)\n",
    "starts_with(REGION_ID, '2') = false": r"has starts_with\(REGION_ID, '2'\)\n",
    "ITERATION_CODE = '2230'": "'2230'\n.*it is a code of the release, but what has it is too small",
}
NOR_THESE = {
    "REGION_ID in ('1', '2') and TABLE = 'T1'": "no published row has REGION_ID = '2'\n",
    "REGION_TYPE is not distinct from 'usa' or REGION_ID = '1'": "no published row has REGION_TYPE = 'usa'\n",
    "REGION_ID = '44009' or REGION_ID = '1' and ITERATION_CODE = '2220'": "has REGION_ID = '1' and what else",
    "trim(REGION_ID) in ('1', '2')": r"no published row has \"trim\"\(REGION_ID\) = '2'\n",
    "case when REGION_ID in ('1', '2') then true end": "no published row has REGION_ID = '2'\n",
    "not (REGION_ID <> '2') or REGION_ID = '1'": "no published row has REGION_ID = '2'\n",
    "try_cast(AGESTART as integer) in (0, 200)": r"has TRY_CAST\(AGESTART AS INTEGER\) = 200\n",
    "REGION_ID like '2%' or REGION_ID = '1'": r"has \(REGION_ID ~~ '2%'\)\n",
    "REGION_ID not like '2%' and TABLE = 'T1'": r"has \(REGION_ID ~~ '2%'\)\n",
    "REGION_ID || ITERATION_CODE in ('11110', '1')": r"has \(REGION_ID \|\| ITERATION_CODE\) = '1'\n",
    "'2' = REGION_ID or REGION_ID = '1'": "has REGION_ID = '2'\n",
}


@pytest.mark.parametrize("wrong", [UNREADABLE, NOTHING_HAS, pytest.param(NOR_THESE, marks=pytest.mark.slow)])
def test_a_sum_never_leaves_out_silently_what_it_names(wrong: dict[str, str]) -> None:
    said = {each.where: str(each) for each in refused(*wrong, codes=CODES)}
    unsaid = {condition for condition, words in wrong.items() if not re.search(words, said.get(condition, ""))}
    assert unsaid == set()


def test_a_column_of_codes_has_no_names_of_another_and_a_name_in_two_releases_means_one_code(tmp_path):
    (tmp_path / "codes").mkdir()
    for column in ("KIND", "KIND_NAME"):
        (tmp_path / "codes" / f"{column}.csv").write_text("CODE,MEANING\na,x\n")
    assert names_of([tmp_path, tmp_path]) == {"KIND_NAME_NAME": {"x": ("x", [{"KIND_NAME": "a"}])}}


def test_what_is_named_and_may_be_suppressed_is_said_beside_the_sum() -> None:
    condition = "REGION_ID = '44009' and ITERATION_CODE in ('2210', '2220')"
    found = sum_of_tables(tables_of(GROUPS), facts_of(threshold=20), plus=condition, codes=CODES)
    assert found.estimate == 30
    assert found.selections[0].absent.codes["ITERATION_CODE = '2220'"] == 2
    assert any("No row of ITERATION_CODE = '2220' is published" in each for each in found.caveats)


# --- what is refused ---


HOSTILE = {  # tests of expressions of region types have more: one gate lets both pass
    "subquery": "REGION_ID in (select REGION_ID from t1)",
    "second statement": "true; drop table published_rows",
    "closing bracket": "true) or (true",
    "comment to the end": "true) --",
    "comment that hides a bracket": "true --",
    "open comment": "true /*",
    "file function": "read_text('/etc/passwd') is not null",
    "star": "*",
    "named parameter": "REGION_ID = $file",
    "column of ours": "first_atom = 0",
    "qualified column": "published_rows.REGION_ID = '1'",
    "macro": "query('select 1') = 1",
    "assignment": "REGION_ID := '1'",
    "other type": "try_cast(REGION_ID as blob) is null",
    "empty": "",
    "blank": "  ",
    "comment alone": "-- nothing",
    "control character": "true\x00",
    "escape sequence": "true\x1b[2J",
    "too long": f"REGION_ID in ({', '.join(['1'] * 2000)})",
    "too deep": "not " * 480 + "true",
    "template": "{{ 1 }}",
    "text as a number": "AGESTART >= 18",
}
FAILING = {"not a condition": "REGION_ID", "a number": "1", "failing cast": "cast(AGESTART as integer) >= 18"}


@pytest.mark.parametrize("conditions", [HOSTILE, FAILING], ids=["hostile", "failing"])
def test_anything_but_one_harmless_condition_is_refused(conditions):
    found = refused(*conditions.values())
    assert Counter(each.where for each in found) == Counter(" ".join(text.split()) for text in conditions.values())
    assert all(character.isprintable() or character == "\n" for each in found for character in str(each))


HARMLESS = {
    "quoted table, and letters outside ASCII": ("\"TABLE\" = 'T1' and 'é' <> ' '", 5),
    "table as a word, and in a text": ("table='T1'and REGION_ID='1' and ' TABLE ' <> ' '", 2),
    "comment, and template in a text": ("true /* all of them */ and '{{ 1 }} $a' <> ' '", 25),
    "like, and between ages": ("REGION_ID like '44%' and try_cast(AGESTART as integer) between 18 and 64", 4),
    "not in, null, and not": (
        "ITERATION_CODE not in ('1110', '2210') or SEX is null or not (TABLE = 'T1' or SEX = '2')",
        15,
    ),
    "case": ("case when TABLE = 'T1' then REGION_TYPE = 'USA' else false end", 2),
}


def test_an_ordinary_condition_is_understood():
    found = matched(*(condition for condition, _ in HARMLESS.values()))
    read = {name: found[condition].rows.num_rows for name, (condition, _) in HARMLESS.items()}
    assert read == {name: rows for name, (_, rows) in HARMLESS.items()}


def test_tables_whose_totals_are_not_their_cells_are_refused():
    tables = tables_of(GROUPS)
    t1 = tables["t1"]
    changed = t1.set_column(t1.schema.get_field_index("COUNT"), "COUNT", pa.array([361, 500, 36, 40, 30]))
    with pytest.raises(InputError, match="the totals are not the sums of their cells"):
        sum_of_tables({**tables, "t1": changed}, facts_of(), plus=["TABLE = 'T1'"])
