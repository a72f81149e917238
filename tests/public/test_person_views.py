"""Person views: legal statements give what Python gives, illegal ones are refused with the piece that is wrong."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from random import Random

import duckdb
import pyarrow as pa
import pytest

from safetab_sql.kit.errors import InputError
from safetab_sql.public.person_views import checked_view, view_problems
from safetab_sql.settings.records import ViewTable
from tests.view_statements import COLUMNS, TABLES, accepted

DAYS = [datetime.date(2026, 1, 1) + datetime.timedelta(days=place) for place in range(6)]
_random = Random(20)
# PATIENT, DAY, AGE, REGION, COST
STAYS = [
    (f"p{_random.randrange(6)}", _random.choice(DAYS), _random.randrange(4), _random.choice(["n", "s", None]), 2.5)
    for _ in range(40)
]
DEATHS = [("p1", DAYS[2], "x", 3), ("p3", DAYS[5], "y", 1), ("p9", DAYS[0], "x", 2)]  # PID, DAY, CAUSE, AGE
CALENDAR = [(day, place, "ns"[place % 2]) for place, day in enumerate(DAYS[:4])]  # DAY, WEEK, KIND
WEEKS = {day: week for day, week, _ in CALENDAR}
DEAD = {death[0] for death in DEATHS}
Row = tuple[object, ...]


def stays_of() -> dict[str, list[Row]]:
    found = defaultdict(list)
    for stay in STAYS:
        found[stay[0]].append(stay)
    return found


def each_person(made: Callable[[list[Row]], Iterable[object]]) -> list[Row]:
    """A row a patient: the patient, and what is made of the stays."""
    return [(patient, *made(stays)) for patient, stays in stays_of().items()]


def numbered(stays: list[Row]) -> list[Row]:
    """The stays of a patient, the last first; a missing region comes last."""
    ordered = sorted(stays, key=lambda stay: (stay[3] is None, stay[3] or ""))
    ordered = sorted(ordered, key=lambda stay: stay[2])
    return sorted(ordered, key=lambda stay: stay[1], reverse=True)


def some(values: Iterable[object]) -> list[object]:
    return [value for value in values if value is not None]


def most_common(values: Iterable[object]) -> object:
    counts = Counter(some(values))
    return min(counts, key=lambda value: (-counts[value], value)) if counts else None


_KEPT = "select stays.PATIENT, stays.REGION from stays"
LEGAL: dict[str, tuple[str, Callable[[], list[Row]]]] = {
    "projection": ("select PATIENT, AGE + 1 as n from stays", lambda: [(s[0], s[2] + 1) for s in STAYS]),
    "small letters": ("select patient from stays", lambda: [(s[0],) for s in STAYS]),
    "from first": ("from stays select PATIENT, AGE", lambda: [(s[0], s[2]) for s in STAYS]),
    "quoted": ('select "PATIENT" from "stays"', lambda: [(s[0],) for s in STAYS]),
    "where": (
        "select PATIENT from stays where AGE > 1 and REGION = 'n'",
        lambda: [(s[0],) for s in STAYS if s[2] > 1 and s[3] == "n"],
    ),
    "like": (
        "select PATIENT from stays where REGION like 'n%' or AGE in (1, 2)",
        lambda: [(s[0],) for s in STAYS if s[3] == "n" or s[2] in (1, 2)],
    ),
    "between": (
        "select PATIENT from stays where AGE between 1 and 2",
        lambda: [(s[0],) for s in STAYS if s[2] in (1, 2)],
    ),
    "case": (
        "select PATIENT, case when AGE > 2 then 'old' else 'young' end as a from stays",
        lambda: [(s[0], "old" if s[2] > 2 else "young") for s in STAYS],
    ),
    "cast": ("select PATIENT, AGE::varchar as a from stays", lambda: [(s[0], str(s[2])) for s in STAYS]),
    "floating point cast": (
        "select PATIENT, sum(COST::decimal(18, 1)) * 2 as n from stays group by PATIENT",
        lambda: each_person(lambda s: [5 * len(s)]),
    ),
    "dates": (
        "select PATIENT, year(DAY) as y, date_diff('day', DAY, DAY + 3) as d from stays",
        lambda: [(s[0], 2026, 3) for s in STAYS],
    ),
    "text of the key": ("select PATIENT, lower(PATIENT) as other from stays", lambda: [(s[0], s[0]) for s in STAYS]),
    "key of another name": ("select PID as PATIENT, CAUSE from deaths", lambda: [(d[0], d[2]) for d in DEATHS]),
    "distinct": (f"{_KEPT.replace('select', 'select distinct')}", lambda: list({(s[0], s[3]) for s in STAYS})),
    "count": ("select PATIENT, count(*) as n from stays group by PATIENT", lambda: each_person(lambda s: [len(s)])),
    "group by place": ("select PATIENT, count(*) as n from stays group by 1", lambda: each_person(lambda s: [len(s)])),
    "group by all": (
        "select PATIENT, max(AGE) as n from stays group by all",
        lambda: each_person(lambda s: [max(t[2] for t in s)]),
    ),
    "group by key and more": (
        "select PATIENT, REGION, count(*) as n from stays group by PATIENT, REGION",
        lambda: [(*k, n) for k, n in Counter((s[0], s[3]) for s in STAYS).items()],
    ),
    "having": (
        "select PATIENT from stays group by PATIENT having count(*) > 5",
        lambda: [(p,) for p, s in stays_of().items() if len(s) > 5],
    ),
    "filter": (
        "select PATIENT, count(*) filter (AGE > 1) as n from stays group by PATIENT",
        lambda: each_person(lambda s: [sum(t[2] > 1 for t in s)]),
    ),
    "count distinct": (
        "select PATIENT, count(distinct REGION) as n from stays group by PATIENT",
        lambda: each_person(lambda s: [len(set(some(t[3] for t in s)))]),
    ),
    "sum and min": (
        "select PATIENT, sum(AGE) as a, min(DAY) as d from stays group by PATIENT",
        lambda: each_person(lambda s: [sum(t[2] for t in s), min(t[1] for t in s)]),
    ),
    "bands": (
        "select PATIENT, case when count(*) > 6 then 'many' else 'few' end as band from stays group by PATIENT",
        lambda: each_person(lambda s: ["many" if len(s) > 6 else "few"]),
    ),
    "mode": (
        "select PATIENT, mode(REGION order by REGION) as r from stays group by PATIENT",
        lambda: each_person(lambda s: [most_common(t[3] for t in s)]),
    ),
    "first in an order": (
        "select PATIENT, first(AGE order by DAY desc, AGE) as a from stays group by PATIENT",
        lambda: each_person(lambda s: [numbered(s)[0][2]]),
    ),
    "string_agg": (
        "select PATIENT, string_agg(REGION, '+' order by REGION) as r from stays group by PATIENT",
        lambda: each_person(lambda s: ["+".join(sorted(some(t[3] for t in s))) or None]),
    ),
    "bool_or": (
        "select PATIENT, bool_or(AGE > 2) as b from stays group by PATIENT",
        lambda: each_person(lambda s: [any(t[2] > 2 for t in s)]),
    ),
    "row_number": (
        "select PATIENT, AGE from stays"
        " qualify row_number() over (partition by PATIENT order by DAY desc, stays.AGE, stays) = 1",
        lambda: each_person(lambda s: [numbered(s)[0][2]]),
    ),
    "rank": (
        "select PATIENT, DAY from stays qualify rank() over (partition by PATIENT order by DAY desc) = 1",
        lambda: [(s[0], s[1]) for s in STAYS if s[1] == max(t[1] for t in stays_of()[s[0]])],
    ),
    "window sum": (
        "select PATIENT, sum(AGE) over (partition by PATIENT) as a from stays",
        lambda: [(s[0], sum(t[2] for t in stays_of()[s[0]])) for s in STAYS],
    ),
    "window of key and more": (
        "select PATIENT, count(*) over (partition by REGION, PATIENT) as n from stays",
        lambda: [(s[0], sum(t[3] == s[3] for t in stays_of()[s[0]])) for s in STAYS],
    ),
    "named window": (
        "select PATIENT, count(*) over w as n from stays window w as (partition by PATIENT)",
        lambda: [(s[0], len(stays_of()[s[0]])) for s in STAYS],
    ),
    "join public": (
        "select PATIENT, WEEK from stays join calendar using (DAY)",
        lambda: [(s[0], WEEKS[s[1]]) for s in STAYS if s[1] in WEEKS],
    ),
    "join public on anything": (
        "select PATIENT, WEEK from stays join calendar on WEEK < AGE",
        lambda: [(s[0], w) for s in STAYS for w in WEEKS.values() if w < s[2]],
    ),
    "public first": (
        "select PATIENT, WEEK from calendar join stays on calendar.DAY = stays.DAY",
        lambda: [(s[0], WEEKS[s[1]]) for s in STAYS if s[1] in WEEKS],
    ),
    "left join public": (
        "select PATIENT, WEEK from stays left join calendar using (DAY)",
        lambda: [(s[0], WEEKS.get(s[1])) for s in STAYS],
    ),
    "cross join public": (
        "select PATIENT, WEEK from stays, calendar",
        lambda: [(s[0], w) for s in STAYS for w in WEEKS.values()],
    ),
    "semi join public": (
        "select PATIENT from stays semi join calendar on stays.DAY = calendar.DAY",
        lambda: [(s[0],) for s in STAYS if s[1] in WEEKS],
    ),
    "join on the key": (
        "select s.PATIENT, d.CAUSE from stays as s join deaths as d on s.PATIENT = d.PID",
        lambda: [(s[0], d[2]) for s in STAYS for d in DEATHS if s[0] == d[0]],
    ),
    "join in where": (
        "select stays.PATIENT, CAUSE from stays, deaths where PID = PATIENT and stays.AGE > 1",
        lambda: [(s[0], d[2]) for s in STAYS for d in DEATHS if s[0] == d[0] and s[2] > 1],
    ),
    "join itself": (
        "select a.PATIENT from stays as a join stays as b using (PATIENT)",
        lambda: [(p,) for p, s in stays_of().items() for _ in range(len(s) ** 2)],
    ),
    "left join on the key": (
        "select s.PATIENT, d.CAUSE from stays as s left join deaths as d on d.PID = s.PATIENT",
        lambda: [(s[0], {x[0]: x[2] for x in DEATHS}.get(s[0])) for s in STAYS],
    ),
    "anti join on the key": (
        "select PATIENT from stays anti join deaths on PATIENT = PID",
        lambda: [(s[0],) for s in STAYS if s[0] not in DEAD],
    ),
    "in on the key": (
        "select PATIENT from stays where PATIENT not in (select PID from deaths where AGE > 2)",
        lambda: [(s[0],) for s in STAYS if s[0] != "p1"],
    ),
    "exists by the key": (
        "select PATIENT from stays where exists (select 1 from deaths where deaths.PID = stays.PATIENT)",
        lambda: [(s[0],) for s in STAYS if s[0] in DEAD],
    ),
    "scalar by the key": (
        "select PID as PATIENT, (select count(*) from stays as s where s.PATIENT = deaths.PID) as n from deaths",
        lambda: [(d[0], len(stays_of().get(d[0], []))) for d in DEATHS],
    ),
    "public subquery": (
        "select PATIENT from stays where DAY in (select DAY from calendar) and AGE < (select max(WEEK) from calendar)",
        lambda: [(s[0],) for s in STAYS if s[1] in WEEKS and s[2] < 3],
    ),
    "union all": (
        "select PATIENT, AGE from stays union all select PID, AGE from deaths",
        lambda: [(s[0], s[2]) for s in STAYS] + [(d[0], d[3]) for d in DEATHS],
    ),
    "union": ("select PATIENT from stays union select PID from deaths", lambda: [(p,) for p in {*stays_of(), *DEAD}]),
    "common table": (
        "with counted as (select PATIENT, count(*) as n from stays group by PATIENT),"
        " weeks as (select DAY, max(WEEK) as w from calendar group by DAY)"
        " select counted.PATIENT, n, max(w) as w from counted join stays using (PATIENT)"
        " left join weeks using (DAY) group by counted.PATIENT, n",
        lambda: each_person(lambda s: [len(s), max(some(WEEKS.get(t[1]) for t in s), default=None)]),
    ),
    "query in from": (
        "select q.PATIENT, q.n + 1 as n from (select PATIENT, count(*) as n from stays group by PATIENT) as q",
        lambda: each_person(lambda s: [len(s) + 1]),
    ),
    "star": (
        "with q as (select * from deaths where AGE > 1) select PID as PATIENT, AGE from q",
        lambda: [(d[0], d[3]) for d in DEATHS if d[3] > 1],
    ),
    "ordered result": ("select PATIENT, AGE from stays order by AGE, 1", lambda: [(s[0], s[2]) for s in STAYS]),
}


def tables() -> dict[str, pa.Table]:
    rows = {"stays": STAYS, "deaths": DEATHS, "calendar": CALENDAR}
    return {
        name: pa.table(
            [
                pa.array(values, kind)
                for values, kind in zip(zip(*rows[name], strict=True), kinds.values(), strict=True)
            ],
            names=list(kinds),
        )
        for name, kinds in COLUMNS.items()
    }


@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_statement_gives_what_plain_python_gives(name: str) -> None:
    statement, expected = LEGAL[name]
    view = accepted(statement)
    with duckdb.connect(":memory:") as connection:
        for table, rows in tables().items():
            connection.register("rows", rows)
            connection.execute(f"create table {table} as select * from rows")
        found = connection.execute(view.text).fetchall()
    assert Counter(found) == Counter(expected())


# What is said of statements that are refused, by |, and these statements.
ILLEGAL: dict[str, dict[str, str]] = {
    "max(PATIENT): this is over the rows of all persons": {"no group": "select max(PATIENT) as PATIENT from stays"},
    "sum(AGE): this is over the rows of all persons": {
        "average of all": "select PATIENT, AGE - m as d from stays, (select sum(AGE) as m from stays) as q"
    },
    "count_star: this is over the rows of all persons|count(*): this is over the rows of all persons": {
        "group without the key": "select REGION, count(*) as n from stays group by REGION"
    },
    "this is over the rows of all persons": {
        "group by an expression of the key": "select PATIENT, count(*) as n from stays group by lower(PATIENT)",
        "group by all without the key": (
            "with q as (select REGION, count(*) as n from stays group by all) select * from q"
        ),
        "group by another place": "select PATIENT, REGION, count(*) as n from stays group by 2",
        "having alone": "select PATIENT from stays having count(*) > 1",
        "group by the key of a left join": (
            "select s.PATIENT, count(*) as n from stays as s left join deaths as d on s.PATIENT = d.PID group by d.PID"
        ),
    },
    "group by: rollup": {
        "rollup": "select PATIENT, count(*) as n from stays group by rollup (PATIENT)",
        "grouping sets": "select PATIENT, count(*) as n from stays group by grouping sets ((PATIENT), ())",
        "cube": "select PATIENT, REGION, count(*) as n from stays group by cube (PATIENT, REGION)",
    },
    "row_number() over (): this window is over the rows of all persons": {
        "window over all": "select PATIENT, row_number() over () as n from stays"
    },
    "this window is over the rows of all persons": {
        "window by region": "select PATIENT, sum(AGE) over (partition by REGION) as n from stays",
        "window by a made key": "select PATIENT, sum(AGE) over (partition by coalesce(PATIENT, 'x')) as n from stays",
        "qualify over all": "select PATIENT from stays qualify rank() over (order by DAY) = 1",
    },
    "rows that its order by does not tell apart": {
        "ties of row_number": "select PATIENT, row_number() over (partition by PATIENT order by DAY) as n from stays",
        "ties of a joined table": (
            "select PATIENT, row_number() over (partition by PATIENT order by stays) as n from stays, calendar"
        ),
        "ties of lag": "select PATIENT, lag(AGE) over (partition by PATIENT order by DAY) as n from stays",
        "ties of a frame of rows": (
            "select PATIENT, sum(AGE) over (partition by PATIENT order by DAY rows 1 preceding) as n from stays"
        ),
    },
    "any_value(REGION): rows that its order by does not tell apart": {
        "any value": "select PATIENT, any_value(REGION) as r from stays group by PATIENT"
    },
    "first(REGION order by DAY): rows that its order by": {
        "ties of first": "select PATIENT, first(REGION order by DAY) as r from stays group by PATIENT"
    },
    "mode(REGION): rows that its order by": {"mode": "select PATIENT, mode(REGION) as r from stays group by PATIENT"},
    "arg_max(REGION, DAY): function arg_max is not on the list": {
        "arg_max": "select PATIENT, arg_max(REGION, DAY) as r from stays group by PATIENT"
    },
    "function list is not on the list": {
        "list": "select PATIENT, list(REGION order by REGION) as r from stays group by PATIENT"
    },
    "avg(AGE): function avg is not on the list": {"avg": "select PATIENT, avg(AGE) as a from stays group by PATIENT"},
    "COST: type DOUBLE": {"floating sum": "select PATIENT, sum(COST) as c from stays group by PATIENT"},
    "limit: which rows it keeps": {
        "limit": "select PATIENT from stays limit 5",
        "limit inside": "with q as (select PATIENT from stays order by DAY limit 5) select PATIENT from q",
        "offset": "select PATIENT from stays offset 5",
    },
    "distinct on: which rows it keeps": {"distinct on": "select distinct on (PATIENT) PATIENT, AGE from stays"},
    "it has sample": {"sample": "select PATIENT from stays using sample 10%"},
    "stays tablesample 10%: it has sample": {"sample of a table": "select PATIENT from stays tablesample 10%"},
    "from a, b: b and a hold persons": {
        "cross join": "select a.PATIENT, b.AGE from stays as a, stays as b",
        "join on a region": "select a.PATIENT from stays as a join stays as b on a.REGION = b.REGION",
    },
    "from stays, deaths: deaths and stays hold persons": {
        "key under or": "select PATIENT from stays join deaths on PATIENT = PID or CAUSE = 'x'",
        "key under not": "select PATIENT from stays join deaths on not (PATIENT = PID)",
        "key between expressions": "select PATIENT from stays join deaths on lower(PATIENT) = PID",
        "less than the key": "select PATIENT from stays join deaths on PATIENT <= PID",
        "using another column": "select PATIENT from stays join deaths using (DAY)",
    },
    "natural join: this kind of join": {"natural join": "select PATIENT from stays natural join deaths"},
    "positional join: this kind of join": {"positional join": "select stays.PATIENT from stays positional join deaths"},
    "asof join: this kind of join": {
        "asof join": "select PATIENT from stays asof join deaths on PATIENT = PID and stays.DAY >= deaths.DAY"
    },
    "right join: this kind of join": {
        "right join": "select PID as PATIENT from stays right join deaths on PATIENT = PID"
    },
    "full": {"full join": "select coalesce(PATIENT, PID) as PATIENT from stays full join deaths on PATIENT = PID"},
    "left join stays: which rows of the public table remain": {
        "public left join": "select PATIENT from calendar left join stays using (DAY)"
    },
    "anti join stays: which rows of the public table remain": {
        "public anti join": "select DAY from calendar anti join stays using (DAY)"
    },
    "d.PID as PATIENT: it would be called patient|d.PID: it would be called patient": {
        "key of a left join": "select d.PID as PATIENT from stays left join deaths as d on PATIENT = d.PID"
    },
    "with them comes a column of the person that is missing": {
        "star of a left join": "select * from stays left join deaths on PATIENT = PID"
    },
    "max(AGE): this is over the rows of all persons": {
        "subquery of all": "select PATIENT from stays where AGE = (select max(AGE) from stays as s)"
    },
    "reads the records of all persons": {
        "exists of all": "select PATIENT from stays where exists (select 1 from deaths)",
        "correlated by region": (
            "select PATIENT from stays where exists (select 1 from stays as s where s.REGION = stays.REGION)"
        ),
        "correlated with itself": "select PATIENT from stays where exists (select 1 from deaths where PID = PID)",
        "correlated with a hidden name": (
            "select d.PID as PATIENT from deaths as d where exists"
            " (select 1 from stays as s left join deaths as d on s.PATIENT = d.PID where s.PATIENT = d.PID)"
        ),
        "correlated without a table": (
            "select PATIENT from stays where exists (select 1 from deaths where PID = PATIENT)"
        ),
        "correlated under or": (
            "select PATIENT from stays where exists (select 1 from deaths where PID = stays.PATIENT or AGE = 1)"
        ),
        "in of another column": "select PATIENT from stays where REGION in (select CAUSE from deaths)",
        "in of the key, another column": "select PATIENT from stays where REGION in (select PID from deaths)",
    },
    "a query inside a condition of a join": {
        "subquery in a join": "select PATIENT from stays join calendar on WEEK = (select max(AGE) from stays as s)"
    },
    "coalesce(PATIENT, 'x')": {"made key": "select coalesce(PATIENT, 'x') as PATIENT from stays"},
    "it would be called patient": {
        "cast key": "select PATIENT::varchar as PATIENT from stays",
        "key of a public table": "select KIND as PATIENT from calendar",
    },
    "lower(PATIENT)": {"key of lower letters": "select lower(PATIENT) as patient from stays"},
    "'p1'": {"constant key": "select 'p1' as PATIENT, AGE from stays"},
    "REGION": {"another column as the key": "select REGION as PATIENT from stays"},
    "query of AGE: the column of the person is lost here": {"no key": "select AGE from stays"},
    "the column of the person is lost here": {
        "key under another name": "select PATIENT as ID from stays",
        "key excluded": "with q as (select * exclude (PID) from deaths) select * from q",
    },
    "it has replace list": {"key replaced": "select * replace ('x' as PID) from deaths"},
    "it has column name alias": {
        "key renamed by a list": "select PATIENT from (select REGION, PATIENT from stays) as q(PATIENT, REGION)",
        "values": "select PATIENT from (values ('p1')) as q(PATIENT)",
    },
    "it has aliases": {
        "keys renamed by a common table": (
            "with q(PATIENT, REGION) as (select REGION, PATIENT from stays) select PATIENT from q"
        ),
    },
    "union: rows of a public table": {
        "union with a public table": "select PATIENT, AGE from stays union all select KIND, WEEK from calendar"
    },
    "union: the column of the person is not in the same place": {
        "union in another order": "select PATIENT, REGION from stays union all select CAUSE, PID from deaths"
    },
    "union: which column is the person": {"union of stars": "select * from deaths union all select * from deaths"},
    "union by name": {"union by name": "select PID as PATIENT from deaths union all by name select PATIENT from stays"},
    "except: it is not on the list": {"except": "select PATIENT from stays except select PID from deaths"},
    "intersect: it is not on the list": {"intersect": "select PATIENT from stays intersect select PID from deaths"},
    "recursive": {
        "recursion": (
            "with recursive q as (select PATIENT from stays union all select PATIENT from q) select PATIENT from q"
        ),
    },
    "pivot": {"pivot": "select * from stays pivot (count(*) for REGION in ('n') group by PATIENT)"},
    "function unnest|unnest([1, 2])": {"unnest": "select PATIENT, unnest([1, 2]) as n from stays"},
    "stays.AGE: no table of this name is read here": {
        "lateral": "select PATIENT from stays, lateral (select stays.AGE as a from calendar) as q"
    },
    "table function": {
        "table function": "select PATIENT from stays, range(3)",
        "file": "select PATIENT from read_parquet('stays.parquet')",
    },
    "stays.parquet: no table of [records.tables]": {"file as a table": "select PATIENT from 'stays.parquet'"},
    "it has schema name": {"another schema": "select PATIENT from main.stays"},
    "duckdb_settings: no table of [records.tables]": {
        "table of the system": "select PATIENT from stays, duckdb_settings"
    },
    "random(): function random is not on the list": {"random": "select PATIENT, random() as r from stays"},
    "now(): function now is not on the list": {"now": "select PATIENT, now() as r from stays"},
    "current_date: no table has this column": {"current_date": "select PATIENT, current_date as r from stays"},
    "rowid: no table has this column": {"row id": "select PATIENT, rowid as r from stays"},
    "function nextval is not on the list": {"sequence": "select PATIENT, nextval('s') as r from stays"},
    "function current_setting is not on the list": {
        "setting": "select PATIENT, current_setting('threads') as r from stays"
    },
    "hash(AGE): function hash is not on the list": {"hash": "select PATIENT, hash(AGE) as r from stays"},
    "stays: it is a table": {"row as a value": "select PATIENT, stays as r from stays"},
    "function list_transform is not on the list": {
        "lambda": "select PATIENT, list_transform([1], lambda x: x) as r from stays"
    },
    "star is not on the list": {"columns": "select PATIENT, max(columns(*)) from stays group by PATIENT"},
    "function to_days is not on the list": {"interval": "select PATIENT, DAY + interval 1 day as d from stays"},
    "collate is not on the list": {"collation": "select PATIENT from stays where REGION collate nocase = 'N'"},
    "with stays: it has the name of another table": {
        "shadowed table": "with stays as (select 'p1' as X from calendar) select X from stays"
    },
    "q: two tables of one from have this name": {
        "two of one name": "select q.PATIENT from stays as q join deaths as q on q.PATIENT = q.PID"
    },
    "AGE: a table is called q too": {"column called like a table": "select PATIENT, AGE as q from stays as q"},
    "more than one statement": {"two statements": "select PATIENT from stays; select PATIENT from stays"},
    "cannot be parsed": {"no select": "delete from stays"},
    "parameters": {"parameter": "select PATIENT from stays where AGE = $1"},
}


@pytest.mark.parametrize(
    ("statement", "said"),
    [pytest.param(statement, said, id=name) for said, all_ in ILLEGAL.items() for name, statement in all_.items()],
)
def test_an_illegal_statement_is_refused_by_the_piece_that_is_wrong(statement: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        accepted(statement)
    whats = [problem.what for problem in refused.value.problems]
    assert any(each in what for what in whats for each in said.split("|")), whats
    assert all(problem.fix for problem in refused.value.problems)


def test_every_common_table_that_is_wrong_is_named() -> None:
    statement = (
        "with a as (select AGE from stays), b as (select now() as n from calendar) select PATIENT from stays, a, b"
    )
    with pytest.raises(InputError) as refused:
        accepted(statement)
    assert [problem.what.partition(":")[0] for problem in refused.value.problems] == ["query of AGE", "now()"]


COLUMNS_AMISS = {
    "key missing": ({"stays": {"AGE": pa.int64()}}, "[records.tables.stays]: its files have no column PATIENT"),
    "key of another table": (
        {"calendar": {"patient": pa.string()}},
        "column patient is called like the column of a person",
    ),
    "capitals": ({"calendar": {"DAY": pa.date32(), "day": pa.date32()}}, "column DAY is there twice"),
    "nested": ({"calendar": {"DAY": pa.list_(pa.int64())}}, "column DAY is of type list<"),
    "fraction as a key": ({"stays": {"PATIENT": pa.float64()}}, "the column of the person is of type double"),
    "two types of keys": ({"deaths": {"PID": pa.int64()}}, "the column of the person has different types"),
    "called like a table": ({"calendar": {"stays": pa.int64()}}, "stays: a table of the statement and a column"),
    "numbered": ({"calendar": {"PID": pa.int64()}}, "column PID is called like the column of a person"),
}


@pytest.mark.parametrize("name", COLUMNS_AMISS)
def test_files_whose_columns_could_be_taken_for_others_are_refused(name: str) -> None:
    changed, said = COLUMNS_AMISS[name]
    view = checked_view("select PATIENT from stays", TABLES, "PATIENT", "patients.sql")
    found = view_problems(view, TABLES, {**COLUMNS, **changed}, "patients.sql")
    assert any(said in str(problem) for problem in found), found


def test_the_second_of_two_columns_of_one_name_is_no_person() -> None:
    tables = (ViewTable("stays", "s", "ID_1"), ViewTable("calendar", "c", None))
    view = checked_view("select ID_1 from stays", tables, "ID_1", "patients.sql")
    columns = {"stays": {"ID_1": pa.string()}, "calendar": {"ID": pa.string()}}
    assert "may be called id_1" in str(view_problems(view, tables, columns, "patients.sql")[0])
