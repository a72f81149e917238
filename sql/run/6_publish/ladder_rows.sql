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
with numbered_rows as (
    -- one row per combination of published codes
    select unnest(range($ladder_rows)) as row_number
)

select
    cast(numbered_rows.row_number as integer) as row_id
    {%- for column in ladder_columns %},
    cast(
        list_extract({{ ladder_columns[column] | literal }}, numbered_rows.row_number + 1) as varchar
    ) as {{ column | quoted }}
    {%- endfor %}
    {%- for column in number_columns %},
    cast(
        list_extract({{ number_columns[column] | literal }}, numbered_rows.row_number + 1) as integer
    ) as {{ column | quoted }}
    {%- endfor %}
from numbered_rows
