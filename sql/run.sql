-- A whole run of safetab_sql as one script, in run order. In a clone, with nothing of ours installed:
-- `duckdb < sql/run.sql`.
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

-- code_from_text: a code of the Census Bureau from a column of text; the text Null becomes NULL.
--
-- zone    public
-- kind    macro
-- gives   varchar
-- params  given  varchar  the code as it stands in the file
-- source  tabulation.md section 2.1
create or replace temporary macro code_from_text(given) as
nullif(given, 'Null');

-- flag_from_text: true or false from a column of text; NULL where the text is Null, or neither.
--
-- zone    public
-- kind    macro
-- gives   boolean
-- params  given  varchar  the flag as it stands in the file
-- source  tabulation.md section 2.3
create or replace temporary macro flag_from_text(given) as
try_cast(nullif(given, 'Null') as boolean);

-- whole_number_from_text: a whole number, 0 or more, from text that spells it; NULL where the text spells none.
--
-- zone    public
-- kind    macro
-- gives   integer
-- params  given  varchar  the number as it stands in the file
-- source  tabulation.md section 2.1
-- why     A plain cast would round 2.5.
create or replace temporary macro whole_number_from_text(given) as
try_cast(case when regexp_full_match(given, '[0-9]+') then given end as integer);

-- code_iteration_rows: which detailed codes belong to which characteristic iterations.
--
-- zone    public
-- reads   $code_iterations  Parquet of race-and-ethnicity-code-to-iteration
-- writes  one row per row of the code-to-iteration list
--           iteration_code  varchar  characteristic iteration, 4 digits
--           code            varchar  race or ethnicity code, 4 digits
-- params  $code_iterations  varchar[]  path of the list
--         {{ code_iterations_columns }}  the expression that reads each column by its stored type
-- source  tabulation.md section 2.3
create or replace table "code_iteration_rows" as
select
    code_from_text("ITERATION_CODE") as iteration_code,
    code_from_text("RACE_ETH_CODE") as code
from read_parquet(['sql/example/code-lists/race-and-ethnicity-code-to-iteration.parquet']);

-- codes: the detailed race and ethnicity codes.
--
-- zone    public
-- reads   $codes_list  Parquet of race-and-ethnicity-codes
-- writes  one row per row of the code list
--           code       varchar  race or ethnicity code, 4 digits
--           code_name  varchar  what the code stands for
-- params  $codes_list  varchar[]  path of the list
--         {{ codes_columns }}  the expression that reads each column by its stored type
-- source  tabulation.md section 2.3
create or replace table "codes" as
select
    code_from_text("RACE_ETH_CODE") as code,
    "RACE_ETH_NAME" as code_name
from read_parquet(['sql/example/code-lists/race-and-ethnicity-codes.parquet']);

-- geography_rows: the geography file with its codes as text, whatever type they were stored in.
--
-- zone    public
-- kind    view
-- reads   $geography  Parquet files, one row per block
-- writes  one row per row of the geography files
--           TABBLKST    varchar  state, 2 digits
--           TABBLKCOU   varchar  county in the state, 3 digits
--           TABTRACTCE  varchar  tract in the county, 6 digits
--           TABBLK      varchar  block in the tract, 4 digits
--           PLACEFP     varchar  place in the state, 5 digits; 99999 none
--           AIANNHCE    varchar  AIANNH area, 4 digits; 9999 none
-- params  $geography  varchar[]  paths of the files
--         {{ geography_columns }}        the expression that reads each of the six columns by its stored type
--         {{ extra_columns }}  further columns of the file, kept as text for region types of your own
-- source  tabulation.md section 2.2
create or replace view "geography_rows" as
select
    code_from_text("TABBLKST") as TABBLKST,
    code_from_text("TABBLKCOU") as TABBLKCOU,
    code_from_text("TABTRACTCE") as TABTRACTCE,
    code_from_text("TABBLK") as TABBLK,
    code_from_text("PLACEFP") as PLACEFP,
    code_from_text("AIANNHCE") as AIANNHCE
from read_parquet(['sql/example/geography.parquet'], union_by_name = true);

-- iteration_rows: the rows of both lists of characteristic iterations.
--
-- zone    public
-- reads   $race_iterations       Parquet of race-characteristic-iterations
--         $ethnicity_iterations  Parquet of ethnicity-characteristic-iterations
-- writes  one row per row of either iteration list
--           iteration_code    varchar  characteristic iteration, 4 digits
--           iteration_name    varchar  its name
--           iteration_level   integer  0 major, 1 regional, 2 detailed
--           iteration_kind    varchar  alone, combination (alone or in any combination) or ethnicity
--           is_detailed_only  boolean  tabulated at nation- and state-like regions only, total only; NULL at level 0
--           is_coarse_only    boolean  tabulated at sub-state regions only; NULL at level 0
-- params  $race_iterations       varchar[]  path of the list
--         $ethnicity_iterations  varchar[]  path of the list
--         {{ race_columns }}       the expression that reads each column by its stored type
--         {{ ethnicity_columns }}  the same for the ethnicity list
-- source  tabulation.md section 2.3
create or replace table "iteration_rows" as
select
    code_from_text("ITERATION_CODE") as iteration_code,
    "ITERATION_NAME" as iteration_name,
    whole_number_from_text("LEVEL") as iteration_level,
    case flag_from_text("ALONE") when true then 'alone' when false then 'combination' end as iteration_kind,
    flag_from_text("DETAILED_ONLY") as is_detailed_only,
    flag_from_text("COARSE_ONLY") as is_coarse_only
from read_parquet(['sql/example/code-lists/race-characteristic-iterations.parquet'])
union all
select
    code_from_text("ITERATION_CODE") as iteration_code,
    "ITERATION_NAME" as iteration_name,
    whole_number_from_text("LEVEL") as iteration_level,
    'ethnicity' as iteration_kind,
    flag_from_text("DETAILED_ONLY") as is_detailed_only,
    flag_from_text("COARSE_ONLY") as is_coarse_only
from read_parquet(['sql/example/code-lists/ethnicity-characteristic-iterations.parquet']);

-- person_records: the person files with their codes as text, whatever type they were stored in.
--
-- zone    confidential
-- kind    view
-- reads   $persons  Parquet files, one row per person
-- writes  one row per person
--           person_file  varchar   file that holds the record
--           person_row   bigint    its row number in that file, from 1
--           QAGE         integer   age in years; NULL where it is no whole number
--           QSEX         varchar   1 male, 2 female
--           TABBLKST     varchar   state, 2 digits
--           TABBLKCOU    varchar   county in the state, 3 digits
--           TABTRACTCE   varchar   tract in the county, 6 digits
--           TABBLK       varchar   block in the tract, 4 digits
--           QRACE1       varchar   first race code, 4 digits
--           QRACE2       varchar   second race code or NULL; and so on to the eighth
--           QRACE3       varchar
--           QRACE4       varchar
--           QRACE5       varchar
--           QRACE6       varchar
--           QRACE7       varchar
--           QRACE8       varchar
--           QSPAN        varchar   ethnicity code, 4 digits
--           QAGE_GIVEN   varchar   age as it is written in the file
--           PERSON_ID    varchar   from the column of ids that the custodian named; NULL without one
-- params  $persons  varchar[]  paths of the files
--         {{ person_columns }}  the expression that reads each column by its stored type: integers get their leading
--                        zeros back, the text Null becomes NULL, race columns past max_race_codes are NULL
-- source  tabulation.md section 2.1
-- why     A view, so that each statement scans only the columns it needs. The files are united by name, so that the
--         type of a column can hold the values of all files; its type in the first file may be narrower, or null.
create or replace view "person_records" as
select
    person_file,
    file_row_number + 1 as person_row,
    whole_number_from_text("QAGE") as QAGE,
    code_from_text("QSEX") as QSEX,
    code_from_text("TABBLKST") as TABBLKST,
    code_from_text("TABBLKCOU") as TABBLKCOU,
    code_from_text("TABTRACTCE") as TABTRACTCE,
    code_from_text("TABBLK") as TABBLK,
    code_from_text("QRACE1") as QRACE1,
    code_from_text("QRACE2") as QRACE2,
    code_from_text("QRACE3") as QRACE3,
    as_text(null) as QRACE4,
    as_text(null) as QRACE5,
    as_text(null) as QRACE6,
    as_text(null) as QRACE7,
    as_text(null) as QRACE8,
    code_from_text("QSPAN") as QSPAN,
    as_text("QAGE") as QAGE_GIVEN,
    as_text(null) as PERSON_ID
from read_parquet(['sql/example/persons.parquet'], filename = 'person_file', file_row_number = true, union_by_name = true);

-- age_bins: the age bins of each sex-by-age statistic.
--
-- zone    public
-- writes  one row per stat level and age bin
--           stat_level  tinyint  1 age4, 2 age9, 3 age23
--           age_start   tinyint  first age of the bin, years
--           age_end     tinyint  last age of the bin, years
-- source  tabulation.md section 5 (age4, age9, age23); paper Algorithm 2, lines 20-31
create or replace table "age_bins" as
with bin_starts as (
    -- one row per stat level and age bin
    select
        1 as stat_level,
        unnest([0, 18, 45, 65]) as age_start
    union all
    select
        2 as stat_level,
        unnest([0, 5, 18, 25, 35, 45, 55, 65, 75]) as age_start
    union all
    select
        3 as stat_level,
        unnest([0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85])
            as age_start
)

select
    cast(bin_starts.stat_level as tinyint) as stat_level,
    cast(bin_starts.age_start as tinyint) as age_start,
    cast(
        lead(bin_starts.age_start, 1, 116) over (
            partition by bin_starts.stat_level order by bin_starts.age_start
        ) - 1 as tinyint
    ) as age_end
from bin_starts;

-- blocks: the blocks of the requested states, each with a key that is one number.
--
-- zone    public
-- reads   geography_rows  one row per row of the geography files
-- writes  one row per block of the requested states
--           block_key   bigint   the 15 digits of state, county, tract and block
--           TABBLKST    varchar  state, 2 digits
--           TABBLKCOU   varchar  county in the state, 3 digits
--           TABTRACTCE  varchar  tract in the county, 6 digits
--           TABBLK      varchar  block in the tract, 4 digits
--           PLACEFP     varchar  place in the state, 5 digits; 99999 none
--           AIANNHCE    varchar  AIANNH area, 4 digits; 9999 none
-- params  $states  varchar[]  two-digit codes of the requested states
--         {{ extra_columns }}  further columns of the file, for region types of your own
-- seconds 2
-- source  tabulation.md sections 2.2 and 3 (the regions of a run are those of this file)
-- why     Persons are joined to blocks on block_key: joining 331 million rows on one number is cheap, joining them on
--         four texts is not.
create or replace table "blocks" as
select
    cast(
        geography_rows.TABBLKST || geography_rows.TABBLKCOU || geography_rows.TABTRACTCE || geography_rows.TABBLK
        as bigint
    ) as block_key,
    geography_rows.TABBLKST,
    geography_rows.TABBLKCOU,
    geography_rows.TABTRACTCE,
    geography_rows.TABBLK,
    geography_rows.PLACEFP,
    geography_rows.AIANNHCE
from geography_rows
where list_contains(['01'], geography_rows.TABBLKST);

-- iterations: the characteristic iterations that may be tabulated, numbered.
--
-- zone    public
-- reads   iteration_rows  one row per row of either iteration list
-- writes  one row per characteristic iteration of level 1 or 2
--           iteration_id      integer  1, 2, ... in the order of the iteration codes
--           iteration_code    varchar  characteristic iteration, 4 digits
--           iteration_name    varchar  its name
--           iteration_level   integer  1 regional, 2 detailed
--           iteration_kind    varchar  alone, combination or ethnicity
--           is_detailed_only  boolean  tabulated at nation- and state-like regions only, total only
--           is_coarse_only    boolean  tabulated at sub-state regions only
-- source  tabulation.md section 4 (level 0 is dropped)
create or replace table "iterations" as
select
    cast(row_number() over (order by iteration_rows.iteration_code) as integer) as iteration_id,
    iteration_rows.iteration_code,
    iteration_rows.iteration_name,
    iteration_rows.iteration_level,
    iteration_rows.iteration_kind,
    iteration_rows.is_detailed_only,
    iteration_rows.is_coarse_only
from iteration_rows
where iteration_rows.iteration_level > 0;

-- levels: the population group levels of the run, in the order of the parameters.
--
-- zone    public
-- writes  one row per population group level
--           level_id         integer  1, 2, ...
--           region_type      varchar  USA, STATE, COUNTY, ...
--           iteration_level  integer  1 regional, 2 detailed
--           is_sub_state     boolean  whether the region type lies below states
-- params  $level_region_types      varchar[]  region type of each level with a budget above zero
--         $level_iteration_levels  integer[]  iteration level of each, in the same order
--         $level_is_sub_state      boolean[]  whether its region type lies below states
-- source  paper section 2; tabulation.md section 1
create or replace table "levels" as
with listed_levels as (
    select unnest(
        list_zip(
            range(1, len(['USA', 'COUNTY']) + 1),
            ['USA', 'COUNTY'],
            [1, 2],
            [false, true]
        )
    ) as level_fields
)

select
    cast(listed_levels.level_fields[1] as integer) as level_id,
    cast(listed_levels.level_fields[2] as varchar) as region_type,
    cast(listed_levels.level_fields[3] as integer) as iteration_level,
    cast(listed_levels.level_fields[4] as boolean) as is_sub_state
from listed_levels;

-- finest_cells: the sex-by-age cells that no statistic splits.
--
-- zone    public
-- reads   age_bins  one row per stat level and age bin
-- writes  one row per sex and finest age bin
--           finest_position  utinyint  0, 1, ... by sex, then age
--           sex              utinyint  1 male, 2 female
--           age_start        utinyint  first age of the bin, years
--           age_end          utinyint  last age of the bin, years
-- source  tabulation.md section 5
-- why     Every cell of every statistic is a sum of these cells, so a person's sex and age can be stored as one small
--         number (46 values instead of 232) before people are counted.
create or replace table "finest_cells" as
with bin_starts as (
    -- one row per finest age bin
    select distinct age_bins.age_start
    from age_bins
),

finest_bins as (
    -- one row per finest age bin
    select
        bin_starts.age_start,
        lead(bin_starts.age_start, 1, 116) over (order by bin_starts.age_start) - 1 as age_end
    from bin_starts
),

sexes as (
    select unnest([1, 2]) as sex
)

select
    cast(row_number() over (order by sexes.sex, finest_bins.age_start) - 1 as utinyint) as finest_position,
    cast(sexes.sex as utinyint) as sex,
    cast(finest_bins.age_start as utinyint) as age_start,
    cast(finest_bins.age_end as utinyint) as age_end
from finest_bins
cross join sexes;

-- statistic_cells: the sex-by-age cells of each statistic, in the order they are measured.
--
-- zone    public
-- reads   age_bins  one row per stat level and age bin
-- writes  one row per stat level, sex and age bin
--           stat_level     tinyint  1 age4, 2 age9, 3 age23
--           cell_position  integer  0, 1, ... by sex, then age
--           sex            tinyint  1 male, 2 female
--           age_start      tinyint  first age of the bin, years
--           age_end        tinyint  last age of the bin, years
-- source  tabulation.md section 5
create or replace table "statistic_cells" as
with sexes as (
    select unnest([1, 2]) as sex
)

select
    age_bins.stat_level,
    cast(
        row_number() over (partition by age_bins.stat_level order by sexes.sex, age_bins.age_start) - 1
        as integer
    ) as cell_position,
    cast(sexes.sex as tinyint) as sex,
    age_bins.age_start,
    age_bins.age_end
from age_bins
cross join sexes;

-- block_regions: the region of every region type that each block lies in.
--
-- zone    public
-- reads   blocks  one row per block of the requested states
-- writes  one row per block
--           block_key           bigint   key of blocks
--           {{ region_types }}  varchar  one column per region type: the id of its region, NULL for none
-- params  {{ region_types }}  name, id expression, none id and part (US or PR) of each tabulated region type
-- seconds 2
-- source  tabulation.md section 3
-- why     Regions come from the public geography, never from where people are: a region with nobody in it is
--         tabulated like any other.
create or replace table "block_regions" as
select
    blocks.block_key,
    case
        when (blocks.TABBLKST = '72') = (false)
            then nullif(cast('1' as varchar), '')
    end as "USA",
    case
        when (blocks.TABBLKST = '72') = (false)
            then nullif(cast(TABBLKST || TABBLKCOU as varchar), '')
    end as "COUNTY"
from blocks;

-- code_iterations: the detailed codes of each tabulated iteration, as numbers.
--
-- zone    public
-- reads   code_iteration_rows  one row per row of the code-to-iteration list
--         iterations           one row per characteristic iteration of level 1 or 2
-- writes  one row per code and iteration of level 1 or 2
--           code            usmallint  race or ethnicity code, as the number its four digits spell
--           iteration_id    integer    key of iterations
--           iteration_kind  varchar    alone, combination or ethnicity
-- source  tabulation.md sections 2.3 and 4
-- why     A pair that is listed twice counts once.
create or replace table "code_iterations" as
select distinct
    cast(code_iteration_rows.code as usmallint) as code,
    iterations.iteration_id,
    iterations.iteration_kind
from code_iteration_rows
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
--           is_total_only       boolean  the paper's TotalOnly: a noisy total and nothing else
-- source  tabulation.md section 4.1; paper Algorithm 2, line 7
-- why     Nation- and state-like regions leave out coarse-only iterations, sub-state regions detailed-only ones.
create or replace table "level_iterations" as
select
    levels.level_id,
    iterations.iteration_id,
    cast(
        row_number() over (partition by levels.level_id order by iterations.iteration_id) - 1 as integer
    ) as iteration_position,
    iterations.is_detailed_only as is_total_only
from levels
inner join iterations
    on
        levels.iteration_level = iterations.iteration_level
        and (
            (levels.is_sub_state and not iterations.is_detailed_only)
            or (not levels.is_sub_state and not iterations.is_coarse_only)
        );

-- finest_ages: the finest cell that each sex and single year of age falls in.
--
-- zone    public
-- reads   finest_cells  one row per sex and finest age bin
-- writes  one row per sex and year of age, 0 to 115
--           sex              utinyint  1 male, 2 female
--           age              utinyint  years
--           finest_position  utinyint  key of finest_cells
-- source  tabulation.md section 5
-- why     With this table people are joined to age bins on equal ages, not on a range of ages.
create or replace table "finest_ages" as
select
    finest_cells.sex,
    cast(unnest(range(finest_cells.age_start, finest_cells.age_end + 1)) as utinyint) as age,
    finest_cells.finest_position
from finest_cells;

-- statistic_finest_cells: the cell of each statistic that each finest cell belongs to.
--
-- zone    public
-- reads   statistic_cells  one row per stat level, sex and age bin
--         finest_cells     one row per sex and finest age bin
-- writes  one row per stat level and finest cell
--           stat_level       tinyint   1 age4, 2 age9, 3 age23
--           finest_position  utinyint  key of finest_cells
--           cell_position    integer   key of statistic_cells within the stat level
-- source  tabulation.md section 5
create or replace table "statistic_finest_cells" as
select
    statistic_cells.stat_level,
    finest_cells.finest_position,
    statistic_cells.cell_position
from statistic_cells
inner join finest_cells
    on
        statistic_cells.sex = finest_cells.sex
        and finest_cells.age_start between statistic_cells.age_start and statistic_cells.age_end;

-- geo_units: the finest pieces of geography: all blocks of a geo unit lie in the same regions.
--
-- zone    public
-- reads   block_regions  one row per block
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
        block_regions."USA",
        block_regions."COUNTY",
    from block_regions
)

select
    cast(
        row_number() over (
            order by
                distinct_regions."USA",
                distinct_regions."COUNTY",
        ) as integer
    ) as geo_unit_id,
    distinct_regions."USA",
    distinct_regions."COUNTY"
from distinct_regions;

-- level_stability: how many population groups of each level one person can belong to, at the most.
--
-- zone    public
-- reads   levels            one row per population group level
--         level_iterations  one row per population group level and iteration it tabulates
--         code_iterations   one row per code and iteration of level 1 or 2
-- writes  one row per population group level
--           level_id            integer  key of levels
--           widest_alone        bigint   most alone iterations that one code maps to
--           widest_combination  bigint   most alone-or-in-combination iterations that one code maps to
--           widest_ethnicity    bigint   most ethnicity iterations that one code maps to
--           is_nested           boolean  whether the codes of each alone iteration share all combination iterations
--           stability           bigint   s, the most population groups that one person can be in; at least 1
-- params  $max_race_codes  integer  race columns that are read, 1 to 8
-- source  tabulation.md section 4.3; paper Algorithm 1, line 8
-- why     A person with m race codes is in at most m x widest_combination combination iterations, and in an alone
--         iteration only if it holds every one of those codes. If all codes of each alone iteration map to the same
--         combination iterations (is_nested), a person in an alone iteration is in at most widest_combination
--         combination iterations, so max(2, m) x widest_combination bounds both cases. Otherwise the bound is the plain
--         sum. It is computed from the code lists alone, never from records.
create or replace table "level_stability" as
with level_codes as (
    -- one row per level, iteration it tabulates and code of the iteration
    select
        level_iterations.level_id,
        code_iterations.iteration_kind,
        code_iterations.iteration_id,
        code_iterations.code
    from level_iterations
    inner join code_iterations on level_iterations.iteration_id = code_iterations.iteration_id
),

mapped_codes as (
    -- one row per level, kind and code
    select
        level_codes.level_id,
        level_codes.iteration_kind,
        level_codes.code,
        count(*) as iterations,
        list(level_codes.iteration_id order by level_codes.iteration_id) as iteration_ids
    from level_codes
    group by level_codes.level_id, level_codes.iteration_kind, level_codes.code
),

widest_codes as (
    -- one row per level
    select
        levels.level_id,
        coalesce(max(mapped_codes.iterations) filter (where mapped_codes.iteration_kind = 'alone'), 0)
            as widest_alone,
        coalesce(max(mapped_codes.iterations) filter (where mapped_codes.iteration_kind = 'combination'), 0)
            as widest_combination,
        coalesce(max(mapped_codes.iterations) filter (where mapped_codes.iteration_kind = 'ethnicity'), 0)
            as widest_ethnicity
    from levels
    left join mapped_codes on levels.level_id = mapped_codes.level_id
    group by levels.level_id
),

split_alone_iterations as (
    -- one row per level and alone iteration whose codes fall in different combination iterations
    select
        level_codes.level_id,
        level_codes.iteration_id
    from level_codes
    left join mapped_codes
        on
            level_codes.level_id = mapped_codes.level_id
            and level_codes.code = mapped_codes.code
            and mapped_codes.iteration_kind = 'combination'
    where level_codes.iteration_kind = 'alone'
    group by level_codes.level_id, level_codes.iteration_id
    having count(distinct coalesce(mapped_codes.iteration_ids, [])) > 1
),

judged_levels as (
    -- one row per level
    select
        widest_codes.level_id,
        widest_codes.widest_alone,
        widest_codes.widest_combination,
        widest_codes.widest_ethnicity,
        (
            widest_codes.widest_alone <= widest_codes.widest_combination
            and widest_codes.level_id not in (select split_alone_iterations.level_id from split_alone_iterations)
        ) as is_nested
    from widest_codes
)

select
    judged_levels.level_id,
    judged_levels.widest_alone,
    judged_levels.widest_combination,
    judged_levels.widest_ethnicity,
    judged_levels.is_nested,
    greatest(
        1,
        case
            when judged_levels.is_nested
                then judged_levels.widest_combination * greatest(2, 3)
            else judged_levels.widest_alone + judged_levels.widest_combination * 3
        end + judged_levels.widest_ethnicity
    ) as stability
from judged_levels;

-- block_geo_units: the geo unit each block lies in.
--
-- zone    public
-- reads   block_regions  one row per block
--         geo_units      one row per distinct combination of regions
-- writes  one row per block
--           block_key    bigint   key of blocks
--           geo_unit_id  integer  key of geo_units
-- params  {{ region_types }}  name of each tabulated region type
-- source  tabulation.md section 3
create or replace table "block_geo_units" as
select
    block_regions.block_key,
    geo_units.geo_unit_id
from block_regions
inner join geo_units
    on
        true
        and block_regions."USA" is not distinct from geo_units."USA"
        and block_regions."COUNTY" is not distinct from geo_units."COUNTY";

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
        "COUNTY",
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
        "COUNTY",
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

-- region_breadth: which regions are broad, and which local.
--
-- zone    public
-- reads   geo_units  one row per distinct combination of regions
--         regions    one row per region
-- writes  one row per region
--           region_key  integer  key of regions
--           is_broad    boolean  whether the nation has at least 20 times as many geo units as regions of this type
-- source  none: the way a region is counted changes the time it takes, never the count
-- why     Nation, states, counties and AIANNH areas are few, and nearly all of their population groups that have people
--         get a sex-by-age table: their people are counted by all iterations at once. Tracts and places are many, and
--         few of their groups get a table: only the people of those groups are looked up.
create or replace table "region_breadth" as
select
    regions.region_key,
    count(*) over (partition by regions.region_type) * 20 <= (select count(*) from geo_units) as is_broad
from regions;

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

-- broad_geo_units: the broad geo unit that each geo unit belongs to.
--
-- zone    public
-- reads   geo_unit_regions  one row per geo unit and region it lies in
--         region_breadth    one row per region
-- writes  one row per geo unit that lies in a broad region
--           geo_unit_id        integer    key of geo_units
--           broad_geo_unit_id  integer    1, 2, ...; geo units that lie in the same broad regions share it
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
    cast(dense_rank() over (order by geo_unit_region_lists.region_keys) as integer) as broad_geo_unit_id,
    geo_unit_region_lists.region_keys
from geo_unit_region_lists;

-- broad_geo_unit_regions: the broad regions that each broad geo unit lies in.
--
-- zone    public
-- reads   broad_geo_units  one row per geo unit that lies in a broad region
-- writes  one row per broad geo unit and broad region it lies in
--           broad_geo_unit_id  integer  key of broad_geo_units
--           region_key         integer  key of regions
-- source  tabulation.md section 3
create or replace table "broad_geo_unit_regions" as
with distinct_geo_units as (
    -- one row per broad geo unit
    select distinct
        broad_geo_units.broad_geo_unit_id,
        broad_geo_units.region_keys
    from broad_geo_units
)

select
    distinct_geo_units.broad_geo_unit_id,
    unnest(distinct_geo_units.region_keys) as region_key
from distinct_geo_units;

-- persons: the people of the requested states, as a few small numbers each.
--
-- zone    confidential
-- reads   person_records   one row per person
--         block_geo_units  one row per block
--         finest_ages      one row per sex and year of age, 0 to 115
-- writes  one row per person who lives in a block of the requested states
--           geo_unit_id        integer    key of geo_units
--           finest_position    utinyint   key of finest_cells: sex and age
--           race_codes_1_to_4  bigint     QRACE1..QRACE4, four decimal digits each; 0000 none
--           race_codes_5_to_8  bigint     QRACE5..QRACE8, likewise
--           ethnicity_code     usmallint  QSPAN as a number
-- seconds 65
-- source  tabulation.md sections 2.1 and 3
-- why     The count reads the text of 331 million records only here. Blocks are joined on one number. Race codes are
--         packed into two numbers, the keys of the next step. Empty race columns are not converted to numbers, because
--         most people have a single code.
create or replace table "persons" as
select
    block_geo_units.geo_unit_id,
    finest_ages.finest_position,
    (
        cast(person_records.QRACE1 as bigint) * 1000000000000
        + case when person_records.QRACE2 is null then 0 else cast(person_records.QRACE2 as bigint) * 100000000 end
        + case when person_records.QRACE3 is null then 0 else cast(person_records.QRACE3 as bigint) * 10000 end
        + case when person_records.QRACE4 is null then 0 else cast(person_records.QRACE4 as bigint) end
    ) as race_codes_1_to_4,
    (
        case when person_records.QRACE5 is null then 0 else cast(person_records.QRACE5 as bigint) * 1000000000000 end
        + case when person_records.QRACE6 is null then 0 else cast(person_records.QRACE6 as bigint) * 100000000 end
        + case when person_records.QRACE7 is null then 0 else cast(person_records.QRACE7 as bigint) * 10000 end
        + case when person_records.QRACE8 is null then 0 else cast(person_records.QRACE8 as bigint) end
    ) as race_codes_5_to_8,
    cast(person_records.QSPAN as usmallint) as ethnicity_code
from person_records
inner join block_geo_units
    on
        (
            cast(person_records.TABBLKST as bigint) * 10000000000000
            + cast(person_records.TABBLKCOU as bigint) * 10000000000
            + cast(person_records.TABTRACTCE as bigint) * 10000
            + cast(person_records.TABBLK as bigint)
        ) = block_geo_units.block_key
inner join finest_ages
    on
        cast(person_records.QSEX as utinyint) = finest_ages.sex
        and cast(person_records.QAGE as utinyint) = finest_ages.age;

-- answers: the distinct answers of a slice of geo units to the race question, and to the ethnicity question.
--
-- zone    confidential
-- kind    slice
-- reads   persons  one row per person who lives in a block of the requested states
-- writes  one row per distinct answer to either question in the slice
--           answer_id          integer    1, 2, ...
--           race_codes_1_to_4  bigint     four race codes of four decimal digits, 0000 none; NULL for ethnicity
--           race_codes_5_to_8  bigint     likewise
--           ethnicity_code     usmallint  ethnicity code; NULL for race
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 7
-- source  tabulation.md section 4
-- why     Iterations depend on the answer alone, so each distinct answer is looked up once, and not once for each
--         person. The two questions are kept apart, because pairs of answers are many times as numerous. Answers are
--         numbered one slice at a time, so that the iterations of an answer are found in memory: a nation takes ten
--         times as long as a tenth of it.
create or replace table "answers" as
with distinct_answers as (
    -- one row per distinct answer to either question
    select distinct
        persons.race_codes_1_to_4,
        persons.race_codes_5_to_8,
        cast(null as usmallint) as ethnicity_code
    from persons
    where persons.geo_unit_id between 1 and 2147483647
    union all
    select distinct
        cast(null as bigint) as race_codes_1_to_4,
        cast(null as bigint) as race_codes_5_to_8,
        persons.ethnicity_code
    from persons
    where persons.geo_unit_id between 1 and 2147483647
)

select
    cast(
        row_number() over (
            order by
                distinct_answers.race_codes_1_to_4,
                distinct_answers.race_codes_5_to_8,
                distinct_answers.ethnicity_code
        ) as integer
    ) as answer_id,
    distinct_answers.race_codes_1_to_4,
    distinct_answers.race_codes_5_to_8,
    distinct_answers.ethnicity_code
from distinct_answers;

-- answer_codes: the race codes of each answer to the race question, as a set.
--
-- zone    confidential
-- kind    slice
-- reads   answers  one row per distinct answer to either question in the slice
-- writes  one row per answer and distinct race code
--           answer_id  integer    key of answers
--           code       usmallint  race code
-- seconds 3
-- source  tabulation.md section 2.1 (a code that a person gives twice counts once)
create or replace table "answer_codes" as
with unpacked_answers as (
    -- one row per answer and race column
    select
        answers.answer_id,
        unnest([
            answers.race_codes_1_to_4 // 1000000000000,
            answers.race_codes_1_to_4 // 100000000 % 10000,
            answers.race_codes_1_to_4 // 10000 % 10000,
            answers.race_codes_1_to_4 % 10000,
            answers.race_codes_5_to_8 // 1000000000000,
            answers.race_codes_5_to_8 // 100000000 % 10000,
            answers.race_codes_5_to_8 // 10000 % 10000,
            answers.race_codes_5_to_8 % 10000
        ]) as code
    from answers
)

select distinct
    unpacked_answers.answer_id,
    cast(unpacked_answers.code as usmallint) as code
from unpacked_answers
where unpacked_answers.code > 0;

-- members: the people of the requested states by geo unit, finest cell and answers.
--
-- zone    confidential
-- kind    slices
-- reads   persons  one row per person who lives in a block of the requested states
--         answers  one row per distinct answer to either question in the slice
-- writes  one row per person
--           geo_unit_id          integer   key of geo_units
--           finest_position      utinyint  key of finest_cells: sex and age
--           race_answer_id       integer   key of answers, within the slice of the geo unit
--           ethnicity_answer_id  integer   likewise
-- drops   persons
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 21
-- source  tabulation.md section 4
-- why     A person's population groups are all pairs of a region of the geo unit and an iteration of either answer.
--         These pairs are never written out for each person: people are counted by geo unit and answer first, and then
--         the counts are spread over regions and iterations.
create or replace table "members" as
select
    persons.geo_unit_id,
    persons.finest_position,
    race_answers.answer_id as race_answer_id,
    ethnicity_answers.answer_id as ethnicity_answer_id
from persons
inner join answers as race_answers
    on
        persons.race_codes_1_to_4 = race_answers.race_codes_1_to_4
        and persons.race_codes_5_to_8 = race_answers.race_codes_5_to_8
inner join answers as ethnicity_answers
    on persons.ethnicity_code = ethnicity_answers.ethnicity_code
where persons.geo_unit_id between 1 and 2147483647;

-- answer_iterations: the characteristic iterations that people with each answer belong to.
--
-- zone    confidential
-- kind    slices
-- reads   answers          one row per distinct answer to either question in the slice
--         answer_codes     one row per answer and distinct race code
--         code_iterations  one row per code and iteration of level 1 or 2
-- writes  one row per slice of geo units, answer and iteration
--           first_geo_unit_id  integer  first geo unit of the slice
--           answer_id          integer  key of answers, within the slice
--           iteration_id       integer  key of iterations
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
-- seconds 9
-- source  tabulation.md section 4; the paper's g_i (Algorithm 1, line 7), regions apart
-- why     A person is in a combination iteration that holds at least one of the person's codes, and in an alone
--         iteration that holds all of them. Such an alone iteration also holds the smallest code, so only iterations
--         that hold the smallest code are tested, not every pair of answer and iteration: those pairs take most of the
--         time where a tenth of a nation has codes that nobody else has.
create or replace table "answer_iterations" as
with code_sets as (
    -- one row per answer to the race question
    select
        answer_codes.answer_id,
        min(answer_codes.code) as smallest_code,
        count(*) as codes
    from answer_codes
    group by answer_codes.answer_id
),

alone_candidates as (
    -- one row per answer and alone iteration that holds its smallest code
    select
        code_sets.answer_id,
        code_sets.codes,
        code_iterations.iteration_id
    from code_sets
    inner join code_iterations on code_sets.smallest_code = code_iterations.code
    where code_iterations.iteration_kind = 'alone'
),

alone_iterations as (
    -- one row per answer and alone iteration that holds every code of the answer
    select
        alone_candidates.answer_id,
        alone_candidates.iteration_id
    from alone_candidates
    inner join answer_codes on alone_candidates.answer_id = answer_codes.answer_id
    inner join code_iterations
        on
            answer_codes.code = code_iterations.code
            and alone_candidates.iteration_id = code_iterations.iteration_id
    group by alone_candidates.answer_id, alone_candidates.iteration_id, alone_candidates.codes
    having count(*) = alone_candidates.codes
)

select distinct
    1 as first_geo_unit_id,
    answer_codes.answer_id,
    code_iterations.iteration_id
from answer_codes
inner join code_iterations on answer_codes.code = code_iterations.code
where code_iterations.iteration_kind = 'combination'
union all
select
    1 as first_geo_unit_id,
    alone_iterations.answer_id,
    alone_iterations.iteration_id
from alone_iterations
union all
select
    1 as first_geo_unit_id,
    answers.answer_id,
    code_iterations.iteration_id
from answers
inner join code_iterations on answers.ethnicity_code = code_iterations.code
where code_iterations.iteration_kind = 'ethnicity';

-- member_answers: the people of the requested states, once with each of their two answers.
--
-- zone    confidential
-- kind    view
-- reads   members  one row per person
-- writes  one row per person and question
--           geo_unit_id      integer   key of geo_units
--           finest_position  utinyint  key of finest_cells: sex and age
--           answer_id        integer   key of answers, within the slice of the geo unit
-- source  tabulation.md section 4
-- why     No iteration mixes the two questions, so each person is counted once for the answer to each question.
create or replace view "member_answers" as
select
    members.geo_unit_id,
    members.finest_position,
    members.race_answer_id as answer_id
from members
union all
select
    members.geo_unit_id,
    members.finest_position,
    members.ethnicity_answer_id as answer_id
from members;

-- broad_answers: how many people of each broad geo unit gave each answer, by sex and age.
--
-- zone    confidential
-- kind    slice
-- reads   member_answers   one row per person and question
--         broad_geo_units  one row per geo unit that lies in a broad region
-- writes  one row per broad geo unit, answer and finest cell with people in the slice
--           broad_geo_unit_id  integer   key of broad_geo_units
--           answer_id          integer   key of answers, within the slice
--           finest_position    utinyint  key of finest_cells: sex and age
--           exact_count        bigint    persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 20
-- source  paper Algorithm 2, lines 20-31
-- why     People are counted before they are spread over iterations, because most people of a county share few answers.
--         Like every table that counts people it is made one slice of geo units at a time, so that the counts of a
--         slice fit into memory.
create or replace table "broad_answers" as
select
    broad_geo_units.broad_geo_unit_id,
    member_answers.answer_id,
    member_answers.finest_position,
    count(*) as exact_count
from member_answers
inner join broad_geo_units on member_answers.geo_unit_id = broad_geo_units.geo_unit_id
where member_answers.geo_unit_id between 1 and 2147483647
group by broad_geo_units.broad_geo_unit_id, member_answers.answer_id, member_answers.finest_position;

-- geo_unit_answers: how many people of each geo unit gave each answer.
--
-- zone    confidential
-- kind    slices
-- reads   member_answers  one row per person and question
-- writes  one row per geo unit and answer with people
--           geo_unit_id  integer  key of geo_units
--           answer_id    integer  key of answers, within the slice of the geo unit
--           exact_count  bigint   persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 9
-- source  tabulation.md section 4
create or replace table "geo_unit_answers" as
select
    member_answers.geo_unit_id,
    member_answers.answer_id,
    count(*) as exact_count
from member_answers
where member_answers.geo_unit_id between 1 and 2147483647
group by member_answers.geo_unit_id, member_answers.answer_id;

-- broad_iterations: how many people of each broad geo unit belong to each characteristic iteration, by sex and age.
--
-- zone    confidential
-- kind    slices
-- reads   broad_answers      one row per broad geo unit, answer and finest cell with people in the slice
--         answer_iterations  one row per slice of geo units, answer and iteration
-- writes  one row per broad geo unit, iteration, finest cell with people and slice of geo units
--           broad_geo_unit_id  integer   key of broad_geo_units
--           iteration_id       integer   key of iterations
--           finest_position    utinyint  key of finest_cells: sex and age
--           exact_count        bigint    persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
-- seconds 16
-- source  paper Algorithm 2, lines 20-31
create or replace table "broad_iterations" as
select
    broad_answers.broad_geo_unit_id,
    answer_iterations.iteration_id,
    broad_answers.finest_position,
    cast(sum(broad_answers.exact_count) as bigint) as exact_count
from broad_answers
inner join answer_iterations on broad_answers.answer_id = answer_iterations.answer_id
where answer_iterations.first_geo_unit_id = 1
group by broad_answers.broad_geo_unit_id, answer_iterations.iteration_id, broad_answers.finest_position;

-- geo_unit_iterations: how many people of each geo unit belong to each characteristic iteration.
--
-- zone    confidential
-- kind    slices
-- reads   geo_unit_answers   one row per geo unit and answer with people
--         answer_iterations  one row per slice of geo units, answer and iteration
-- writes  one row per geo unit and iteration with people
--           geo_unit_id   integer  key of geo_units
--           iteration_id  integer  key of iterations
--           exact_count   bigint   persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 13
-- source  tabulation.md section 4; paper Algorithm 1, line 7
-- why     Here, and only here, counts of people are spread over iterations; each region then adds up the counts of its
--         geo units.
create or replace table "geo_unit_iterations" as
select
    geo_unit_answers.geo_unit_id,
    answer_iterations.iteration_id,
    cast(sum(geo_unit_answers.exact_count) as bigint) as exact_count
from geo_unit_answers
inner join answer_iterations on geo_unit_answers.answer_id = answer_iterations.answer_id
where
    geo_unit_answers.geo_unit_id between 1 and 2147483647
    and answer_iterations.first_geo_unit_id = 1
group by geo_unit_answers.geo_unit_id, answer_iterations.iteration_id;

-- group_totals: how many people each population group has.
--
-- zone    confidential
-- reads   geo_unit_iterations  one row per geo unit and iteration with people
--         geo_unit_regions     one row per geo unit and region it lies in
--         level_regions        one row per population group level and region
--         level_iterations     one row per population group level and iteration it tabulates
-- writes  one row per population group with people
--           population_group_id  bigint  first id of its region and level + iteration position
--           exact_count          bigint  persons, >= 1
-- seconds 8
-- source  paper Algorithm 1, lines 7-10
-- why     Groups without people have no row here and get a count of zero when noise is added: the rows of this table
--         must never decide which rows are published.
create or replace table "group_totals" as
with counted_iterations as (
    -- one row per region and iteration with people
    select
        geo_unit_regions.region_key,
        geo_unit_iterations.iteration_id,
        cast(sum(geo_unit_iterations.exact_count) as bigint) as exact_count
    from geo_unit_iterations
    inner join geo_unit_regions on geo_unit_iterations.geo_unit_id = geo_unit_regions.geo_unit_id
    group by geo_unit_regions.region_key, geo_unit_iterations.iteration_id
)

select
    level_regions.first_population_group_id + level_iterations.iteration_position as population_group_id,
    counted_iterations.exact_count
from counted_iterations
inner join level_regions on counted_iterations.region_key = level_regions.region_key
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and counted_iterations.iteration_id = level_iterations.iteration_id;

-- RECORDED NOISE, FIRST TIME. For every population group, people or not, Python drew a noisy total and compared it with
-- the thresholds of its level; the groups in `stat_levels` earned a table.
-- stat_levels: the population groups that earned a sex-by-age table, as the first noise decided.
--
-- zone    noisy
-- kind    python
-- writes  one row per population group with a sex-by-age table
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           stat_level           tinyint  1 age4, 2 age9, 3 age23; chosen by a noisy total
-- source  safetab_sql/mechanisms/tabulate.py, from group_totals: a noisy total of every group, people or not
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
create or replace table "stat_levels" (level_id integer, population_group_id bigint, stat_level tinyint);
insert into "stat_levels" values
    (1, 0, 2),
    (1, 1, 1),
    (2, 2, 2),
    (2, 4, 1),
    (2, 6, 1);

-- chosen_groups: the population groups whose noisy total earned them a sex-by-age table.
--
-- zone    confidential
-- reads   stat_levels       one row per population group with a sex-by-age table; filled by the mechanisms
--         level_sizes       one row per population group level
--         level_regions     one row per population group level and region
--         level_iterations  one row per population group level and iteration it tabulates
-- writes  one row per population group with a sex-by-age table
--           population_group_id  bigint   key of the group
--           region_key           integer  key of regions
--           iteration_id         integer  key of iterations
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- source  paper Algorithm 2, lines 18-31
-- why     The number of each group is turned back into its region and its iteration.
create or replace table "chosen_groups" as
with located_groups as (
    -- one row per population group with a sex-by-age table
    select
        stat_levels.population_group_id,
        stat_levels.stat_level,
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
    level_iterations.iteration_id,
    located_groups.stat_level
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

-- broad_group_finest_cells: exact counts by finest cell of the broad population groups with a sex-by-age table.
--
-- zone    confidential
-- reads   broad_iterations        one row per broad geo unit, iteration, finest cell with people and slice of geo units
--         broad_geo_unit_regions  one row per broad geo unit and broad region it lies in
--         chosen_groups           one row per population group with a sex-by-age table
-- writes  one row per broad population group, stat level and finest cell with people
--           population_group_id  bigint    key of the group
--           stat_level           tinyint   1 age4, 2 age9, 3 age23
--           finest_position      utinyint  key of finest_cells: sex and age
--           exact_count          bigint    persons, >= 1
-- seconds 5
-- source  paper Algorithm 2, lines 20-31
create or replace table "broad_group_finest_cells" as
select
    chosen_groups.population_group_id,
    chosen_groups.stat_level,
    broad_iterations.finest_position,
    cast(sum(broad_iterations.exact_count) as bigint) as exact_count
from broad_iterations
inner join broad_geo_unit_regions on broad_iterations.broad_geo_unit_id = broad_geo_unit_regions.broad_geo_unit_id
inner join chosen_groups
    on
        broad_geo_unit_regions.region_key = chosen_groups.region_key
        and broad_iterations.iteration_id = chosen_groups.iteration_id
group by
    chosen_groups.population_group_id,
    chosen_groups.stat_level,
    broad_iterations.finest_position;

-- local_groups: the local population groups with a sex-by-age table, by the geo units of their regions.
--
-- zone    confidential
-- reads   chosen_groups     one row per population group with a sex-by-age table
--         region_breadth    one row per region
--         geo_unit_regions  one row per geo unit and region it lies in
-- writes  one row per geo unit, local population group and stat level
--           geo_unit_id          integer  key of geo_units
--           iteration_id         integer  key of iterations
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- source  paper Algorithm 2, lines 20-31
-- why     A table of its own, because within local_answers the engine would start with this join, and with six times as
--         many rows.
create or replace table "local_groups" as
select
    geo_unit_regions.geo_unit_id,
    chosen_groups.iteration_id,
    chosen_groups.population_group_id,
    chosen_groups.stat_level
from chosen_groups
inner join region_breadth on chosen_groups.region_key = region_breadth.region_key
inner join geo_unit_regions on chosen_groups.region_key = geo_unit_regions.region_key
where not region_breadth.is_broad;

-- local_answers: the answers, by geo unit, whose people count in each sex-by-age table of a local group.
--
-- zone    confidential
-- kind    slice
-- reads   local_groups       one row per geo unit, local population group and stat level
--         geo_unit_answers   one row per geo unit and answer with people
--         answer_iterations  one row per slice of geo units, answer and iteration
-- writes  one row per geo unit of the slice, answer, local population group and stat level
--           geo_unit_id          integer  key of geo_units
--           answer_id            integer  key of answers, within the slice
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 13
-- source  paper Algorithm 2, lines 20-31
-- why     Built one slice at a time, because every person is joined to it: for the whole nation it would have 78
--         million rows, which do not fit into memory; a tenth of them does. It is a table of its own, because within
--         local_group_finest_cells the engine would join the people to the groups instead.
create or replace table "local_answers" as
select
    geo_unit_answers.geo_unit_id,
    geo_unit_answers.answer_id,
    local_groups.population_group_id,
    local_groups.stat_level
from geo_unit_answers
inner join answer_iterations on geo_unit_answers.answer_id = answer_iterations.answer_id
inner join local_groups
    on
        geo_unit_answers.geo_unit_id = local_groups.geo_unit_id
        and answer_iterations.iteration_id = local_groups.iteration_id
where
    answer_iterations.first_geo_unit_id = 1
    and geo_unit_answers.geo_unit_id between 1 and 2147483647
    and local_groups.geo_unit_id between 1 and 2147483647;

-- local_group_finest_cells: exact counts by finest cell of the local population groups with a sex-by-age table.
--
-- zone    confidential
-- kind    slices
-- reads   member_answers  one row per person and question
--         local_answers   one row per geo unit of the slice, answer, local population group and stat level
-- writes  one row per local population group, stat level, finest cell with people and slice of geo units
--           population_group_id  bigint    key of the group
--           stat_level           tinyint   1 age4, 2 age9, 3 age23
--           finest_position      utinyint  key of finest_cells: sex and age
--           exact_count          bigint    persons, >= 1
-- params  $first_geo_unit_id  integer  first geo unit of the slice, a key of geo_units
--         $last_geo_unit_id   integer  last geo unit of the slice
-- seconds 17
-- source  paper Algorithm 2, lines 20-31
-- why     The rows of each slice are appended to the rows of the slices before.
create or replace table "local_group_finest_cells" as
select
    local_answers.population_group_id,
    local_answers.stat_level,
    member_answers.finest_position,
    count(*) as exact_count
from member_answers
inner join local_answers
    on
        member_answers.geo_unit_id = local_answers.geo_unit_id
        and member_answers.answer_id = local_answers.answer_id
where member_answers.geo_unit_id between 1 and 2147483647
group by
    local_answers.population_group_id,
    local_answers.stat_level,
    member_answers.finest_position;

-- group_cells: exact sex-by-age counts of the population groups with a sex-by-age table.
--
-- zone    confidential
-- reads   broad_group_finest_cells  one row per broad population group, stat level and finest cell with people
--         local_group_finest_cells  one row per local population group, stat level, finest cell with people and slice
--         statistic_finest_cells    one row per stat level and finest cell
-- writes  one row per population group, stat level and sex-by-age cell with people
--           population_group_id  bigint   key of the group
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
--           cell_position        integer  key of statistic_cells within the stat level
--           exact_count          bigint   persons, >= 1
-- source  paper Algorithm 2, lines 20-31
-- why     Cells without people have no row here and get a count of zero when noise is added: the rows of this table
--         must never decide which rows are published. Finest cells are summed before they are joined to the bins of a
--         statistic: in one join with the people, the engine would repeat one side for all three statistics first.
create or replace table "group_cells" as
with group_finest_cells as (
    -- one row per population group, stat level, finest cell with people and, for local groups, slice of geo units
    select
        broad_group_finest_cells.population_group_id,
        broad_group_finest_cells.stat_level,
        broad_group_finest_cells.finest_position,
        broad_group_finest_cells.exact_count
    from broad_group_finest_cells
    union all
    select
        local_group_finest_cells.population_group_id,
        local_group_finest_cells.stat_level,
        local_group_finest_cells.finest_position,
        local_group_finest_cells.exact_count
    from local_group_finest_cells
)

select
    group_finest_cells.population_group_id,
    group_finest_cells.stat_level,
    statistic_finest_cells.cell_position,
    cast(sum(group_finest_cells.exact_count) as bigint) as exact_count
from group_finest_cells
inner join statistic_finest_cells
    on
        group_finest_cells.stat_level = statistic_finest_cells.stat_level
        and group_finest_cells.finest_position = statistic_finest_cells.finest_position
group by
    group_finest_cells.population_group_id,
    group_finest_cells.stat_level,
    statistic_finest_cells.cell_position;

-- RECORDED NOISE, SECOND TIME. Python drew a noisy total of every group without a table, and every noisy cell of the
-- groups with one, people or not. A run goes on with a new connection, which holds noisy and public tables alone.
-- count_uncertainty: variance and margin of error of every kind of published count.
--
-- zone    public
-- kind    python
-- writes  one row per level, kind of group and number of counts summed
--           level_id       integer  key of levels
--           is_total_only  boolean  the paper's TotalOnly
--           summed_counts  integer  noisy counts in the sum
--           variance       double   of the noise in the sum, persons squared
--           moe95          double   half-width of the 95 % margin of error, persons
-- source  safetab_sql/published/uncertainty.py, from the laws of the noise
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
create or replace table "count_uncertainty" (level_id integer, is_total_only boolean, summed_counts integer, variance double, moe95 double);
insert into "count_uncertainty" values
    (1, true, 1, 0.9999997887677281, 2.0),
    (1, false, 1, 1.1111110820199626, 2.0),
    (1, false, 4, 4.44444432807985, 4.0),
    (1, false, 8, 8.8888886561597, 6.0),
    (1, false, 9, 9.999999738179664, 6.0),
    (1, false, 18, 19.999999476359328, 9.0),
    (1, false, 23, 25.555554886459138, 10.0),
    (1, false, 46, 51.111109772918276, 14.0),
    (2, true, 1, 0.49897913083282047, 1.0),
    (2, false, 1, 0.5551345791118107, 1.0),
    (2, false, 4, 2.220538316447243, 3.0),
    (2, false, 8, 4.441076632894486, 4.0),
    (2, false, 9, 4.996211212006297, 4.0),
    (2, false, 18, 9.992422424012593, 6.0),
    (2, false, 23, 12.768095319571646, 7.0),
    (2, false, 46, 25.536190639143292, 10.0);

-- noisy_cells: the noisy sex-by-age cells: exact cells plus the second noise.
--
-- zone    noisy
-- kind    python
-- writes  one row per published noisy sex-by-age cell
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           stat_level           tinyint  1 age4, 2 age9, 3 age23
--           cell_position        integer  key of statistic_cells within the stat level
--           noisy_count          bigint   persons; may be negative
-- source  safetab_sql/mechanisms/tabulate.py, from group_cells: noise on every cell, people or not
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
create or replace table "noisy_cells" (level_id integer, population_group_id bigint, stat_level tinyint, cell_position integer, noisy_count bigint);
insert into "noisy_cells" values
    (1, 1, 1, 0, 2),
    (1, 1, 1, 1, 3),
    (1, 1, 1, 2, 1),
    (1, 1, 1, 3, 3),
    (1, 1, 1, 4, 1),
    (1, 1, 1, 5, 3),
    (1, 1, 1, 6, 5),
    (1, 1, 1, 7, 3),
    (1, 0, 2, 0, 3),
    (1, 0, 2, 1, 3),
    (1, 0, 2, 2, 7),
    (1, 0, 2, 3, 1),
    (1, 0, 2, 4, 4),
    (1, 0, 2, 5, 1),
    (1, 0, 2, 6, 2),
    (1, 0, 2, 7, 7),
    (1, 0, 2, 8, 5),
    (1, 0, 2, 9, 0),
    (1, 0, 2, 10, 3),
    (1, 0, 2, 11, 9),
    (1, 0, 2, 12, 2),
    (1, 0, 2, 13, 4),
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
    (2, 6, 1, 5, 3),
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

-- noisy_totals: the noisy totals of the groups that are published without a sex-by-age table.
--
-- zone    noisy
-- kind    python
-- writes  one row per published noisy total
--           level_id             integer  key of levels
--           population_group_id  bigint   first id of its region and level + iteration position
--           noisy_count          bigint   persons; may be negative
-- source  safetab_sql/mechanisms/tabulate.py, from group_totals
-- why     Python fills this table. The statement below makes it empty, for those who run or check the SQL alone.
create or replace table "noisy_totals" (level_id integer, population_group_id bigint, noisy_count bigint);
insert into "noisy_totals" values
    (2, 3, 8),
    (2, 5, 4),
    (2, 7, 4),
    (2, 9, 3),
    (2, 12, 4),
    (2, 13, 3),
    (2, 14, 3);

-- published_groups: the names of the population groups that have a published count.
--
-- zone    published
-- reads   noisy_totals      one row per published noisy total; filled by the mechanisms
--         noisy_cells       one row per published noisy sex-by-age cell; filled by the mechanisms
--         levels            one row per population group level
--         level_sizes       one row per population group level
--         level_regions     one row per population group level and region
--         level_iterations  one row per population group level and iteration it tabulates
--         regions           one row per region
--         iterations        one row per characteristic iteration of level 1 or 2
-- writes  one row per population group with a published count
--           population_group_id  bigint   key of the group
--           level_id             integer  key of levels
--           is_total_only        boolean  the paper's TotalOnly
--           region_type          varchar  USA, STATE, COUNTY, ...
--           region_id            varchar  e.g. 44007 for a county
--           iteration_code       varchar  characteristic iteration, 4 digits
-- source  tabulation.md section 7
-- why     The number of each group is turned back into its region and its iteration.
create or replace table "published_groups" as
with numbered_groups as (
    -- one row per population group with a published count
    select
        noisy_totals.level_id,
        noisy_totals.population_group_id
    from noisy_totals
    union
    select
        noisy_cells.level_id,
        noisy_cells.population_group_id
    from noisy_cells
),

located_groups as (
    -- one row per population group with a published count
    select
        numbered_groups.level_id,
        numbered_groups.population_group_id,
        (
            (numbered_groups.population_group_id - level_sizes.first_population_group_id)
            % level_sizes.iterations
        ) as iteration_position
    from numbered_groups
    inner join level_sizes on numbered_groups.level_id = level_sizes.level_id
)

select
    located_groups.population_group_id,
    located_groups.level_id,
    level_iterations.is_total_only,
    levels.region_type,
    regions.region_id,
    iterations.iteration_code
from located_groups
inner join levels on located_groups.level_id = levels.level_id
inner join level_iterations
    on
        located_groups.level_id = level_iterations.level_id
        and located_groups.iteration_position = level_iterations.iteration_position
inner join iterations on level_iterations.iteration_id = iterations.iteration_id
inner join level_regions
    on
        located_groups.level_id = level_regions.level_id
        and (
            located_groups.population_group_id - located_groups.iteration_position
            = level_regions.first_population_group_id
        )
inner join regions on level_regions.region_key = regions.region_key;

-- t1: the published totals.
--
-- zone    published
-- reads   noisy_totals       one row per published noisy total; filled by the mechanisms
--         noisy_cells        one row per published noisy sex-by-age cell; filled by the mechanisms
--         published_groups   one row per population group with a published count
--         count_uncertainty  one row per level, kind of group and number of counts summed
-- writes  one row per population group with a published count
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           COUNT           bigint   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
-- source  tabulation.md sections 6.3 and 7
-- why     A group with a sex-by-age table has no total of its own: its total is the sum of its published cells.
create or replace table "t1" as
with summed_counts as (
    -- one row per population group with a published count
    select
        noisy_totals.population_group_id,
        noisy_totals.noisy_count,
        1 as summed_counts
    from noisy_totals
    union all
    select
        noisy_cells.population_group_id,
        cast(sum(noisy_cells.noisy_count) as bigint) as noisy_count,
        cast(count(*) as integer) as summed_counts
    from noisy_cells
    group by noisy_cells.population_group_id
)

select
    published_groups.region_id as REGION_ID,
    published_groups.region_type as REGION_TYPE,
    published_groups.iteration_code as ITERATION_CODE,
    summed_counts.noisy_count as COUNT,
    count_uncertainty.variance as VARIANCE,
    count_uncertainty.moe95 as MOE95
from summed_counts
inner join published_groups on summed_counts.population_group_id = published_groups.population_group_id
inner join count_uncertainty
    on
        published_groups.level_id = count_uncertainty.level_id
        and published_groups.is_total_only = count_uncertainty.is_total_only
        and summed_counts.summed_counts = count_uncertainty.summed_counts
order by
    published_groups.region_type,
    published_groups.region_id,
    published_groups.iteration_code;

-- t2: the published sex-by-age tables.
--
-- zone    published
-- reads   noisy_cells        one row per published noisy sex-by-age cell; filled by the mechanisms
--         statistic_cells    one row per stat level, sex and age bin
--         published_groups   one row per population group with a published count
--         count_uncertainty  one row per level, kind of group and number of counts summed
-- writes  one row per population group with a sex-by-age table, sex and age bin, and one per group and sex
--           REGION_ID       varchar  e.g. 44007 for a county
--           REGION_TYPE     varchar  USA, STATE, COUNTY, ...
--           ITERATION_CODE  varchar  characteristic iteration, 4 digits
--           AGESTART        varchar  first age of the bin, years; * for all ages
--           AGEEND          varchar  last age of the bin, years; * for all ages
--           SEX             varchar  1 male, 2 female
--           COUNT           bigint   persons, noisy; may be negative
--           VARIANCE        double   of the noise in COUNT, persons squared
--           MOE95           double   half-width of the 95 % margin of error, persons
-- source  tabulation.md sections 6.3 and 7
-- why     The marginal of each sex is the sum of its published cells, and comes before them.
create or replace table "t2" as
with named_cells as (
    -- one row per population group, sex and age bin
    select
        noisy_cells.population_group_id,
        statistic_cells.sex,
        statistic_cells.age_start,
        statistic_cells.age_end,
        noisy_cells.noisy_count
    from noisy_cells
    inner join statistic_cells
        on
            noisy_cells.stat_level = statistic_cells.stat_level
            and noisy_cells.cell_position = statistic_cells.cell_position
),

cells_and_marginals as (
    -- one row per population group, sex and age bin, and one per population group and sex
    select
        named_cells.population_group_id,
        named_cells.sex,
        named_cells.age_start,
        named_cells.age_end,
        named_cells.noisy_count,
        1 as summed_counts
    from named_cells
    union all
    select
        named_cells.population_group_id,
        named_cells.sex,
        null as age_start,
        null as age_end,
        cast(sum(named_cells.noisy_count) as bigint) as noisy_count,
        cast(count(*) as integer) as summed_counts
    from named_cells
    group by named_cells.population_group_id, named_cells.sex
)

select
    published_groups.region_id as REGION_ID,
    published_groups.region_type as REGION_TYPE,
    published_groups.iteration_code as ITERATION_CODE,
    coalesce(cast(cells_and_marginals.age_start as varchar), '*') as AGESTART,
    coalesce(cast(cells_and_marginals.age_end as varchar), '*') as AGEEND,
    cast(cells_and_marginals.sex as varchar) as SEX,
    cells_and_marginals.noisy_count as COUNT,
    count_uncertainty.variance as VARIANCE,
    count_uncertainty.moe95 as MOE95
from cells_and_marginals
inner join published_groups
    on cells_and_marginals.population_group_id = published_groups.population_group_id
inner join count_uncertainty
    on
        published_groups.level_id = count_uncertainty.level_id
        and published_groups.is_total_only = count_uncertainty.is_total_only
        and cells_and_marginals.summed_counts = count_uncertainty.summed_counts
order by
    published_groups.region_type,
    published_groups.region_id,
    published_groups.iteration_code,
    cells_and_marginals.age_start nulls first,
    cells_and_marginals.sex;

from t1;
from t2;
