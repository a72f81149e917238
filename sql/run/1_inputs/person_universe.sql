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
select
    person_file,
    file_row_number + 1 as person_row,
    {{ universe | met }} as is_inside
    {%- for column in universe_columns %},
    {{ column }} as {{ column | quoted }}
    {%- endfor %},
    {{ unread_columns | named("as_text") }}
from read_parquet(
    $persons, filename = 'person_file', file_row_number = true, union_by_name = $are_united, hive_types_autocast = false
)
where
    {{ part_read | met }}
