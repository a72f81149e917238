-- scattered_people: people who are far from their neighbours in the files, by where they live.
--
-- zone    confidential
-- kind    file
-- reads   persons    one row per person of the universe
--         geo_units  one row per distinct combination of regions
-- writes  one row per person of the universe
--           geo_unit_id      integer    as in persons
--           finest_position  usmallint  as in persons
--           {{ packed_columns }}  ubigint  as in persons
--           {{ single_questions }}  usmallint  as in persons
--           bucket           integer    0, 1, ...: a run of geo units; 0 also holds whoever cannot be counted
-- params  $buckets                integer  how many buckets there are
--         {{ packed_columns }}    name of each column of packed codes
--         {{ single_questions }}  name of the column of each question of one column
-- source  none: where people wait before they are counted changes the time it takes, never the count
-- why     Files of people in no order, or of many sorted runs, give every slice people of everywhere, and then its
--         counts are nearly as many as its people. So these people are written down once, bucket by bucket, a few
--         bytes a person, and the slices are made of one bucket after another.
select
    persons.geo_unit_id,
    persons.finest_position,
    {%- for packed in packed_columns %}
    persons.{{ packed.name }},
    {%- endfor %}
    {%- for question in single_questions %}
    persons.{{ question.code_column }},
    {%- endfor %}
    cast(
        (coalesce(persons.geo_unit_id, 1) - 1) * cast($buckets as bigint) // (select count(*) from geo_units) as integer
    ) as bucket
from persons
