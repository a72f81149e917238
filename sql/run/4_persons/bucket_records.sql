-- bucket_records: the kept records of some of the persons who count once in a group.
--
-- zone    confidential
-- kind    stream
-- reads   kept_records  one row per kept record of these persons
-- writes  one row per kept record of the persons of a bucket
--           person_key       varchar    the person, in the type of its column
--           kept_place       bigint     1, 2, ... in the order in which records of the person are kept
--           geo_unit_id      integer    key of geo_units
--           finest_position  usmallint  key of finest_values, such as sex and age
--           {{ packed_columns }}  ubigint  as in persons
--           {{ single_questions }}  usmallint  the code of each question of one column, such as ethnicity_code
-- params  $bucket                 integer  number of the bucket, from 0
--         $buckets                integer  how many there are
--         {{ packed_columns }}    name of each column of packed codes
--         {{ single_questions }}  name of the column of each question of one column
-- source  tabulation.md section 4.4
-- why     A bucket holds whole persons and fits into memory. Which persons it holds changes no count, so the engine's
--         own hash will do.
select
    kept_records.person_key,
    kept_records.kept_place,
    kept_records.geo_unit_id,
    kept_records.finest_position
    {%- for packed in packed_columns %},
    kept_records.{{ packed.name }}
    {%- endfor %}
    {%- for question in single_questions %},
    kept_records.{{ question.code_column }}
    {%- endfor %}
from kept_records
where hash(kept_records.person_key) % $buckets = $bucket
