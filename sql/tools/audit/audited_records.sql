-- audited_records: the person records, in the order in which the stability audit picks records to leave out.
--
-- zone    confidential
-- reads   person_records  one row per person
--         answer_groups   one row per distinct answer to all questions, and level with an iteration that it leads to
--         place_levels    one row per block and level whose region type has a region there
-- writes  one row per record
--           place          bigint   1, 2, ...: of the person, or of the record; NULL outside the parts that are run
--           original_file  varchar  file that holds the record
--           original_row   bigint   its row number in that file, from 1
--           {{ record_keys }}  varchar  person_key, the person; and the columns that say which records are kept first
--           {{ attributes }}  integer  number of the value of each attribute, such as AGE_number
--           {{ amounts }}  integer  the amount that each ladder of sums adds up, such as amount_2
--           {{ block_columns }}  varchar  the columns that name its place, such as TABBLKST
--           {{ code_columns }}  varchar  the columns of the questions, such as QRACE1 and QSPAN
-- params  {{ person_bounds }}   the column of the person, where the parameters name it
--         {{ record_keys }}     names of the columns that tell persons, and the order of the records of each
--         {{ attributes }}      name of the number of each attribute's value
--         {{ amounts }}         each amount, with the most that a record adds
--         {{ code_columns }}    name of each column of a question
--         {{ answer_columns }}  name of each column of a question
--         {{ block_columns }}   name of each column that names a place
--         {{ record_key }}      the expression of the key of a record's place
--         {{ is_requested }}    whether a record may be of a part that is run, as far as its own columns say
-- source  evaluation.md section 4
-- why     Round-robin over levels, whoever is in most groups first, and of these who has the largest amounts. The
--         records are written to several files; each person to be left out has a file of its own, so that the unchanged
--         statements of a run can read all but one person. The records of a person are turned round, so that what
--         depends on their order in the files is found. For public or synthetic data only.
with requested_records as (
    -- one row per record of the parts that are run
    select
        [
            {%- for column in person_bounds %}
            cast(person_records.{{ column | quoted }} as varchar),
            {%- else %}
            person_records.person_file,
            cast(person_records.person_row as varchar),
            {%- endfor %}
        ] as unit_key,
        person_records.person_file,
        person_records.person_row,
        {{ record_key }} as block_key,
        [
            {%- for column in answer_columns %}
            person_records.{{ column | quoted }},
            {%- endfor %}
        ] as answer,
        0 {%- for amount in amounts %}
        + least(coalesce(person_records.{{ amount.name }}, 0), {{ amount.most }}) / {{ amount.most }}
        {%- endfor %} as amounts
    from person_records
    where {{ is_requested }}
),

record_levels as (
    -- one row per person of the parts that are run, and level in a group of which the person is
    select
        requested_records.unit_key,
        answer_groups.level_id,
        sum(answer_groups.iterations) as iterations,
        sum(sum(answer_groups.iterations)) over (partition by requested_records.unit_key) as all_iterations,
        sum(requested_records.amounts) as amounts,
        min(row(requested_records.person_file, requested_records.person_row)) as first_record
    from requested_records
    inner join place_levels on requested_records.block_key = place_levels.block_key
    inner join answer_groups
        on
            requested_records.answer = answer_groups.answer
            and place_levels.level_id = answer_groups.level_id
    group by requested_records.unit_key, answer_groups.level_id
),

ranked_records as (
    -- one row per person of the parts that are run, and level in a group of which the person is
    select
        record_levels.unit_key,
        record_levels.level_id,
        row_number() over (
            partition by record_levels.level_id
            order by
                record_levels.iterations desc,
                record_levels.all_iterations desc,
                record_levels.amounts desc,
                record_levels.first_record asc
        ) as rank
    from record_levels
),

placed_records as (
    -- one row per person of the parts that are run
    select
        requested_records.unit_key,
        row_number() over (
            order by
                min(row(ranked_records.rank, ranked_records.level_id)) asc nulls last,
                min(row(requested_records.person_file, requested_records.person_row)) asc
        ) as place
    from requested_records
    left join ranked_records on requested_records.unit_key = ranked_records.unit_key
    group by requested_records.unit_key
)

select
    placed_records.place,
    person_records.person_file as original_file,
    person_records.person_row as original_row,
    {%- for column in record_keys %}
    person_records.{{ column | quoted }},
    {%- endfor %}
    {%- for attribute in attributes %}
    person_records.{{ attribute.number | quoted }},
    {%- endfor %}
    {%- for amount in amounts %}
    person_records.{{ amount.name }},
    {%- endfor %}
    {%- for column in block_columns %}
    person_records.{{ column | quoted }},
    {%- endfor %}
    {%- for column in code_columns %}
    person_records.{{ column | quoted }},
    {%- endfor %}
from person_records
left join requested_records
    on
        person_records.person_file = requested_records.person_file
        and person_records.person_row = requested_records.person_row
left join placed_records on requested_records.unit_key = placed_records.unit_key
order by placed_records.place asc, original_file desc, original_row desc
