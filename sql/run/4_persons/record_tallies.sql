-- record_tallies: the tallies of each kept record of the persons of a bucket.
--
-- zone    confidential
-- kind    slice
-- reads   bucket_records   one row per kept record of the persons of a bucket
--         several_tallies  one row per question of several columns and person with several codes
--         crossed_answers  one row per distinct answer to all questions that leads to pairs of iterations
--         code_tallies     one row per code and question
-- writes  one row per kept record, question and tally, some more than once, and some with NULL
--           person_key       varchar    the person, in the type of its column
--           kept_place       bigint     1, 2, ... in the order in which records of the person are kept
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           tally_id         integer    key of iteration_tallies
-- params  {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ packed_columns }}     name of each column of packed codes
--         {{ single_questions }}   each question of one column, and the name of its column
--         {{ first_key }}          name of the first column of answers
--         {{ other_keys }}         names of the others
-- source  tabulation.md section 4.4
-- why     The tallies of several codes are looked up once for each answer, of which a person stands for all.
with tallied_records as (
    -- one row per kept record and question, or answer to several
    select
        bucket_records.person_key,
        bucket_records.kept_place,
        bucket_records.geo_unit_id,
        bucket_records.finest_position,
        crossed_answers.tally_ids
    from bucket_records
    inner join crossed_answers
        on
            bucket_records.{{ first_key }} = crossed_answers.{{ first_key }}
            {%- for key in other_keys %}
            and bucket_records.{{ key }} = crossed_answers.{{ key }}
            {%- endfor %}
    {%- for question in several_questions %}
    union all
    select
        bucket_records.person_key,
        bucket_records.kept_place,
        bucket_records.geo_unit_id,
        bucket_records.finest_position,
        code_tallies.tally_ids
    from bucket_records
    inner join code_tallies
        on packed_code(bucket_records.{{ question.first_column }}, {{ question.first_place }}) = code_tallies.code
    where
        code_tallies.question_name = {{ question.name | literal }}
        and not has_code(bucket_records.{{ question.second_column }}, {{ question.second_place }})
    {%- endfor %}
    {%- for question in single_questions %}
    union all
    select
        bucket_records.person_key,
        bucket_records.kept_place,
        bucket_records.geo_unit_id,
        bucket_records.finest_position,
        code_tallies.tally_ids
    from bucket_records
    inner join code_tallies on bucket_records.{{ question.code_column }} = code_tallies.code
    where code_tallies.question_name = {{ question.name | literal }}
    {%- endfor %}
    union all
    select
        bucket_records.person_key,
        bucket_records.kept_place,
        bucket_records.geo_unit_id,
        bucket_records.finest_position,
        several_tallies.tally_ids
    from bucket_records
    inner join several_tallies
        on
            true
            {%- for packed in packed_columns %}
            and bucket_records.{{ packed.name }} = several_tallies.{{ packed.name }}
            {%- endfor %}
)

select
    tallied_records.person_key,
    tallied_records.kept_place,
    tallied_records.geo_unit_id,
    tallied_records.finest_position,
    unnest(tallied_records.tally_ids) as tally_id
from tallied_records
