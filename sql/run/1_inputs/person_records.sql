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
--           {{ place_columns }}  varchar  the columns that name its place, such as TABBLKST
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
--         {{ place_columns }}   name of each column of its place, and the expression that reads it
--         {{ person_columns }}  the expression that reads each column by its stored type: integers get their leading
--                        zeros back, the text Null becomes NULL, race columns past max_race_codes are NULL
-- source  tabulation.md section 2.1
-- why     A view, so that each statement scans only the columns it needs. The files are united by name, so that the
--         type of a column can hold the values of all files; its type in the first file may be narrower, or null.
select
    person_file,
    file_row_number + 1 as person_row,
    {{ person_columns.QAGE }} as QAGE,
    {{ person_columns.QSEX }} as QSEX,
    {%- for column in place_columns %}
    {{ column.read }} as {{ column.quoted }},
    {%- endfor %}
    {{ person_columns.QRACE1 }} as QRACE1,
    {{ person_columns.QRACE2 }} as QRACE2,
    {{ person_columns.QRACE3 }} as QRACE3,
    {{ person_columns.QRACE4 }} as QRACE4,
    {{ person_columns.QRACE5 }} as QRACE5,
    {{ person_columns.QRACE6 }} as QRACE6,
    {{ person_columns.QRACE7 }} as QRACE7,
    {{ person_columns.QRACE8 }} as QRACE8,
    {{ person_columns.QSPAN }} as QSPAN,
    {{ person_columns.QAGE_GIVEN }} as QAGE_GIVEN,
    {{ person_columns.PERSON_ID }} as PERSON_ID
from read_parquet($persons, filename = 'person_file', file_row_number = true, union_by_name = true)
