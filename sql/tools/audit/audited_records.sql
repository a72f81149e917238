-- audited_records: the person records, in the order in which the stability audit picks records to leave out.
--
-- zone    confidential
-- reads   person_records  one row per person
-- writes  one row per person
--           place          bigint   1, 2, ... from most codes to fewest; NULL outside the parts that are run
--           original_file  varchar  file that holds the record
--           original_row   bigint   its row number in that file, from 1
--           QAGE           integer  age in years
--           QSEX           varchar  1 male, 2 female
--           {{ block_columns }}  varchar  the columns that name its place, such as TABBLKST
--           {{ code_columns }}  varchar  the columns of the questions, such as QRACE1 and QSPAN
-- params  {{ code_columns }}   name of each column of a question
--         {{ block_columns }}  name of each column that names a place
--         {{ is_requested }}   whether a record may be of a part that is run, as far as its own columns say
-- source  evaluation.md section 4
-- why     A person with the most distinct codes is in the most population groups. The records are written to
--         several files; each record to be left out has a file of its own, so that the unchanged statements of a run
--         can read all but one record. For public or synthetic data only.
with counted_codes as (
    -- one row per person of the parts that are run
    select
        person_records.person_file,
        person_records.person_row,
        len(
            list_distinct([
                {%- for column in code_columns %}
                person_records.{{ column.quoted }},
                {%- endfor %}
            ])
        ) as codes
    from person_records
    where {{ is_requested }}
),

placed_persons as (
    -- one row per person of the parts that are run
    select
        counted_codes.person_file,
        counted_codes.person_row,
        row_number() over (
            order by counted_codes.codes desc, counted_codes.person_file asc, counted_codes.person_row asc
        ) as place
    from counted_codes
)

select
    placed_persons.place,
    person_records.person_file as original_file,
    person_records.person_row as original_row,
    person_records.QAGE,
    person_records.QSEX,
    {%- for column in block_columns %}
    person_records.{{ column.quoted }},
    {%- endfor %}
    {%- for column in code_columns %}
    person_records.{{ column.quoted }},
    {%- endfor %}
from person_records
left join placed_persons
    on
        person_records.person_file = placed_persons.person_file
        and person_records.person_row = placed_persons.person_row
order by placed_persons.place, original_file, original_row
