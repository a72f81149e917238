-- repeated_ids: the records without an id, and the records whose id another record also has.
--
-- zone    confidential
-- reads   table_values  one row per record
-- writes  one row per record whose id is missing or occurs more than once
--           record_file  varchar  file that holds the record
--           record_row   bigint   its row number in that file, from 1
--           record_id    varchar  its id
-- source  histograms.md section 1
-- why     The custodian is shown some of these records. The statement runs only if the custodian named a column of ids.
with repeated_ids as (
    -- one row per id that is missing or occurs more than once
    select table_values.record_id as id
    from table_values
    group by table_values.record_id
    having count(*) > 1 or table_values.record_id is null
)

select
    table_values.record_file,
    table_values.record_row,
    table_values.record_id
from table_values
semi join repeated_ids on table_values.record_id is not distinct from repeated_ids.id
