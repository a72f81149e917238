-- kept_records: the records that are counted of the persons whose records are not all counted as they are.
--
-- zone    confidential
-- reads   countable_records  one row per record of the universe that has a geo unit and listed values
--         bounded_persons    one row per person with more records than are counted as they are
-- writes  one row per kept record of these persons
--           person_key       varchar    the person, in the type of its column
--           kept_place       bigint     1, 2, ... in the order in which records of the person are kept
--           records          bigint     countable records of the person
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           codes_1_to_4     ubigint    as in persons
--           codes_5_to_8     ubigint    likewise
--           {{ single_questions }}  usmallint  the code of each question of one column, such as ethnicity_code
-- params  $most_records           integer  at most so many records of a person are kept
--         {{ keep_order }}        of each column that says which records are kept first: asc or desc
--         {{ single_questions }}  name of the column of each question of one column
-- source  tabulation.md section 4.4
-- why     The order follows from the records of the person alone, and from no place in any file. Records of one hash
--         are alike in all that is counted of them.
select
    countable_records.person_key,
    row_number() over (
        partition by countable_records.person_key
        order by
            {%- for column in keep_order %}
            countable_records.{{ column | quoted }} {{ keep_order[column] }} nulls last,
            {%- endfor %}
            countable_records.record_hash
    ) as kept_place,
    count(*) over (partition by countable_records.person_key) as records,
    countable_records.geo_unit_id,
    countable_records.finest_position,
    countable_records.codes_1_to_4,
    countable_records.codes_5_to_8
    {%- for question in single_questions %},
    countable_records.{{ question.code_column }}
    {%- endfor %}
from countable_records
semi join bounded_persons on countable_records.person_key = bounded_persons.person_key
qualify kept_place <= $most_records
