"""Random statements of person views, legal and not, and what a statement gives on tables with and without a person."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import duckdb
import pyarrow as pa

from safetab_sql.kit.errors import InputError
from safetab_sql.public.person_views import PersonView, checked_view, view_problems
from safetab_sql.settings.records import ViewTable

TABLES = (ViewTable("stays", "s", "PATIENT"), ViewTable("deaths", "d", "PID"), ViewTable("calendar", "c", None))
_PRIVATE = {"PATIENT": pa.string(), "DAY": pa.date32(), "AGE": pa.int64(), "REGION": pa.string(), "COST": pa.float64()}
COLUMNS: Mapping[str, Mapping[str, pa.DataType]] = {
    "stays": _PRIVATE,
    "deaths": {"PID": pa.string(), "DAY": pa.date32(), "CAUSE": pa.string(), "AGE": pa.int64()},
    "calendar": {"DAY": pa.date32(), "WEEK": pa.int64(), "KIND": pa.string()},
}
PERSON_OF = {"stays": "PATIENT", "deaths": "PID"}
PERSONS = ("p1", "p2", "p3", "p4")
Tables = Mapping[str, pa.Table]
Rows = Counter[tuple[object, ...]]


def accepted(statement: str) -> PersonView:
    """The view of a statement on these tables. Raises: InputError where it is refused, or does not fit them."""
    view = checked_view(statement, TABLES, "PATIENT", "patients.sql")
    if problems := view_problems(view, TABLES, COLUMNS, "patients.sql"):
        raise InputError(problems)
    return view


def random_tables(random: Random) -> Tables:
    """Rows in which ties, repeated rows and missing values are common."""
    days = [None, 18262, 18263, 18270]
    some = {
        "PATIENT": PERSONS,
        "PID": PERSONS,
        "DAY": days,
        "AGE": [None, 1, 2, 17],
        "REGION": [None, "n", "s"],
        "COST": [None, 0.0, -0.0, 2.5, 1e16, -1e16],
        "CAUSE": ["x", "y", None],
        "WEEK": [1, 2, None],
        "KIND": ["n", "s", "x"],
    }
    sizes = {"stays": random.randrange(14), "deaths": random.randrange(5), "calendar": random.randrange(5)}
    return {
        name: pa.table(
            {
                each: pa.array([random.choice(some[each]) for _ in range(sizes[name])], kind)
                for each, kind in kinds.items()
            }
        )
        for name, kinds in COLUMNS.items()
    }


def of_persons(tables: Tables, persons: Sequence[str], random: Random) -> Tables:
    """The tables with the records of these persons alone, in another order."""
    found = {}
    for name, rows in tables.items():
        key = PERSON_OF.get(name)
        kept = [place for place in range(rows.num_rows) if key is None or rows[key][place].as_py() in persons]
        found[name] = rows.take(pa.array(random.sample(kept, len(kept)), pa.int64()))
    return found


class Worlds:
    """Random tables, each time with all persons, without each of them, and with each alone: a schema a table set."""

    def __init__(self, random: Random, number: int) -> None:
        self.number, self.connection = number, duckdb.connect(":memory:", config={"threads": 2})
        for world in range(number):
            tables = random_tables(random)
            self._fill(f"w{world}", of_persons(tables, PERSONS, random))
            for person in PERSONS:
                others = [each for each in PERSONS if each != person]
                self._fill(f"w{world}_without_{person}", of_persons(tables, others, random))
                self._fill(f"w{world}_{person}", of_persons(tables, [person], random))

    def _fill(self, schema: str, tables: Tables) -> None:
        self.connection.execute(f"create schema {schema}")
        for name, rows in tables.items():
            self.connection.register("rows", rows)
            self.connection.execute(f"create table {schema}.{name} as select * from rows")
            self.connection.unregister("rows")

    def rows_of(self, statement: str, schema: str) -> tuple[list[str], Rows]:
        """The names of the columns that a statement gives, and its rows."""
        self.connection.execute(f"set schema = '{schema}'")
        found = self.connection.execute(statement)
        names = [column[0].lower() for column in found.description]
        return names, Counter(tuple(map(repr, row)) for row in found.fetchall())

    def broken_by(self, statement: str, world: int) -> str | None:
        """The person whose records change the rows of others, or whose rows others change; None if there is none."""
        names, rows = self.rows_of(statement, f"w{world}")
        if "patient" not in names:
            return "nobody"
        place = names.index("patient")
        for person in PERSONS:
            mine = Counter({row: count for row, count in rows.items() if row[place] == repr(person)})
            without = self.rows_of(statement, f"w{world}_without_{person}")[1]
            alone = self.rows_of(statement, f"w{world}_{person}")[1]
            if rows - mine != without or mine != alone:
                return person
        return None


@dataclass(frozen=True)
class _Rows:
    """What a statement in the making can read. keys: its columns of the person."""

    name: str
    columns: Mapping[str, str]
    keys: tuple[str, ...] = ()
    alias: str = ""

    def of(self, kind: str) -> list[str]:
        return [f"{self.alias}.{name}" for name, each in self.columns.items() if each == kind]


_BASE = (
    _Rows("stays", {"PATIENT": "text", "DAY": "day", "AGE": "number", "REGION": "text"}, ("PATIENT",)),
    _Rows("deaths", {"PID": "text", "DAY": "day", "CAUSE": "text", "AGE": "number"}, ("PID",)),
    _Rows("calendar", {"DAY": "day", "WEEK": "number", "KIND": "text"}),
)


class Statements:
    """Random statements. wrong: the chance of each choice to be a planted violation."""

    def __init__(self, random: Random, wrong: float) -> None:
        self.random, self.wrong, self.number = random, wrong, 0

    def statement(self) -> str:
        """One statement, with up to two CTEs."""
        known, parts = list(_BASE), []
        for place in range(self.random.choice([0, 0, 1, 2])):
            text, columns, keys = self._query(known, is_last=False)
            parts.append(f"q{place} as ({text})")
            known.append(_Rows(f"q{place}", columns, keys))
        text = self._query(known, is_last=True)[0]
        return self._renamed(f"with {', '.join(parts)} {text}" if parts else text)

    def _renamed(self, text: str) -> str:
        """The statement, in which some names may have lost their table, or tables have the name of another."""
        if self.random.random() < 0.3:
            text = re.sub(r"\bt\d+\.(?=\w)", lambda found: self._pick("", found[0]), text)
        if self.random.random() < 0.2:
            one, other = (self.random.choice(re.findall(r"\bt\d+\b", text)) for _ in range(2))
            text = re.sub(rf"\b{one}\b", other, text)
        if self.random.random() < 0.05:
            text = re.sub(r"\bv0\b", self._pick("PID", "PATIENT", "AGE", "stays"), text)
        return text

    def _is_wrong(self) -> bool:
        return self.random.random() < self.wrong

    def _pick(self, *options: str) -> str:
        return self.random.choice(options)

    def _query(self, known: Sequence[_Rows], *, is_last: bool) -> tuple[str, Mapping[str, str], tuple[str, ...]]:
        text, columns, keys = self._select(known, is_last=is_last)
        if self.random.random() < 0.1:
            other = self._select(known, is_last=is_last, like=columns)[0]
            how = (
                self._pick("except", "intersect", "union by name")
                if self._is_wrong()
                else self._pick("union all", "union")
            )
            text = f"{text} {how} {other}"
        return text, columns, keys

    def _select(
        self, known: Sequence[_Rows], *, is_last: bool, like: Mapping[str, str] | None = None
    ) -> tuple[str, Mapping[str, str], tuple[str, ...]]:
        tables, text = self._from(known)
        keys = [f"{each.alias}.{key}" for each in tables for key in each.keys]
        if not keys and is_last:
            return self._select(known, is_last=is_last, like=like)
        key = keys[0] if keys else None
        is_grouped = self.random.random() < 0.35
        selected, columns, groups = [], dict[str, str](), []
        if key is not None:
            column = self._wrong_key(key, tables) if self._is_wrong() else key
            name = key.split(".")[1] if not is_last else "PATIENT"
            selected, columns, groups = [f"{column} as {name}"], {name: "text"}, [] if self._is_wrong() else [key]
        wanted = self.random.choices(["number", "text", "day"], k=2) if like is None else list(like.values())[1:]
        for place, kind in enumerate(wanted):
            expression = self._aggregate(kind, tables) if is_grouped else self._value(kind, tables, key)
            if is_grouped and self.random.random() < 0.3:
                expression = self._scalar(kind, tables, 1)
                groups.append(expression)
            selected.append(f"{expression} as v{place}")
            columns[f"v{place}"] = kind
        where = f" where {self._condition(tables, key)}" if self.random.random() < 0.6 else ""
        end = self._groups(groups, tables) if is_grouped else self._qualified(tables, key)
        names = tuple(name for name in columns if name in ("PATIENT", "PID"))
        if len(tables) == 1 and not is_grouped and names and self.random.random() < 0.1:
            return f"select * from {text}{where}{end}", tables[0].columns, tables[0].keys
        text = f"select {self._distinct(key)}{', '.join(selected)} from {text}{where}{end}{self._end()}"
        return text, columns, names

    def _value(self, kind: str, tables: Sequence[_Rows], key: str | None) -> str:
        is_window = kind == "number" and self.random.random() < 0.5
        return self._window(tables, key) if is_window else self._scalar(kind, tables, 2)

    def _distinct(self, key: str | None) -> str:
        if key is not None and self._is_wrong():
            return self._pick(f"distinct on ({key}) ", "distinct on (v0) ")
        return "distinct " if self.random.random() < 0.15 else ""

    def _groups(self, groups: Sequence[str], tables: Sequence[_Rows]) -> str:
        how = "all" if self.random.random() < 0.1 else ", ".join(groups)
        how = f"{self._pick('rollup', 'cube')} ({how})" if groups and self._is_wrong() else how
        having = f" having {self._aggregate('number', tables)} > 1" if how and self.random.random() < 0.2 else ""
        return f" group by {how}{having}" if how else ""

    def _qualified(self, tables: Sequence[_Rows], key: str | None) -> str:
        if self.random.random() < 0.85:
            return ""
        return f" qualify {self._window(tables, key)} <= {self.random.randrange(1, 3)}"

    def _end(self) -> str:
        ends = (" limit 1", " order by v0 limit 2", " using sample 50%", " limit 50%", " offset 1")
        return self._pick(*ends) if self._is_wrong() else ""

    def _wrong_key(self, key: str, tables: Sequence[_Rows]) -> str:
        text = self.random.choice([name for each in tables for name in each.of("text")])
        return self._pick(
            f"coalesce({text}, {key})", f"max({key})", "'p1'", f"lower({key})", text, f"any_value({key} order by {key})"
        )

    def _from(self, known: Sequence[_Rows]) -> tuple[list[_Rows], str]:
        tables, text = [self._named(known)], ""
        first = tables[0]
        text = f"{first.name} as {first.alias}"
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            right = self._named(known)
            kind = self._pick("join", "join", "left join", "semi join", "anti join")
            kind = (
                self._pick("right join", "full join", "cross join", "positional join", "asof join")
                if self._is_wrong()
                else kind
            )
            condition = "" if kind in ("cross join", "positional join") else f" on {self._joining(tables, right)}"
            text = f"{text} {kind} {right.name} as {right.alias}{condition}"
            if kind == "left join":
                tables.append(replace(right, keys=right.keys if self._is_wrong() else ()))
            elif kind not in ("semi join", "anti join"):
                tables.append(right)
        return tables, text

    def _named(self, known: Sequence[_Rows]) -> _Rows:
        self.number += 1
        return replace(self.random.choice(known), alias=f"t{self.number}")

    def _joining(self, tables: Sequence[_Rows], right: _Rows) -> str:
        others = [f"{self._comparable([each], [right])}" for each in tables[:1]]
        keys = [f"{each.alias}.{key}" for each in tables for key in each.keys]
        if keys and right.keys and not self._is_wrong():
            pair = f"{self.random.choice(keys)} = {right.alias}.{right.keys[0]}"
            one, other = pair.split(" = ")
            wrong = self._pick(
                f"({pair} or {others[0]})",
                f"{pair} or true",
                f"not ({pair})",
                f"lower({one}) = {other}",
            )
            return wrong if self._is_wrong() else self._pick(pair, f"{pair} and {others[0]}")
        return others[0]

    def _comparable(self, left: Sequence[_Rows], right: Sequence[_Rows]) -> str:
        kinds = [
            kind
            for kind in ("day", "number", "text")
            if any(e.of(kind) for e in left) and any(e.of(kind) for e in right)
        ]
        kind = self.random.choice(kinds) if kinds else ""
        if not kind:
            return "1 = 1"
        one, other = (self.random.choice([name for each in side for name in each.of(kind)]) for side in (left, right))
        return f"{one} {self._pick('=', '<=', 'is not distinct from')} {other}"

    def _condition(self, tables: Sequence[_Rows], key: str | None) -> str:
        simple = f"{self._scalar('number', tables, 1)} {self._pick('<', '=', '>')} {self._scalar('number', tables, 1)}"
        if self.random.random() < 0.3:
            return f"{simple} or {self._subquery(key)}"
        return self._pick(
            simple, f"not ({simple})", f"{self._scalar('text', tables, 1)} like 'n%'", self._subquery(key)
        )

    def _subquery(self, key: str | None) -> str:
        self.number += 1
        table = self.random.choice(_BASE)
        inner = replace(table, alias=f"t{self.number}")
        if key is None or not inner.keys:
            return f"exists (select 1 from calendar as t{self.number} where t{self.number}.WEEK = 1)"
        mine = f"{inner.alias}.{inner.keys[0]}"
        condition = (
            self._pick("true", f"{mine} <> {key}", f"{mine} = {key} or 1 = 1", f"{mine} = {mine}")
            if self._is_wrong()
            else f"{mine} = {key}"
        )
        source = f"from {inner.name} as {inner.alias}"
        column = self.random.choice([inner.of("text")[-1], mine]) if self._is_wrong() else mine
        return self._pick(
            f"exists (select 1 {source} where {condition})",
            f"not exists (select {inner.alias}.DAY {source} where {condition} and {inner.alias}.AGE > 1)",
            f"(select count(*) {source} where {condition}) > 1",
            f"(select max({inner.alias}.AGE) {source} where {condition}) = 2",
            f"{key} in (select {column} {source})",
            f"{key} not in (select {column} {source} where {inner.alias}.AGE = 1)",
        )

    def _scalar(self, kind: str, tables: Sequence[_Rows], depth: int) -> str:
        columns = [name for each in tables for name in each.of(kind)]
        plain = {"number": ["1", "7"], "text": ["'n'", "'s'"], "day": ["date '2020-01-02'"]}[kind]
        if self._is_wrong() and self._is_wrong():
            return {"number": "hash(1)", "text": "version()", "day": "current_date"}[kind]
        if depth == 0 or self.random.random() < 0.4:
            return self.random.choice(columns or plain)
        inside = [self._scalar(each, tables, depth - 1) for each in (kind, kind, "number", "text", "day")]
        one, two, number, text, day = inside
        forms = {
            "number": [
                f"{one} + {two}",
                f"coalesce({one}, {two})",
                f"length({text})",
                f"year({day})",
                f"case when {number} > 1 then {one} else {two} end",
                f"{one} // 2",
            ],
            "text": [
                f"lower({one})",
                f"{one} || {two}",
                f"coalesce({one}, {two})",
                f"{number}::varchar",
                f"if({text} = 'n', {one}, {two})",
            ],
            "day": [f"coalesce({one}, {two})", f"greatest({one}, {two})", f"case when {text} = 's' then {one} end"],
        }
        return self.random.choice(forms[kind])

    def _aggregate(self, kind: str, tables: Sequence[_Rows]) -> str:
        one = self._scalar(kind, tables, 1)
        order = self._scalar("day", tables, 0)
        order = f"{order} desc" if self._is_wrong() else f"{order} desc, {one}"
        forms = [f"min({one})", f"max({one})", f"first({one} order by {order})", f"mode({one} order by {one})"]
        if kind == "number":
            text = self._scalar("text", tables, 0)
            forms += ["count(*)", f"sum({one})", f"count(distinct {text})", f"count(*) filter ({one} > 1)"]
        if kind == "text":
            forms += [f"string_agg({one}, ',' order by {one})"]
        if self._is_wrong():
            forms = [f"any_value({one})", f"arg_max({one}, {order.split(' ')[0]})", f"last({one})"]
        return self.random.choice(forms)

    def _window(self, tables: Sequence[_Rows], key: str | None) -> str:
        name = self._pick(
            "row_number()", "rank()", "lag({}, 1, 0)", "sum({})", "count(*)", "first_value({})", "max({})"
        )
        name = name.format(self._scalar("number", tables, 1))
        order = self._scalar(self._pick("day", "number"), tables, 0)
        rows = ", ".join(each.alias for each in tables)
        order = order if self._is_wrong() else f"{order} desc, {rows}"
        order = order if not name.startswith("rank") else self._scalar("day", tables, 0)
        if name.startswith(("sum", "count", "max")):
            order = self._scalar("day", tables, 0)
        parts = self._scalar("text", tables, 0) if key is None or self._is_wrong() else key
        return f"{name} over (partition by {parts} order by {order})"


def many(seed: int, number: int, wrong: float) -> Iterator[str]:
    """So many statements."""
    statements = Statements(Random(seed), wrong)
    return (statements.statement() for _ in range(number))
