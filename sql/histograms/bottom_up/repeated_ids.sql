-- repeated_ids: the records without an id, and those whose id another record has.
--
-- zone    confidential
-- reads   table_values  one row per record
-- writes  one row per record whose id is missing or stands more than once
--           record_file  varchar  file the record stands in
--           record_row   bigint   its row in that file, the first is 1
--           record_id    varchar  its id
-- source  histograms.md section 1
-- why     For the custodian, who is shown some of them; it is asked only where a column of ids was named.
with repeated_ids as (
    -- one row per id that is missing or stands more than once
    select
        table_values.record_id as id,
        count(*) as records
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
