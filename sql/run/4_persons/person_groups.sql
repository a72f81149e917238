-- person_groups: the regions and iterations that each person of a bucket is in, once each.
--
-- zone    confidential
-- kind    slice
-- reads   bucket_records      one row per kept record of the persons of a bucket
--         several_tallies     one row per question of several columns and person; here of a person for each answer
--         crossed_answers     one row per crossing and distinct answer to all questions
--         code_tallies        one row per code and question
--         iteration_tallies   one row per iteration and tally
--         geo_unit_regions    one row per geo unit and region it lies in
--         level_regions       one row per population group level and region
--         level_iterations    one row per population group level and iteration it tabulates
-- writes  one row per person, region and iteration
--           region_key       integer    key of regions
--           iteration_id     integer    key of iterations
--           finest_position  usmallint  key of finest_values: of the first kept record in the group
--           level_id         integer    key of levels; NULL where nothing bounds the groups of a person
--           is_counted       boolean    whether the person counts in it: it is among the first groups of its level
-- params  {{ group_bounds }}      the most groups of a level that a person counts in, if anything bounds them
--         {{ several_questions }}  each question of several columns, with the places of its codes
--         {{ packed_columns }}    name of each column of packed codes
--         {{ single_questions }}  name of the column of each question of one column
--         {{ answer_keys }}       names of all columns of answers
-- source  tabulation.md section 4.4
-- why     Here the records of a person become one. Where groups are bounded, no level has shares, so a region and an
--         iteration are a group of one level.
with tallied_records as (
    -- one row per kept record and question or crossing with tallies
    select
        bucket_records.person_key,
        bucket_records.kept_place,
        bucket_records.geo_unit_id,
        bucket_records.finest_position,
        crossed_answers.tally_ids
    from bucket_records
    inner join crossed_answers
        on
            true
            {%- for key in answer_keys %}
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
        on packed_code(bucket_records.{{ question.first.column }}, {{ question.first.place }}) = code_tallies.code
    where
        code_tallies.question_name = {{ question.name | literal }}
        {%- for second in question.second %}
        and not has_code(bucket_records.{{ second.column }}, {{ second.place }})
        {%- endfor %}
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
),

record_tallies as (
    -- one row per kept record and tally
    select
        tallied_records.person_key,
        tallied_records.kept_place,
        tallied_records.geo_unit_id,
        tallied_records.finest_position,
        unnest(tallied_records.tally_ids) as tally_id
    from tallied_records
),

all_groups as (
    -- one row per person, region and iteration
    select
        record_tallies.person_key,
        geo_unit_regions.region_key,
        iteration_tallies.iteration_id,
        arg_min(record_tallies.finest_position, record_tallies.kept_place) as finest_position
    from record_tallies
    inner join iteration_tallies on record_tallies.tally_id = iteration_tallies.tally_id
    inner join geo_unit_regions on record_tallies.geo_unit_id = geo_unit_regions.geo_unit_id
    group by record_tallies.person_key, geo_unit_regions.region_key, iteration_tallies.iteration_id
)

{%- for most_groups in group_bounds %}

select
    all_groups.region_key,
    all_groups.iteration_id,
    all_groups.finest_position,
    level_regions.level_id,
    row_number() over (
        partition by all_groups.person_key, level_regions.level_id
        order by
            md5_number(
                concat_ws(
                    chr(31),
                    all_groups.person_key,
                    level_regions.first_population_group_id + level_iterations.iteration_position
                )
            ),
            level_iterations.iteration_position,
            level_regions.first_population_group_id
    ) <= {{ most_groups }} as is_counted
from all_groups
inner join level_regions on all_groups.region_key = level_regions.region_key
inner join level_iterations
    on
        level_regions.level_id = level_iterations.level_id
        and all_groups.iteration_id = level_iterations.iteration_id
{%- else %}

select
    all_groups.region_key,
    all_groups.iteration_id,
    all_groups.finest_position,
    cast(null as integer) as level_id,
    true as is_counted
from all_groups
{%- endfor %}
