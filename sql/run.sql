-- A whole run of safetab_sql as one script, in run order. In a clone, with nothing of ours installed:
-- `duckdb < sql/run.sql`, in DuckDB 1.4 or later.
--
-- Made by `python -m tests.rules.sql_script` from the files below sql/run; a test compares the two, and runs it. The
-- example is a made-up nation of 80 people (sql/example). Values are written out: `safetab-sql sql show NAME` prints a
-- statement with your own. Python draws noise at two places; there this script holds recorded noise.

-- as_text: a value as text, whatever type it is stored in.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  any  the value: text, a whole number, a boolean, a date; or a column of nothing
-- source  tabulation.md section 2.1
create or replace temporary macro as_text(given) as
cast(given as varchar);

-- code_as_number: a code of digits as a number; 0 where it is none.
--
-- zone    public
-- kind    macro
-- gives   usmallint
-- params  given  any  the code as the file has it, or its number in a list
-- source  tabulation.md section 2.1
create or replace temporary macro code_as_number(given) as
coalesce(try_cast(given as usmallint), 0);

-- code_from_text: a code of digits from text, with the leading zeros that it lost; nothing and Null become NULL.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the code as it stands in the file
--         width  integer  how many digits such a code has
-- source  tabulation.md section 2.1
-- why     Programs write 1 for 0001, and 1.0 where there are gaps. To plan nullif and split_part takes twice as long.
create or replace temporary macro code_from_text(given, width) as
case
    when given = 'Null' or given = '' then null
    when strlen(given) = width and not contains(given, '.') then given
    when regexp_full_match(given, '[0-9]+[.]?0*')
        then repeat('0', width - length(string_split(given, '.')[1])) || string_split(given, '.')[1]
    else given
end;

-- each_once: what is in a list, once, where it comes first.
--
-- zone    public
-- kind    macro
-- gives   integer[]
-- params  given  integer[]  a few values, and perhaps NULL
-- source  tabulation.md section 4
-- why     For lists this short it takes two thirds of the time of list_distinct.
create or replace temporary macro each_once(given) as
list_filter(given, lambda value, place: list_position(given, value) = place);

-- flag_from_text: true or false from a column of text; NULL where the text is Null, or neither.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  given  varchar  the flag as it stands in the file
-- source  tabulation.md section 2.3
create or replace temporary macro flag_from_text(given) as
try_cast(nullif(given, 'Null') as boolean);

-- has_code: whether there is a code in a place of a number that packed_codes made.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  codes  ubigint  four codes
--         place  integer  1 the first, in the highest bits, to 4
-- source  tabulation.md section 2.1
create or replace temporary macro has_code(codes, place) as
(codes & (cast(65535 as ubigint) << (64 - 16 * place))) > 0;

-- kind_of_alone: the kind of an iteration of a question of several columns; NULL where the list does not say.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  is_alone     boolean  whether people are in it only if all their codes are
--         alone        varchar  the kind of alone iterations of the question
--         combination  varchar  the kind of its other iterations
-- source  tabulation.md section 2.3
create or replace temporary macro kind_of_alone(is_alone, alone, combination) as
case is_alone when true then alone when false then combination end;

-- number_in_key: what a code of digits adds to the number that is the key of a place; NULL where it is no number.
--
-- zone    public
-- kind    macro
-- gives   bigint
-- params  given   any     a code of digits, as text or as a number
--         weight  bigint  10 to the power of the digits that stand behind it in the key
-- source  tabulation.md section 2.2
create or replace temporary macro number_in_key(given, weight) as
try_cast(given as bigint) * weight;

-- packed_code: one of the four codes that packed_codes put in one number; 0 none.
--
-- zone    public
-- kind    macro
-- gives   usmallint
-- params  codes  ubigint  four codes
--         place  integer  1 the first, in the highest bits, to 4
-- source  tabulation.md section 2.1
create or replace temporary macro packed_code(codes, place) as
cast((codes >> (64 - 16 * place)) & 65535 as usmallint);

-- packed_codes: four codes in one number, 16 bits each.
--
-- zone    public
-- kind    macro
-- gives   ubigint
-- params  first   usmallint  the code in the highest bits; 0 none
--         second  usmallint  likewise, in the bits below
--         third   usmallint  likewise
--         fourth  usmallint  in the lowest bits
-- source  tabulation.md section 2.1
create or replace temporary macro packed_codes(first, second, third, fourth) as
cast(first as ubigint) * 281474976710656
+ cast(second as ubigint) * 4294967296
+ cast(third as ubigint) * 65536
+ cast(fourth as ubigint);

-- place_in_list: the place of a value in a list of values, from 1; NULL for every other value.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given   varchar    the value as it stands in the file
--         listed  varchar[]  the values
-- source  tabulation.md section 2.1
create or replace temporary macro place_in_list(given, listed) as
list_position(listed, given);

-- region_or_none: the id of a region as text; NULL where the geography says that there is none.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  id     any      what the expression of a region type gives
--         no_id  varchar  the id that stands for no region
-- source  tabulation.md section 3
create or replace temporary macro region_or_none(id, no_id) as
nullif(cast(id as varchar), no_id);

-- whole_number_from_text: a whole number, 0 or more, from text that spells it; NULL where the text spells none.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given  varchar  the number as it stands in the file
-- source  tabulation.md section 2.1
-- why     A plain cast would round 2.5. Programs that know no missing whole number write 7 as 7.0, or as 7,0 where the
--         decimal sign is a comma; with three zeros it may stand between thousands, and is none.
create or replace temporary macro whole_number_from_text(given) as
try_cast(case when regexp_full_match(given, '[0-9]+([.]0*|,0{1,2})?') then replace(given, ',', '.') end as integer);

-- code_iteration_rows: which codes belong to which characteristic iterations.
--
-- zone    public
-- reads   $member_lists  Parquet of the list of members, such as race-and-ethnicity-code-to-iteration; and of values
-- writes  one row per row of the code-to-iteration list, and value of a question
--           iteration_code  varchar  characteristic iteration, 4 digits
--           code            varchar  race or ethnicity code, 4 digits
-- params  {{ member_lists }}  files of each list, and the expressions that read its columns by their stored type
-- source  tabulation.md section 2.3
create or replace table "code_iteration_rows" as
select
    cast(null as varchar) as iteration_code,
    cast(null as varchar) as code
where false
union all
select
    code_from_text("ITERATION_CODE", 4) as iteration_code,
    code_from_text("RACE_ETH_CODE", 4) as code
from read_parquet(['sql/example/code-lists/race-and-ethnicity-code-to-iteration.parquet']);

-- codes: the codes that records may hold, such as the detailed race and ethnicity codes of the 2020 Census.
--
-- zone    public
-- reads   $code_lists  Parquet of each list
-- writes  one row per row of the code list, and value of a question
--           question_name  varchar  the question whose values these are; empty for the list that questions share
--           code           varchar  a code of a question; in the 2020 Census 4 digits
--           code_name      varchar  what the code stands for
-- params  {{ code_lists }}  files of each list, and the expressions that read its columns by their stored type
-- source  tabulation.md section 2.3
create or replace table "codes" as
select
    cast(null as varchar) as question_name,
    cast(null as varchar) as code,
    cast(null as varchar) as code_name
where false
union all
select
    '' as question_name,
    code_from_text("RACE_ETH_CODE", 4) as code,
    "RACE_ETH_NAME" as code_name
from read_parquet(['sql/example/code-lists/race-and-ethnicity-codes.parquet']);

-- geography_rows: the geography file with its codes as text, and the part that each row is of.
--
-- zone    public
-- kind    view
-- reads   $geography  Parquet files, one row per block
-- writes  one row per row of the geography files
--           {{ geography_columns }}  varchar  the columns of the file that the run reads, such as TABBLKST
--           part_name                varchar  the part of the row, such as US; empty for none
-- params  $geography  varchar[]  paths of the files
--         {{ geography_columns }}  name of each column, and the expression that reads it by its stored type
--         {{ parts }}              name of each part that is run, and the condition that its rows fulfil
-- source  tabulation.md section 2.2
-- why     A row of several parts, which a check refuses, has the names of all.
create or replace view "geography_rows" as
with read_columns as (
    -- one row per row of the geography files
    select
        code_from_text("TABBLKST", 2) as "TABBLKST",
        code_from_text("TABBLKCOU", 3) as "TABBLKCOU",
        code_from_text("TABTRACTCE", 6) as "TABTRACTCE",
        code_from_text("TABBLK", 4) as "TABBLK",
    from read_parquet(['sql/example/geography.parquet'], union_by_name = true, hive_types_autocast = false)
)

select
    read_columns."TABBLKST",
    read_columns."TABBLKCOU",
    read_columns."TABTRACTCE",
    read_columns."TABBLK",
    concat_ws(
        ', ',
        case when list_contains(['01'], "TABBLKST") then 'US' end
    ) as part_name
from read_columns;

-- given_region_names: the names of regions in a public file of names, where one is given.
--
-- zone    public
-- kind    python
-- writes  one row per region with a name in the file
--           region_type  varchar  USA, STATE, COUNTY, ...
--           region_id    varchar  e.g. 44007 for a county
--           region_name  varchar  its name
-- source  tabulation.md section 7.2
create or replace table "given_region_names" (region_type varchar, region_id varchar, region_name varchar);

-- iteration_kinds: the kinds of iterations that each question has.
--
-- zone    public
-- writes  one row per kind of iterations
--           iteration_kind  varchar  alone, combination, or the name of a question of one column: see iteration_rows
--           question_name   varchar  the question
--           is_of_several   boolean  whether a record may give several codes to it
--           is_alone        boolean  whether a record is in such an iteration only with all of its codes
--           codes_read      integer  how many codes are read of it, 1 to 8
-- params  $kind_names       varchar[]  each kind
--         $kind_questions   varchar[]  the question of each, in the same order
--         $kind_is_several  boolean[]  likewise
--         $kind_is_alone    boolean[]  likewise
--         $kind_codes_read  bigint[]   likewise
-- source  tabulation.md section 4
create or replace table "iteration_kinds" as
select
    unnest(cast(['alone', 'combination', 'ethnicity'] as varchar[])) as iteration_kind,
    unnest(cast(['race', 'race', 'ethnicity'] as varchar[])) as question_name,
    unnest(cast([true, true, false] as boolean[])) as is_of_several,
    unnest(cast([true, false, false] as boolean[])) as is_alone,
    unnest(cast([3, 3, 1] as integer[])) as codes_read;

-- iteration_rows: the rows of every list of characteristic iterations.
--
-- zone    public
-- reads   $iteration_lists  Parquet of each list
-- writes  one row per row of a list of iterations
--           iteration_code    varchar  characteristic iteration; of the 2020 Census, 4 digits
--           iteration_name    varchar  its name
--           iteration_level   varchar  of the 2020 Census: 0 major, 1 regional, 2 detailed
--           iteration_kind    varchar  of a question of several columns: alone, or combination (alone or in any
--                             combination), after its name where it is not the only one; otherwise the name of the
--                             question, such as ethnicity
--           flags             map(varchar, boolean)  DETAILED_ONLY: tabulated at nation- and state-like regions only,
--                             total only; COARSE_ONLY: tabulated at sub-state regions only; or flags of your own, which
--                             region types name. NULL at level 0
-- params  {{ iteration_lists }}  files of each list, and the expressions that read its columns by their stored type
-- source  tabulation.md section 2.3
create or replace table "iteration_rows" as
select
    cast(null as varchar) as iteration_code,
    cast(null as varchar) as iteration_name,
    cast(null as varchar) as iteration_level,
    cast(null as varchar) as iteration_kind,
    cast(null as map(varchar, boolean)) as flags
where false
union all
select
    code_from_text("ITERATION_CODE", 4) as iteration_code,
    "ITERATION_NAME" as iteration_name,
    as_text("LEVEL") as iteration_level,
    kind_of_alone(flag_from_text("ALONE"), 'alone', 'combination') as iteration_kind,
    map { 'DETAILED_ONLY': flag_from_text("DETAILED_ONLY"), 'COARSE_ONLY': flag_from_text("COARSE_ONLY") } as flags
from read_parquet(['sql/example/code-lists/race-characteristic-iterations.parquet'])
union all
select
    code_from_text("ITERATION_CODE", 4) as iteration_code,
    "ITERATION_NAME" as iteration_name,
    as_text("LEVEL") as iteration_level,
    'ethnicity' as iteration_kind,
    map { 'DETAILED_ONLY': flag_from_text("DETAILED_ONLY"), 'COARSE_ONLY': flag_from_text("COARSE_ONLY") } as flags
from read_parquet(['sql/example/code-lists/ethnicity-characteristic-iterations.parquet']);

-- person_universe: which records of the person files are in the universe that the parameters state.
--
-- zone    confidential
-- kind    view
-- reads   $persons  Parquet files, one row per person
-- writes  one row per record
--           person_file  varchar  file that holds the record
--           person_row   bigint   its row number in that file, from 1
--           is_inside    boolean  whether it counts; true of every record if no universe is stated
--           {{ universe_columns }}  varchar  what stands in the columns that tell, each called by its expression
--           {{ unread_columns }}  varchar  what stands in columns that only `validate` looks at
-- params  $persons  varchar[]  paths of the files
--         $are_united  boolean  whether the files differ in columns or in their types
--         {{ universe }}          what records of the universe fulfil
--         {{ universe_columns }}  expressions of the columns that tell which records count
--         {{ unread_columns }}    columns that only `validate` looks at
--         {{ part_read }}         what records fulfil of the part that is read, where not all are read
-- source  tabulation.md section 2.1
create or replace view "person_universe" as
select
    person_file,
    file_row_number + 1 as person_row,
    true as is_inside
from read_parquet(
    ['sql/example/persons.parquet'], filename = 'person_file', file_row_number = true, union_by_name = false, hive_types_autocast = false
);

-- person_values: the values that person files hold in the columns of places and of questions.
--
-- zone    confidential
-- reads   $persons  Parquet files, one row per person
-- writes  one row per column and value as a file stores it
--           column_name  varchar  the column, such as TABBLKST or QRACE1
--           code         varchar  the value as person_records has it, if it is looked at by itself; NULL for no code
-- params  $persons  varchar[]  paths of the files
--         $are_united  boolean  whether the files differ in columns or in their types
--         {{ value_reads }}  name of each column, and the expression that reads it
--         {{ value_keys }}  of each, its name in quotation marks, or the place of a list
--         {{ universe }}          what records of the universe fulfil
--         {{ part_read }}         what records fulfil of the part that is read, where not all are read
-- seconds 8
-- source  tabulation.md section 2.1
-- why     Checks look at each value once, and at records only where a value is at fault: few values are read as codes.
create or replace table "person_values" as
with grouped_values as (
    -- one row per column and value as a file stores it, and one of nothing
    select
        case
            when grouping("QRACE1") = 0 then ['QRACE1', code_from_text("QRACE1", 4)]
            when grouping("QRACE2") = 0 then ['QRACE2', code_from_text("QRACE2", 4)]
            when grouping("QRACE3") = 0 then ['QRACE3', code_from_text("QRACE3", 4)]
            when grouping("QSPAN") = 0 then ['QSPAN', code_from_text("QSPAN", 4)]
            when grouping("TABBLKST") = 0 then ['TABBLKST', code_from_text("TABBLKST", 2)]
            when grouping("TABBLKCOU") = 0 then ['TABBLKCOU', code_from_text("TABBLKCOU", 3)]
            when grouping("TABTRACTCE") = 0 then ['TABTRACTCE', code_from_text("TABTRACTCE", 6)]
            when grouping("TABBLK") = 0 then ['TABBLK', code_from_text("TABBLK", 4)]
        end as column_and_code
    from read_parquet(['sql/example/persons.parquet'], file_row_number = true, union_by_name = false, hive_types_autocast = false)
    group by
        grouping sets (
            ("QRACE1"),
            ("QRACE2"),
            ("QRACE3"),
            ("QSPAN"),
            ("TABBLKST"),
            ("TABBLKCOU"),
            ("TABTRACTCE"),
            ("TABBLK"),
            ()
        )
)

select
    grouped_values.column_and_code[1] as column_name,
    grouped_values.column_and_code[2] as code
from grouped_values;

-- code_numbers: the number of each detailed code, by which it is known from here on.
--
-- zone    public
-- reads   codes  one row per row of the code list, and value of a question
-- writes  one row per code of the list, and value of a question
--           question_name  varchar    the question whose values these are; empty for the list that questions share
--           listed_code    varchar    the code
--           code_number    usmallint  the number that its digits spell; or 1, 2, ... in the order of the codes
-- params  $codes_are_numbers  boolean  whether every code is of digits, as in the 2020 Census
--         $everybodys_number  integer  number of the code of everybody
-- source  tabulation.md section 2.3
-- why     A number takes less space than a text, and four of them fit into one column of persons. The check
--         codes_too_many refuses lists of more codes than that has room for.
create or replace table "code_numbers" as
select distinct
    codes.question_name,
    codes.code as listed_code,
    case
        when codes.question_name = 'everybody' then cast(65535 as usmallint)
        when true then try_cast(codes.code as usmallint)
        else try_cast(dense_rank() over (order by codes.code) as usmallint)
    end as code_number
from codes
where codes.code is not null;

-- geography_areas: the areas of the geography: places whose rows say the same of parts, regions and their names.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- writes  one row per part and combination of what tells regions
--           {{ area_columns }}  varchar  the columns of the geography that tell regions and their names
--           part_name  varchar   the part, such as US; empty for none
--           block_key  bigint[]  the codes of each place in it as one number, or as text
-- params  {{ geography_key }}  the expression of the key
--         {{ area_columns }}   name of each column
-- seconds 3
-- source  tabulation.md sections 2.2 and 3
-- why     A nation has 8 million blocks in far fewer areas. What follows from these columns is found area by area, and
--         a block is one number in a list: joining 331 million persons on one number is cheap, on four texts it is not.
create or replace table "geography_areas" as
select
    geography_rows."TABBLKCOU",
    geography_rows."TABBLKST",
    geography_rows.part_name,
    list(number_in_key(geography_rows."TABBLKST", 10000000000000) + number_in_key(geography_rows."TABBLKCOU", 10000000000) + number_in_key(geography_rows."TABTRACTCE", 10000) + number_in_key(geography_rows."TABBLK", 1) order by number_in_key(geography_rows."TABBLKST", 10000000000000) + number_in_key(geography_rows."TABBLKCOU", 10000000000) + number_in_key(geography_rows."TABTRACTCE", 10000) + number_in_key(geography_rows."TABBLK", 1)) as block_key
from geography_rows
group by all;

-- person_records: the person files with their codes as text, whatever type they were stored in.
--
-- zone    confidential
-- kind    view
-- reads   $persons  Parquet files, one row per person
--         geography_rows  one row per row of the geography files
-- writes  one row per person of the universe
--           person_file  varchar   file that holds the record
--           person_row   bigint    its row number in that file, from 1
--           {{ attribute_reads }}  integer  number of each attribute's value, such as AGE_number; or NULL
--           {{ amount_reads }}  integer  the amount that each ladder of sums adds up, as it is; or NULL
--           {{ place_columns }}  varchar  the columns that name its place, such as TABBLKST
--           {{ code_columns }}  varchar  the columns of the questions, such as QRACE1 and QSPAN; NULL for no code
--           {{ given_values }}  varchar  the value of each attribute as it is written in the file
--           {{ mapped_reads }}  boolean  whether a value counts as another one, of columns of which that is said
--           {{ record_keys }}  varchar  person_key, the person; and the columns that say which records are kept first
--           PERSON_ID    varchar   from the column of ids that the custodian named; NULL without one
-- params  $persons  varchar[]  paths of the files
--         $are_united  boolean  whether the files differ in columns or in their types
--         {{ place_columns }}   name of each column of its place, and the expression that reads it
--         {{ code_columns }}    name of each column of a question, and the expression that reads it
--         {{ attribute_reads }}  of each attribute, what its number is called, and its expression
--         {{ amount_reads }}    of each amount, what it is called, and the expression that reads it
--         {{ given_values }}    name of each value as it is written, and the expression that reads it
--         {{ mapped_reads }}      name of each such column, and the expression of whether its value does
--         {{ record_keys }}       expressions of the columns that tell persons, and the order of the records of each
--         {{ person_columns }}  the expression that reads the column of ids
--         {{ place_lookups }}     the places of the geography, where it is said what counts that it lacks
--         {{ universe }}          what records of the universe fulfil
--         {{ part_read }}         what records fulfil of the part that is read, where not all are read
-- source  tabulation.md section 2.1
-- why     A view: statements scan the columns that they need. The type of united columns holds the values of all files.
create or replace view "person_records" as
select
    person_file,
    file_row_number + 1 as person_row,
    whole_number_from_text("QAGE") as "AGE_number",
    place_in_list(code_from_text("QSEX", 1), ['1', '2']) as "SEX_number",
    code_from_text("TABBLKST", 2) as "TABBLKST",
    code_from_text("TABBLKCOU", 3) as "TABBLKCOU",
    code_from_text("TABTRACTCE", 6) as "TABTRACTCE",
    code_from_text("TABBLK", 4) as "TABBLK",
    code_from_text("QRACE1", 4) as "QRACE1",
    code_from_text("QRACE2", 4) as "QRACE2",
    code_from_text("QRACE3", 4) as "QRACE3",
    code_from_text("QSPAN", 4) as "QSPAN",
    as_text("QAGE") as "AGE_given",
    as_text("QSEX") as "SEX_given",
    cast(null as varchar) as person_key,
    as_text(null) as PERSON_ID
from read_parquet(
    ['sql/example/persons.parquet'], filename = 'person_file', file_row_number = true, union_by_name = false, hive_types_autocast = false
);

-- person_numbers: the person files with their codes as numbers, whatever type they were stored in.
--
-- zone    confidential
-- kind    view
-- reads   $persons      Parquet files, one row per person
--         code_numbers  one row per code of the list, and value of a question
--         geography_rows  one row per row of the geography files
-- writes  one row per person of the universe
--           {{ attribute_reads }}  integer  number of each attribute's value, such as AGE_number; or NULL
--           block_key  bigint   the codes of its place as one number, NULL where one is no number; or as text.
--                                      NULL, too, for a record that the parameters leave out
--           {{ code_values }}  usmallint  code_1, code_2, ...: the columns of the questions of several columns, such
--                                      as QRACE1, one question after another; 0 none
--           {{ single_values }}  usmallint  the column of each other question, such as ethnicity_code; 0 none
--           {{ clamped_amounts }}  bigint  what the record adds to each sum, such as amount_2; or NULL
--           {{ record_keys }}  varchar  person_key, the person; and the columns that say which records are kept first
-- params  $persons  varchar[]  paths of the files
--         $are_united  boolean  whether the files differ in columns or in their types
--         {{ person_key }}      the expression of the key, as the one of blocks
--         {{ attribute_reads }}   of each attribute, what its number is called, and its expression
--         {{ clamped_amounts }}   of each amount, what it is called, and its expression
--         {{ code_values }}       the code of each place as the file has it, or its number
--         {{ single_values }}     likewise of each question of one column
--         {{ code_lookups }}      for codes that are not four digits: the columns whose codes are looked up, and where
--         {{ place_lookups }}     the places of the geography, where it is said what counts that it lacks
--         {{ universe }}          what records of the universe fulfil
--         {{ record_keys }}       expressions of the columns that tell persons, and the order of the records of each
--         {{ part_read }}         what records fulfil of the part that is read, where not all are read
-- source  tabulation.md section 2.1
-- why     A conversion that cannot fail is made once for each distinct text of a Parquet page, and not for each person.
--         It takes what is no number, such as the text Null, for NULL; the checks refuse such records by their text.
--         Codes of other letters are looked up in code_numbers, which takes longer.
create or replace view "person_numbers" as
select
    whole_number_from_text("QAGE") as "AGE_number",
    place_in_list(code_from_text("QSEX", 1), ['1', '2']) as "SEX_number",
    number_in_key("TABBLKST", 10000000000000) + number_in_key("TABBLKCOU", 10000000000) + number_in_key("TABTRACTCE", 10000) + number_in_key("TABBLK", 1) as block_key,
    code_as_number("QRACE1") as code_1,
    code_as_number("QRACE2") as code_2,
    code_as_number("QRACE3") as code_3,
    code_as_number(null) as code_4,
    code_as_number(null) as code_5,
    code_as_number(null) as code_6,
    code_as_number(null) as code_7,
    code_as_number(null) as code_8,
    code_as_number("QSPAN") as ethnicity_code,
    cast(null as varchar) as person_key
from read_parquet(['sql/example/persons.parquet'], union_by_name = false, hive_types_autocast = false);

-- geography_names: the names that the geography gives to regions.
--
-- zone    public
-- reads   geography_areas  one row per part and combination of what tells regions
-- writes  one row per region, of the region types with a name, that some place names
--           region_type  varchar  name of the region type
--           region_id    varchar  id of the region
--           region_name  varchar  its name
--           other_name   varchar  the same, or another that some place of it has: the check region_names_differ
-- params  {{ named_region_types }}  name, region name and part of each tabulated region type with names
--         {{ region_ids }}          the expression of the id of each region type, NULL where there is none
-- source  tabulation.md section 7.2
-- why     Ids and names, few of which differ, are read once.
--         The first of the names in the order of the alphabet, and the last, tell whether there are several.
create or replace table "geography_names" as
with distinct_names as materialized (
    -- one row per part and combination of ids and names
    select distinct
        geography_areas.part_name
    from geography_areas
)

select
    cast(null as varchar) as region_type,
    cast(null as varchar) as region_id,
    cast(null as varchar) as region_name,
    cast(null as varchar) as other_name
from distinct_names
where false;

-- region_names: the names of regions, from a public file of names or else from the geography.
--
-- zone    public
-- reads   geography_names     one row per region, of the region types with a name, that some place names
--         given_region_names  one row per region with a name in the file
-- writes  one row per region with a name
--           region_type  varchar  USA, STATE, COUNTY, ...
--           region_id    varchar  e.g. 44007 for a county
--           region_name  varchar  its name
-- source  tabulation.md section 7.2
-- why     A file that names some regions stands over the geography, and leaves the names of all others.
create or replace table "region_names" as
select
    given_region_names.region_type,
    given_region_names.region_id,
    given_region_names.region_name
from given_region_names
union all
select
    geography_names.region_type,
    geography_names.region_id,
    geography_names.region_name
from geography_names
anti join given_region_names
    on
        geography_names.region_type = given_region_names.region_type
        and geography_names.region_id = given_region_names.region_id;

-- area_regions: the region of every region type that each area lies in.
--
-- zone    public
-- reads   geography_areas  one row per part and combination of what tells regions
--         geography_rows   one row per row of the geography files
-- writes  one row per area of the parts that are run, and place of which a record may name some columns alone
--           block_key           bigint[]  as in geography_areas
--           {{ region_types }}  varchar   one column per region type: the id of its region, NULL for none
-- params  {{ region_types }}    name and part of each tabulated region type
--         {{ region_ids }}      the expression of the id of each, NULL where there is none
--         {{ partial_places }}  the key and the columns of a place, where some may be unknown; then there is one part
-- source  tabulation.md section 3 (this file has the regions of a run)
-- why     Regions come from the public geography, never from where people are: a region with nobody in it is
--         tabulated like any other. Who names no place, or not all columns of one, is in the regions that hold every
--         block of which these may be, unless the geography has a row for them.
create or replace table "area_regions" as
select
    geography_areas.block_key,
    case
        when geography_areas.part_name = 'US'
            then region_or_none('1', '')
    end as "USA",
    case
        when geography_areas.part_name = 'US'
            then region_or_none(TABBLKST || TABBLKCOU, '')
    end as "COUNTY"
from geography_areas
where geography_areas.part_name <> '';

-- geo_units: the finest pieces of geography: all blocks of a geo unit lie in the same regions.
--
-- zone    public
-- reads   area_regions  one row per area of the parts that are run
-- writes  one row per distinct combination of regions that some block lies in
--           geo_unit_id         integer  1, 2, ...
--           {{ region_types }}  varchar  one column per region type: the id of its region, NULL for none
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
-- why     The nation has 8 million blocks but far fewer combinations (tract x place x AIANNH area): people are
--         counted once by combination, and the counts roll up to every region.
create or replace table "geo_units" as
with distinct_regions as (
    -- one row per combination
    select distinct
        area_regions."USA",
        area_regions."COUNTY"
    from area_regions
)

select
    cast(
        row_number() over (
            order by
                distinct_regions."USA",
                distinct_regions."COUNTY"
        ) as integer
    ) as geo_unit_id,
    distinct_regions."USA",
    distinct_regions."COUNTY"
from distinct_regions;

-- block_geo_units: the geo unit each block lies in.
--
-- zone    public
-- reads   area_regions  one row per area of the parts that are run
--         geo_units     one row per distinct combination of regions
-- writes  one row per block of the parts that are run
--           block_key    bigint   the codes of its place as one number, or as text
--           geo_unit_id  integer  key of geo_units
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
-- why     A block is the finest place that a record can name.
create or replace table "block_geo_units" as
select
    unnest(area_regions.block_key) as block_key,
    geo_units.geo_unit_id
from area_regions
inner join geo_units
    on
        area_regions."USA" is not distinct from geo_units."USA"
        and area_regions."COUNTY" is not distinct from geo_units."COUNTY";

-- regions: every region of every tabulated region type, people or not.
--
-- zone    public
-- reads   geo_units  one row per distinct combination of regions
-- writes  one row per region
--           region_key   integer  1, 2, ... by region type, then region id
--           region_type  varchar  USA, STATE, COUNTY, ...
--           region_id    varchar  e.g. 44007 for a county
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
create or replace table "regions" as
with named_regions as (
    unpivot geo_units
    on
        "USA",
        "COUNTY"
    into name region_type value region_id
),

distinct_regions as (
    -- one row per region
    select distinct
        named_regions.region_type,
        named_regions.region_id
    from named_regions
)

select
    cast(
        row_number() over (order by distinct_regions.region_type, distinct_regions.region_id) as integer
    ) as region_key,
    distinct_regions.region_type,
    distinct_regions.region_id
from distinct_regions;

-- geo_unit_regions: the regions each geo unit lies in.
--
-- zone    public
-- reads   geo_units  one row per distinct combination of regions
--         regions    one row per region
-- writes  one row per geo unit and region it lies in
--           geo_unit_id  integer  key of geo_units
--           region_key   integer  key of regions
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
create or replace table "geo_unit_regions" as
with named_regions as (
    unpivot geo_units
    on
        "USA",
        "COUNTY"
    into name region_type value region_id
)

select
    named_regions.geo_unit_id,
    regions.region_key
from named_regions
inner join regions
    on
        named_regions.region_type = regions.region_type
        and named_regions.region_id = regions.region_id;

-- region_breadth: which regions are broad.
--
-- zone    public
-- reads   geo_units  one row per distinct combination of regions
--         regions    one row per region
-- writes  one row per region
--           region_key  integer  key of regions
--           is_broad    boolean  whether the nation has at least 20 times as many geo units as regions of this type
-- source  none: the way a region is counted changes the time it takes, never the count
-- why     The regions of a broad type are few and hold many geo units each. Their geo units are added up once, as
--         broad geo units; if each region added up all its geo units itself, counting would take much longer.
create or replace table "region_breadth" as
select
    regions.region_key,
    count(*) over (partition by regions.region_type) * 20 <= (select count(*) from geo_units) as is_broad
from regions;

-- broad_geo_units: the broad geo unit that each geo unit belongs to.
--
-- zone    public
-- reads   geo_units         one row per distinct combination of regions
--         geo_unit_regions  one row per geo unit and region it lies in
--         region_breadth    one row per region
-- writes  one row per geo unit that lies in a broad region
--           geo_unit_id        integer    key of geo_units
--           broad_geo_unit_id  integer    above geo_unit_id; geo units in the same broad regions share it
--           region_keys        integer[]  the keys of those regions, sorted
-- source  tabulation.md section 3
create or replace table "broad_geo_units" as
with geo_unit_region_lists as (
    -- one row per geo unit that lies in a broad region
    select
        geo_unit_regions.geo_unit_id,
        list(geo_unit_regions.region_key order by geo_unit_regions.region_key) as region_keys
    from geo_unit_regions
    inner join region_breadth on geo_unit_regions.region_key = region_breadth.region_key
    where region_breadth.is_broad
    group by geo_unit_regions.geo_unit_id
)

select
    geo_unit_region_lists.geo_unit_id,
    cast(
        (select count(*) from geo_units) + dense_rank() over (order by geo_unit_region_lists.region_keys) as integer
    ) as broad_geo_unit_id,
    geo_unit_region_lists.region_keys
from geo_unit_region_lists;

-- unit_regions: the counting units whose people each region adds up.
--
-- zone    public
-- reads   geo_unit_regions  one row per geo unit and region it lies in
--         region_breadth    one row per region
--         broad_geo_units   one row per geo unit that lies in a broad region
-- writes  one row per counting unit and region that adds it up
--           unit_id     integer  key of geo_units, or of broad_geo_units
--           region_key  integer  key of regions
-- source  none: the way a region is counted changes the time it takes, never the count
-- why     A counting unit is a geo unit, or all geo units that lie in the same broad regions. A broad region adds up
--         these few, every other its geo units, and no later statement has to tell them apart.
create or replace table "unit_regions" as
select
    geo_unit_regions.geo_unit_id as unit_id,
    geo_unit_regions.region_key
from geo_unit_regions
inner join region_breadth on geo_unit_regions.region_key = region_breadth.region_key
where not region_breadth.is_broad
union all
select distinct
    broad_geo_units.broad_geo_unit_id as unit_id,
    unnest(broad_geo_units.region_keys) as region_key
from broad_geo_units;

-- iterations: the characteristic iterations that may be tabulated, numbered.
--
-- zone    public
-- reads   iteration_rows  one row per row of a list of iterations
-- writes  one row per characteristic iteration of level 1 or 2
--           iteration_id      integer  1, 2, ... in the order of the iteration codes
--           iteration_code    varchar  characteristic iteration, 4 digits
--           iteration_name    varchar  its name
--           iteration_level   varchar  of the 2020 Census: 1 regional, 2 detailed
--           iteration_kind    varchar  alone, combination, or the name of a question of one column
--           flags             map(varchar, boolean)  DETAILED_ONLY, COARSE_ONLY, ...: see iteration_rows
-- params  $iteration_levels  varchar[]  the levels that may be tabulated
-- source  tabulation.md section 4 (level 0 is dropped)
create or replace table "iterations" as
select
    cast(row_number() over (order by iteration_rows.iteration_code) as integer) as iteration_id,
    iteration_rows.iteration_code,
    iteration_rows.iteration_name,
    iteration_rows.iteration_level,
    iteration_rows.iteration_kind,
    iteration_rows.flags
from iteration_rows
where list_contains(['1', '2'], iteration_rows.iteration_level);

-- ladder_levels: the population group levels that each ladder tabulates.
--
-- zone    public
-- writes  one row per ladder and population group level
--           ladder_id         integer   1, 2, ... in the order of the parameters
--           level_id          integer   key of levels
--           total_only_flag   varchar   the flag of the iterations that get a total and nothing else; empty for none
--           is_by_totals      boolean   whether published totals pick the tables
--           thresholds        bigint[]  the total from which each table is picked, rising; none in margins
-- params  $ladder_ids             bigint[]   ladder of each row
--         $ladder_level_ids       bigint[]   level of each, in the same order
--         $ladder_total_only      varchar[]  the flag of each
--         $ladder_by_totals       boolean[]  whether published totals pick its tables
--         $ladder_thresholds      varchar[]  the thresholds of each, separated by commas
-- source  tabulation.md section 4.1
create or replace table "ladder_levels" as
select
    unnest(cast([1, 1] as integer[])) as ladder_id,
    unnest(cast([1, 2] as integer[])) as level_id,
    unnest(cast(['DETAILED_ONLY', 'DETAILED_ONLY'] as varchar[])) as total_only_flag,
    unnest(cast([false, false] as boolean[])) as is_by_totals,
    cast('[' || unnest(cast(['20, 60, 150', '20, 60, 150'] as varchar[])) || ']' as bigint[]) as thresholds;

-- total_only_iterations: the iterations that the parameters of a level name to get a total and no table.
--
-- zone    public
-- writes  one row per named iteration of a level, or one for all of them
--           ladder_id       integer  key of ladder_levels
--           level_id        integer  key of levels
--           iteration_code  varchar  characteristic iteration; empty text for every iteration of the level
-- params  $total_only_ladder_ids  bigint[]   ladder of each row
--         $total_only_level_ids   bigint[]   level of each
--         $total_only_iterations  varchar[]  iteration of each, in the same order
-- source  tabulation.md section 4.1; paper Algorithm 2, line 7
create or replace table "total_only_iterations" as
select
    unnest(cast([] as integer[])) as ladder_id,
    unnest(cast([] as integer[])) as level_id,
    unnest(cast([] as varchar[])) as iteration_code;

-- levels: the population group levels of the run, in the order of the parameters.
--
-- zone    public
-- writes  one row per population group level
--           level_id         integer  1, 2, ...
--           level_name       varchar  such as COUNTY-2: what parameters and manifests call it
--           region_type      varchar  USA, STATE, COUNTY, ...
--           iteration_level  varchar  of the 2020 Census: 1 regional, 2 detailed
--           excluded_flag    varchar  the flag of the iterations that it does not tabulate; empty for none
-- params  $level_names             varchar[]  name of each level with a budget above zero
--         $level_region_types      varchar[]  region type of each, in the same order
--         $level_iteration_levels  varchar[]  iteration level of each
--         $level_without           varchar[]  the flag of each
-- source  paper section 2; tabulation.md section 1
create or replace table "levels" as
select
    unnest(cast(range(1, len(['USA', 'COUNTY']) + 1) as integer[])) as level_id,
    unnest(cast(['USA-1', 'COUNTY-2'] as varchar[])) as level_name,
    unnest(cast(['USA', 'COUNTY'] as varchar[])) as region_type,
    unnest(cast(['1', '2'] as varchar[])) as iteration_level,
    unnest(cast(['COARSE_ONLY', 'DETAILED_ONLY'] as varchar[])) as excluded_flag;

-- code_iterations: the detailed codes of each tabulated iteration, by their numbers.
--
-- zone    public
-- reads   code_iteration_rows  one row per row of the code-to-iteration list
--         code_numbers         one row per code
--         iterations           one row per characteristic iteration of level 1 or 2
-- writes  one row per code and iteration of level 1 or 2
--           code            usmallint  number of the code
--           iteration_id    integer    key of iterations
--           iteration_kind  varchar    alone, combination, or the name of a question of one column
-- source  tabulation.md sections 2.3 and 4
-- why     A pair that is listed twice counts once.
create or replace table "code_iterations" as
select distinct
    code_numbers.code_number as code,
    iterations.iteration_id,
    iterations.iteration_kind
from code_iteration_rows
inner join code_numbers on code_iteration_rows.code = code_numbers.listed_code
inner join iterations on code_iteration_rows.iteration_code = iterations.iteration_code;

-- level_iterations: the characteristic iterations that each population group level tabulates.
--
-- zone    public
-- reads   levels      one row per population group level
--         iterations  one row per characteristic iteration of level 1 or 2
-- writes  one row per population group level and iteration it tabulates
--           level_id            integer  key of levels
--           iteration_id        integer  key of iterations
--           iteration_position  integer  0, 1, ... in the order of the iteration codes
-- source  tabulation.md section 4.1
-- why     Nation- and state-like regions leave out coarse-only iterations, sub-state regions detailed-only ones.
create or replace table "level_iterations" as
select
    levels.level_id,
    iterations.iteration_id,
    cast(
        row_number() over (partition by levels.level_id order by iterations.iteration_id) - 1 as integer
    ) as iteration_position
from levels
inner join iterations on levels.iteration_level = iterations.iteration_level
where not coalesce(iterations.flags[levels.excluded_flag], false);

-- ladder_iterations: which characteristic iterations get a total and nothing else in each ladder.
--
-- zone    public
-- reads   ladder_levels          one row per ladder and population group level
--         level_iterations       one row per population group level and iteration it tabulates
--         iterations             one row per characteristic iteration of level 1 or 2
--         total_only_iterations  one row per named iteration of a level, or one for all of them
-- writes  one row per ladder, population group level and iteration it tabulates
--           ladder_id           integer  key of ladder_levels
--           level_id            integer  key of levels
--           iteration_id        integer  key of iterations
--           iteration_position  integer  0, 1, ... in the order of the iteration codes
--           is_total_only       boolean  the paper's TotalOnly: a noisy total and nothing else
-- source  tabulation.md section 4.1; paper Algorithm 2, line 7
-- why     The list of iterations says by a flag, or the parameters of a level say by name, which get a total alone.
create or replace table "ladder_iterations" as
select
    ladder_levels.ladder_id,
    ladder_levels.level_id,
    level_iterations.iteration_id,
    level_iterations.iteration_position,
    coalesce(iterations.flags[ladder_levels.total_only_flag], false) or exists (
        select 1
        from total_only_iterations
        where
            total_only_iterations.ladder_id = ladder_levels.ladder_id
            and total_only_iterations.level_id = ladder_levels.level_id
            and total_only_iterations.iteration_code in ('', iterations.iteration_code)
    ) as is_total_only
from ladder_levels
inner join level_iterations on ladder_levels.level_id = level_iterations.level_id
inner join iterations on level_iterations.iteration_id = iterations.iteration_id;

-- level_sizes: how many population groups each level has, and the first group number of each level.
--
-- zone    public
-- reads   levels            one row per population group level
--         regions           one row per region
--         level_iterations  one row per population group level and iteration it tabulates
-- writes  one row per population group level
--           level_id                   integer  key of levels
--           regions                    bigint   regions of its region type
--           iterations                 bigint   iterations it tabulates
--           first_population_group_id  bigint   id of its first population group
-- source  tabulation.md section 1 (a population group is a region and a characteristic iteration)
-- why     Population groups are numbered, not listed: group id = first id + region position x iterations
--         + iteration position. The nation has a quarter of a billion of them, nearly all empty.
create or replace table "level_sizes" as
with sized_levels as (
    -- one row per population group level
    select
        levels.level_id,
        (select count(*) from regions where regions.region_type = levels.region_type) as regions,
        (select count(*) from level_iterations where level_iterations.level_id = levels.level_id) as iterations
    from levels
)

select
    sized_levels.level_id,
    sized_levels.regions,
    sized_levels.iterations,
    cast(
        coalesce(
            sum(sized_levels.regions * sized_levels.iterations) over (
                order by sized_levels.level_id rows between unbounded preceding and 1 preceding
            ),
            0
        ) as bigint
    ) as first_population_group_id
from sized_levels;

-- level_regions: the regions of each population group level, and the first group number of each region.
--
-- zone    public
-- reads   levels       one row per population group level
--         level_sizes  one row per population group level
--         regions      one row per region
-- writes  one row per population group level and region
--           level_id                   integer  key of levels
--           region_key                 integer  key of regions
--           first_population_group_id  bigint   id of the first population group of this region and level
-- source  tabulation.md section 1
create or replace table "level_regions" as
select
    levels.level_id,
    regions.region_key,
    cast(
        level_sizes.first_population_group_id
        + level_sizes.iterations
        * (row_number() over (partition by levels.level_id order by regions.region_key) - 1)
        as bigint
    ) as first_population_group_id
from levels
inner join level_sizes on levels.level_id = level_sizes.level_id
inner join regions on levels.region_type = regions.region_type;

-- finely_counted_iterations: the iterations of which more is wanted than totals of broad regions.
--
-- zone    public
-- reads   ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         levels             one row per population group level
--         regions            one row per region
--         region_breadth     one row per region
-- writes  one row per iteration that may get a table, or that regions tabulate which are not broad
--           iteration_id  integer  key of iterations
-- source  tabulation.md section 4.1
-- why     The lists of 2020 have many detailed iterations of which only nation and states publish a total. People would
--         be counted for them by tract, sex and age in vain.
create or replace table "finely_counted_iterations" as
with narrow_levels as (
    -- one row per population group level of regions that are not broad
    select levels.level_id
    from levels
    where levels.region_type in (
        select regions.region_type
        from regions
        inner join region_breadth on regions.region_key = region_breadth.region_key
        where not region_breadth.is_broad
    )
)

select distinct ladder_iterations.iteration_id
from ladder_iterations
where
    not ladder_iterations.is_total_only
    or ladder_iterations.level_id in (select narrow_levels.level_id from narrow_levels);

-- iteration_tallies: the tallies that each characteristic iteration adds up.
--
-- zone    public
-- reads   code_iterations            one row per code and iteration of level 1 or 2
--         finely_counted_iterations  one row per iteration
--         iteration_kinds            one row per kind of iterations
-- writes  one row per iteration and tally
--           iteration_id   integer  key of iterations
--           question_name  varchar  the question of the iteration
--           tally_id       integer  three numbers for each set of codes that iterations hold: see why
--           gives          varchar  whom the tally counts: see why
-- source  tabulation.md section 4
-- why     "Alone" and "in combination" iterations mostly hold the same sets of codes, so people are counted by set.
--         Each set has three tallies. "one" counts the people who give one code, if the set holds it. "some" counts the
--         people of several codes if the set holds some code of theirs, and "all" if it holds all of them. An alone
--         iteration adds up one and all, an iteration in combination one and some, and an iteration of a question of
--         one column the tally "one". The number of "one" and 1 is the number of "some", and 2 the number of "all". All
--         three are below 0 where nothing but totals of broad regions is wanted of the set: whoever is in it is then
--         counted without a finest cell, and for these regions alone.
create or replace table "iteration_tallies" as
with code_sets as (
    -- one row per iteration
    select
        code_iterations.iteration_id,
        code_iterations.iteration_kind,
        list(code_iterations.code order by code_iterations.code) as codes
    from code_iterations
    group by code_iterations.iteration_id, code_iterations.iteration_kind
),

numbered_sets as (
    -- one row per iteration
    select
        code_sets.iteration_id,
        iteration_kinds.question_name,
        iteration_kinds.is_of_several,
        iteration_kinds.is_alone,
        dense_rank() over (
            order by iteration_kinds.is_of_several, iteration_kinds.question_name, code_sets.codes
        ) as set_number
    from code_sets
    inner join iteration_kinds on code_sets.iteration_kind = iteration_kinds.iteration_kind
),

finely_counted_sets as (
    -- one row per iteration of which more than totals of broad regions is wanted
    select numbered_sets.set_number
    from numbered_sets
    inner join finely_counted_iterations on numbered_sets.iteration_id = finely_counted_iterations.iteration_id
),

signed_sets as (
    -- one row per iteration
    select
        numbered_sets.iteration_id,
        numbered_sets.question_name,
        numbered_sets.is_of_several,
        numbered_sets.is_alone,
        case
            when numbered_sets.set_number in (select finely_counted_sets.set_number from finely_counted_sets)
                then numbered_sets.set_number
            else -numbered_sets.set_number
        end as set_number
    from numbered_sets
),

added_tallies as (
    -- one row per iteration and tally
    select
        signed_sets.iteration_id,
        signed_sets.question_name,
        3 * signed_sets.set_number as tally_of_one,
        unnest(
            case
                when signed_sets.is_alone then ['one', 'all']
                when signed_sets.is_of_several then ['one', 'some']
                else ['one']
            end
        ) as gives
    from signed_sets
)

select
    added_tallies.iteration_id,
    added_tallies.question_name,
    cast(
        added_tallies.tally_of_one + list_position(['one', 'some', 'all'], added_tallies.gives) - 1 as integer
    ) as tally_id,
    added_tallies.gives
from added_tallies;

-- code_tallies: the tallies that people who give one code are in.
--
-- zone    public
-- reads   code_iterations    one row per code and iteration of level 1 or 2
--         iteration_tallies  one row per iteration and tally
-- writes  one row per code and question
--           question_name  varchar    the question
--           code           usmallint  number of the code
--           tally_ids      integer[]  the tallies "one" of the sets that hold the code
-- source  tabulation.md section 4
-- why     The tallies of several codes follow from the tallies "one" of each: see iteration_tallies. So no statement
--         that sees people looks at an iteration.
create or replace table "code_tallies" as
select
    iteration_tallies.question_name,
    code_iterations.code,
    list(distinct iteration_tallies.tally_id order by iteration_tallies.tally_id) as tally_ids
from code_iterations
inner join iteration_tallies on code_iterations.iteration_id = iteration_tallies.iteration_id
where iteration_tallies.gives = 'one'
group by iteration_tallies.question_name, code_iterations.code;

-- attribute_values: the values of each attribute, and what each adds to the number of its finest cell.
--
-- zone    public
-- writes  one row per attribute and value
--           attribute_name  varchar  such as AGE
--           value_number    integer  a whole number, such as 34 years; of a listed value, its place in the list, from 1
--           class_offset    integer  number of its class, times how far two classes are apart among the finest cells
-- params  $attribute_names  varchar[]  attribute of each row
--         $value_numbers    bigint[]   value of each, in the same order
--         $class_offsets    bigint[]   offset of each
-- source  tabulation.md section 5
-- why     Values that no grouping tells apart are of one class: 46 classes of sex and age stand for 232 values.
create or replace table "attribute_values" as
select
    unnest(cast(['AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'AGE', 'SEX', 'SEX'] as varchar[])) as attribute_name,
    unnest(cast([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 1, 2] as integer[])) as value_number,
    unnest(cast([0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 8, 8, 10, 12, 14, 14, 14, 16, 16, 16, 16, 16, 18, 18, 18, 18, 18, 20, 20, 20, 20, 20, 22, 22, 22, 22, 22, 24, 24, 24, 24, 24, 26, 26, 26, 26, 26, 28, 28, 28, 28, 28, 30, 30, 32, 32, 32, 34, 34, 36, 36, 36, 38, 38, 38, 38, 38, 40, 40, 40, 40, 40, 42, 42, 42, 42, 42, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 0, 1] as integer[])) as class_offset;

-- statistic_finest_cells: the cell of each statistic that each finest cell belongs to.
--
-- zone    public
-- writes  one row per statistic and finest cell
--           statistic_id     smallint   1, 2, ...: ladder by ladder, coarse to fine
--           finest_position  usmallint  key of finest_values
--           cell_position    integer    key of statistic_cells within the statistic
-- params  $statistic_ids     bigint[]  statistic of each row
--         $finest_positions  bigint[]  finest cell of each, in the same order
--         $cell_positions    bigint[]  cell of each
-- source  tabulation.md section 5
create or replace table "statistic_finest_cells" as
select
    unnest(cast([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3] as smallint[])) as statistic_id,
    unnest(cast([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45] as usmallint[])) as finest_position,
    unnest(cast([0, 4, 0, 4, 0, 4, 0, 4, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 2, 6, 2, 6, 2, 6, 2, 6, 2, 6, 3, 7, 3, 7, 3, 7, 3, 7, 3, 7, 3, 7, 0, 9, 1, 10, 1, 10, 1, 10, 2, 11, 2, 11, 2, 11, 2, 11, 3, 12, 3, 12, 4, 13, 4, 13, 5, 14, 5, 14, 6, 15, 6, 15, 6, 15, 7, 16, 7, 16, 7, 16, 8, 17, 8, 17, 8, 17, 0, 23, 1, 24, 2, 25, 3, 26, 4, 27, 5, 28, 6, 29, 7, 30, 8, 31, 9, 32, 10, 33, 11, 34, 12, 35, 13, 36, 14, 37, 15, 38, 16, 39, 17, 40, 18, 41, 19, 42, 20, 43, 21, 44, 22, 45] as integer[])) as cell_position;

-- finest_values: the finest cell that each combination of the values of all attributes falls in.
--
-- zone    public
-- reads   attribute_values  one row per attribute and value
-- writes  one row per combination of values
--           {{ attribute_numbers }}  integer    number of the value of each attribute, such as AGE_number
--           finest_position  usmallint  0, 1, ...: the cell that no statistic splits
-- params  {{ attributes }}         each attribute
--         {{ attribute_numbers }}  what the number of its value is called, and where it is
-- source  tabulation.md section 5
-- why     Every cell of every statistic is a sum of finest cells, so the attributes of a person are one small number
--         before people are counted. People are joined to this table once, on equal values and not on ranges.
create or replace table "finest_values" as
select
    "AGE".value_number as "AGE_number",
    "SEX".value_number as "SEX_number",
    cast(
        0
        + "AGE".class_offset
        + "SEX".class_offset as usmallint
    ) as finest_position
from (select 1) as one_row
inner join attribute_values as "AGE"
    on "AGE".attribute_name = 'AGE'
inner join attribute_values as "SEX"
    on "SEX".attribute_name = 'SEX';

-- level_factors: the questions whose iterations each level tabulates.
--
-- zone    public
-- reads   levels           one row per population group level
--         iteration_kinds  one row per kind of iterations
-- writes  one row per population group level and question
--           factor_id      integer  1, 2, ...
--           level_id       integer  key of levels
--           question_name  varchar  the question
--           codes_read     integer  how many codes are read of it, 1 to 8
-- source  tabulation.md section 4.3
create or replace table "level_factors" as
with asked_questions as (
    -- one row per question
    select distinct
        iteration_kinds.question_name,
        iteration_kinds.codes_read
    from iteration_kinds
)

select
    cast(row_number() over (order by levels.level_id, asked_questions.question_name) as integer) as factor_id,
    levels.level_id,
    asked_questions.question_name,
    asked_questions.codes_read
from levels
cross join asked_questions;

-- level_codes: the codes of the iterations that each population group level tabulates.
--
-- zone    public
-- reads   level_factors     one row per population group level and question
--         level_iterations  one row per population group level and iteration it tabulates
--         iteration_kinds   one row per kind of iterations
--         code_iterations   one row per code and iteration of level 1 or 2
-- writes  one row per factor of a level, iteration of its question and code of the iteration
--           factor_id       integer    key of level_factors
--           iteration_kind  varchar    alone, combination, or the name of a question of one column
--           iteration_id    integer    key of iterations
--           code            usmallint  number of the code
-- source  tabulation.md section 4.3
create or replace table "level_codes" as
select
    level_factors.factor_id,
    code_iterations.iteration_kind,
    code_iterations.iteration_id,
    code_iterations.code
from level_iterations
inner join code_iterations on level_iterations.iteration_id = code_iterations.iteration_id
inner join iteration_kinds on code_iterations.iteration_kind = iteration_kinds.iteration_kind
inner join level_factors
    on
        level_iterations.level_id = level_factors.level_id
        and iteration_kinds.question_name = level_factors.question_name;

-- code_kinds: the iterations of each kind of code, of the questions whose answers are few enough to try them all.
--
-- zone    public
-- reads   level_codes      one row per factor of a level, iteration of its question and code of the iteration
--         iteration_kinds  one row per kind of iterations
-- writes  one row per overlapping factor, kind of code and iteration that holds these codes
--           factor_id     integer  key of level_factors
--           code_kind     integer  0, 1, ...; at most 11
--           iteration_id  integer  key of iterations
--           is_alone      boolean  whether the iteration is an alone one, and not an alone-or-in-combination one
-- source  tabulation.md section 4.3
-- why     A factor is overlapping where some code is in two alone or two combination iterations. Other factors need
--         no trial: see factor_stability. Codes in the same iterations are of one kind: they stand for each other in
--         every answer. Factors with more than twelve kinds have too many answers, and no row here.
create or replace table "code_kinds" as
with mapped_codes as (
    -- one row per factor and code of a question of several columns
    select
        level_codes.factor_id,
        list(level_codes.iteration_id order by level_codes.iteration_id) as iteration_ids,
        greatest(
            count(*) filter (where iteration_kinds.is_alone),
            count(*) filter (where not iteration_kinds.is_alone)
        ) as iterations
    from level_codes
    inner join iteration_kinds on level_codes.iteration_kind = iteration_kinds.iteration_kind
    where iteration_kinds.is_of_several
    group by level_codes.factor_id, level_codes.code
),

tried_factors as (
    -- one row per factor whose answers are tried
    select mapped_codes.factor_id
    from mapped_codes
    group by mapped_codes.factor_id
    having max(mapped_codes.iterations) > 1 and count(distinct mapped_codes.iteration_ids) <= 12
),

numbered_kinds as (
    -- one row per tried factor and kind of code
    select
        mapped_codes.factor_id,
        mapped_codes.iteration_ids,
        row_number() over (partition by mapped_codes.factor_id order by mapped_codes.iteration_ids) - 1 as code_kind
    from mapped_codes
    inner join tried_factors on mapped_codes.factor_id = tried_factors.factor_id
    group by mapped_codes.factor_id, mapped_codes.iteration_ids
),

kind_iterations as (
    -- one row per tried factor, kind of code and iteration
    select
        numbered_kinds.factor_id,
        numbered_kinds.code_kind,
        unnest(numbered_kinds.iteration_ids) as iteration_id
    from numbered_kinds
)

select distinct
    kind_iterations.factor_id,
    cast(kind_iterations.code_kind as integer) as code_kind,
    kind_iterations.iteration_id,
    iteration_kinds.is_alone
from kind_iterations
inner join level_codes
    on
        kind_iterations.factor_id = level_codes.factor_id
        and kind_iterations.iteration_id = level_codes.iteration_id
inner join iteration_kinds on level_codes.iteration_kind = iteration_kinds.iteration_kind;

-- level_answers: the most iterations that one answer to the question of several columns leads to, all answers tried.
--
-- zone    public
-- reads   code_kinds     one row per overlapping factor, kind of code and iteration that holds these codes
--         level_factors  one row per population group level and question
-- writes  one row per overlapping factor with at most twelve kinds of codes
--           factor_id        integer  key of level_factors
--           most_iterations  bigint   the most alone and combination iterations of one answer
-- source  tabulation.md section 4.3
-- why     An answer is a number of at most twelve binary digits: digit 1 in place k says that the answer has a code of
--         kind k. Answers with more kinds than columns are left out. A second code of the same kind changes nothing.
create or replace table "level_answers" as
with sized_factors as (
    -- one row per factor
    select
        code_kinds.factor_id,
        max(code_kinds.code_kind) + 1 as kinds
    from code_kinds
    group by code_kinds.factor_id
),

numbers as (
    -- one row per factor and set of kinds
    select
        sized_factors.factor_id,
        unnest(range(1, 1 << sized_factors.kinds)) as answer
    from sized_factors
),

answers as (
    -- one row per factor and answer
    select
        numbers.factor_id,
        numbers.answer
    from numbers
    inner join level_factors on numbers.factor_id = level_factors.factor_id
    where bit_count(numbers.answer) <= level_factors.codes_read
),

answer_iterations as (
    -- one row per factor, answer and iteration that the answer leads to
    select
        answers.factor_id,
        answers.answer
    from answers
    inner join code_kinds
        on
            answers.factor_id = code_kinds.factor_id
            and (answers.answer >> code_kinds.code_kind) & 1 = 1
    group by answers.factor_id, answers.answer, code_kinds.iteration_id, code_kinds.is_alone
    having not code_kinds.is_alone or count(*) = bit_count(answers.answer)
),

answer_sizes as (
    -- one row per factor and answer
    select
        answer_iterations.factor_id,
        count(*) as iterations
    from answer_iterations
    group by answer_iterations.factor_id, answer_iterations.answer
)

select
    answer_sizes.factor_id,
    max(answer_sizes.iterations) as most_iterations
from answer_sizes
group by answer_sizes.factor_id;

-- factor_stability: how many iterations of a question one record can belong to at a level, at the most.
--
-- zone    public
-- reads   level_factors    one row per population group level and question
--         level_codes      one row per factor of a level, iteration of its question and code of the iteration
--         iteration_kinds  one row per kind of iterations
--         level_answers    one row per overlapping factor with at most twelve kinds of codes
-- writes  one row per factor of a level
--           factor_id  integer  key of level_factors
--           is_exact   boolean  whether some answer leads to as many iterations as the stability says
--           stability  bigint   no record is in more iterations; 0 where there are none
-- source  tabulation.md section 4.3
-- why     Somebody in no alone iteration is in at most as many combination iterations as there are, and in at most
--         `combination`, the most that one code maps to, for each code. Whoever is in alone iterations has all codes in
--         each of them: the same holds of the combination iterations that share a code with such an alone iteration,
--         and at most `alone` alone ones come to them. It is computed from the code lists alone, never from records. A
--         question of one column has one code, and no alone iterations: `combination` is its stability.
create or replace table "factor_stability" as
with known_codes as materialized (
    -- one row per factor, iteration and code of it
    select
        level_codes.factor_id,
        level_codes.iteration_id,
        level_codes.code,
        iteration_kinds.is_alone
    from level_codes
    inner join iteration_kinds on level_codes.iteration_kind = iteration_kinds.iteration_kind
),

mapped_codes as (
    -- one row per factor and code
    select
        known_codes.factor_id,
        count(*) filter (where known_codes.is_alone) as alone,
        count(*) filter (where not known_codes.is_alone) as combination
    from known_codes
    group by known_codes.factor_id, known_codes.code
),

shared_combinations as (
    -- one row per factor and alone iteration: the combination iterations that hold a code of it
    select
        alone.factor_id,
        count(distinct combination.iteration_id) as combinations
    from known_codes as alone
    inner join known_codes as combination
        on alone.factor_id = combination.factor_id and alone.code = combination.code
    where alone.is_alone and not combination.is_alone
    group by alone.factor_id, alone.iteration_id
),

widest_factors as (
    -- one row per factor
    select
        level_factors.factor_id,
        level_factors.codes_read,
        (
            select coalesce(max(mapped_codes.alone), 0)
            from mapped_codes
            where mapped_codes.factor_id = level_factors.factor_id
        ) as alone,
        (
            select coalesce(max(mapped_codes.combination), 0)
            from mapped_codes
            where mapped_codes.factor_id = level_factors.factor_id
        ) as combination,
        (
            select count(distinct known_codes.iteration_id)
            from known_codes
            where known_codes.factor_id = level_factors.factor_id and not known_codes.is_alone
        ) as combinations,
        (
            select coalesce(max(shared_combinations.combinations), 0)
            from shared_combinations
            where shared_combinations.factor_id = level_factors.factor_id
        ) as shared
    from level_factors
)

select
    widest_factors.factor_id,
    (
        level_answers.factor_id is not null
        or (widest_factors.codes_read = 1 and widest_factors.alone = 0)
        or greatest(widest_factors.alone, widest_factors.combination) <= 1
    ) as is_exact,
    coalesce(
        level_answers.most_iterations,
        greatest(
            least(widest_factors.combinations, widest_factors.combination * widest_factors.codes_read),
            widest_factors.alone
            + least(widest_factors.shared, widest_factors.combination * widest_factors.codes_read)
        )
    ) as stability
from widest_factors
left join level_answers on widest_factors.factor_id = level_answers.factor_id;

-- level_stability: how many population groups of each level one record can belong to, at the most.
--
-- zone    public
-- reads   level_factors     one row per population group level and question
--         factor_stability  one row per factor of a level
-- writes  one row per population group level
--           level_id   integer  key of levels
--           is_exact   boolean  whether some answer leads to as many groups as the stability says
--           stability  bigint   s, no person is in more population groups; at least 1
-- source  tabulation.md section 4.3; paper Algorithm 1, line 8
-- why     Answers to different questions are free of each other: somebody in the most iterations of one question can be
--         in the most of another. So numbers of iterations add up over questions.
create or replace table "level_stability" as
select
    level_factors.level_id,
    bool_and(factor_stability.is_exact or factor_stability.stability = 0) as is_exact,
    cast(greatest(1, sum(factor_stability.stability)) as bigint) as stability
from level_factors
inner join factor_stability on level_factors.factor_id = factor_stability.factor_id
group by level_factors.level_id;

-- persons: all people, as a few small numbers each.
--
-- zone    confidential
-- kind    stream
-- reads   person_numbers   one row per person
--         block_geo_units  one row per block
--         finest_values    one row per combination of values
--         bounded_persons  one row per person with more records than are counted
--         kept_records     one row per kept record of these persons
-- writes  one row per person of the universe
--           geo_unit_id      integer    key of geo_units, or NULL for whoever cannot be counted
--           finest_position  usmallint  key of finest_values, such as sex and age; NULL where none lists the values
--           {{ packed_columns }}  ubigint  codes_1_to_4, the first four codes of the questions of several columns, such
--                                      as QRACE1..QRACE4, 16 bits each, 0 none; codes_5_to_8, and so on
--           {{ single_codes }}  usmallint  the code of each question of one column, such as ethnicity_code
--           {{ amounts }}  bigint  what the record adds to each sum, such as amount_2
-- params  {{ attribute_numbers }}  name of the number of each attribute's value
--         {{ amounts }}           what each amount is called
--         {{ packed_columns }}    name of each column of packed codes, and the codes in it
--         {{ single_codes }}      name of the column of each question of one column
--         {{ person_bounds }}     the column of the person, where records of a person are bounded
-- source  tabulation.md sections 2.1 and 3
-- why     The count reads the records of 331 million people only here, and hands them, about a million at a time, to
--         the statements of kind slice: no table holds them all. Counts are sums over people, so any part of them can
--         be counted by itself; where people of a slice live near each other, its counts are fewer. Blocks are joined
--         on one number. Four codes are packed into a number, which takes less space.
create or replace table "persons" as
select
    case
        when
            finest_values.finest_position is not null
            then block_geo_units.geo_unit_id
    end as geo_unit_id,
    finest_values.finest_position,
    packed_codes(
        person_numbers.code_1,
        person_numbers.code_2,
        person_numbers.code_3,
        person_numbers.code_4
    ) as codes_1_to_4,
    packed_codes(
        person_numbers.code_5,
        person_numbers.code_6,
        person_numbers.code_7,
        person_numbers.code_8
    ) as codes_5_to_8,
    person_numbers.ethnicity_code
from person_numbers
left join block_geo_units on person_numbers.block_key = block_geo_units.block_key
left join finest_values
    on
        person_numbers."AGE_number" = finest_values."AGE_number"
        and person_numbers."SEX_number" = finest_values."SEX_number";

-- people_left_out: how much of a slice cannot be counted as it is.
--
-- zone    confidential
-- kind    slices
-- reads   persons  one row per person of the universe
-- writes  one row per slice
--           records  bigint  people without a geo unit or an answer, or with no code between others
-- params  {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ answer_gaps }}        the places of each code of such a question, and of the code before it
--         {{ single_codes }}       the column of each question of one column
-- seconds 7
-- source  tabulation.md section 2.1
-- why     One look at the small numbers of persons stands for the detailed checks of kind `screened`, which read the
--         person files again and find what is wrong, record by record: they run only where this number is not 0.
--         It is not 0 either where the files hold people of parts that are not run, which is no fault.
create or replace table "people_left_out" as
select count(*) as records
from persons
where
    persons.geo_unit_id is null
    or not has_code(persons.codes_1_to_4, 1)
    or (has_code(persons.codes_1_to_4, 2) and not has_code(persons.codes_1_to_4, 1))
    or (has_code(persons.codes_1_to_4, 3) and not has_code(persons.codes_1_to_4, 2))
    or 0 in (persons.ethnicity_code);

-- several_people: the people of a slice who give several codes to a question.
--
-- zone    confidential
-- kind    slice
-- reads   persons  one row per person of the universe
-- writes  one row per question of several columns and person with several codes
--           question_name    varchar    the question
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           {{ amounts }}  bigint  as in persons
--           {{ packed_columns }}  ubigint  as in persons
-- params  {{ amounts }}            what each amount is called
--         {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ packed_columns }}     name of each column of packed codes
-- seconds 8
-- source  tabulation.md section 4
-- why     Written down side by side: to look at few people among many takes as long as to look at all of them.
create or replace table "several_people" as
select
    'race' as question_name,
    persons.geo_unit_id,
    persons.finest_position,
    persons.codes_1_to_4,
    persons.codes_5_to_8
from persons
where
    persons.geo_unit_id is not null
    and has_code(persons.codes_1_to_4, 2);

-- several_tallies: the tallies of each person of a slice who gives several codes to a question.
--
-- zone    confidential
-- kind    slice
-- reads   several_people  one row per question of several columns and person with several codes
--         code_tallies    one row per code and question
-- writes  one row per question of several columns and person with several codes
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           tally_ids        integer[]  keys of iteration_tallies, each once, and perhaps NULL
--           {{ amounts }}  bigint  as in persons
-- params  {{ amounts }}            what each amount is called
--         {{ tally_slots }}        one_1, one_2, ...: the tallies "one" of a code, as many as one has at most
--         {{ several_questions }}  each question of several columns, with the places of its codes
-- seconds 46
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     Whoever gives several codes is in the tally "some" of every set that holds one of them, once, and in the
--         tally "all" of the sets that hold them all. Where the tally "one" of a set is t, these are t + 1 and t + 2:
--         a code of the sets 30 and 60 and a code of set 30 alone give 31, 61 and 32. Most of these people give two
--         codes, whose few sets are compared one by one; lists would take three times as long.
create or replace table "several_tallies" as
with code_slots as (
    -- one row per code and question
    select
        code_tallies.tally_ids[1] as one_1,
        code_tallies.tally_ids[2] as one_2,
        code_tallies.question_name,
        code_tallies.code
    from code_tallies
)

select
    several_people.geo_unit_id,
    several_people.finest_position,
    cast([
        -- t + 1 of each set of the first code, and of each other set of the second, and t + 2 of each set of both
        slots_1.one_1 + 1,
        case when slots_2.one_1 is distinct from slots_1.one_1 and slots_2.one_1 is distinct from slots_1.one_2 then slots_2.one_1 + 1 end,
        case when slots_1.one_1 = slots_2.one_1 or slots_1.one_1 = slots_2.one_2 then slots_1.one_1 + 2 end,
        slots_1.one_2 + 1,
        case when slots_2.one_2 is distinct from slots_1.one_1 and slots_2.one_2 is distinct from slots_1.one_2 then slots_2.one_2 + 1 end,
        case when slots_1.one_2 = slots_2.one_1 or slots_1.one_2 = slots_2.one_2 then slots_1.one_2 + 2 end
    ] as integer[]) as tally_ids
from several_people
left join code_slots as slots_1
    on
        packed_code(several_people.codes_1_to_4, 1) = slots_1.code
        and slots_1.question_name = 'race'
left join code_slots as slots_2
    on
        packed_code(several_people.codes_1_to_4, 2) = slots_2.code
        and slots_2.question_name = 'race'
where
    several_people.question_name = 'race'
    and not has_code(several_people.codes_1_to_4, 3)
union all
select
    people_of_many.geo_unit_id,
    people_of_many.finest_position,
    each_once(people_of_many.tally_ids) as tally_ids
from (
    -- one row per person with three codes or more, in whose list the same set may stand several times
    select
        several_people.geo_unit_id,
        several_people.finest_position,
        cast([
            -- t + 1 of each set of each code, and t + 2 of each set of the first that every other code is in
            slots_1.one_1 + 1,
            slots_2.one_1 + 1,
            slots_3.one_1 + 1,
            case
                when
                    (not has_code(several_people.codes_1_to_4, 2) or slots_1.one_1 = slots_2.one_1 or slots_1.one_1 = slots_2.one_2)
                    and (not has_code(several_people.codes_1_to_4, 3) or slots_1.one_1 = slots_3.one_1 or slots_1.one_1 = slots_3.one_2)
                    then slots_1.one_1 + 2
            end,
            slots_1.one_2 + 1,
            slots_2.one_2 + 1,
            slots_3.one_2 + 1,
            case
                when
                    (not has_code(several_people.codes_1_to_4, 2) or slots_1.one_2 = slots_2.one_1 or slots_1.one_2 = slots_2.one_2)
                    and (not has_code(several_people.codes_1_to_4, 3) or slots_1.one_2 = slots_3.one_1 or slots_1.one_2 = slots_3.one_2)
                    then slots_1.one_2 + 2
            end
        ] as integer[]) as tally_ids
    from several_people
    left join code_slots as slots_1
        on
            packed_code(several_people.codes_1_to_4, 1) = slots_1.code
            and slots_1.question_name = 'race'
    left join code_slots as slots_2
        on
            packed_code(several_people.codes_1_to_4, 2) = slots_2.code
            and slots_2.question_name = 'race'
    left join code_slots as slots_3
        on
            packed_code(several_people.codes_1_to_4, 3) = slots_3.code
            and slots_3.question_name = 'race'
    where
        several_people.question_name = 'race'
        and has_code(several_people.codes_1_to_4, 3)
) as people_of_many;

-- geo_unit_finest_cells: how many people of each geo unit are in each tally, by finest cell.
--
-- zone    confidential
-- kind    slice
-- reads   persons          one row per person of the universe
--         several_tallies  one row per question of several columns and person with several codes
--         code_tallies     one row per code and question
-- writes  one row per geo unit, tally and finest cell with people
--           geo_unit_id      integer    key of geo_units
--           tally_id         integer    key of iteration_tallies
--           finest_position  usmallint  key of finest_values, such as sex and age; 0 where only a total is wanted
--           exact_count      integer    persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}             what each amount is called
--         {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ single_questions }}   name of the column of each question of one column
-- seconds 51
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     Here, and only here, people become counts.
create or replace table "geo_unit_finest_cells" as
with tallied_people as (
    -- one row per person and question with tallies
    select
        persons.geo_unit_id,
        persons.finest_position,
        code_tallies.tally_ids
    from persons
    inner join code_tallies on persons.ethnicity_code = code_tallies.code
    where code_tallies.question_name = 'ethnicity'
    union all
    select
        persons.geo_unit_id,
        persons.finest_position,
        code_tallies.tally_ids
    from persons
    inner join code_tallies on packed_code(persons.codes_1_to_4, 1) = code_tallies.code
    where
        code_tallies.question_name = 'race'
        and not has_code(persons.codes_1_to_4, 2)
    union all
    select
        several_tallies.geo_unit_id,
        several_tallies.finest_position,
        several_tallies.tally_ids
    from several_tallies
),

people_in_tallies as (
    -- one row per person and tally that counts the person, and some with NULL
    select
        tallied_people.geo_unit_id,
        unnest(tallied_people.tally_ids) as tally_id,
        tallied_people.finest_position
    from tallied_people
    where tallied_people.geo_unit_id is not null
),

counted_people as (
    -- one row per person and tally that counts the person
    select
        people_in_tallies.geo_unit_id,
        people_in_tallies.tally_id,
        case when people_in_tallies.tally_id > 0 then people_in_tallies.finest_position else 0 end as finest_position
    from people_in_tallies
    where people_in_tallies.tally_id is not null
)

select
    counted_people.geo_unit_id,
    counted_people.tally_id,
    counted_people.finest_position,
    cast(count(*) as integer) as exact_count
from counted_people
group by counted_people.geo_unit_id, counted_people.tally_id, counted_people.finest_position;

-- unit_tallies: how many people of each counting unit are in each tally.
--
-- zone    confidential
-- kind    slice
-- reads   geo_unit_finest_cells  one row per geo unit, tally and finest cell with people
--         broad_geo_units        one row per geo unit that lies in a broad region
-- writes  one row per counting unit and tally with people in the slice
--           unit_id       integer  key of geo_units, or of broad_geo_units
--           tally_id      integer  key of iteration_tallies
--           exact_count   integer  persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
-- seconds 6
-- source  paper Algorithm 1, lines 7-10
-- why     Tallies below 0 are wanted for broad regions alone: see iteration_tallies.
create or replace table "unit_tallies" as
with geo_unit_tallies as (
    -- one row per geo unit and tally with people
    select
        geo_unit_finest_cells.geo_unit_id,
        geo_unit_finest_cells.tally_id,
        cast(sum(geo_unit_finest_cells.exact_count) as integer) as exact_count
    from geo_unit_finest_cells
    group by geo_unit_finest_cells.geo_unit_id, geo_unit_finest_cells.tally_id
)

select
    geo_unit_tallies.geo_unit_id as unit_id,
    geo_unit_tallies.tally_id,
    geo_unit_tallies.exact_count
from geo_unit_tallies
where geo_unit_tallies.tally_id > 0
union all
select
    broad_geo_units.broad_geo_unit_id as unit_id,
    geo_unit_tallies.tally_id,
    cast(sum(geo_unit_tallies.exact_count) as integer) as exact_count
from geo_unit_tallies
inner join broad_geo_units on geo_unit_tallies.geo_unit_id = broad_geo_units.geo_unit_id
group by broad_geo_units.broad_geo_unit_id, geo_unit_tallies.tally_id;

-- unit_finest_cells: how many people of each counting unit are in each tally, by finest cell.
--
-- zone    confidential
-- kind    slices
-- reads   geo_unit_finest_cells  one row per geo unit, tally and finest cell with people
--         broad_geo_units        one row per geo unit that lies in a broad region
-- writes  one row per counting unit, tally of a table, finest cell with people and slice of people
--           unit_id          integer    key of geo_units, or of broad_geo_units
--           tally_id         integer    key of iteration_tallies
--           finest_position  usmallint  key of finest_values, such as sex and age
--           exact_count      integer    persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
-- seconds 27
-- source  paper Algorithm 2, lines 20-31
-- why     Kept until the first noise has chosen the tables: nobody is counted twice. Tallies below 0 have no table.
create or replace table "unit_finest_cells" as
select
    geo_unit_finest_cells.geo_unit_id as unit_id,
    geo_unit_finest_cells.tally_id,
    geo_unit_finest_cells.finest_position,
    geo_unit_finest_cells.exact_count
from geo_unit_finest_cells
where geo_unit_finest_cells.tally_id > 0
union all
select
    broad_geo_units.broad_geo_unit_id as unit_id,
    geo_unit_finest_cells.tally_id,
    geo_unit_finest_cells.finest_position,
    cast(sum(geo_unit_finest_cells.exact_count) as integer) as exact_count
from geo_unit_finest_cells
inner join broad_geo_units on geo_unit_finest_cells.geo_unit_id = broad_geo_units.geo_unit_id
where geo_unit_finest_cells.tally_id > 0
group by
    broad_geo_units.broad_geo_unit_id,
    geo_unit_finest_cells.tally_id,
    geo_unit_finest_cells.finest_position;

-- slice_totals: how many people each population group has in each tally and slice of people.
--
-- zone    confidential
-- kind    slices
-- reads   unit_tallies       one row per counting unit and tally with people in the slice
--         unit_regions       one row per counting unit and region that adds it up
--         iteration_tallies  one row per iteration and tally
--         level_regions      one row per population group level and region
--         level_iterations   one row per population group level and iteration it tabulates
-- writes  one row per population group, tally with people and slice of people
--           population_group_id  bigint   first id of its region and level + iteration position
--           exact_count          integer  persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
-- seconds 12
-- source  paper Algorithm 1, lines 7-10
-- why     Tallies become iterations, several of which may count one tally; group_totals adds up tallies and slices.
--         Sorted, so that the totals of a range of groups are found without reading the others.
create or replace table "slice_totals" as
with counted_tallies as (
    -- one row per region and tally with people
    select
        unit_regions.region_key,
        unit_tallies.tally_id,
        cast(sum(unit_tallies.exact_count) as integer) as exact_count
    from unit_tallies
    inner join unit_regions on unit_tallies.unit_id = unit_regions.unit_id
    group by unit_regions.region_key, unit_tallies.tally_id
)

select
    level_regions.first_population_group_id + level_iterations.iteration_position as population_group_id,
    counted_tallies.exact_count
from counted_tallies
inner join level_regions on counted_tallies.region_key = level_regions.region_key
inner join iteration_tallies on counted_tallies.tally_id = iteration_tallies.tally_id
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and iteration_tallies.iteration_id = level_iterations.iteration_id
order by population_group_id;

-- group_totals: how many people each population group of a range has.
--
-- zone    confidential
-- kind    range
-- reads   slice_totals  one row per population group, tally with people and slice of people
-- writes  one row per population group with people
--           population_group_id  bigint  first id of its region and level + iteration position
--           exact_count          bigint  persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
--         $first_population_group_id  bigint  first group of the range
--         $end_population_group_id    bigint  the group after the last one
-- seconds 4
-- source  paper Algorithm 1, lines 7-10
-- why     Read range by range: the totals of all groups may not fit into memory. Groups without people have no row here
--         and get 0 when noise is added: the rows of this table must never decide which rows are published.
create or replace table "group_totals" as
select
    slice_totals.population_group_id,
    cast(sum(slice_totals.exact_count) as bigint) as exact_count
from slice_totals
where
    slice_totals.population_group_id >= 0
    and slice_totals.population_group_id < 9223372036854775807
group by slice_totals.population_group_id
order by slice_totals.population_group_id;

-- RECORDED NOISE, FIRST TIME. For every population group, people or not, Python drew a noisy total and compared it with
-- the thresholds of its level; the groups in `stat_levels` earned a table.
-- stat_levels: the population groups that get a table, and which one, as the first noise decided.
--
-- zone    noisy
-- kind    python
-- writes  one row per ladder and population group with a table
--           level_id             integer   key of levels
--           population_group_id  bigint    first id of its region and level + iteration position
--           statistic_id         smallint  1, 2, ...: ladder by ladder, coarse to fine; chosen by a noisy total
-- source  safetab_sql/mechanisms/tabulate.py, from group_totals: a noisy total of every group, people or not
create or replace table "stat_levels" (level_id integer, population_group_id bigint, statistic_id smallint);
insert into "stat_levels" values
    (1, 0, 2),
    (1, 1, 1),
    (2, 2, 2),
    (2, 4, 1),
    (2, 6, 1);

-- chosen_groups: the population groups that get a table, in any ladder.
--
-- zone    confidential
-- reads   stat_levels       one row per ladder and population group with a table; filled by the mechanisms
--         level_sizes       one row per population group level
--         level_regions     one row per population group level and region
--         level_iterations  one row per population group level and iteration it tabulates
-- writes  one row per population group with a table
--           population_group_id  bigint   key of the group
--           region_key           integer  key of regions
--           iteration_id         integer  key of iterations
-- source  paper Algorithm 2, lines 18-31
-- why     The number of each group is turned back into its region and its iteration.
create or replace table "chosen_groups" as
with located_groups as (
    -- one row per population group with a table
    select distinct
        stat_levels.population_group_id,
        stat_levels.level_id,
        (
            (stat_levels.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        ) as iteration_position
    from stat_levels
    inner join level_sizes on stat_levels.level_id = level_sizes.level_id
)

select
    located_groups.population_group_id,
    level_regions.region_key,
    level_iterations.iteration_id
from located_groups
inner join level_iterations
    on
        located_groups.level_id = level_iterations.level_id
        and located_groups.iteration_position = level_iterations.iteration_position
inner join level_regions
    on
        located_groups.level_id = level_regions.level_id
        and (
            located_groups.population_group_id - located_groups.iteration_position
            = level_regions.first_population_group_id
        );

-- unit_groups: the population groups with a table, by the counting units of their regions.
--
-- zone    confidential
-- kind    slice
-- reads   chosen_groups      one row per population group with a table
--         unit_regions       one row per counting unit and region that adds it up
--         iteration_tallies  one row per iteration and tally
-- writes  one row per counting unit of a range, tally and population group with a table
--           unit_id              integer  key of geo_units, or of broad_geo_units
--           tally_id             integer  key of iteration_tallies
--           population_group_id  bigint   key of the group
-- params  $first_unit_id  integer  first counting unit of the range
--         $end_unit_id    integer  the unit after the last one
-- source  paper Algorithm 2, lines 20-31
-- why     Made range by range: a nation has fifty million of these rows, and memory holds one range.
create or replace table "unit_groups" as
select
    unit_regions.unit_id,
    iteration_tallies.tally_id,
    chosen_groups.population_group_id
from chosen_groups
inner join unit_regions on chosen_groups.region_key = unit_regions.region_key
inner join iteration_tallies on chosen_groups.iteration_id = iteration_tallies.iteration_id
where
    unit_regions.unit_id >= -2147483648
    and unit_regions.unit_id < 2147483647;

-- group_finest_cells: exact counts by finest cell of the population groups with a table.
--
-- zone    confidential
-- kind    slices
-- reads   unit_finest_cells  one row per counting unit, tally of a table, finest cell with people and slice of people
--         unit_groups        one row per counting unit of a range, tally and population group with a table
-- writes  one row per population group, finest cell with people and range of counting units
--           population_group_id  bigint     key of the group
--           finest_position      usmallint  key of finest_values, such as sex and age
--           exact_count          bigint     persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
--         $first_unit_id  integer  first counting unit of the range
--         $end_unit_id    integer  the unit after the last one
-- seconds 12
-- source  paper Algorithm 2, lines 20-31
create or replace table "group_finest_cells" as
select
    unit_groups.population_group_id,
    unit_finest_cells.finest_position,
    cast(sum(unit_finest_cells.exact_count) as bigint) as exact_count
from unit_finest_cells
inner join unit_groups
    on
        unit_finest_cells.unit_id = unit_groups.unit_id
        and unit_finest_cells.tally_id = unit_groups.tally_id
where
    unit_finest_cells.unit_id >= -2147483648
    and unit_finest_cells.unit_id < 2147483647
group by unit_groups.population_group_id, unit_finest_cells.finest_position;

-- group_cells: exact counts of the cells of every table that a population group gets.
--
-- zone    confidential
-- reads   group_finest_cells      one row per population group, finest cell with people and range of counting units
--         stat_levels             one row per ladder and population group with a table; filled by the mechanisms
--         statistic_finest_cells  one row per statistic and finest cell
-- writes  one row per population group, statistic and cell with people
--           population_group_id  bigint    key of the group
--           statistic_id         smallint  key of statistic_finest_cells
--           cell_position        integer   key of statistic_cells within the statistic
--           exact_count          bigint    persons, >= 1
--           {{ amounts }}  bigint  sum of what each of them adds
-- params  {{ amounts }}  what each amount is called
-- source  paper Algorithm 2, lines 20-31
-- why     Cells without people have no row here and get a count of zero when noise is added: the rows of this table
--         must never decide which rows are published. A group is counted by finest cell once, whatever tables it gets,
--         and meets its statistics last: in one join, the engine would first repeat one side for all the people.
create or replace table "group_cells" as
select
    group_finest_cells.population_group_id,
    stat_levels.statistic_id,
    statistic_finest_cells.cell_position,
    cast(sum(group_finest_cells.exact_count) as bigint) as exact_count
from group_finest_cells
inner join stat_levels on group_finest_cells.population_group_id = stat_levels.population_group_id
inner join statistic_finest_cells
    on
        stat_levels.statistic_id = statistic_finest_cells.statistic_id
        and group_finest_cells.finest_position = statistic_finest_cells.finest_position
group by
    group_finest_cells.population_group_id,
    stat_levels.statistic_id,
    statistic_finest_cells.cell_position;

-- RECORDED NOISE, SECOND TIME. Python drew a noisy total of every group without a table, and every noisy cell of the
-- groups with one, people or not. A run goes on with a new connection, which holds noisy and public tables alone.
-- count_uncertainty: variance, margin of error and interval of every kind of published count.
--
-- zone    public
-- kind    python
-- writes  one row per level, kind of group and number of counts summed
--           level_id       integer  key of levels
--           is_total_only  boolean  the paper's TotalOnly
--           summed_counts  integer  noisy counts in the sum
--           variance       double   of the noise in the sum, persons squared; NULL for sums of counts cut at 0
--           moe95          double   half-width of the 95 % margin of error, persons; NULL likewise
--           below95        bigint   95 % interval: persons that the true count may lie below the noisy one
--           above95        bigint   95 % interval: persons that the true count may lie above the noisy one
--           least_count    bigint   persons; no interval goes below it, NULL where any may
-- source  safetab_sql/published/margins.py, from the laws of the noise
create or replace table "count_uncertainty" (level_id integer, is_total_only boolean, summed_counts integer, variance double, moe95 double, below95 bigint, above95 bigint, least_count bigint);
insert into "count_uncertainty" values
    (1, true, 1, 0.49897913083282047, 1.0, 1, 1, null),
    (1, false, 1, 0.5551345791118107, 1.0, 1, 1, null),
    (1, false, 4, 2.220538316447243, 3.0, 3, 3, null),
    (1, false, 8, 4.441076632894486, 4.0, 4, 4, null),
    (1, false, 9, 4.996211212006297, 4.0, 4, 4, null),
    (1, false, 18, 9.992422424012593, 6.0, 6, 6, null),
    (1, false, 23, 12.768095319571646, 7.0, 7, 7, null),
    (1, false, 46, 25.536190639143292, 10.0, 10, 10, null),
    (2, true, 1, 0.36823626187116554, 1.0, 1, 1, null),
    (2, false, 1, 0.41299548714602896, 1.0, 1, 1, null),
    (2, false, 4, 1.6519819485841158, 2.0, 2, 2, null),
    (2, false, 8, 3.3039638971682317, 4.0, 4, 4, null),
    (2, false, 9, 3.7169593843142605, 4.0, 4, 4, null),
    (2, false, 18, 7.433918768628521, 5.0, 5, 5, null),
    (2, false, 23, 9.498896204358665, 6.0, 6, 6, null),
    (2, false, 46, 18.99779240871733, 9.0, 9, 9, null);

-- noisy_totals: the noisy totals of the groups that are published without a table.
--
-- zone    noisy
-- kind    python
-- writes  one row per published noisy total
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           noisy_count          bigint   persons; may be negative
-- source  safetab_sql/mechanisms/tabulate.py, from group_totals
create or replace table "noisy_totals" (level_id integer, population_group_id bigint, noisy_count bigint);
insert into "noisy_totals" values
    (2, 3, 8),
    (2, 5, 4),
    (2, 7, 4),
    (2, 9, 3),
    (2, 12, 4),
    (2, 13, 3),
    (2, 14, 2);

-- noisy_cells: the noisy cells of tables: exact cells plus the second noise.
--
-- zone    noisy
-- kind    python
-- writes  one row per published noisy cell
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           stat_level           tinyint  1 the coarsest table, 2 the next, ...
--           cell_position        integer  key of statistic_cells within the stat level
--           noisy_count          bigint   persons; may be negative
-- source  safetab_sql/mechanisms/tabulate.py, from group_cells: noise on every cell, people or not
create or replace table "noisy_cells" (level_id integer, population_group_id bigint, stat_level tinyint, cell_position integer, noisy_count bigint);
insert into "noisy_cells" values
    (1, 1, 1, 0, 2),
    (1, 1, 1, 1, 4),
    (1, 1, 1, 2, 1),
    (1, 1, 1, 3, 3),
    (1, 1, 1, 4, 2),
    (1, 1, 1, 5, 3),
    (1, 1, 1, 6, 5),
    (1, 1, 1, 7, 3),
    (1, 0, 2, 0, 3),
    (1, 0, 2, 1, 3),
    (1, 0, 2, 2, 7),
    (1, 0, 2, 3, 2),
    (1, 0, 2, 4, 4),
    (1, 0, 2, 5, 1),
    (1, 0, 2, 6, 3),
    (1, 0, 2, 7, 7),
    (1, 0, 2, 8, 5),
    (1, 0, 2, 9, 0),
    (1, 0, 2, 10, 3),
    (1, 0, 2, 11, 8),
    (1, 0, 2, 12, 1),
    (1, 0, 2, 13, 5),
    (1, 0, 2, 14, 2),
    (1, 0, 2, 15, 11),
    (1, 0, 2, 16, 8),
    (1, 0, 2, 17, 1),
    (2, 4, 1, 0, 4),
    (2, 4, 1, 1, 7),
    (2, 4, 1, 2, 4),
    (2, 4, 1, 3, 7),
    (2, 4, 1, 4, 2),
    (2, 4, 1, 5, 13),
    (2, 4, 1, 6, 9),
    (2, 4, 1, 7, 8),
    (2, 6, 1, 0, 3),
    (2, 6, 1, 1, 2),
    (2, 6, 1, 2, 2),
    (2, 6, 1, 3, 3),
    (2, 6, 1, 4, 2),
    (2, 6, 1, 5, 4),
    (2, 6, 1, 6, 3),
    (2, 6, 1, 7, 5),
    (2, 2, 2, 0, 2),
    (2, 2, 2, 1, 3),
    (2, 2, 2, 2, 8),
    (2, 2, 2, 3, 1),
    (2, 2, 2, 4, 3),
    (2, 2, 2, 5, 1),
    (2, 2, 2, 6, 5),
    (2, 2, 2, 7, 5),
    (2, 2, 2, 8, 2),
    (2, 2, 2, 9, -1),
    (2, 2, 2, 10, 3),
    (2, 2, 2, 11, 7),
    (2, 2, 2, 12, 0),
    (2, 2, 2, 13, 4),
    (2, 2, 2, 14, 2),
    (2, 2, 2, 15, 7),
    (2, 2, 2, 16, 7),
    (2, 2, 2, 17, 0);

-- statistic_sums: the rows of the ladder that add up several measured cells.
--
-- zone    public
-- writes  one row per stat level, row that is a sum, and cell in it
--           stat_level     tinyint  0 a total, 1 the coarsest table, ...
--           cell_position  integer  0, 1, ... within the stat level, first attribute slowest
--           row_id         integer  key of ladder_rows
-- params  $summed_stat_levels  bigint[]  stat level of each row
--         $summed_cells        bigint[]  cell of each, in the same order
--         $summed_rows         bigint[]  row of each
-- source  tabulation.md sections 5 and 6.3
create or replace table "statistic_sums" as
select
    unnest(cast([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3] as tinyint[])) as stat_level,
    unnest(cast([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45] as integer[])) as cell_position,
    unnest(cast([0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] as integer[])) as row_id;

-- ladder_statistics: the names of the tables of the ladder.
--
-- zone    public
-- writes  one row per stat level
--           stat_level      tinyint  0 a total, 1 the coarsest table, ...
--           statistic_name  varchar  such as age4
-- params  $statistic_names  varchar[]  the name of each stat level, from 0
-- source  tabulation.md section 5
create or replace table "ladder_statistics" as
select
    unnest(cast(range(len(['total', 'age4', 'age9', 'age23'])) as tinyint[])) as stat_level,
    unnest(cast(['total', 'age4', 'age9', 'age23'] as varchar[])) as statistic_name;

-- published_regions: the names of regions, by the number of their first population group at each level.
--
-- zone    public
-- reads   levels         one row per population group level
--         level_regions  one row per population group level and region
--         regions        one row per region
-- writes  one row per population group level and region
--           level_id                   integer  key of levels
--           first_population_group_id  bigint   id of the first population group of this region and level
--           level_name                 varchar  such as COUNTY-2
--           region_key                 integer  key of regions, in the order of region type and id
--           region_type                varchar  USA, STATE, COUNTY, ...
--           region_id                  varchar  e.g. 44007 for a county
-- source  tabulation.md sections 1 and 7
-- why     The number of each published group is turned back into its region and its iteration: its place among the
--         iterations of its level is what remains when the groups of the regions before it are taken away. A level
--         without iterations has no groups, and shares its first number with the next level.
create or replace table "published_regions" as
select
    level_regions.level_id,
    level_regions.first_population_group_id,
    levels.level_name,
    regions.region_key,
    levels.region_type,
    regions.region_id
from level_regions
inner join levels on level_regions.level_id = levels.level_id
inner join regions on level_regions.region_key = regions.region_key;

-- published_iterations: the iterations that the ladder tabulates at each level, by their place in it.
--
-- zone    public
-- reads   ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         iterations         one row per characteristic iteration of level 1 or 2
-- writes  one row per population group level and iteration that the ladder tabulates
--           level_id            integer  key of levels
--           iteration_position  integer  0, 1, ... in the order of the iteration codes
--           iteration_id        integer  key of iterations, in the order of the codes
--           iteration_code      varchar  characteristic iteration, 4 digits
--           is_total_only       boolean  the paper's TotalOnly
-- params  $ladder_id  integer  the ladder that is published
-- source  tabulation.md sections 1 and 7
create or replace table "published_iterations" as
select
    ladder_iterations.level_id,
    ladder_iterations.iteration_position,
    iterations.iteration_id,
    iterations.iteration_code,
    ladder_iterations.is_total_only
from ladder_iterations
inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
where ladder_iterations.ladder_id = 1;

-- ladder_rows: the rows that a population group may have in the table of the ladder, by their published codes.
--
-- zone    public
-- writes  one row per combination of published codes
--           row_id  integer  0, 1, ... in the order of published rows
--           {{ ladder_columns }}  varchar  the published code of each column, such as AGESTART, AGEEND and SEX
--           {{ number_columns }}  integer  the first and the last number, such as AGE_START and AGE_END; NULL for all
-- params  {{ ladder_columns }}  name of each published column, and its code in each row
--         {{ number_columns }}  name of each column of numbers, and its number in each row
--         $ladder_rows          bigint  number of rows
-- source  tabulation.md section 5
create or replace table "ladder_rows" as
with numbered_rows as (
    -- one row per combination of published codes
    select unnest(range(72)) as row_number
)

select
    cast(numbered_rows.row_number as integer) as row_id,
    cast(
        list_extract(['*', '*', '0', '0', '0', '0', '5', '5', '5', '5', '10', '10', '15', '15', '18', '18', '18', '18', '18', '18', '20', '20', '21', '21', '22', '22', '25', '25', '25', '25', '30', '30', '35', '35', '35', '35', '40', '40', '45', '45', '45', '45', '45', '45', '50', '50', '55', '55', '55', '55', '60', '60', '62', '62', '65', '65', '65', '65', '65', '65', '67', '67', '70', '70', '75', '75', '75', '75', '80', '80', '85', '85'], numbered_rows.row_number + 1) as varchar
    ) as "AGESTART",
    cast(
        list_extract(['*', '*', '17', '17', '4', '4', '17', '17', '9', '9', '14', '14', '17', '17', '44', '44', '24', '24', '19', '19', '20', '20', '21', '21', '24', '24', '34', '34', '29', '29', '34', '34', '44', '44', '39', '39', '44', '44', '64', '64', '54', '54', '49', '49', '54', '54', '64', '64', '59', '59', '61', '61', '64', '64', '115', '115', '74', '74', '66', '66', '69', '69', '74', '74', '115', '115', '79', '79', '84', '84', '115', '115'], numbered_rows.row_number + 1) as varchar
    ) as "AGEEND",
    cast(
        list_extract(['1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2', '1', '2'], numbered_rows.row_number + 1) as varchar
    ) as "SEX",
    cast(
        list_extract([null, null, 0, 0, 0, 0, 5, 5, 5, 5, 10, 10, 15, 15, 18, 18, 18, 18, 18, 18, 20, 20, 21, 21, 22, 22, 25, 25, 25, 25, 30, 30, 35, 35, 35, 35, 40, 40, 45, 45, 45, 45, 45, 45, 50, 50, 55, 55, 55, 55, 60, 60, 62, 62, 65, 65, 65, 65, 65, 65, 67, 67, 70, 70, 75, 75, 75, 75, 80, 80, 85, 85], numbered_rows.row_number + 1) as integer
    ) as "AGE_START",
    cast(
        list_extract([null, null, 17, 17, 4, 4, 17, 17, 9, 9, 14, 14, 17, 17, 44, 44, 24, 24, 19, 19, 20, 20, 21, 21, 24, 24, 34, 34, 29, 29, 34, 34, 44, 44, 39, 39, 44, 44, 64, 64, 54, 54, 49, 49, 54, 54, 64, 64, 59, 59, 61, 61, 64, 64, 115, 115, 74, 74, 66, 66, 69, 69, 74, 74, 115, 115, 79, 79, 84, 84, 115, 115], numbered_rows.row_number + 1) as integer
    ) as "AGE_END"
from numbered_rows;

-- noisy_measurements: the stage-1 totals of published groups, and estimates of true totals that use both stages.
--
-- zone    noisy
-- kind    python
-- writes  one row per published group whose stage-1 total is published
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           stage_1              bigint   noisy total that picked the table, persons
--           stage_1_variance     double   of the noise in stage_1, persons squared
--           estimate             double   of the true total, persons
--           low95                bigint   lower end of the 95 % interval of the true total, persons
--           high95               bigint   upper end of the 95 % interval of the true total, persons
-- source  safetab_sql/published/measurements.py, from the noise of both stages; accuracy.md section 4
create or replace table "noisy_measurements" (level_id integer, population_group_id bigint, stage_1 bigint, stage_1_variance double, estimate double, low95 bigint, high95 bigint);

-- selected_totals: the 95 % intervals of totals that lie near the limit below which none is published.
--
-- zone    public
-- kind    python
-- writes  one row per level, kind of group and noisy total near the limit
--           level_id       integer  key of levels
--           is_total_only  boolean  the paper's TotalOnly
--           noisy_count    bigint   persons
--           low95          bigint   lower end of the interval, persons
--           high95         bigint   upper end of the interval, persons
-- source  safetab_sql/published/margins.py, from the laws of the noise; accuracy.md section 2
-- why     A total near the limit was published because its noise was high, so its interval is not symmetric.
create or replace table "selected_totals" (level_id integer, is_total_only boolean, noisy_count bigint, low95 bigint, high95 bigint);
insert into "selected_totals" values
    (2, true, 2, 0, 3),
    (2, true, 3, 2, 4),
    (2, true, 4, 3, 5),
    (2, true, 5, 4, 6),
    (2, true, 6, 5, 7),
    (2, true, 7, 6, 8),
    (2, false, 2, 0, 3),
    (2, false, 3, 1, 4),
    (2, false, 4, 3, 5),
    (2, false, 5, 4, 6),
    (2, false, 6, 5, 7),
    (2, false, 7, 6, 8);

-- suppressed_totals: what is known of groups whose total is too small to be published.
--
-- zone    public
-- kind    python
-- writes  one row per level and kind of group whose small totals are not published
--           level_id          integer  key of levels
--           is_total_only     boolean  the paper's TotalOnly
--           suppressed_up_to  bigint   the largest noisy total that is not published, persons
--           high95            bigint   persons that such a group has at most, with a confidence of 95 %
-- source  safetab_sql/published/margins.py, from the laws of the noise; accuracy.md section 3
create or replace table "suppressed_totals" (level_id integer, is_total_only boolean, suppressed_up_to bigint, high95 bigint);
insert into "suppressed_totals" values
    (2, true, 1, 2),
    (2, false, 1, 2);

-- statistic_cells: the row of each measured cell of the ladder.
--
-- zone    public
-- reads   ladder_rows  one row per combination of published codes
-- writes  one row per stat level and measured cell
--           stat_level     tinyint  0 a total, 1 the coarsest table, ...
--           cell_position  integer  0, 1, ... within the stat level, first attribute slowest
--           row_id         integer  key of ladder_rows
--           {{ ladder_columns }}  varchar  the published code of each column
-- params  {{ ladder_columns }}    name of each published column
--         $measured_stat_levels  bigint[]  stat level of each row
--         $measured_cells        bigint[]  cell of each, in the same order
--         $measured_rows         bigint[]  row of each
-- source  tabulation.md sections 5 and 6.3
create or replace table "statistic_cells" as
with listed_cells as (
    select
        unnest(cast([1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3] as tinyint[])) as stat_level,
        unnest(cast([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45] as integer[])) as cell_position,
        unnest(cast([2, 14, 38, 54, 3, 15, 39, 55, 4, 6, 16, 26, 32, 40, 46, 56, 64, 5, 7, 17, 27, 33, 41, 47, 57, 65, 4, 8, 10, 12, 18, 20, 22, 24, 28, 30, 34, 36, 42, 44, 48, 50, 52, 58, 60, 62, 66, 68, 70, 5, 9, 11, 13, 19, 21, 23, 25, 29, 31, 35, 37, 43, 45, 49, 51, 53, 59, 61, 63, 67, 69, 71] as integer[])) as measured_row
)

select
    listed_cells.stat_level,
    listed_cells.cell_position,
    ladder_rows.row_id,
    ladder_rows."AGESTART",
    ladder_rows."AGEEND",
    ladder_rows."SEX"
from listed_cells
inner join ladder_rows on listed_cells.measured_row = ladder_rows.row_id;

-- measurements: the stage-1 totals of published groups, and estimates of true totals that use both stages.
--
-- zone    published
-- reads   noisy_measurements    one row per published group whose stage-1 total is published
--         level_sizes           one row per population group level
--         published_regions     one row per population group level and region
--         published_iterations  one row per population group level and iteration that the ladder tabulates
-- writes  one row per published group that had a stage 1
--           REGION_ID         varchar  code of the region
--           REGION_TYPE       varchar  name of the region type
--           ITERATION_CODE    varchar  code of the characteristic iteration
--           STAGE_1           bigint   noisy total that picked the table of the group, {records}
--           STAGE_1_VARIANCE  double   of the noise in STAGE_1, {records} squared
--           ESTIMATE          double   of the true total, from both stages, {records}
--           LOW95             bigint   lower end of the 95 % interval of the true total, {records}
--           HIGH95            bigint   upper end of the 95 % interval of the true total, {records}
-- source  accuracy.md section 4
-- why     Written where the parameters say publish_stage_1.
create or replace table "measurements" as
with placed_groups as (
    -- one row per published group whose stage-1 total is published
    select
        noisy_measurements.level_id,
        noisy_measurements.population_group_id,
        (
            (noisy_measurements.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        ) as iteration_position,
        noisy_measurements.stage_1,
        noisy_measurements.stage_1_variance,
        noisy_measurements.estimate,
        noisy_measurements.low95,
        noisy_measurements.high95
    from noisy_measurements
    inner join level_sizes on noisy_measurements.level_id = level_sizes.level_id
)

select
    published_regions.region_id as REGION_ID,
    published_regions.region_type as REGION_TYPE,
    published_iterations.iteration_code as ITERATION_CODE,
    placed_groups.stage_1 as STAGE_1,
    placed_groups.stage_1_variance as STAGE_1_VARIANCE,
    placed_groups.estimate as ESTIMATE,
    placed_groups.low95 as LOW95,
    placed_groups.high95 as HIGH95
from placed_groups
inner join published_iterations
    on
        placed_groups.level_id = published_iterations.level_id
        and placed_groups.iteration_position = published_iterations.iteration_position
inner join published_regions
    on
        placed_groups.level_id = published_regions.level_id
        and (
            placed_groups.population_group_id - placed_groups.iteration_position
            = published_regions.first_population_group_id
        )
order by
    published_regions.region_key,
    published_iterations.iteration_id;

-- t1: the published totals.
--
-- zone    published
-- reads   noisy_totals          one row per published noisy total; filled by the mechanisms
--         noisy_cells           one row per published noisy cell; filled by the mechanisms
--         level_sizes           one row per population group level
--         published_regions     one row per population group level and region
--         published_iterations  one row per population group level and iteration that the ladder tabulates
--         count_uncertainty     one row per level, kind of group and number of counts summed
--         selected_totals       one row per level, kind of group and noisy total near the limit
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           {{ counted }}  bigint  {records}, noisy; may be negative; in a ladder of sums it is called SUM
--           VARIANCE        double   of the noise in {counted}, {records} squared; NULL for a sum of counts cut at 0
--           MOE95           double   half-width of the 95 % margin of error, {records}; NULL likewise
--           LOW95           bigint   lower end of the 95 % interval of the true count, {records}
--           HIGH95          bigint   upper end of the 95 % interval of the true count, {records}
-- params  {{ counted }}  the name of what is counted
-- source  tabulation.md sections 6.3 and 7; accuracy.md sections 1 and 2
-- why     A group with a table has no total of its own: its total is the sum of its published cells. A total alone that
--         lies near the limit of publication has an interval of its own, and MOE95 reaches both its ends; a sum of
--         cells never has, be it of one cell. Left joins keep the planner from joining the small tables first, or from
--         holding all counts in memory, for it expects a handful of them.
create or replace table "t1" as
with group_counts as (
    -- one row per population group with a published count
    select
        noisy_totals.level_id,
        noisy_totals.population_group_id,
        noisy_totals.noisy_count,
        1 as summed_counts,
        true as is_total_alone
    from noisy_totals
    union all
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        cast(sum(noisy_cells.noisy_count) as bigint) as noisy_count,
        cast(count(*) as integer) as summed_counts,
        false as is_total_alone
    from noisy_cells
    group by noisy_cells.level_id, noisy_cells.population_group_id
),

placed_counts as (
    -- one row per population group with a published count
    select
        group_counts.level_id,
        group_counts.population_group_id,
        group_counts.noisy_count,
        group_counts.summed_counts,
        group_counts.is_total_alone,
        (
            (group_counts.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
        ) as iteration_position
    from group_counts
    inner join level_sizes on group_counts.level_id = level_sizes.level_id
)

select
    published_regions.region_id as REGION_ID,
    published_regions.region_type as REGION_TYPE,
    published_iterations.iteration_code as ITERATION_CODE,
    placed_counts.noisy_count as "COUNT",
    count_uncertainty.variance as VARIANCE,
    coalesce(
        greatest(placed_counts.noisy_count - selected_totals.low95, selected_totals.high95 - placed_counts.noisy_count),
        count_uncertainty.moe95
    ) as MOE95,
    coalesce(
        selected_totals.low95,
        greatest(placed_counts.noisy_count - count_uncertainty.below95, count_uncertainty.least_count)
    ) as LOW95,
    coalesce(
        selected_totals.high95,
        greatest(placed_counts.noisy_count + count_uncertainty.above95, count_uncertainty.least_count)
    ) as HIGH95
from placed_counts
left join published_iterations
    on
        placed_counts.level_id = published_iterations.level_id
        and placed_counts.iteration_position = published_iterations.iteration_position
left join published_regions
    on
        placed_counts.level_id = published_regions.level_id
        and (
            placed_counts.population_group_id - placed_counts.iteration_position
            = published_regions.first_population_group_id
        )
-- published/margins.py: the noise of so many counts, added, lies within -moe95 and moe95 with probability 0.95 or more
left join count_uncertainty
    on
        placed_counts.level_id = count_uncertainty.level_id
        and published_iterations.is_total_only = count_uncertainty.is_total_only
        and placed_counts.summed_counts = count_uncertainty.summed_counts
left join selected_totals
    on
        placed_counts.level_id = selected_totals.level_id
        and published_iterations.is_total_only = selected_totals.is_total_only
        and placed_counts.noisy_count = selected_totals.noisy_count
        and placed_counts.is_total_alone
order by
    published_regions.region_key,
    published_iterations.iteration_id;

-- suppressed: upper bound of the {records} in a population group whose total was suppressed.
--
-- zone    published
-- reads   suppressed_totals  one row per level and kind of group whose small totals are not published
--         levels             one row per population group level
--         ladder_iterations  one row per ladder, population group level and iteration it tabulates
--         iterations         one row per characteristic iteration of level 1 or 2
-- writes  one row per region type with suppressed totals and characteristic iteration that it tabulates
--           REGION_TYPE       varchar  name of the region type
--           ITERATION_CODE    varchar  code of the characteristic iteration
--           SUPPRESSED_UP_TO  bigint   the largest noisy total that is not published, {records}
--           HIGH95            bigint   upper end of the one-sided 95 % interval of a group without a row, {records}
-- params  $ladder_id  integer  the ladder that is published
-- source  accuracy.md section 3
-- why     It names kinds of groups, not groups: which of them were suppressed follows from t1 and the geography.
create or replace table "suppressed" as
select
    levels.region_type as REGION_TYPE,
    iterations.iteration_code as ITERATION_CODE,
    suppressed_totals.suppressed_up_to as SUPPRESSED_UP_TO,
    suppressed_totals.high95 as HIGH95
from suppressed_totals
inner join levels on suppressed_totals.level_id = levels.level_id
inner join ladder_iterations
    on
        suppressed_totals.level_id = ladder_iterations.level_id
        and suppressed_totals.is_total_only = ladder_iterations.is_total_only
        and ladder_iterations.ladder_id = 1
inner join iterations on ladder_iterations.iteration_id = iterations.iteration_id
order by levels.region_type, iterations.iteration_code;

-- group_index: the level of each published population group, which table it got, and its names.
--
-- zone    published
-- reads   noisy_totals          one row per published noisy total; filled by the mechanisms
--         noisy_cells           one row per published noisy cell; filled by the mechanisms
--         statistic_cells       one row per stat level and measured cell
--         statistic_sums        one row per stat level, row that is a sum, and cell in it
--         ladder_statistics     one row per stat level
--         level_sizes           one row per population group level
--         published_regions     one row per population group level and region
--         published_iterations  one row per population group level and iteration that the ladder tabulates
--         levels                one row per population group level
--         regions               one row per region
--         iterations            one row per characteristic iteration of level 1 or 2
--         region_names          one row per region with a name
-- writes  one row per population group with a published count
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           LEVEL           varchar  its population group level, as the manifest names it
--           ITERATION_KIND  varchar  alone, combination, or the name of a question of one column
--           IS_TOTAL_ONLY   boolean  whether the group could get a total and nothing else
--           REGION_NAME     varchar  name of the region; NULL where nothing public gives one
--           ITERATION_NAME  varchar  name of the iteration
--           LADDER          varchar  the ladder, such as T2
--           STATISTIC       varchar  the table that the group got, or the name of the total
--           TABLE_ROWS      bigint   rows of the group in the table of the ladder
-- params  $table_name  varchar  the ladder
-- source  tabulation.md section 7.2
-- why     Everything here follows from published tables and public lists. The noise of a count follows from the ladder,
--         LEVEL and IS_TOTAL_ONLY: the manifest has the law of each. A group with a table has a cell in position 0.
--         Sorting millions of long names needs gigabytes: groups are sorted by numbers and named after. A key, from 1,
--         is the place of a name in a list. A join could change the order of rows; the one row of lists does not.
create or replace table "group_index" as
with published_groups as (
    -- one row per population group with a published count
    select
        noisy_totals.level_id,
        noisy_totals.population_group_id,
        cast(0 as tinyint) as stat_level
    from noisy_totals
    union all
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        noisy_cells.stat_level
    from noisy_cells
    where noisy_cells.cell_position = 0
),

published_rows as (
    -- one row per stat level and row of its table
    select
        statistic_cells.stat_level,
        statistic_cells.row_id
    from statistic_cells
    union
    select
        statistic_sums.stat_level,
        statistic_sums.row_id
    from statistic_sums
),

counted_rows as (
    -- one row per stat level
    select
        ladder_statistics.stat_level,
        ladder_statistics.statistic_name,
        count(published_rows.row_id) as table_rows
    from ladder_statistics
    left join published_rows on ladder_statistics.stat_level = published_rows.stat_level
    group by ladder_statistics.stat_level, ladder_statistics.statistic_name
),

ordered_groups as (
    -- one row per population group with a published count
    select
        published_groups.level_id,
        published_groups.stat_level,
        published_regions.region_key,
        published_iterations.iteration_id,
        published_iterations.is_total_only
    from published_groups
    left join level_sizes on published_groups.level_id = level_sizes.level_id
    left join published_iterations
        on
            published_groups.level_id = published_iterations.level_id
            and published_iterations.iteration_position = (
                (published_groups.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
            )
    left join published_regions
        on
            published_groups.level_id = published_regions.level_id
            and published_regions.first_population_group_id
            = published_groups.population_group_id - published_iterations.iteration_position
    order by published_regions.region_key, published_iterations.iteration_id
),

name_lists as (
    -- one row
    select
        (select list(levels.level_name order by levels.level_id) from levels) as level_names,
        (select list(regions.region_id order by regions.region_key) from regions) as region_ids,
        (select list(regions.region_type order by regions.region_key) from regions) as region_types,
        (
            select list(region_names.region_name order by regions.region_key)
            from regions
            left join region_names
                on regions.region_type = region_names.region_type and regions.region_id = region_names.region_id
        ) as region_names,
        (select list(iterations.iteration_code order by iterations.iteration_id) from iterations) as iteration_codes,
        (select list(iterations.iteration_kind order by iterations.iteration_id) from iterations) as iteration_kinds,
        (select list(iterations.iteration_name order by iterations.iteration_id) from iterations) as iteration_names,
        (select list(counted_rows.statistic_name order by counted_rows.stat_level) from counted_rows) as statistics,
        (select list(counted_rows.table_rows order by counted_rows.stat_level) from counted_rows) as table_rows
)

select
    name_lists.region_ids[ordered_groups.region_key] as REGION_ID,
    name_lists.region_types[ordered_groups.region_key] as REGION_TYPE,
    name_lists.iteration_codes[ordered_groups.iteration_id] as ITERATION_CODE,
    name_lists.level_names[ordered_groups.level_id] as LEVEL,
    name_lists.iteration_kinds[ordered_groups.iteration_id] as ITERATION_KIND,
    ordered_groups.is_total_only as IS_TOTAL_ONLY,
    name_lists.region_names[ordered_groups.region_key] as REGION_NAME,
    name_lists.iteration_names[ordered_groups.iteration_id] as ITERATION_NAME,
    'T2' as LADDER,
    name_lists.statistics[ordered_groups.stat_level + 1] as STATISTIC,
    name_lists.table_rows[ordered_groups.stat_level + 1] as TABLE_ROWS
from ordered_groups
cross join name_lists;

-- ladder_counts: the counts of the ladder's table, by population group and row.
--
-- zone    published
-- kind    view
-- reads   noisy_totals     one row per published noisy total; filled by the mechanisms
--         noisy_cells      one row per published noisy cell; filled by the mechanisms
--         statistic_cells  one row per stat level and measured cell
--         statistic_sums   one row per stat level, row that is a sum, and cell in it
--         level_sizes      one row per population group level
-- writes  one row per population group and cell of its table, and one per group and published sum
--           level_id             integer  key of levels
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  0 a total, 1 the coarsest table, ...
--           row_id               integer  key of ladder_rows
--           noisy_count          bigint   persons; may be negative
--           summed_counts        integer  noisy counts in it
--           iteration_position   bigint   place of its iteration among the level's iterations
--           is_marginal          boolean  whether the row is a sum of cells, be it of one
-- source  tabulation.md sections 5 and 7
-- why     A sum is the sum of published cells. Totals are rows here only where they have no folder of their own: then
--         alone statistic_cells and statistic_sums name their rows.
create or replace view "ladder_counts" as
with cells_and_sums as (
    -- one row per population group and published row
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        noisy_cells.stat_level,
        statistic_cells.row_id,
        noisy_cells.noisy_count,
        1 as summed_counts,
        false as is_marginal
    from noisy_cells
    inner join statistic_cells
        on
            noisy_cells.stat_level = statistic_cells.stat_level
            and noisy_cells.cell_position = statistic_cells.cell_position
    union all
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        noisy_cells.stat_level,
        statistic_sums.row_id,
        cast(sum(noisy_cells.noisy_count) as bigint) as noisy_count,
        cast(count(*) as integer) as summed_counts,
        true as is_marginal
    from noisy_cells
    inner join statistic_sums
        on
            noisy_cells.stat_level = statistic_sums.stat_level
            and noisy_cells.cell_position = statistic_sums.cell_position
    group by
        noisy_cells.level_id,
        noisy_cells.population_group_id,
        noisy_cells.stat_level,
        statistic_sums.row_id
    union all
    select
        noisy_totals.level_id,
        noisy_totals.population_group_id,
        statistic_cells.stat_level,
        statistic_cells.row_id,
        noisy_totals.noisy_count,
        1 as summed_counts,
        false as is_marginal
    from noisy_totals
    inner join statistic_cells on statistic_cells.stat_level = 0
)

select
    cells_and_sums.level_id,
    cells_and_sums.population_group_id,
    cells_and_sums.stat_level,
    cells_and_sums.row_id,
    cells_and_sums.noisy_count,
    cells_and_sums.summed_counts,
    (
        (cells_and_sums.population_group_id - level_sizes.first_population_group_id) % level_sizes.iterations
    ) as iteration_position,
    cells_and_sums.is_marginal
from cells_and_sums
inner join level_sizes on cells_and_sums.level_id = level_sizes.level_id;

-- t2: the published tables of the ladder.
--
-- zone    published
-- reads   ladder_counts         one row per population group and cell of its table, and one per group and published sum
--         ladder_statistics     one row per stat level
--         ladder_rows           one row per combination of published codes
--         published_regions     one row per population group level and region
--         published_iterations  one row per population group level and iteration that the ladder tabulates
--         count_uncertainty     one row per level, kind of group and number of counts summed
--         selected_totals       one row per level, kind of group and noisy total near the limit
-- writes  one row per population group and cell of its table, and one per group and published sum
--           REGION_ID       varchar  code of the region
--           REGION_TYPE     varchar  name of the region type
--           ITERATION_CODE  varchar  code of the characteristic iteration
--           STATISTIC       varchar  the table that the group got
--           {{ ladder_columns }}  varchar  the code of each column, such as AGESTART, AGEEND and SEX; * for all
--           {{ number_columns }}  integer  the first and the last number, such as AGE_START and AGE_END; NULL for all
--           IS_MARGINAL     boolean  whether the row is a sum of other rows of its group in this table
--           {{ counted }}  bigint  {records}, noisy; may be negative; in a ladder of sums it is called SUM
--           VARIANCE        double   of the noise in {counted}, {records} squared; NULL for a sum of counts cut at 0
--           MOE95           double   half-width of the 95 % margin of error, {records}; NULL likewise
--           LOW95           bigint   lower end of the 95 % interval of the true count, {records}
--           HIGH95          bigint   upper end of the 95 % interval of the true count, {records}
-- params  {{ counted }}         the name of what is counted
--         {{ ladder_columns }}  name of each published column
--         {{ number_columns }}  name of each column of numbers
-- source  tabulation.md sections 6.3 and 7; accuracy.md sections 1 and 2
-- why     Sums come before the cells in them. Left joins: as in t1.
create or replace table "t2" as
select
    published_regions.region_id as REGION_ID,
    published_regions.region_type as REGION_TYPE,
    published_iterations.iteration_code as ITERATION_CODE,
    ladder_statistics.statistic_name as STATISTIC,
    ladder_rows."AGESTART",
    ladder_rows."AGEEND",
    ladder_rows."SEX",
    ladder_rows."AGE_START",
    ladder_rows."AGE_END",
    ladder_counts.is_marginal as IS_MARGINAL,
    ladder_counts.noisy_count as "COUNT",
    count_uncertainty.variance as VARIANCE,
    coalesce(
        greatest(ladder_counts.noisy_count - selected_totals.low95, selected_totals.high95 - ladder_counts.noisy_count),
        count_uncertainty.moe95
    ) as MOE95,
    coalesce(
        selected_totals.low95,
        greatest(ladder_counts.noisy_count - count_uncertainty.below95, count_uncertainty.least_count)
    ) as LOW95,
    coalesce(
        selected_totals.high95,
        greatest(ladder_counts.noisy_count + count_uncertainty.above95, count_uncertainty.least_count)
    ) as HIGH95
from ladder_counts
inner join ladder_rows on ladder_counts.row_id = ladder_rows.row_id
inner join ladder_statistics on ladder_counts.stat_level = ladder_statistics.stat_level
left join published_iterations
    on
        ladder_counts.level_id = published_iterations.level_id
        and ladder_counts.iteration_position = published_iterations.iteration_position
left join published_regions
    on
        ladder_counts.level_id = published_regions.level_id
        and (
            ladder_counts.population_group_id - ladder_counts.iteration_position
            = published_regions.first_population_group_id
        )
-- published/margins.py: the noise of so many counts, added, lies within -moe95 and moe95 with probability 0.95 or more
left join count_uncertainty
    on
        ladder_counts.level_id = count_uncertainty.level_id
        and published_iterations.is_total_only = count_uncertainty.is_total_only
        and ladder_counts.summed_counts = count_uncertainty.summed_counts
left join selected_totals
    on
        ladder_counts.level_id = selected_totals.level_id
        and published_iterations.is_total_only = selected_totals.is_total_only
        and ladder_counts.noisy_count = selected_totals.noisy_count
        and ladder_counts.stat_level = 0
order by
    published_regions.region_key,
    published_iterations.iteration_id,
    ladder_counts.row_id;

from t1;
from t2;
