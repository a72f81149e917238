-- cube_lines: the groups that got one table of a ladder, and all their numbers, as entries of a file.
--
-- zone    published
-- reads   exported_rows   one row per row of t1 and of t2
--         exported_index  one row per population group with a published count
-- writes  one row per population group with that table
--           code     varchar  region type, region and iteration, with points between them
--           title    varchar  their names and codes, which differ where names do not
--           entry    varchar  code and title
--           numbers  varchar  the numbers of all cells, cell by cell
-- params  $table_statistic  varchar    the table, such as age4, or the name of the total
--         $cell_rows        integer[]  the row of each cell, in the order of cells; NULL where no row is published
--         $no_cell          varchar    the numbers of such a cell
--         $missing          varchar    what stands for a number that is not known
--         $separator        varchar    what stands between two numbers
--         $mark             varchar    what stands for a quotation mark in a text
--         $backslash        varchar    what stands for a backslash in a text
--         {{ noisy_counts }}  NOISY_COUNT where the tables have it
-- source  tabulation.md section 7.4
-- why     Few of thousands of counties and groups have a table: one dimension of groups has no gaps, for any reader.
with placed_cells as (
    -- one row per cell
    select
        unnest(range(len($cell_rows))) as cell_position,
        unnest(cast($cell_rows as integer[])) as row_id
),

written_cells as (
    -- one row per population group with that table and cell
    select
        exported_rows.REGION_TYPE,
        exported_rows.REGION_ID,
        exported_rows.ITERATION_CODE,
        placed_cells.cell_position,
        concat_ws(
            $separator,
            coalesce(cast(exported_rows.COUNT as varchar), $missing),
            coalesce(cast(exported_rows.VARIANCE as varchar), $missing),
            coalesce(cast(exported_rows.MOE95 as varchar), $missing),
            coalesce(cast(exported_rows.LOW95 as varchar), $missing),
            coalesce(cast(exported_rows.HIGH95 as varchar), $missing),
            {%- for column in noisy_counts %}
            coalesce(cast(exported_rows.{{ column }} as varchar), $missing),
            {%- endfor %}
            cast(cast(exported_rows.IS_MARGINAL as integer) as varchar)
        ) as numbers
    from exported_rows
    inner join placed_cells on exported_rows.row_id = placed_cells.row_id
    where exported_rows.STATISTIC = $table_statistic
    union all
    select
        exported_index.REGION_TYPE,
        exported_index.REGION_ID,
        exported_index.ITERATION_CODE,
        placed_cells.cell_position,
        $no_cell as numbers
    from exported_index
    inner join placed_cells on placed_cells.row_id is null
    where exported_index.STATISTIC = $table_statistic
),

joined_cells as (
    -- one row per population group with that table
    select
        written_cells.REGION_TYPE,
        written_cells.REGION_ID,
        written_cells.ITERATION_CODE,
        string_agg(written_cells.numbers, $separator order by written_cells.cell_position) as numbers
    from written_cells
    group by written_cells.REGION_TYPE, written_cells.REGION_ID, written_cells.ITERATION_CODE
),

named_groups as (
    -- one row per population group with that table
    select
        joined_cells.REGION_TYPE,
        joined_cells.REGION_ID,
        joined_cells.ITERATION_CODE,
        text_entry(
            joined_cells.REGION_TYPE || '.' || joined_cells.REGION_ID || '.' || joined_cells.ITERATION_CODE,
            $mark,
            $backslash
        ) as code,
        text_entry(
            coalesce(exported_index.REGION_NAME || ', ', '') || joined_cells.REGION_TYPE || ' '
            || joined_cells.REGION_ID || ': ' || coalesce(exported_index.ITERATION_NAME || ', ', '')
            || joined_cells.ITERATION_CODE,
            $mark,
            $backslash
        ) as title,
        joined_cells.numbers
    from joined_cells
    inner join exported_index
        on
            joined_cells.REGION_TYPE = exported_index.REGION_TYPE
            and joined_cells.REGION_ID = exported_index.REGION_ID
            and joined_cells.ITERATION_CODE = exported_index.ITERATION_CODE
)

select
    named_groups.code,
    named_groups.title,
    named_groups.code || ': ' || named_groups.title as entry,
    named_groups.numbers
from named_groups
order by named_groups.REGION_TYPE, named_groups.REGION_ID, named_groups.ITERATION_CODE
