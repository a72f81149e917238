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
--         {{ universe_columns }}  columns that tell which records count, and their values in the universe
--         {{ unread_columns }}  names of columns that only `validate` looks at
--         {{ person_shares }}     the number of a part of the persons, and how many parts there are, where not all are
--         {{ row_ranges }}  the rows that are read of the one file, from 0, where not all are
-- source  tabulation.md section 2.1
select
    person_file,
    file_row_number + 1 as person_row,
    true
    {%- for column in universe_columns %}
    and coalesce(list_contains({{ universe_columns[column] | literal }}, {{ column }}), false)
    {%- endfor %} as is_inside
    {%- for column in universe_columns %},
    {{ column }} as {{ column | quoted }}
    {%- endfor %}
    {%- for column in unread_columns %},
    as_text({{ column | quoted }}) as {{ column | quoted }}
    {%- endfor %}
from read_parquet(
    $persons, filename = 'person_file', file_row_number = true, union_by_name = $are_united, hive_types_autocast = false
)
where
    true
    {%- for rows in row_ranges %}
    and file_row_number >= {{ rows.first }}
    and file_row_number < {{ rows.end }}
    {%- endfor %}
    {%- for share in person_shares %}
    and coalesce(hash({{ share.person }}), 0) % {{ share.of }} = {{ share.number }}
    {%- endfor %}
