"""The JSON Schema of parameter files."""

from typing import get_args

from safetab_sql.public import json_schema as of
from safetab_sql.public.attribute_settings import (
    AGE_KEYS,
    ATTRIBUTE_KEYS,
    ATTRIBUTE_NAME,
    ATTRIBUTES_KEY,
    CODE,
    SEX_KEYS,
)
from safetab_sql.public.attributes import AGE, SEX, SEX_GROUPING
from safetab_sql.public.budgets import LARGEST_BUDGET, PrivacyDefinition
from safetab_sql.public.geography_settings import (
    FLAG_NAME,
    OWN_KEYS,
    OWN_REGION_KEYS,
    OWN_REQUIRED,
    PART_NAME,
    REGION_TYPE_NAME,
    STANDARD_REGION_KEYS,
    STANDARD_REQUIRED,
)
from safetab_sql.public.json_schema import Schema
from safetab_sql.public.ladder_settings import (
    LADDER_KEYS,
    LADDER_NAME,
    LADDERS_KEY,
    LISTED_LEVEL_KEYS,
    STATISTIC_KEYS,
    STATISTIC_NAME,
)
from safetab_sql.public.ladders import COARSER, Choose
from safetab_sql.public.level_settings import LARGEST_SHARE, LARGEST_THRESHOLD, LEVEL_KEYS, LEVELS_KEY
from safetab_sql.public.levels import LONGEST_NUMBER, STANDARD_PARTS
from safetab_sql.public.parameters import PARAMETER_KEYS
from safetab_sql.public.questions import LIST_KEYS, LIST_NAME, MOST_CODES, QUESTION_KEYS, QUESTION_NAME, STANDARD_KEY
from safetab_sql.public.settings import BASE
from safetab_sql.public.states import US_STATES
from safetab_sql.public.unit import UNIT_KEY, UNIT_KEYS

_LARGEST_INTEGER = 2**31 - 1  # of an attribute


def parameters_schema() -> Schema:
    """What `load_parameters` reads of a TOML file."""
    return of.toml_file("Parameters of safetab-sql", of.table(PARAMETER_KEYS, _properties()), _conditions())


def _properties() -> dict[str, Schema]:
    region_type = _region_type_properties((*STANDARD_REGION_KEYS, *OWN_REGION_KEYS))
    return {
        "privacy_definition": of.choice(get_args(PrivacyDefinition), "budgets are rho (zcdp) or epsilon (puredp)"),
        "gamma": of.decimal(1, "share of noisy totals", is_zero_allowed=False, is_most_allowed=False),
        "allow_negative_counts": of.switch("false: counts below 0 are published as 0"),
        "zero_suppression_chance": of.decimal(
            1, "of an empty group below states to be left out", is_zero_allowed=True, is_most_allowed=False
        ),
        "intervals_from_zero": of.switch("true: published intervals are cut at 0"),
        "publish_stage_1": of.switch("true: also the noisy totals that pick the tables"),
        BASE: of.base(),
        "region_types": of.tables(of.table(region_type, region_type), REGION_TYPE_NAME, "each with its id"),
        UNIT_KEY: _unit(),
        ATTRIBUTES_KEY: of.tables(_attribute(), ATTRIBUTE_NAME, "columns that tables break down by"),
        LADDERS_KEY: of.tables(_ladder(), LADDER_NAME, "tables of your own", least=1),
        LEVELS_KEY: of.tables(
            of.table(LEVEL_KEYS, _level_properties()), None, "budget and thresholds by level, such as COUNTY-2"
        ),
        **_place_properties(),
        **_question_properties(),
        **of.about_properties(),
    }


def _conditions() -> list[Schema]:
    """What a file without a base must hold."""
    is_own = {"anyOf": [of.present(key) for key in OWN_KEYS]}
    one_column = {"oneOf": [of.present("column"), of.present("columns")]}
    one_source = {"oneOf": [of.present("iterations"), of.present("values")]}
    wanted: dict[str, Schema] = {
        LEVELS_KEY: of.present("budget"),
        LADDERS_KEY: {"required": ["statistics", "levels"]},
        "questions": {"allOf": [one_column, one_source]},
        "parts": of.present("where"),
    }
    return [
        {
            "properties": {
                "place": of.present("key"),
                **{key: {"additionalProperties": each} for key, each in wanted.items()},
            }
        },
        {"required": ["privacy_definition"], "anyOf": [of.present(LEVELS_KEY), of.present(LADDERS_KEY)]},
        {
            "if": is_own,
            "then": {"required": list(OWN_REQUIRED), "properties": _all_of("region_types", OWN_REGION_KEYS)},
            "else": {
                "required": ["allow_negative_counts", *STANDARD_REQUIRED],
                "properties": _all_of("region_types", STANDARD_REGION_KEYS),
            },
        },
        {
            "if": of.present(LADDERS_KEY),
            "then": {"required": [ATTRIBUTES_KEY]},
            "else": {"properties": {ATTRIBUTES_KEY: _standard_attributes()}},
        },
    ]


def _all_of(key: str, keys: tuple[str, ...]) -> dict[str, Schema]:
    """That the tables below a key are region types with these keys."""
    return {key: {"additionalProperties": _region_type(keys)}}


def _region_type(keys: tuple[str, ...]) -> Schema:
    properties = _region_type_properties(keys)
    if keys == STANDARD_REGION_KEYS:
        return of.table(keys, {**properties, "part": of.choice(STANDARD_PARTS)}, ["id", "is_sub_state"])
    return of.table(keys, properties, ["id"])


def _region_type_properties(keys: tuple[str, ...]) -> dict[str, Schema]:
    known: dict[str, Schema] = {
        "id": of.text("SQL over the columns of the geography; its value names the region"),
        "part": of.text("the part of the geography that it divides"),
        "none_id": of.text("the id that means no region"),
        "is_sub_state": of.switch("true: small totals are not published"),
        "without": of.text("flag of the iterations that it does not tabulate", FLAG_NAME),
        "suppress": of.switch("true: small totals are not published"),
    }
    return {key: known[key] for key in keys}


def _place_properties() -> dict[str, Schema]:
    digits = {"anyOf": [of.number(1, LONGEST_NUMBER), {"const": "text"}]}
    key = of.tables(digits, None, "columns that records and geography share: digits of their codes, or text", least=1)
    where = of.tables(of.texts(), None, "columns of the geography, and their values in this part", least=1)
    return {
        "run_us": of.switch("tabulate the fifty states and DC"),
        "run_pr": of.switch("tabulate Puerto Rico"),
        "state_filter_us": {**of.listed(of.choice(US_STATES), "states to tabulate", least=0), "uniqueItems": True},
        "place": of.table(("key",), {"key": key}),
        "parts": of.tables(of.table(("where",), {"where": where}), PART_NAME, least=1),
        "run": of.texts("parts to tabulate; all by default"),
    }


def _question_properties() -> dict[str, Schema]:
    question: dict[str, Schema] = {
        "column": of.text("column of a record"),
        "columns": of.texts("columns of a record, read from the left"),
        "at_most": of.number(1, MOST_CODES, "how many codes are read"),
        "iterations": of.text("a list of iterations, without folder and ending", LIST_NAME),
        "values": of.texts("the values are the iterations"),
        "overlapping": of.switch("true: a code may be in several iterations of one level"),
    }
    lists = {key: of.text(f"the list of {key}, without folder and ending", LIST_NAME) for key in LIST_KEYS}
    return {
        STANDARD_KEY: of.number(1, MOST_CODES, "race codes that are read of a person"),
        "questions": of.tables(of.table(QUESTION_KEYS, question), QUESTION_NAME),
        "lists": of.table(LIST_KEYS, lists),
        "total_only": of.text("flag of the iterations that get a total alone"),
    }


def _unit() -> Schema:
    properties: dict[str, Schema] = {
        "one": of.text("what a record is called, such as household"),
        "many": of.text("what records are called, such as households"),
        "person_replaces": of.switch("true: one person can turn one record into another"),
        "where": of.tables(of.texts(), None, "columns, and their values in records that count", least=1),
        "id": of.text("a column in which no value may stand twice"),
        "leave_out": of.texts("records without these are left out, and no error"),
    }
    return {**of.table(UNIT_KEYS, properties), "dependentRequired": {"one": ["many"], "many": ["one"]}}


def _attribute() -> Schema:
    integer = of.number(-_LARGEST_INTEGER, _LARGEST_INTEGER)
    value = {"anyOf": [of.text(None, CODE), integer]}
    groups = {"anyOf": [of.tables(of.texts()), of.listed(integer)]}
    properties: dict[str, Schema] = {
        "column": of.text("column of a record; by default the name of the attribute"),
        "values": of.listed(of.text(None, CODE), "every value"),
        "minimum": {**integer, "description": "the smallest number"},
        "maximum": {**integer, "description": "the largest number"},
        "groups": of.tables(groups, None, "by name: published codes with their values, or first numbers of ranges"),
        "publish": {"anyOf": [of.text(), {**of.texts(), "maxItems": 2}], "description": "published column, or two"},
        "total": of.text("the published code for all values", CODE),
        "unknown": of.listed(integer, "numbers that stand for a missing one", least=0),
        "other": {**value, "description": "the value that counts every value that is not permitted"},
        "null": {**value, "description": "the value that counts missing ones"},
    }
    return of.table(ATTRIBUTE_KEYS, properties)


def _standard_attributes() -> Schema:
    """Age and sex of a file without ladders."""
    codes = of.table(SEX.values, dict.fromkeys(SEX.values, of.texts()), SEX.values)
    sex = {"column": of.text(), "groups": of.table((SEX_GROUPING,), {SEX_GROUPING: codes}, (SEX_GROUPING,))}
    unknown = of.listed(of.number(-_LARGEST_INTEGER, _LARGEST_INTEGER), least=0)
    age = {"column": of.text(), "unknown": unknown}
    tables = {SEX.name: of.table(SEX_KEYS, sex), AGE.name: of.table(AGE_KEYS, age)}
    return of.table((SEX.name, AGE.name), tables)


def _level_properties() -> dict[str, Schema]:
    share = of.decimal(LARGEST_SHARE, is_zero_allowed=False)
    return {
        "budget": of.decimal(LARGEST_BUDGET, "of the whole level; 0: not tabulated", is_zero_allowed=True),
        "thresholds": of.listed(
            of.number(-LARGEST_THRESHOLD, LARGEST_THRESHOLD), "noisy totals from which a group gets each table"
        ),
        "total_only": {
            "anyOf": [of.switch(), {**of.texts(), "uniqueItems": True}],
            "description": "true: totals alone; or the iterations that get a total alone",
        },
        "shares": of.tables(share, None, "in which proportions kinds of iterations spend"),
    }


def _ladder() -> Schema:
    cells = of.tables(of.text(), None, "attributes, each with one of its groupings, or each")
    statistic = of.table(STATISTIC_KEYS, {"name": of.text(None, STATISTIC_NAME), "cells": cells}, STATISTIC_KEYS)
    level = {**_level_properties(), "each": of.texts("levels, such as COUNTY-1")}
    properties: dict[str, Schema] = {
        "choose": of.choice(get_args(Choose), "what picks the table of a group"),
        "total_only": of.text("flag of the iterations that get a total alone"),
        "subtotals": {
            "anyOf": [{"const": COARSER}, of.listed(cells, least=0)],
            "description": "sums that are published with each table",
        },
        "totals": of.text("a folder of its own for totals", LADDER_NAME),
        "total_name": of.text("STATISTIC of a group that gets a total alone", STATISTIC_NAME),
        "statistics": of.listed(statistic, "the tables, coarse to fine"),
        "levels": of.listed(of.table(LISTED_LEVEL_KEYS, level, ("each", "budget")), "budgets and thresholds"),
    }
    return of.table(LADDER_KEYS, properties)
