-- kept_records: the records that are counted of persons who have more.
--
-- zone    confidential
-- reads   countable_records  one row per record of the universe that has a geo unit and listed values
--         bounded_persons    one row per person with more records than are counted
-- writes  one row per kept record of these persons
--           person_key       varchar    the person, in the type of its column
--           kept_place       bigint     1, 2, ... in the order in which records of the person are kept
--           records          bigint     countable records of the person
--           {{ counted_columns }}  as read  what is counted of it, such as its geo unit
-- params  $most_records          integer  at most so many records of a person are kept
--         {{ keep_order }}       of each column that says which records are kept first: asc or desc
--         {{ counted_columns }}  the names of the columns that are counted
-- source  tabulation.md section 4.4
-- why     The order follows from the records of the person alone, and from no place in any file. Records of one hash
--         are alike in all that is counted of them. The records of a histogram are kept by this statement, too.
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
    {{ counted_columns | of("countable_records") }}
from countable_records
semi join bounded_persons on countable_records.person_key = bounded_persons.person_key
qualify kept_place <= $most_records
