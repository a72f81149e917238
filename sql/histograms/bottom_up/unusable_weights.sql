-- unusable_weights: the records whose weight is missing or no whole number.
--
-- zone    confidential
-- reads   table_values  one row per record
-- writes  one row per record without a usable weight
--           record_file  varchar  file that holds the record
--           record_row   bigint   its row number in that file, from 1
-- source  histograms.md section 2.2
-- why     The custodian is shown some of these records.
select
    table_values.record_file,
    table_values.record_row
from table_values
where table_values.given_weight is null
