-- suppressed_lines: the bounds of groups without a row, by region type and iteration, as entries of a file.
--
-- zone    published
-- reads   suppressed    one row per region type with suppressed totals and characteristic iteration that it tabulates
--         export_codes  one row per column with codes, and code that has a name
-- writes  one row per region type with suppressed totals and characteristic iteration that it tabulates
--           code     varchar  region type and iteration, with a point between them
--           title    varchar  their names and codes
--           entry    varchar  code and title
--           numbers  varchar  the two bounds
-- params  $separator  varchar  what stands between two numbers
--         $mark       varchar  what stands for a quotation mark in a text
--         $backslash  varchar  what stands for a backslash in a text
-- source  tabulation.md section 7.4
with named_kinds as (
    -- one row per region type with suppressed totals and iteration
    select
        suppressed.REGION_TYPE,
        suppressed.ITERATION_CODE,
        text_entry(suppressed.REGION_TYPE || '.' || suppressed.ITERATION_CODE, $mark, $backslash) as code,
        text_entry(
            suppressed.REGION_TYPE || ': ' || coalesce(export_codes.meaning || ', ', '') || suppressed.ITERATION_CODE,
            $mark,
            $backslash
        ) as title,
        concat_ws($separator, suppressed.SUPPRESSED_UP_TO, suppressed.HIGH95) as numbers
    from suppressed
    left join export_codes
        on export_codes.column_name = 'ITERATION_CODE' and suppressed.ITERATION_CODE = export_codes.code
)

select
    named_kinds.code,
    named_kinds.title,
    named_kinds.code || ': ' || named_kinds.title as entry,
    named_kinds.numbers
from named_kinds
order by named_kinds.REGION_TYPE, named_kinds.ITERATION_CODE
